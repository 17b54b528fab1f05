// SPDX-License-Identifier: Apache-2.0
// web/tables, web/summary, web/views, web/export: their pure functions. node --test tests/web/
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { curveOf, firstBehind, innermost, pixels, readLines, unpackArrows, unpackRows, writeCells, writeCurves } from "../../web/export/pack.js";
import { createSource, keyOf, partOf, unpackPage } from "../../web/export/source.js";
import { byFunction, callTree, findWay, flameBars, foundShare, hotWays, nextBar, timeBars, treeRows, wayOf } from "../../web/summary/tree.js";
import { heatRgb, inkOn, nameColor, rgbOf, valueText } from "../../web/tables/heat.js";
import { cellOf, columnOrder, csvField, moveCell, plainCsv, rowOrder, scaleOf, shareOf, shortRange, tableCsv, tableModel, totalsOf } from "../../web/tables/model.js";
import { matrixOf, MEASURES } from "../../web/tables/messages.js";
import { around, inTime, longest } from "../../web/tables/where.js";
import { readChart, taskAt } from "../../web/tasks/chart.js";
import { readCurve } from "../../web/timeline/cells.js";
import { findViews, loose } from "../../web/views/search.js";
import { complete, definedIn, insertWord, offsetOf, placeOf } from "../../web/views/words.js";

const answer = {
	kind: "ns", factor: 1000, columns: [{ label: "Running", from: 1 }, { label: "Idle", from: 2 }, { label: "=1+1", from: 3 }],
	totals: { Total: [30, 5, 1] }, rows: [["T 10", 9, 0, 10, 2, 1], ["T 2", 1, 0, 20], ["T 1", 0, 1, 5]],
};

/* ---- tables ---- */

test("cells are found in sparse rows, and nothing where nothing fell", () => {
	const m = tableModel(answer);
	assert.equal(cellOf(m.rows[0], 0), 10);
	assert.equal(cellOf(m.rows[0], 1), undefined);
	assert.equal(cellOf(m.rows[0], 2), 1);
	assert.equal(cellOf(m.rows[2], 1), 5);
});

test("rows go by name as people count, by total, by a column with the empty ones last", () => {
	const m = tableModel(answer);
	assert.deepEqual(rowOrder(m, { by: "label", down: false }), [2, 1, 0]);
	assert.deepEqual(rowOrder(m, { by: "total" }), [1, 0, 2]);
	assert.deepEqual(rowOrder(m, { by: 1 }), [2, 0, 1]);
	assert.deepEqual(rowOrder(m, { by: 0, down: false }), [0, 1, 2]);
	assert.deepEqual(rowOrder(m, { filter: "t 1" }), [0, 2]);
	assert.deepEqual(rowOrder(m, { hidden: [9] }), [1, 2]);
});

test("columns go by total, by a row, by name; hidden ones are gone", () => {
	const m = tableModel(answer);
	assert.deepEqual(columnOrder(m, { by: "total" }), [0, 1, 2]);
	assert.deepEqual(columnOrder(m, { by: "row 2" }), [1, 0, 2]);
	assert.deepEqual(columnOrder(m, { hidden: ["Running"] }), [1, 2]);
});

test("colours go from the least to the greatest that is shown", () => {
	const m = tableModel(answer), s = scaleOf(m, [0, 1, 2], [0, 1]);
	assert.deepEqual(s, { least: 5, most: 20, positive: 5 });
	assert.equal(shareOf(20, s), 1);
	assert.equal(shareOf(10, s), 0.5);
	assert.ok(Math.abs(shareOf(10, s, true) - 0.5) < 1e-12);
	assert.ok(Number.isNaN(shareOf(undefined, s)));
	assert.equal(shareOf(0, { least: 0, most: 0, positive: 0 }), 0);
});

test("totals are Paraver's six", () => {
	assert.deepEqual(totalsOf([1, 3, NaN]), [4, 2, 3, 1, 1, 2 / 3]);
	assert.deepEqual(totalsOf([]), [0, 0, 0, 0, 0, 0]);
});

