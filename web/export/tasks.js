// SPDX-License-Identifier: Apache-2.0
/*
 * A saved page's tasks (src/saved/server_export_tasks.c packs them): the Gantt chart of any range from runs of pixels of the whole, single tasks from
 * their list, what is known of one from columns. Nothing here knows of a page.
 */
import { numbers, pixels } from "./pack.js";

const EXACT_MOST = 4000, ARROWS_MOST = 20000;

/** Runs of a chart's rows as intervals beside each other. */
function unpackRuns(at, rows, { from, to, width }) {
	const number = numbers(at), step = (to - from) / width;
	return Array.from({ length: rows }, () => {
		const begin = [], end = [], place = [];
		for (let x = 0; x < width;) {
			const n = number(), p = number();
			begin.push(from + x * step);
			end.push(from + (x + n) * step);
			place.push(p);
			x += n;
		}
		return { begin: Float64Array.from(begin), end: Float64Array.from(end), place: Uint32Array.from(place), depth: new Uint8Array(0) };
	});
}

/** [task, row, start, end, name] of each. */
function unpackList(at, { count, names }, firstWorker) {
	const number = numbers(at), list = [];
	for (let k = 0, task = 0, start = 0; k < count; k++) {
		task += number();
		const row = firstWorker + number(), later = number();
		start += later % 2 ? -(later + 1) / 2 : later / 2;
		const end = start + number();
		list.push([task, row, start, end, names[number()]]);
	}
	return list;
}

/** How much of each paint rows have in a range: ns. */
function paintTimes(rows, { from, to }, n) {
	const ns = new Float64Array(n);
	for (const s of rows) for (let i = 0; i < s.begin.length; i++) ns[s.place[i]] += Math.max(0, Math.min(s.end[i], to) - Math.max(s.begin[i], from));
	return ns;
}

/** As the server writes a chart (src/server/area/server_task.c). @param {any} head @param {Uint16Array} cells @param {Float32Array[]} curves */
export function writeChart(head, cells, curves) {
	let text = new TextEncoder().encode(JSON.stringify(head)), n = Math.ceil(text.length / 4) * 4;
	const behind = Math.ceil((4 + n + 2 * cells.length) / 4) * 4, buffer = new ArrayBuffer(behind + curves.reduce((a, c) => a + 4 * c.length, 0));
	new DataView(buffer).setUint32(0, n, true);
	new Uint8Array(buffer, 4, n).fill(32).set(text);
	new Uint16Array(buffer, 4 + n, cells.length).set(cells);
	let at = behind;
	for (const c of curves) { new Float32Array(buffer, at, c.length).set(c); at += 4 * c.length; }
	return buffer;
}

