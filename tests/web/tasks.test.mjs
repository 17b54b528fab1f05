// SPDX-License-Identifier: Apache-2.0
/* Charts as they come from the server, and who has which task when. */
import assert from "node:assert/strict";
import test from "node:test";
import { neighbour, paintAt, pixel, readChart, taskAt, timeStep } from "../../web/tasks/chart.js";
import { instants, snapshot, stateAt } from "../../web/tasks/schedule.js";
import { fieldText } from "../../web/tasks/taskpanel.js";
import { bandwidth } from "../../web/tasks/nodes.js";

function chartBytes({ rows = 2, width = 3, curves = 1, cells = [], values = [] } = {}) {
	const head = JSON.stringify({ from: 0, to: 30, width, first_worker: 0, paints: [], rows: Array(rows).fill({}), curves: Array(curves).fill({}), points: [], arrows: [], tasks: [] });
	const text = new TextEncoder().encode(head), n = text.length + ((4 - (text.length % 4)) % 4), cellBytes = 2 * rows * width, pad = (4 - ((4 + n + cellBytes) % 4)) % 4;
	const bytes = new ArrayBuffer(4 + n + cellBytes + pad + 4 * width * curves), view = new DataView(bytes);
	view.setUint32(0, n, true);
	new Uint8Array(bytes, 4).set(text);
	new Uint8Array(bytes, 4 + text.length, n - text.length).fill(32);
	cells.forEach((v, i) => view.setUint16(4 + n + 2 * i, v, true));
	values.forEach((v, i) => view.setFloat32(4 + n + cellBytes + pad + 4 * i, v, true));
	return bytes;
}

test("a chart is read: head, cells, curves, whatever the padding", () => {
	for (const [rows, width] of [[2, 3], [1, 3], [3, 3], [1, 1]]) {
		const cells = Array.from({ length: rows * width }, (_, i) => i + 1), values = Array.from({ length: width }, (_, i) => i / 2);
		const c = readChart(chartBytes({ rows, width, cells, values }));
		assert.deepEqual([...c.cells], cells);
		assert.deepEqual([...c.curves[0].values], values);
		assert.equal(paintAt(c, rows - 1, width - 1), rows * width);
		assert.equal(paintAt(c, 0, -5), 1);
	}
});

test("colours are words of an image", () => assert.equal(pixel("#2f9e44"), 0xff449e2f));

test("the task under a time is the one that began last", () => {
	const c = { tasks: [[1, 0, 0, 100, "a"], [2, 0, 20, 40, "b"], [3, 1, 0, 100, "c"]] };
	assert.equal(taskAt(c, 0, 30)[0], 2);
	assert.equal(taskAt(c, 0, 50)[0], 1);
	assert.equal(taskAt(c, 1, 100), null);
	assert.equal(neighbour(c, 1, 1)[0], 2);
	assert.equal(neighbour(c, 2, 1), null);
	assert.equal(neighbour(c, 9, 1), null);
});

test("steps of an axis are round", () => assert.deepEqual([timeStep(1000, 10), timeStep(1234, 10), timeStep(7, 10)], [100, 200, 1]));

const data = {
	from: 0, to: 100, workers: ["CPU 0", "CPU 1"], components: [["prio", -1]], steps: [[12, 1, -1, 0]],
	tasks: [[0, 5, 0, 10, 12, 20, 22, 40, 0, 0], [1, 5, 0, 10, 12, 60, 62, 80, 1, 3], [2, 6, 5, -1, -1, -1, 45, 90, 0, 9]],
};

test("where a task is, from what is recorded of it", () => {
	const at = t => data.tasks.map(r => stateAt(r, t));
	assert.deepEqual(at(-1), ["", "", ""]);
	assert.deepEqual(at(11), ["ready", "ready", "blocked"]);
	assert.deepEqual(at(13), ["queued", "queued", "blocked"]);
	assert.deepEqual(at(21), ["taken", "queued", "blocked"]);
	assert.deepEqual(at(50), ["done", "queued", "running"]);
	assert.deepEqual(at(95), ["done", "done", "done"]);
});

test("an instant of the scheduler", () => {
	let s = snapshot(data, 13);
	assert.deepEqual([s.waiting.map(r => r[0]), s.components[0].map(r => r[0]), s.blocked], [[0], [1], 1]);
	s = snapshot(data, 30);
	assert.equal(s.running[0][0], 0);
	assert.equal(s.running[1], null);
	s = snapshot(data, 21);
	assert.deepEqual(s.taken[0].map(r => r[0]), [0]);
	assert.deepEqual([snapshot(data, 99).done, instants(data).length], [3, 12]);
	assert.deepEqual(instants(data).slice(0, 3), [0, 5, 10]);
});

test("fields as they are read", () => {
	assert.equal(fieldText({ kind: "ns", value: 1500 }), "1.500 µs");
	assert.equal(fieldText({ kind: "text", value: null }), "–");
	assert.equal(fieldText({ kind: "number", value: 3.14159265 }), "3.142");
	assert.equal(bandwidth({ bytes: 10, ns: 0 }), "–");
});
