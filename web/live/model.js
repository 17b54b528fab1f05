// SPDX-License-Identifier: Apache-2.0
/*
 * What samples of a running program come to: rows with what each worker (or thread) was at, slot by slot, and series of numbers over time. Samples have
 * sums that only grow; here they become shares and rates between one sample and the next. Nothing here knows of a page.
 */
export const STATES = ["executing", "callback", "sleeping", "other"];
const SUMS = STATES.map(s => `${s}_s`);
const GAP_S = 1.5; // a longer one is a time in which nobody looked
const KEEP = 900; // samples: at ten a second a minute and a half

const NONE = [0, NaN];
/* A series' limits have 0 and all that is shown in them. */
function stretch(s, v) {
	if (v > s.max) s.max = v;
	if (v < s.min) s.min = v;
}

/** The part of a second that a sum has grown by, of 0 to 1. @param {number} now @param {number | undefined} before @param {number} seconds */
const share = (now, before, seconds) => (before === undefined || !(seconds > 0) ? 0 : Math.min(1, Math.max(0, (now - before) / seconds)));
const rate = (now, before, seconds) => (before === undefined || !(seconds > 0) ? 0 : Math.max(0, (now - before) / seconds));

/**
 * @typedef {{t: number, dt: number, shares: number[], what: string}} Slot   up to the time t (s), dt long; shares: by STATES
 * @typedef {{name: string, state: string, what: string, tasks: number, rate: number, busy: number, slots: Slot[], before?: any}} Row
 * @typedef {{name: string, group: string, unit: string, points: [number, number][], last: number, min: number, max: number}} Series
 */
export function createModel() {
	/** @type {Map<string, Row>} */ const rows = new Map();
	/** @type {Map<string, Series>} */ const series = new Map();
	let last = null, began = null;

	function plot(group, name, unit, t, value, limits = {}) {
		if (typeof value !== "number" || !Number.isFinite(value)) return;
		const key = `${group}\n${name}`;
		let s = series.get(key);
		if (!s) series.set(key, (s = { name, group, unit, points: [], last: 0, min: limits.min ?? 0, max: limits.max ?? 0 }));
		s.points.push([t, value]);
		const [, gone] = s.points.length > KEEP ? s.points.shift() : NONE;
		s.last = value;
		if (limits.max !== undefined) return;
		/* All are looked at only when an outermost one has gone. */
		if (gone === s.max || gone === s.min) {
			s.max = s.min = 0;
			for (const p of s.points) stretch(s, p[1]);
		}
		stretch(s, value);
	}

	function row(name) {
		let r = rows.get(name);
		if (!r) rows.set(name, (r = { name, state: "", what: "", tasks: 0, rate: 0, busy: 0, slots: [] }));
		return r;
	}
	function slot(r, s) {
		r.slots.push(s);
		if (r.slots.length > KEEP) r.slots.shift();
	}

	function addWorkers(list, t, dt) {
		for (const w of list) {
			const r = row(w.name), b = r.before, shares = [0, 0, 0, 0];
			let sum = 0;
			for (let k = 0; k < SUMS.length; k++) sum += shares[k] = share(w[SUMS[k]], b?.[SUMS[k]], dt);
			/* What nothing was counted of is what it is at: before its first station nothing is known. */
			if (b && sum < 0.999) shares[Math.max(0, STATES.indexOf(w.state))] += 1 - sum;
			r.state = w.state;
			r.what = w.codelet ?? "";
			r.rate = rate(w.tasks, b?.tasks, dt);
			r.tasks = w.tasks;
			r.busy = shares[0];
			r.before = w;
			if (w.codelet) r.lately = w.codelet;
			if (b && dt < GAP_S) slot(r, { t, dt, shares, what: w.codelet ?? r.lately ?? "" });
		}
	}
	/* A recording says where each thread has been since the last sample, to the tick. */
	function addThreads(list, t, dt) {
		const there = new Set(list.map(x => String(x.id)));
		for (const [key, r] of rows) if (r.thread && !there.has(key)) rows.delete(key);
		for (const x of list) {
			const r = row(String(x.id)), b = r.before;
			const inside = x.region ? 1 : 0;
			Object.assign(r, { thread: true, label: x.name, state: x.region ? "executing" : "other", what: x.region ?? "", tasks: x.events, rate: rate(x.events, b?.events, dt), busy: inside, before: x });
			const parts = (x.spent ?? []).map(p => [p.region, share(p.s, 0, dt)]).sort((p, q) => q[1] - p[1]), busy = parts.reduce((a, [name, v]) => a + (name ? v : 0), 0);
			if (b && x.spent) r.busy = Math.min(1, busy);
			if (b && dt < GAP_S) slot(r, { t, dt, shares: x.spent ? [Math.min(1, busy), 0, 0, Math.max(0, 1 - busy)] : [inside, 0, 0, 1 - inside], what: x.region ?? "", parts: parts.filter(([name]) => name) });
		}
	}

	function addSeries(s, b, t, dt) {
		if (s.tasks) {
			plot("Tasks", "executed a second", "/s", t, rate(s.tasks.executed, b?.tasks?.executed, dt));
			plot("Tasks", "ready", "", t, s.tasks.ready);
			plot("Tasks", "submitted, not done", "", t, s.tasks.submitted);
		}
		for (const d of s.data ?? []) if (d.active !== false) plot("The program's values", d.name, "", t, d.value === true ? 1 : d.value === false ? 0 : d.value, d.max > d.min ? { min: d.min, max: d.max } : {});
		for (const c of s.counters ?? []) for (const [of, value] of counterValues(c)) plot("Counters", of === "" ? c.name : `${c.name} of ${of}`, "", t, value);
		for (const c of s.recorded_counters ?? []) plot("Counters", c.name, "", t, c.value);
		for (const n of s.nodes ?? []) plot("Memory in use", n.name, "MB", t, n.used_bytes / 1e6);
		for (const l of s.links ?? []) plot("Between memories", l.name, "MB/s", t, rate(l.bytes, b?.links?.find(x => x.name === l.name)?.bytes, dt) / 1e6);
		if (s.message_ends) {
			const of = s.message_ends, was = b?.message_ends;
			plot("Messages", "sent a second", "/s", t, rate(of.sent, was?.sent, dt));
			plot("Messages", "received a second", "/s", t, rate(of.received, was?.received, dt));
			plot("Messages", "MB a second", "MB/s", t, rate(of.sent_bytes, was?.sent_bytes, dt) / 1e6);
		}
		if (s.events) plot("Recording", "events a second", "/s", t, rate(s.events.recorded, b?.events?.recorded, dt));
		for (const tunlet of s.tunlets ?? []) for (const v of tunlet.values) plot(`Tunlet ${tunlet.name}`, v.name, "", t, v.value);
	}

	return {
		rows, series,
		get last() { return last; },
		get began() { return began; },
		get seconds() { return last ? last.time_s : 0; },
		/** A sample as the program has said it. */
		add(sample) {
			if (last && sample.pid !== last.pid) this.clear();
			const t = sample.time_s, dt = last ? t - last.time_s : 0;
			if (began === null || dt >= GAP_S) began = t;
			addWorkers(sample.workers ?? [], t, dt);
			addThreads(sample.threads ?? [], t, dt);
			addSeries(sample, last, t, dt);
			last = sample;
		},
		clear() {
			rows.clear();
			series.clear();
			last = began = null;
		},
	};
}

