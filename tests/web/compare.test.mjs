// SPDX-License-Identifier: Apache-2.0
/* Traces beside each other, files of what is seen, tutorials: what of them needs no page. */
import assert from "node:assert/strict";
import test from "node:test";
import { changeColor, changeText, createMapping, flameBars, fusedRows, pieces } from "../../web/compare/align.js";
import { pageFile, pictureOf, quoted, readFile, sessionFile } from "../../web/share/files.js";
import { TUTORIALS, shareSeen, stepDone, stepState } from "../../web/learn/tutorials.js";

test("times go there and back, in proportion between marks and as far away outside", () => {
	const m = createMapping([10, 20, 40], [100, 110, 200]);
	assert.deepEqual([0, 10, 15, 30, 40, 50].map(m.toB), [90, 100, 105, 155, 200, 210]);
	for (const t of [0, 10, 13, 20, 33, 40, 99]) assert.ok(Math.abs(m.toA(m.toB(t)) - t) < 1e-9);
	assert.equal(createMapping([], []).toB(7), 7);
	assert.equal(createMapping([1, 2, 3], [5]).n, 1);
	const same = createMapping([5, 5, 9], [1, 2, 3]); // two marks at one instant
	assert.ok(Number.isFinite(same.toB(5)) && same.toB(9) === 3);
});

test("a range is cut at marks, and not when they are too many", () => {
	const a = [10, 20, 40], m = createMapping(a, [100, 110, 200]);
	assert.deepEqual(pieces(a, m, 15, 50), [{ a0: 15, a1: 20, b0: 105, b1: 110 }, { a0: 20, a1: 40, b0: 110, b1: 200 }, { a0: 40, a1: 50, b0: 200, b1: 210 }]);
	assert.equal(pieces(a, m, 0, 100, 2).length, 1);
});

test("changes in words and colours", () => {
	assert.deepEqual([changeText(10, 15), changeText(10, 5), changeText(null, 3), changeText(3, null), changeText(0, 0), changeText(1, 30)], ["+50.0 %", "-50.0 %", "new", "gone", "–", "+2900 %"]);
	assert.notEqual(changeColor(1, 4, false), changeColor(4, 1, false));
	assert.equal(changeColor(3, 3, true), "rgb(58, 66, 77)");
});

test("rows are fused into lines", () => {
	assert.deepEqual([fusedRows(1, 64), fusedRows(8, 64), fusedRows(5, 2), fusedRows(7, 3)], ["0", "0-7", "0~2,3~4", "0~2,3~5,6"]);
});

test("bars of a difference flame graph lie in each other", () => {
	const data = { names: ["main", "a", "b"], nodes: [[-1, -1, 100, 60, 0, 0], [0, 0, 100, 60, 10, 10], [1, 1, 60, 0, 60, 0], [1, 2, 30, 50, 30, 50]] }, bars = flameBars(data);
	assert.deepEqual(bars.map(b => [b.name, b.depth]), [["all", 0], ["main", 1], ["a", 2], ["b", 2]]);
	assert.ok(bars[2].w + bars[3].w <= bars[1].w + 1e-9 && bars[3].x === bars[2].x + bars[2].w);
	assert.deepEqual(flameBars(data, { root: 2 }).map(b => b.name), ["a"]);
	const shares = flameBars(data, { share: true });
	assert.equal(shares[0].a, 1);
});

/* ---- files ---- */

const info = { traces: [{ path: "/data/a.weft" }, { path: "/other/b.weft" }] };

test("a view goes into a file and comes back, to the trace that it was of", () => {
	const file = pageFile({ weft: "page", trace: 1, from: 5, to: 9 }, info);
	assert.deepEqual(file.traces, ["/data/a.weft", "/other/b.weft"]);
	const back = readFile(JSON.stringify(file), { traces: [{ path: "/elsewhere/b.weft" }, { path: "/data/a.weft" }] });
	assert.deepEqual(back, { windows: [{ trace: 0, from: 5, to: 9 }], missing: [] });
	assert.deepEqual(readFile(JSON.stringify(file), { traces: [{ path: "/data/a.weft" }] }).missing, ["/other/b.weft"]);
});

