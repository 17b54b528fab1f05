// SPDX-License-Identifier: Apache-2.0
/*
 * A saved page's answers: what the server would say, from what is in the page. Rows and names are kept answers; cells, nested regions and intervals are
 * made of intervals; tables and summaries were computed for the whole, its halves, their halves…: the smallest part that has the asked range answers.
 */
import { Refused } from "../lib/api.js";
import { curveOf, firstBehind, innermost, pixels, readLines, unpackArrows, unpackRows, writeCells, writeCurves } from "./pack.js";
import { createTasks } from "./tasks.js";

const MISSING = "this is not in the saved page: open the trace with weft open";

/** "table/profile?by=region": a request without what parts of the page differ in. @param {string} path @param {Record<string, any>} args */
export function keyOf(path, args, leave = ["trace", "from", "to", "width", "most", "keep"]) {
	const kept = Object.entries(args).filter(([k, v]) => v !== undefined && v !== null && v !== "" && !leave.includes(k)).map(([k, v]) => `${k}=${v}`).sort();
	return kept.length ? `${path}?${kept.join("&")}` : path;
}

/** The smallest part that has the range in it. @param {{from: number, to: number}[]} parts @param {{from?: number, to?: number}} range */
export function partOf(parts, { from, to }) {
	if (from === undefined || to === undefined) return parts[0];
	let best = parts[0];
	for (const p of parts) if (p.from <= from && p.to >= to && p.to - p.from <= best.to - best.from) best = p;
	return best;
}