test("CSV has plain numbers, quotes, and no formula", () => {
	const m = tableModel(answer);
	assert.equal(tableCsv(m, [0, 2], [0, 2]), "row,Running,'=1+1\nT 10,10,1\nT 1,,\n");
	assert.equal(csvField('a "b", c'), '"a ""b"", c"');
	assert.equal(csvField("-12"), "-12");
	assert.equal(csvField("@x"), "'@x");
	assert.equal(plainCsv({ columns: [{ key: "a" }, { key: "b" }], rows: [["x", null], ["y,z", 2]] }), 'a,b\nx,\n"y,z",2\n');
});

test("arrows stay in the table", () => {
	const n = { rows: 3, columns: 2, page: 10 };
	assert.deepEqual(moveCell({ r: 0, c: 0 }, "ArrowUp", n), { r: 0, c: 0 });
	assert.deepEqual(moveCell({ r: 0, c: 0 }, "PageDown", n), { r: 2, c: 0 });
	assert.deepEqual(moveCell({ r: 1, c: 0 }, "Ctrl+End", n), { r: 2, c: 1 });
	assert.equal(moveCell({ r: 0, c: 0 }, "x", n), null);
});

test("values are said with their units, colours can be read", () => {
	assert.equal(valueText(1.5, "ns", 1000), "1.500 µs");
	assert.equal(valueText(12.345, "percent"), "12.35 %");
	assert.equal(valueText(2048, "bytes"), "2.00 KiB");
	assert.equal(valueText(NaN, "count"), "");
	const contrast = (a, b) => { const l = c => c.map(v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0); const [x, y] = [l(a), l(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
	for (const dark of [false, true]) {
		for (let i = 0; i <= 20; i++) { const c = heatRgb(i / 20, dark); assert.ok(contrast(c, rgbOf(inkOn(c))) >= 4, `${i} ${dark}`); }
		for (const name of ["solve", "MPI_Recv", "main", "x", "", "a longer name of a region"]) { const c = rgbOf(nameColor(name, dark)); assert.ok(contrast(c, rgbOf(inkOn(c))) >= 4, name); }
	}
	assert.equal(nameColor("x", false, { x: "#123456" }), "#123456");
	assert.notEqual(nameColor("x", false, { x: "url(javascript:1)" }), "url(javascript:1)");
});

test("a matrix has a cell for each pair that sends", () => {
	const m = matrixOf({ ends: ["0", "1"], cells: [[0, 1, 4, 400, 200, 7]] }, MEASURES.find(x => x.name === "mean").of);
	assert.equal(m.at(0, 1), 100);
	assert.equal(m.at(1, 0), undefined);
	assert.equal(m.scale.most, 100);
});

test("intervals of cells are stepped through in the order of time", () => {
	const list = inTime({ rows: [{ object: 0, label: "a", intervals: [50, 5, 1, 70, 30, 1] }, { object: 1, label: "b", intervals: [10, 2, 1] }] });
	assert.deepEqual(list.map(x => x.from), [10, 50, 70]);
	assert.equal(longest(list), 2);
	assert.deepEqual(around({ from: 10, to: 12 }, 15), { from: 2, to: 15 });
});

/* ---- trees ---- */

const calls = { names: [["main", "p", "p.c"], ["solve", "p", ""], ["norm", "p", ""]], nodes: [[-1, -1, 0, 100, 0, 0], [0, 0, 10, 100, 1, 3], [1, 1, 30, 70, 2, 0], [2, 2, 40, 40, 8, 0], [1, 2, 20, 20, 1, 0]] };

test("a tree has its heaviest on the left", () => {
	const t = callTree(calls), bars = flameBars(t);
	assert.deepEqual(t.map(n => n.depth), [0, 1, 2, 3, 2]);
	assert.deepEqual(t.map(n => n.begin), [0, 0, 0, 0, 70]);
	const last = bars.find(b => b.node === 4);
	assert.deepEqual([last.depth, last.begin, last.end.toFixed(9)], [2, 0.7, "0.900000000"]);
	/* Zoomed: what is around is as wide as all. */
	const zoomed = flameBars(t, 2);
	assert.deepEqual(zoomed.filter(b => b.outer).map(b => b.node), [0, 1]);
	assert.deepEqual(zoomed.filter(b => b.node === 3).map(b => [b.begin, b.end]), [[0, 40 / 70]]);
	assert.equal(flameBars(t, 0, 0.3).length, 4);
});

test("ways name nodes in any tree, what is open follows them", () => {
	const t = callTree(calls);
	assert.equal(findWay(t, wayOf(t, 3)), 3);
	assert.equal(findWay(t, "main\u0001gone"), 1);
	assert.deepEqual(treeRows(t, new Set()), [1]);
	assert.deepEqual(treeRows(t, new Set([wayOf(t, 1)])), [1, 2, 4]);
	assert.deepEqual(treeRows(t, new Set(), "norm"), [1, 2, 3, 4]);
	assert.ok(hotWays(t).has("main\u0001solve"));
	assert.equal(foundShare(t, "norm"), 0.6);
	assert.equal(foundShare(t, "solve"), 0.7);
	const again = callTree({ names: [["f", "", ""]], nodes: [[-1, -1, 0, 10, 0, 0], [0, 0, 4, 10, 1, 0], [1, 0, 6, 6, 1, 0]] });
	assert.deepEqual(byFunction(again).map(f => [f.name, f.self, f.total, f.calls]), [["f", 10, 10, 2]]);
});

test("arrows go from bar to bar", () => {
	const bars = flameBars(callTree(calls)).sort((a, b) => a.depth - b.depth || a.begin - b.begin), at = n => bars.findIndex(b => b.node === n);
	assert.equal(nextBar(bars, at(1), "down"), at(2));
	assert.equal(nextBar(bars, at(2), "right"), at(4));
	assert.equal(nextBar(bars, at(4), "left"), at(2));
	assert.equal(nextBar(bars, at(3), "up"), at(2));
	assert.equal(nextBar(bars, at(4), "right"), -1);
	assert.deepEqual(timeBars({ from: 100, to: 200, names: [["a", "", ""]], bars: [0, 100, 50, 0, 1] })[0].end, 0.5);
});

/* ---- views ---- */

const views = [{ name: "mpi-bandwidth", title: "mpi-bandwidth", about: "MB/s", tables: [], windows: ["bw"] }, { name: "useful", title: "useful", about: "share of time that computes", tables: ["computing"], windows: [] }, { name: "@1", title: "my (odd) view*", about: "", tables: [], windows: [] }];

test("views are found by all words, names first", () => {
	assert.deepEqual(findViews(views, "comput").map(v => v.name), ["useful"]);
	assert.deepEqual(findViews(views, "band mpi").map(v => v.name), ["mpi-bandwidth"]);
	assert.deepEqual(findViews(views, "mpbw").map(v => v.name), ["mpi-bandwidth"]);
	assert.deepEqual(findViews(views, "(odd) view*").map(v => v.name), ["@1"]);
	assert.deepEqual(findViews(views, "zzz"), []);
	assert.equal(findViews(views, "").length, 3);
	assert.ok(!loose("abc", "ca"));
});

const known = {
	sources: [{ name: "state", paraver: "State As Is", args: "numbers", params: [] }, { name: "value", paraver: "Last Evt Val", args: "types", params: [] }, { name: "in_state", paraver: "In State", args: "states", params: [] }],
	stages: [{ name: "sign", paraver: "Sign", params: [] }, { name: "add", paraver: "Add", params: ["value"] }], levels: [{ name: "sum", paraver: "Adding", params: [] }], cpus: [], operations: [{ name: "max", paraver: "maximum", params: [] }],
	statistics: ["time", "time_share"], states: ["Running", "Idle", "\"Wait/WaitAll\""], types: [{ number: 5, label: "MPI calls", values: ["MPI_Send"] }, { number: 6, label: "PAPI_TOT_INS", values: [] }],
};
const names = text => { const at = text.indexOf("|!"), t = text.replace("|!", ""); return complete(t, at < 0 ? t.length : at, known).items.map(i => i.name); };

test("what can stand in a place is offered", () => {
	assert.ok(names("a = st").includes("state"));
	assert.deepEqual(names("useful = state == Run"), ["Running"]);
	assert.deepEqual(names("a = state | si"), ["sign"]);
	assert.deepEqual(names("a = state | task: s"), ["sum"]);
	assert.deepEqual(names("a = value(\"MPI"), ["MPI calls"]);
	assert.ok(names("a = value(PA").includes("PAPI_TOT_INS"));
	assert.deepEqual(names("a = in_state(Id"), ["Idle"]);
	assert.deepEqual(names("a = state\ntable \"x\" = tim"), ["time", "time_share"]);
	assert.deepEqual(names("abc = state\ntable \"x\" = time by "), ["abc"]);
	assert.ok(names("a = state { un").includes("unit"));
	assert.deepEqual(names("a = state { unit m"), ["ms", "min"]);
	assert.deepEqual(definedIn("a = 1\nb \"B\" = a == 2\n# c = 3"), ["a", "b"]);
});

test("a word is put in, and errors have their place", () => {
	const t = "a = val", p = placeOf(t, t.length), item = complete(t, t.length, known).items[0];
	assert.deepEqual(insertWord(t, t.length, p.from, item), { text: "a = value(", at: 10 });
	assert.equal(offsetOf("a\nbc\nd", 2, 2), 3);
	assert.equal(offsetOf("a", 9, 9), 1);
});

/* ---- saved pages ---- */

const number = v => { const out = []; while (v >= 128) { out.push((v & 127) | 128); v = Math.floor(v / 128); } return [...out, v]; };
/* main 0..100 with solve 10..40 and norm 20..25 in it, main again 200..300 */
const spans = [[0, 100, 0, 0], [10, 40, 1, 1], [20, 25, 2, 2], [200, 300, 0, 0]];
const packed = Uint8Array.from([...number(spans.length), ...spans.flatMap(([b, e, d, p], i) => [b - (i ? spans[i - 1][0] : 0), e - b, d, p].flatMap(number))]);

test("rows are unpacked, and cut short they are refused", () => {
	const [row] = unpackRows(packed, 1, { from: 1000, step: 10 });
	assert.deepEqual([...row.begin], [1000, 1100, 1200, 3000]);
	assert.deepEqual([...row.end], [2000, 1400, 1250, 4000]);
	assert.throws(() => unpackRows(packed.subarray(0, 5), 1, { from: 0, step: 1 }), /cut short/);
	assert.throws(() => unpackRows(new Uint8Array(0), 1, { from: 0, step: 1 }), /cut short/);
});

test("the innermost region is what a thread is in", () => {
	const i = innermost(unpackRows(packed, 1, { from: 0, step: 1 })[0]);
	assert.deepEqual([...i.begin].map((b, k) => [b, i.end[k], i.place[k]]), [[0, 10, 0], [10, 20, 1], [20, 25, 2], [25, 40, 1], [40, 100, 0], [200, 300, 0]]);
	assert.equal(firstBehind(i, 25), 3);
});

test("a pixel shows what has most of its time", () => {
	const i = innermost(unpackRows(packed, 1, { from: 0, step: 1 })[0]), out = new Uint16Array(10);
	pixels([i], { from: 0, to: 100, width: 10 }, 9, out);
	assert.deepEqual([...out], [0, 1, 2, 1, 0, 0, 0, 0, 0, 0]);
	pixels([i], { from: 100, to: 200, width: 10 }, 9, out);
	assert.deepEqual([...out], Array(10).fill(9));
	pixels([i], { from: 0, to: 400, width: 10 }, 9, out);
	assert.deepEqual([...out], [1, 0, 0, 9, 9, 0, 0, 0, 9, 9]);
	/* Deep in: one nanosecond a pixel. */
	pixels([i], { from: 20, to: 30, width: 10 }, 9, out);
	assert.deepEqual([...out], [2, 2, 2, 2, 2, 1, 1, 1, 1, 1]);
});

test("lines of rows are read as the server reads them", () => {
	assert.deepEqual(readLines("0-2,7,4~6_1", 8), [[0], [1], [2], [7], [4, 5, 6, 1]]);
	assert.deepEqual(readLines(undefined, 2), [[0], [1]]);
	assert.deepEqual(readLines("5", 2), [[]]);
});

test("cells are written in the server's format", () => {
	const view = new DataView(writeCells({ lines: 1, width: 3, flags: 2, from: 5, to: 8, min: 0, max: 1 }, [{ value: 7, color: 0xff112233 }], Uint16Array.from([0, 0, 0])));
	assert.equal(view.getUint32(0, true), 0x4c454357);
	assert.equal(view.getFloat64(64, true), 7);
	assert.equal(view.getUint32(76, true), 3);
	assert.equal(view.byteLength, 64 + 16 + 3);
});

test("a curve has the average and the greatest of what a pixel meets, nothing counts as 0", () => {
	const row = { begin: Float64Array.of(10, 20, 40), end: Float64Array.of(20, 25, 100), place: Uint32Array.of(0, 1, 0), depth: new Uint8Array(3) }, value = p => [4, 8][p];
	const { average, most } = curveOf([row], { from: 0, to: 100, width: 10 }, value);
	assert.deepEqual([...average], [0, 4, 4, 0, 4, 4, 4, 4, 4, 4]);
	assert.deepEqual([...most], [0, 4, 8, 0, 4, 4, 4, 4, 4, 4]);
	const curve = readCurve(writeCurves({ from: 0, to: 100, width: 2 }, [curveOf([row], { from: 0, to: 100, width: 2 }, value), curveOf([], { from: 0, to: 100, width: 2 }, value)]));
	assert.deepEqual([curve.lines, curve.width, curve.min, curve.max], [2, 2, 0, 8]);
	assert.deepEqual([...curve.average], [(0 + 4 + 8 + 0 + 4) / 5, 4, 0, 0]);
	assert.deepEqual([...curve.most], [8, 4, 0, 0]);
});

/* 5..25 from row 0 to 1; 6, which ends at 2, from 1 to 0. */
const arrows = Uint8Array.from([5, 2 * 20, 0, 1, 1, 2 * 4 + 1, 1, 0].flatMap(number));
test("arrows are unpacked, also those that end before they begin", () => {
	assert.deepEqual(unpackArrows(arrows, 2), [{ begin: 5, end: 25, from: 0, to: 1 }, { begin: 6, end: 2, from: 1, to: 0 }]);
	assert.throws(() => unpackArrows(arrows.subarray(0, 3), 2), /cut short/);
});

/* Tasks: 0 on worker 0 from 100 to 200, 1 behind it from 250 to 300 on worker 1. Rows: a node, two workers; 4 pixels of 100 ns. */
const runs = Uint8Array.from([4, 0, 1, 0, 1, 1, 2, 0, 2, 0, 1, 1, 1, 0].flatMap(number)), list = Uint8Array.from([0, 0, 200, 100, 0, 1, 1, 300, 50, 1].flatMap(number)), curveBytes = Uint8Array.from([0, 1000, 500, 0].flatMap(number));
const tasks = (at, details) => ({
	charts: { states: { at, n: runs.length, width: 4, paints: [{ name: "nothing", color: "#000000" }, { name: "executing", color: "#00ff00" }] } },
	first_worker: 1, rows: [{ label: "node 0", kind: "node", busy: 0 }, { label: "CPU 0", kind: "worker", thread: 3, busy: 0 }, { label: "CPU 1", kind: "worker", thread: 4, busy: 0 }],
	curve_width: 4, curves: [{ label: "ready", unit: "tasks", color: "#123456", most: 2, row: -1, at: at + runs.length + list.length }],
	seen: 2, list: { at: at + runs.length, n: list.length, count: 2, names: ["gemm", "potrf"] }, answers: { "task/copies": { all: 2, copies: [[0, 50], [300, -1]] }, "task/path": { n_path: 1 } },
	...(details && { details: { fields: [{ name: "codelet", title: "codelet", kind: "text", help: "", values: ["gemm", "potrf"] }, { name: "slack", title: "slack", kind: "ns", help: "", values: [0, null] }], before: [[], [0]], accesses: [[], [0, "RW"]], data: [["A", 17, 800, 1, 2]] } }),
});

const page = {
	from: 0, to: 400, step: 1, info: { traces: [{ end: 400 }] }, state: {}, answers: { "time/rows": { n: 1, names: ["T 1"] }, "time/counters": { counters: [{ name: "c", view: "@1" }] } },
	arrows: { messages: { at: packed.length, n: arrows.length, count: 2, left_out: 7 }, flows: { at: packed.length, n: 0, count: 0, left_out: 0 } }, tasks: tasks(packed.length + arrows.length, true),
	tracks: [{ view: "", is: "thread", count: 1, nested: true, codes: true, min: 0, max: 0, at: 0, n: packed.length, values: ["main", "solve", "norm"].map((name, i) => ({ value: i + 1, name, color: 1 })), none: { value: -1, name: "", color: 0 } }],
	parts: [{ from: 0, to: 400, up: -1, answers: { "table/profile?by=region": { of: "all" }, "table/groups": { g: 1 } } }, { from: 0, to: 200, up: 0, answers: { "table/profile?by=region": { of: "first" } } }, { from: 200, to: 400, up: 0, answers: { "table/profile?by=region": { of: "second" } } }],
};

test("a saved page answers as the server would", async () => {
	const json = Buffer.from(JSON.stringify(page)), head = Buffer.alloc(4);
	head.writeUInt32LE(json.length);
	const data = await unpackPage(gzipSync(Buffer.concat([head, json, ...[packed, arrows, runs, list, curveBytes].map(b => Buffer.from(b))])).toString("base64")), source = createSource(data);
	assert.equal((await source("time/rows", { trace: 0, level: "thread", draw: "most" })).n, 1);
	assert.deepEqual((await source("time/depths", {})).depths, [3]);
	assert.equal((await source("table/profile", { trace: 0, by: "region", from: 10, to: 20 })).of, "first");
	assert.equal((await source("table/profile", { by: "region", from: 10, to: 300 })).of, "all");
	assert.equal((await source("table/groups", { from: 250, to: 260 })).g, 1);
	assert.deepEqual(await source("time/messages", { from: 10, to: 100 }), { messages: [{ from: 0, to: 1, sent: 5, received: 25 }], n: 1, left_out: 7 });
	assert.equal((await source("time/messages", { row: 0, most: 1 })).messages.length, 1);
	assert.equal((await source("time/flows", {})).n, 0);
	assert.equal((await source("time/counters", {})).counters[0].view, "@1");
	const place = await source("time/at", { row: 0, at: 22 });
	assert.deepEqual([place.row, place.value.name, place.value.begin, place.value.end, place.stack.map(s => s.name)], ["T 1", "norm", 20, 25, ["main", "solve", "norm"]]);
	assert.deepEqual([(await source("time/at", { row: 0, at: 150 })).value.begin, (await source("time/at", { row: 0, at: 350 })).value.end], [100, 400]);
	const exact = await source("time/exact", { rows: "0", from: 0, to: 400, nested: 1 });
	assert.deepEqual(exact.rows[0].spans.slice(4, 8), [1, 10, 40, 2]);
	assert.deepEqual(await source("time/exact", { rows: "0", from: 0, to: 400, most: 2, nested: 1 }), { many: true });
	const cells = new DataView(await source("time/cells", { rows: "0", from: 0, to: 100, width: 10 }));
	assert.equal(cells.getUint32(16, true), 4);
	await assert.rejects(source("time/cells", { view: "other", rows: "0" }), /not in the saved page/);
	await assert.rejects(source("table/words", {}), /not in the saved page/);
	assert.equal(keyOf("a/b", { b: 1, a: "x", from: 3, c: "" }), "a/b?a=x&b=1");
	assert.equal(partOf(page.parts, { from: 210, to: 220 }).from, 200);
});

test("a saved page has the tasks of any range", async () => {
	const bytes = Uint8Array.from([...runs, ...list, ...curveBytes]), source = createSource({ pages: { ...page, tasks: tasks(0, true) }, bytes });
	const chart = readChart(await source("task/gantt", { from: 0, to: 400, width: 8, show: ["curves", "nodes", "dependencies"].join(","), colors: "codelets" }));
	assert.deepEqual([chart.rows.length, chart.first_worker, chart.exact, chart.rows[1].busy], [3, 1, true, 0.25]);
	assert.deepEqual([...chart.cells.subarray(8)], [0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0]);
	assert.deepEqual(chart.paints.map(p => p.ns), [600, 200]);
	assert.deepEqual([...chart.curves[0].values], [0, 0, 2, 2, 1, 1, 0, 0]);
	assert.deepEqual(chart.arrows, [[1, 2, 4, 5, "dependency"]]);
	assert.equal(taskAt(chart, 2, 260)[4], "potrf");
	const near = readChart(await source("task/gantt", { from: 200, to: 300, width: 4, show: "" }));
	assert.deepEqual([near.rows.length, near.first_worker, near.curves.length, near.tasks], [2, 0, 0, [[1, 1, 250, 300, "potrf"]]]);
	const told = await source("task/task", { task: 1 });
	assert.deepEqual([told.name, told.thread, told.before, told.data], ["potrf", 4, [[0, "gemm", 100, 200, 0]], [{ name: "A", handle: 17, bytes: 800, at: [1, 2], mode: "RW" }]]);
	assert.deepEqual(told.fields.map(f => [f.name, f.value]), [["codelet", "potrf"]]);
	assert.deepEqual((await source("task/task", { task: 0 })).after.map(b => b[0]), [1]);
	assert.deepEqual((await source("task/copies", { from: 100, to: 400 })).copies, [[300, -1]]);
	assert.equal((await source("task/path", {})).n_path, 1);
	await assert.rejects(source("task/schedule", {}), /not in the saved page/);
	assert.equal(chart.missing, false);
	const many = tasks(0, false);
	many.seen = 9;
	const apart = readChart(await createSource({ pages: { ...page, tasks: many }, bytes })("task/gantt", { from: 0, to: 400, width: 8 }));
	assert.deepEqual([apart.missing, apart.exact, apart.tasks], [true, false, []]);
	const few = createSource({ pages: { ...page, tasks: tasks(0, false) }, bytes });
	assert.equal((await few("task/task", { task: 1 })).fields.find(f => f.name === "duration").value, 50);
	await assert.rejects(createSource({ pages: { ...page, tasks: undefined }, bytes })("task/gantt", {}), /not in the saved page/);
});

test("ranges of values above columns have the digits that tell them apart", () => {
	assert.deepEqual(["[403.311..410.012)", "[0..0.25)", "[0.001234..0.001334]", "[5..6)", "[1000000..2000000)", "MPI_Recv", "[a..b)"].map(shortRange), ["403.3…410.0", "0.00…0.25", "0.001234…0.001334", "5…6", "1000000…2000000", "MPI_Recv", "[a..b)"]);
});