test("a session has all windows", () => {
	const file = sessionFile([{ weft: "page", main: "gantt" }, { main: "compare", trace: 1 }], info);
	assert.deepEqual(readFile(JSON.stringify(file), info).windows, [{ main: "gantt", trace: 0 }, { main: "compare", trace: 1 }]);
});

test("what is no file of a page is refused", () => {
	for (const text of ["", "[1]", "null", "{}", '{"weft":"other"}', '{"weft":"session","windows":[]}', '{"weft":"session","windows":3}']) assert.throws(() => readFile(text, info), Error);
});

test("commands are words for a shell", () => {
	assert.equal(quoted("a b'c"), `'a b'\\''c'`);
	assert.equal(quoted("run.weft"), "run.weft");
	const trace = { path: "/data/my run.weft", end: 100 };
	const of = (state, form) => pictureOf({ state: { trace: 0, from: 0, to: 0, tracks: [], more: {}, ...state }, trace, form });
	assert.equal(of({ main: "timeline", from: 5, to: 9 }, "svg").command, "weft timeline '/data/my run.weft' -o picture.svg --time 5ns..9ns");
	assert.equal(of({ main: "timeline", tracks: [{}, { view: "@1" }, { view: "useful" }] }, "csv").command, "weft timeline useful '/data/my run.weft' -o picture.csv");
	assert.equal(of({ main: "timeline" }, "csv"), null);
	assert.equal(of({ main: "live" }, "png"), null);
	const gantt = of({ main: "gantt", more: { gantt: { codelets: true, show: ["curves"] } } }, "png");
	assert.equal(gantt.command, "weft gantt '/data/my run.weft' -o picture.png --show curves --colors --time 0ns..100ns");
	assert.deepEqual([gantt.args.from, gantt.args.to], [0, 100]);
	assert.equal(of({ main: "taskgraph", more: { taskgraph: { by: "level", filter: "codelet=gemm" } } }, "svg").command, "weft graph '/data/my run.weft' -o picture.svg --by level --filter codelet=gemm");
});

/* ---- tutorials ---- */

const traces = { traces: ["first", "imbalance", "balanced", "late-sender", "too-fine", "coarse", "tuned"].map(name => ({ name: `${name}.weft` })) };

test("each tutorial is whole: questions have an answer, traces are there, checks can be met and are not at first", () => {
	assert.deepEqual(TUTORIALS.map(t => t.name), ["first", "imbalance", "late-sender", "too-fine", "tuned"]);
	for (const t of TUTORIALS)
		for (const s of t.steps) {
			if (s.ask) assert.ok(s.ask.options[s.ask.right] && s.ask.why && s.ask.options.length > 2, s.title);
			const patch = stepState(s, traces);
			if (patch?.trace !== undefined) assert.ok(patch.trace >= 0 && traces.traces[patch.trace].name.startsWith(typeof s.show.trace === "string" ? s.show.trace : ""), s.title);
			const now = { state: { main: "timeline", side: "learn", dock: "", from: 0, to: 0, more: {} }, trace: { name: `${t.name}.weft`, end: 1e6 }, answers: {}, seen: new Set() };
			if (s.done || s.ask) assert.equal(stepDone(s, now), false, s.title);
			const near = { ...now, state: { ...now.state, from: 1000, to: 2000, main: /Compare/.test(s.title) ? "compare" : s.title === "Between the tasks" ? "gantt" : "timeline", side: "summary" }, answers: s.ask ? { [s.ask.id]: String(s.ask.right) } : {} };
			assert.equal(stepDone(s, near), true, `${t.name}: ${s.title}`);
		}
});

test("a step begins from what it is about", () => {
	const s = TUTORIALS[1].steps.at(-1), patch = stepState(s, traces);
	assert.deepEqual([patch.more.compare.a, patch.more.compare.b, patch.main], [1, 2, "compare"]);
	assert.equal(stepState({}, traces), null);
	assert.equal(shareSeen({ state: { from: 10, to: 20 }, trace: { end: 100 } }), 0.1);
	assert.equal(shareSeen({ state: { from: 0, to: 0 }, trace: { end: 100 } }), 1);
});