/** @param {{pages: any, bytes: Uint8Array}} data   pages: the JSON; bytes: intervals of all tracks */
export function createSource({ pages, bytes }) {
	const tracks = new Map(pages.tracks.map(t => [keyOf("", { view: t.view, window: t.window, level: t.level }), { ...t, rows: null, inner: null }]));
	/* Regions are of threads, whether that is said or not. */
	const trackOf = args => {
		const fits = t => t.view === (args.view ?? "") && String(t.window ?? "") === String(args.window ?? "") && (!args.level || t.is === args.level);
		const found = tracks.get(keyOf("", { view: args.view, window: args.window, level: args.level })) ?? [...tracks.values()].find(fits);
		if (!found) throw new Refused(404, MISSING);
		found.rows ??= unpackRows(bytes.subarray(found.at, found.at + found.n), found.count, { from: pages.from, step: pages.step });
		found.inner ??= found.nested ? found.rows.map(innermost) : found.rows;
		return found;
	};
	const range = args => ({ from: Number(args.from ?? 0), to: Number(args.to ?? pages.info.traces[0].end), width: Number(args.width ?? 1024) });
	const noneOf = t => t.values.length; /* what is nowhere in the rows stands behind the last value */
	const paletteOf = t => [...t.values, t.none];

	const answers = {
		"time/cells"(args) {
			const t = trackOf(args), how = range(args), lines = readLines(args.rows, t.count), place = new Uint16Array(lines.length * how.width);
			lines.forEach((rows, i) => pixels(rows.map(r => t.inner[r]), how, noneOf(t), place.subarray(i * how.width, (i + 1) * how.width)));
			return writeCells({ lines: lines.length, width: how.width, flags: t.codes ? 2 : 4, from: how.from, to: how.to, min: Number(args.min ?? t.min), max: Number(args.max ?? t.max) }, paletteOf(t), place);
		},
		"time/nest"(args) {
			const t = trackOf(args), how = range(args), depth = Number(args.depth ?? 8), rows = readLines(args.rows, t.count).flat(), place = new Uint16Array(rows.length * depth * how.width);
			rows.forEach((r, i) => {
				for (let d = 0; d < depth; d++) pixels([levelOf(t, r, d)], how, noneOf(t), place.subarray((i * depth + d) * how.width, (i * depth + d + 1) * how.width));
			});
			return writeCells({ lines: rows.length * depth, width: how.width, flags: 2, more: depth, from: how.from, to: how.to, min: 0, max: 0 }, paletteOf(t), place);
		},
		"time/exact"(args) {
			const t = trackOf(args), { from, to } = range(args), most = Number(args.most ?? 6000), seen = new Set(), nested = t.nested && Number(args.nested ?? 0);
			let left = most;
			const rows = readLines(args.rows, t.count).flat().map(row => {
				const s = nested ? t.rows[row] : t.inner[row], spans = [];
				for (let i = 0; i < s.begin.length && left >= 0; i++) {
					if (s.end[i] <= from || s.begin[i] >= to) continue;
					left--;
					seen.add(s.place[i]);
					spans.push(nested ? s.depth[i] : 0, s.begin[i], s.end[i], t.values[s.place[i]].value);
				}
				return { row, spans };
			});
			return left < 0 ? { many: true } : { rows, values: [...seen].map(p => t.values[p]) };
		},
		"time/depths"(args) {
			const t = trackOf(args);
			return { depths: readLines(args.rows, t.count).flat().map(r => (t.nested ? t.rows[r].depth.reduce((a, d) => Math.max(a, d + 1), 0) : 0)) };
		},
		"time/legend"(args) {
			const t = trackOf(args), asked = args.values === undefined ? null : new Set(String(args.values).split(",").map(Number));
			return { values: asked ? t.values.filter(v => asked.has(v.value)) : t.values };
		},
		/* How it is drawn does not change what rows there are. */
		"time/rows"(args) {
			const t = trackOf(args), rows = pages.answers[keyOf("time/rows", { view: t.view, window: t.window, level: t.level })];
			if (!rows) throw new Refused(404, MISSING);
			return rows;
		},
		"time/curve"(args) {
			const t = trackOf(args), how = range(args), value = place => t.values[place].value;
			return writeCurves(how, readLines(args.rows, t.count).map(rows => curveOf(rows.map(r => t.inner[r]), how, value)));
		},
		"time/counters": () => pages.answers["time/counters"] ?? { counters: [] },
		/* The value, how long it lasts, the regions around it; events and samples are not in the page. */
		"time/at"(args) {
			const t = trackOf(args), row = Number(args.row), at = Number(args.at), s = t.inner[row], names = answers["time/rows"](args);
			if (!s) throw new Refused(404, MISSING);
			const i = firstBehind(s, at), here = s.begin[i] <= at, around = t.nested ? t.rows[row] : null, stack = [];
			for (let k = 0; around && k < around.begin.length && around.begin[k] <= at; k++)
				if (around.end[k] > at) stack.push({ ...t.values[around.place[k]], begin: around.begin[k], end: around.end[k] });
			return { row: names.names?.[row] ?? String(row), at, value: here ? { ...t.values[s.place[i]], begin: s.begin[i], end: s.end[i] } : { ...t.none, name: "nothing", begin: i ? s.end[i - 1] : pages.from, end: s.begin[i] ?? range({}).to }, stack };
		},
		"time/flows"(args) {
			const { list, n, left_out } = arrowsOf("flows", args);
			return { flows: list.map(a => ({ from: a.from, to: a.to, begin: a.begin, end: a.end })), n, left_out };
		},
		"session/views": () => ({ views: (pages.answers["table/views"]?.views ?? []).map(v => ({ ...v, fits: true })) }),
		"time/messages"(args) {
			const { list, n, left_out } = arrowsOf("messages", args);
			return { messages: list.map(a => ({ from: a.from, to: a.to, sent: a.begin, received: a.end })), n, left_out };
		},
	};
	/* Those of a row, or all, some of whose time is in the range. */
	function arrowsOf(kind, args) {
		const of = pages.arrows[kind], { from, to } = range(args), row = args.row === undefined ? -1 : Number(args.row);
		of.list ??= unpackArrows(bytes.subarray(of.at, of.at + of.n), of.count);
		const all = of.list.filter(a => (row < 0 || a.from === row || a.to === row) && Math.min(a.begin, a.end) < to && Math.max(a.begin, a.end) >= from);
		return { list: all.slice(0, Number(args.most ?? 400)), n: all.length, left_out: of.left_out };
	}
	/* The intervals of one depth, which lie beside each other. */
	function levelOf(t, r, depth) {
		t.levels ??= [];
		const levels = (t.levels[r] ??= []);
		if (!levels[depth]) {
			const s = t.rows[r], at = [];
			for (let i = 0; i < s.depth.length; i++) if (s.depth[i] === depth) at.push(i);
			levels[depth] = { begin: Float64Array.from(at, i => s.begin[i]), end: Float64Array.from(at, i => s.end[i]), place: Uint32Array.from(at, i => s.place[i]), depth: new Uint8Array(at.length) };
		}
		return levels[depth];
	}
	const tasks = createTasks(pages, bytes);
	/** @param {string} path @param {Record<string, any>} args */
	return async function source(path, args = {}) {
		if (answers[path]) return answers[path](args);
		const key = keyOf(path, args), ofTasks = path.startsWith("task/") ? tasks(path, key, args) : null;
		if (ofTasks) return ofTasks;
		if (pages.answers[key]) return pages.answers[key];
		const part = partOf(pages.parts, { from: args.from, to: args.to });
		for (let p = part; p; p = pages.parts[p.up]) if (p.answers[key]) return p.answers[key];
		throw new Refused(404, MISSING);
	};
}

/** From the text in the page. @param {string} text base64 of what gzip packed: length of JSON (4 bytes), JSON, intervals */
export async function unpackPage(text) {
	const chars = atob(text), packed = new Uint8Array(chars.length);
	for (let i = 0; i < chars.length; i++) packed[i] = chars.charCodeAt(i);
	const whole = new Uint8Array(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
	const n = new DataView(whole.buffer).getUint32(0, true);
	return { pages: JSON.parse(new TextDecoder().decode(whole.subarray(4, 4 + n))), bytes: whole.subarray(4 + n) };
}
/** Before the shell begins: what it takes from the page; one that was not saved has nothing. */
export async function openPage() {
	const saved = document.getElementById("weft-data");
	if (!saved) return;
	const data = await unpackPage(saved.textContent);
	for (const t of data.pages.info.traces) t.has.tasks &&= Boolean(data.pages.tasks);
	globalThis.weftPage = { info: data.pages.info, state: data.pages.state, source: createSource(data) };
}
