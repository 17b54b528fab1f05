// SPDX-License-Identifier: Apache-2.0
/* The panel Live: what each worker is at, second after second, with what is foreseen; curves of everything that is counted; start. */
import { fill, h, plain } from "../lib/dom.js";
import { codeletColor, workerColors } from "./colors.js";
import { STATES, brief, previsions } from "./model.js";
import { AXIS, LABELS, ROW, createRing, fit, inks, paintAxis, paintCurve, paintLabels, paintPart, windowOf } from "./paint.js";
import { liveSource } from "./source.js";

const SPANS = [10, 30, 90], MARGIN = 12 /* as live.css' */, PICTURE_MS = 250, READ_MS = 950;

/** "120 s", "12 min 05 s". @param {number} s */
export function runningText(s) {
	return s < 600 ? `${s.toFixed(s < 10 ? 1 : 0)} s` : `${Math.floor(s / 60)} min ${String(Math.floor(s % 60)).padStart(2, "0")} s`;
}

/** Few rows are high, many as low as can be read. @param {number} n */
export const heightOf = n => Math.max(ROW, Math.min(46, Math.floor(280 / Math.max(1, n))));

/** What the canvas shows, in words. @param {any[]} rows */
export function rowsText(rows) {
	const n = {};
	for (const r of rows) n[r.state] = (n[r.state] ?? 0) + 1;
	const parts = Object.entries(n).map(([state, k]) => `${k} ${state || "unknown"}`);
	return rows.length ? `${rows.length} rows: ${parts.join(", ")}` : "nothing is known yet";
}