/** A counter has one value, or one of each worker or codelet. @returns {[string | number, number][]} */
export function counterValues(c) {
	if (Array.isArray(c.codelets)) return c.codelets.map(v => [v.name, v.value]);
	if (Array.isArray(c.values)) return c.values.map((v, i) => [`worker ${i}`, v]);
	return [["", c.value]];
}

/**
 * When a scheduler wants tasks to run, in s of the samples' clock: previsions are µs of the program's clock, and the
 * sample says what that is then (now_us).
 * @param {{time_s: number, at_ns: number, previsions?: {task: number, name: string, worker: number, start_us: number, end_us: number}[], now_us?: number}} sample
 */
export function previsions(sample) {
	const now = sample.now_us;
	if (typeof now !== "number") return [];
	return (sample.previsions ?? []).map(p => ({ task: p.task, name: p.name, worker: p.worker, from: sample.time_s + (p.start_us - now) / 1e6, to: sample.time_s + (p.end_us - now) / 1e6 }));
}

/** Knobs and parameters as rows that can be turned: [{kind, name, of, value, type, min, max, words}]. @param {any} sample */
export function turnable(sample) {
	const list = [];
	for (const p of sample?.parameters ?? []) list.push({ kind: "parameter", name: p.name, of: null, value: p.value, type: p.type, min: p.min, max: p.max, words: p.words });
	for (const k of sample?.knobs ?? []) {
		const values = Array.isArray(k.values) ? k.values : [k.value];
		values.forEach((value, i) => list.push({ kind: "knob", name: k.name, of: Array.isArray(k.values) ? i : null, value, type: k.type ?? "", help: k.help }));
	}
	return list;
}

/** A number in few signs. @param {number} v */
export function brief(v) {
	if (!Number.isFinite(v)) return "–";
	const a = Math.abs(v);
	if (a >= 1e9) return `${(v / 1e9).toPrecision(3)} G`;
	if (a >= 1e6) return `${(v / 1e6).toPrecision(3)} M`;
	if (a >= 1e4) return `${(v / 1e3).toPrecision(3)} k`;
	if (Number.isInteger(v)) return String(v);
	return a >= 100 ? v.toFixed(0) : a >= 10 ? v.toFixed(1) : v.toPrecision(3);
}