/** @param {any} pages @param {Uint8Array} bytes @returns {(path: string, key: string, args: Record<string, any>) => any}   null: not in the page */
export function createTasks(pages, bytes) {
	const of = pages.tasks;
	if (!of) return () => null;
	const whole = { from: pages.from, to: pages.to }, span = whole.to - whole.from, charts = {};
	const part = o => bytes.subarray(o.at, o.at + o.n);
	let list = null, byTask = null, after = null;
	const tasks = () => (list ??= unpackList(part(of.list), of.list, of.first_worker));
	const taskOf = i => (byTask ??= new Map(tasks().map(t => [t[0], t]))).get(i);
	const chartOf = colors => (charts[colors] ??= unpackRuns(part(of.charts[colors]), of.rows.length, { ...whole, width: of.charts[colors].width }));
	const values = c => (c.values ??= (() => { const number = numbers(bytes.subarray(c.at)); return Float32Array.from({ length: of.curve_width }, () => (number() * c.most) / 1000); })());

	/* Dependencies between what is seen, in pixels. */
	function arrows(seen, { from, to, width }) {
		const x = t => ((t - from) / (to - from)) * width, found = [];
		for (const [task, row, start] of seen) for (const b of of.details?.before?.[task] ?? []) {
			const other = taskOf(b);
			if (other) found.push([other[1], row, x(other[3]), x(start), "dependency"]);
		}
		return found;
	}
	function gantt(args) {
		const shown = String(args.show ?? "curves,nodes").split(","), how = { from: Number(args.from ?? whole.from), to: Number(args.to ?? whole.to), width: Number(args.width ?? 1200) };
		const kept = of.charts[args.colors] ? args.colors : "states", rows = chartOf(kept), use = of.rows.map((r, i) => i).filter(i => of.rows[i].kind !== "node" || shown.includes("nodes")), place = new Map(use.map((r, i) => [r, i]));
		const cells = new Uint16Array(use.length * how.width);
		use.forEach((r, i) => pixels([rows[r]], how, 0, cells.subarray(i * how.width, (i + 1) * how.width)));
		const ns = paintTimes(rows.filter((_, i) => of.rows[i].kind === "worker"), how, of.charts[kept].paints.length);
		const seen = tasks().filter(t => t[2] < how.to && t[3] > how.from).map(t => [t[0], place.get(t[1]), t[2], t[3], t[4]]), busy = new Float64Array(use.length);
		for (const [, row, start, end] of seen) busy[row] += Math.min(end, how.to) - Math.max(start, how.from);
		const all = seen.length <= EXACT_MOST && of.list.count === of.seen, marks = shown.includes("dependencies") ? arrows(seen, how) : [];
		const curves = shown.includes("curves") ? of.curves.filter(c => c.row < 0 || place.has(c.row)) : [];
		const head = {
			...how, first_worker: place.get(of.first_worker) ?? 0, paints: of.charts[kept].paints.map((p, i) => ({ ...p, ns: ns[i] })), rows: use.map((r, i) => ({ ...of.rows[r], busy: of.list.count ? busy[i] / (how.to - how.from) : of.rows[r].busy })),
			curves: curves.map(({ label, unit, color, most, row }) => ({ label, unit, color, most, row: row < 0 ? row : place.get(row) })), points: [], arrows: marks.slice(0, ARROWS_MOST).map(([a, b, ...rest]) => [place.get(a) ?? a, b, ...rest]), left_out: Math.max(0, marks.length - ARROWS_MOST), exact: all, tasks: all ? seen : [], missing: of.list.count !== of.seen,
		};
		return writeChart(head, cells, curves.map(c => Float32Array.from({ length: how.width }, (_, x) => values(c)[Math.max(0, Math.min(of.curve_width - 1, Math.floor(((how.from + ((x + 0.5) * (how.to - how.from)) / how.width - whole.from) / span) * of.curve_width)))])));
	}
	/* [task, name, start, end, slack] */
	function brief(i) {
		const t = taskOf(i), field = name => of.details.fields.find(f => f.name === name)?.values[i];
		return [i, t?.[4] ?? field("codelet") ?? "unknown", t?.[2] ?? -1, t?.[3] ?? -1, field("slack") ?? -1];
	}
	function afterOf(i) {
		if (!after) {
			after = new Map();
			of.details.before.forEach((list, k) => { for (const b of list) after.set(b, [...(after.get(b) ?? []), k]); });
		}
		return after.get(i) ?? [];
	}
	function task(args) {
		const i = Number(args.task), t = taskOf(i), d = of.details, worker = t && of.rows[t[1]];
		if (!t && !d) return null;
		const told = { task: i, name: t?.[4] ?? brief(i)[1], ...(worker && { thread: worker.thread }), before: [], after: [], data: [] };
		if (!d) {
			const field = (name, kind, value) => ({ name, title: name, kind, help: "", value });
			return { ...told, fields: [field("worker", "text", worker.label), field("start", "ns", t[2]), field("end", "ns", t[3]), field("duration", "ns", t[3] - t[2])] };
		}
		const data = [], list = d.accesses[i] ?? [];
		for (let k = 0; k < list.length; k += 2) {
			const [name, handle, size, ...at] = d.data[list[k]];
			data.push({ name, handle, bytes: size, at, mode: list[k + 1] });
		}
		const fields = d.fields.filter(f => f.values[i] !== null && f.values[i] !== undefined).map(({ values: v, ...f }) => ({ ...f, value: v[i] }));
		return { ...told, fields, before: d.before[i].map(brief), after: afterOf(i).slice(0, 200).map(brief), data };
	}
	const inRange = (args, begin, end) => (args.from === undefined || end > Number(args.from)) && (args.to === undefined || begin < Number(args.to));
	/** Answers that were kept, of a range. */
	const parts = {
		"task/copies": (a, args) => { const copies = a.copies.filter(c => inRange(args, c[0], c[1] < 0 ? Infinity : c[1])); return { ...a, copies, all: copies.length === a.copies.length ? a.all : copies.length }; },
		"task/schedule": (a, args) => ({ ...a, from: Number(args.from ?? a.from), to: Number(args.to ?? a.to), tasks: a.tasks.filter(r => inRange(args, r[2] >= 0 ? r[2] : r[6], r[7] < 0 ? Infinity : r[7])) }),
	};
	return (path, key, args) => {
		if (path === "task/gantt") return gantt(args);
		if (path === "task/task") return task(args);
		const kept = of.answers[key];
		return kept ? (parts[path]?.(kept, args) ?? kept) : null;
	};
}