/** @param {HTMLElement} host @param {any} app */
export function createLive(host, app) {
	const source = liveSource(app), own = () => app.own("live");
	const dot = h("span", { class: "live-dot" }), title = h("span", { class: "live-title" }), facts = h("span", { class: "soft live-facts" });
	const start = h("button", { class: "main", type: "button", hidden: true, onclick: () => source.post("start", {}, "the program goes on") }, "Start the program");
	const freeze = h("button", { type: "button", "aria-pressed": "false", title: "Hold the picture; the program runs on  (Space)", onclick: () => setFrozen(!frozen) }, "Hold");
	const spans = h("span", { class: "segments", role: "group", "aria-label": "Seconds that are shown" });
	const colors = h("button", { type: "button", onclick: () => app.own("live", { codelets: !(own().codelets ?? Boolean(source.program?.model.last?.threads)) }), title: "Executing in the codelet's colour, or green" }, "Codelets");
	const which = h("select", { "aria-label": "Program", hidden: true, onchange: () => source.choose(which.selectedIndex) });
	const canvas = h("canvas", { role: "img", tabindex: "0" }), filling = h("canvas", { class: "live-filling", "aria-hidden": "true" }), labels = h("canvas", { class: "live-labels", "aria-hidden": "true" }), space = h("div", {}), legend = h("div", { class: "live-legend" });
	const cards = h("div", { class: "live-cards", tabindex: "0", role: "region", "aria-label": "Curves" }), note = h("p", { class: "note", hidden: true });
	const gantt = h("section", { class: "live-gantt", "aria-label": "Workers over time" }, h("div", { class: "live-view" }, canvas, filling, labels), space);
	fill(host, h("div", { class: "live" }, h("div", { class: "bar" }, dot, which, title, facts, h("span", { class: "grow" }), start, spans, colors, freeze), note, gantt, legend, cards));
	const ring = createRing();
	let ink = null, cardsDue = 0, pictureDue = 0, rowHeight = ROW, windowFrom = 0, frozen = false, held = null, asked = false, shownCards = "", shownRows = "", shownFilling = "", names = [];
	const made = new Map();

	function setFrozen(now) {
		frozen = now;
		freeze.setAttribute("aria-pressed", String(now));
		paint();
	}
	const seconds = () => (SPANS.includes(own().seconds) ? own().seconds : 30);

	function state() {
		const p = source.program, s = p?.state;
		dot.className = `live-dot ${!s ? "" : s.connected ? "on" : s.ended ? "ended" : "off"}`;
		fill(title, s?.program ? `${plain(s.program, 60)}` : "no program");
		const programs = source.programs.filter(x => x.state.kind !== "tune");
		which.hidden = programs.length < 2;
		if (!which.hidden) fill(which, programs.map(x => h("option", { selected: x === p }, `${plain(x.state.program, 40)} ${x.state.pid}`)));
		title.hidden = !which.hidden;
		const why = s && !s.connected ? s.why : "";
		note.hidden = !why;
		fill(note, why ? `${why}${s.ended && !/^\d+$/.test(String(s.who ?? "")) ? "; what is shown is the last of it" : ""}` : "");
	}

	function head() {
		const p = source.program, sample = p?.model.last;
		if (!sample) return;
		const parts = [`pid ${sample.pid}`, `runs for ${runningText(sample.time_s)}`];
		if (sample.tasks) parts.push(`${sample.tasks.executed} tasks executed since somebody looks`);
		if (sample.left_out) parts.push(`${sample.left_out} samples left out`);
		fill(facts, parts.join(" · "));
		if (names.length !== kindNames().length && (own().codelets ?? Boolean(sample.threads))) bar();
		start.hidden = !sample.waits_for_start;
		start.disabled = !source.control;
		start.title = source.control ? `It waits: ${plain(sample.waits_for_start ?? "", 80)}` : "weft open --control lets the page start it";
	}

	function card(series) {
		const canvas = h("canvas", { role: "img" });
		const box = h("figure", { class: "live-card", "data-name": series.name }, h("figcaption", { title: plain(`${series.group}: ${series.name}`, 200) }, plain(series.name, 60)), h("div", {}, canvas));
		return { box, canvas };
	}
	/* Cards are made anew only when there is something new to plot. */
	function layCards(model) {
		const keys = [...model.series.keys()].join("\n\n");
		if (keys === shownCards) return;
		shownCards = keys;
		made.clear();
		const groups = new Map();
		for (const [key, s] of model.series) {
			const c = card(s);
			made.set(key, c);
			groups.set(s.group, [...(groups.get(s.group) ?? []), c.box]);
		}
		fill(cards, [...groups].map(([name, list]) => h("section", { "aria-label": name }, h("h3", {}, plain(name, 80)), h("div", { class: "live-grid" }, list))));
	}

	function paint() {
		asked = false;
		pictureDue = performance.now() + PICTURE_MS;
		const model = source.program?.model;
		if (!model?.last || !host.clientWidth) return;
		if (!frozen) held = { to: model.seconds, previsions: previsions(model.last) };
		ink ??= inks(host);
		const span = seconds(), ahead = Math.min(span / 4, Math.max(0, ...held.previsions.map(p => p.to - held.to)));
		/* The picture fills from the left, and then moves. */
		const rows = [...model.rows.values()], w = windowOf({ began: model.began, now: held.to, ahead, span });
		rowHeight = heightOf(rows.length);
		windowFrom = w.from;
		const content = AXIS + rows.length * rowHeight, due = performance.now() >= cardsDue;
		if (space.style.height !== `${content}px`) space.style.height = `${content}px`;
		/* As high as what is seen of it: the browser works for each pixel of a canvas of which anything changes. */
		const width = Math.max(1, gantt.clientWidth - 2 * MARGIN), how = looks(rows, { ...w, width: width - LABELS, height: Math.max(1, Math.min(content, gantt.clientHeight)), scroll: gantt.scrollTop });
		ring.add({ ...how, now: Math.min(model.seconds, held.to), span });
		paintWindow(how, w);
		if (due) paintLabels(fit(labels, how.height, LABELS, true).c, how);
		/* What changes ten times a second cannot be read: names, curves and values change once a second, and values are painted: of the document itself only one line changes, since a layout costs more than a picture. */
		if (due) {
			const words = rowsText(rows);
			if (words !== canvas.getAttribute("aria-label")) canvas.setAttribute("aria-label", words);
			head();
			paintCards(model, w.from, span);
		}
	}
	/* What has moved on; between two moves the part that fills. */
	function paintWindow(how, { from, to, fill: since }) {
		const { ratio, height } = how, zero = ring.column(from), a = ring.column(since), b = zero + Math.round(how.width * ratio), still = JSON.stringify([zero, a, height, how.scroll, how.width, ring.turn]), newest = JSON.stringify([still, ring.end]);
		if (cardsDue === 0 || still !== shownRows) { // 0: asked for, by a theme, a size
			shownRows = still;
			const { c } = fit(canvas, height, how.width, true);
			paintAxis(c, how);
			paintPart(c, zero, b, AXIS, { ...how, previsions: [] });
		}
		const wide = how.previsions.length ? b - a : Math.min(b, ring.column(since + (to - from) / 10)) - a;
		/* A sample that would not move anything by a pixel need not be painted. */
		if (wide <= 0 || (newest === shownFilling && !how.previsions.length && cardsDue)) return;
		shownFilling = newest;
		filling.style.left = `${LABELS + (a - zero) / ratio}px`;
		paintPart(fit(filling, height - AXIS, wide / ratio, true).c, a, a + wide, 0, how);
	}
	/* How rows are painted, on a page or into a file. */
	const looks = (rows, where) => ({ rows, row: rowHeight, ratio: devicePixelRatio || 1, ring, ink, colors: workerColors(app.dark(), app.state.safe), byWhat: own().codelets ?? Boolean(source.program?.model.last?.threads) ? codeletColor : null, previsions: held.previsions, ...where });
	/* All rows, also those that are not seen. */
	function picture() {
		const model = source.program?.model, rows = [...(model?.rows.values() ?? [])], ratio = devicePixelRatio || 1, height = AXIS + rows.length * rowHeight, width = gantt.clientWidth - 2 * MARGIN;
		if (!held || !(width > LABELS)) return null;
		const whole = new OffscreenCanvas(Math.round(width * ratio), Math.round(height * ratio)), c = whole.getContext("2d");
		const all = createRing(), how = { ...looks(rows, { from: windowFrom, to: windowFrom + seconds(), width: width - LABELS, height, scroll: 0 }), ring: all };
		all.add({ ...how, now: held.to, span: seconds() });
		const zero = all.column(windowFrom);
		c.setTransform(ratio, 0, 0, ratio, LABELS * ratio, 0);
		paintAxis(c, how);
		paintPart(c, zero, zero + Math.round(how.width * ratio), AXIS, how);
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		paintLabels(c, how);
		return whole;
	}
	function paintCards(model, from, span) {
		cardsDue = performance.now() + READ_MS;
		const tunes = source.tuner?.model;
		layCards({ series: tunes ? new Map([...model.series, ...tunes.series]) : model.series });
		const shown = [...made].map(([key, card]) => ({ ...card, of: model.series.get(key), s: model.series.get(key) ?? tunes?.series.get(key), width: card.canvas.parentElement.clientWidth })).filter(x => x.s);
		for (const { canvas: on, of, s, width } of shown) {
			const begin = of ? from : Math.max(tunes.began, tunes.seconds - span), value = `${brief(s.last)}${s.unit ? ` ${s.unit}` : ""}`, card = fit(on, 46, width, true);
			paintCurve(card.c, { series: s, value, from: begin, to: begin + span, width: card.width, height: card.height, ink, color: ink.accent });
			on.setAttribute("aria-label", value);
		}
	}
	const now = () => { cardsDue = 0; soon(); };
	const soon = () => { if (!asked) { asked = true; requestAnimationFrame(paint); } };

	/* Codelets, or regions, that take most. */
	function kindNames() {
		const last = source.program?.model.last, list = last?.codelets ?? last?.regions ?? [];
		return [...list].sort((p, q) => q.time_s - p.time_s).slice(0, 12).map(c => c.name);
	}
	function bar() {
		fill(spans, SPANS.map(s => h("button", { type: "button", "aria-pressed": String(s === seconds()), onclick: () => app.own("live", { seconds: s }) }, `${s} s`)));
		colors.setAttribute("aria-pressed", String(Boolean(own().codelets ?? source.program?.model.last?.threads)));
		const palette = workerColors(app.dark(), app.state.safe);
		const byName = own().codelets ?? Boolean(source.program?.model.last?.threads);
		names = byName ? kindNames() : [];
		fill(legend, names.map(n => h("span", {}, h("span", { class: "swatch", style: { background: codeletColor(n) } }), ` ${plain(n, 40)}`)), STATES.filter(s => !byName || s !== "executing").filter(s => !source.program?.model.last?.threads || !byName).map(s => h("span", {}, h("span", { class: "swatch", style: { background: palette[s] } }), ` ${s === "other" ? "other (scheduling, waiting for data)" : s}`)), h("span", {}, h("span", { class: "swatch foreseen" }), " foreseen by the scheduler"));
	}

	canvas.parentElement.addEventListener("pointermove", e => {
		const box = labels.getBoundingClientRect(), left = e.clientX - box.left, down = e.clientY - box.top;
		const model = source.program?.model, rows = [...(model?.rows.values() ?? [])], r = down < AXIS ? null : rows[Math.floor((down + gantt.scrollTop - AXIS) / rowHeight)];
		if (!r || !held) return app.hint("");
		const span = seconds(), t = windowFrom + ((left - LABELS) / canvas.clientWidth) * span;
		const slot = left < LABELS ? null : r.slots.find(s => t <= s.t && t > s.t - s.dt);
		const at = slot?.parts?.length ? slot.parts.slice(0, 4).map(([name, v]) => `${plain(name, 40)} ${(100 * v).toFixed(0)} %`).join(", ") : slot ? `${STATES.map((s, k) => [s, slot.shares[k]]).filter(x => x[1] > 0.005).map(([s, v]) => `${s} ${(100 * v).toFixed(0)} %`).join(", ")}${slot.what ? ` · ${plain(slot.what, 60)}` : ""}` : `${r.state}${r.what ? ` · ${plain(r.what, 60)}` : ""}`;
		app.hint(`${plain(r.label ?? r.name, 60)}: ${at} · ${brief(r.rate)} ${r.thread ? "events" : "tasks"}/s`);
	});
	canvas.parentElement.addEventListener("pointerleave", () => app.hint(""));
	gantt.addEventListener("scroll", now, { passive: true });
	canvas.addEventListener("keydown", e => { if (e.key === " ") { e.preventDefault(); e.stopPropagation(); setFrozen(!frozen); } });
	const sizes = new ResizeObserver(now);
	sizes.observe(host);
	const end = source.listen(what => {
		if (what === "state") state();
		if (app.state.main !== "live") return;
		/* Each sample is shown, two of them in one picture: a picture costs the browser more than what has changed in it. */
		if (what === "state" || (!frozen && performance.now() >= pictureDue)) soon();
	});
	state();
	return {
		update(changed) {
			if (changed.has("theme") || changed.has("safe")) ink = null;
			if (["more", "theme", "safe", "main"].some(k => changed.has(k))) { bar(); now(); }
		},
		destroy() { end(); sizes.disconnect(); },
		async export(kind) {
			if (kind !== "png") return null;
			return (await picture()?.convertToBlob({ type: "image/png" })) ?? null;
		},
	};
}
