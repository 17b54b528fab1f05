// SPDX-License-Identifier: Apache-2.0
// web/graph.js: its pure functions. node --test tests/web/
import assert from "node:assert/strict";
import { test } from "node:test";
import { edgePath, findBoxes, readState, stepsPath, tasksOf, timeText, writeState } from "../../web/graph.js";

const box = (kind, first, count, layer, x, label, words = "") => [kind, first, count, layer, x, 60, label, words, 0, 0, 0, 0, 0];
const data = {
	pitch: 74, height: 34, kinds: [["potrf", "#000"], ["gemm", "#111"]],
	boxes: [box(0, 0, 1, 0, 50, "potrf", "2 ms"), box(1, 1, 3, 1, 30, "gemm ×3", "level 1"), box(0, 4, 1, 2, 50, "<b>last</b>")],
	tasks: { slack: [0, 7, 0, 7, 0] },
};

test("times have three digits and a unit", () => {
	const cases = [[0, "0 ns"], [999, "999 ns"], [1000, "1.00 us"], [12345, "12.3 us"], [2.4e6, "2.40 ms"], [123456789, "123 ms"], [3.5e9, "3.50 s"]];
	for (const [ns, text] of cases) assert.equal(timeText(ns), text);
});

test("an edge ends where its boxes are, whatever its direction", () => {
	assert.match(edgePath(data, [0, 1, 1, 0]), /^M50 34C.* 30 74$/);
	assert.equal(edgePath(data, [1, 0, 1, 0]), edgePath(data, [0, 1, 1, 0]));
	assert.match(edgePath(data, [0, 2, 1, 0, 90]), /^M50 34C50 54 90 54 90 74V108C90 128 50 128 50 148$/);
});

test("the address keeps the state, and nonsense in it does no harm", () => {
	const state = { box: 2, view: [-10.5, 0, 800, 600], find: "a&b <c>" };
	assert.deepEqual(readState(writeState(state)), state);
	assert.deepEqual(readState(""), { box: -1, view: null, find: "" });
	for (const hash of ["#box=x", "#box=-1", "#view=1,2,3", "#view=0,0,0,5", "#view=a,b,c,d", "#box=1e99", "#view=1,2,Infinity,4"]) {
		assert.equal(readState(hash).box, -1);
		assert.equal(readState(hash).view, null);
	}
});

test("boxes are found by label, words and codelet", () => {
	assert.deepEqual(findBoxes(data, "GEMM"), [1]);
	assert.deepEqual(findBoxes(data, "potrf"), [0, 2]);
	assert.deepEqual(findBoxes(data, "level"), [1]);
	assert.deepEqual(findBoxes(data, "  "), []);
});

test("a box's tasks come with the least slack first", () => {
	assert.deepEqual(tasksOf(data, 1), [2, 1, 3]);
	assert.deepEqual(tasksOf(data, 2), [4]);
});

test("steps go from left to right within their height", () => {
	assert.equal(stepsPath([0, 2, 1], 2, 30, 10), "M0 10.0H10.0V0.0H20.0V5.0H30.0");
	assert.equal(stepsPath([0], 0, 30, 10), "M0 10.0H30.0");
});
