// SPDX-License-Identifier: Apache-2.0
/* What the live page makes of samples, of the growing graph, of what a tuner says. */
import assert from "node:assert/strict";
import test from "node:test";
import { brief, counterValues, createModel, previsions, turnable } from "../../web/live/model.js";
import { createDag } from "../../web/live/dag.js";
import { codeletColor } from "../../web/live/colors.js";
import { createJournal } from "../../web/live/tuning.js";
import { stepOf } from "../../web/live/knobs.js";
import { heightOf, rowsText, runningText } from "../../web/live/live.js";
import { windowOf } from "../../web/live/paint.js";

const worker = (name, state, sums, tasks = 0, codelet = null) => ({ name, state, codelet, tasks, executing_s: sums[0], callback_s: sums[1], sleeping_s: sums[2], other_s: sums[3] });
const sample = (time_s, workers, more = {}) => ({ sample: 0, time_s, at_ns: 0, pid: 7, program: "p", tasks: { submitted: 1, ready: 2, executed: 10 * time_s }, workers, ...more });

test("sums become shares of the time between samples", () => {
	const m = createModel();
	m.add(sample(1, [worker("CPU 0", "executing", [0.5, 0, 0.2, 0.3], 10, "gemm")]));
	m.add(sample(1.1, [worker("CPU 0", "sleeping", [0.56, 0, 0.24, 0.3], 16)]));
	const r = m.rows.get("CPU 0"), [slot] = r.slots;
	assert.equal(r.slots.length, 1);
	assert.deepEqual(slot.shares.map(v => Math.round(100 * v)), [60, 0, 40, 0]);
	assert.equal(slot.what, "gemm");
	assert.equal(Math.round(r.rate), 60);
	assert.equal(r.state, "sleeping");
	assert.deepEqual(m.series.get("Tasks\nready").points, [[1, 2], [1.1, 2]]);
	assert.equal(Math.round(m.series.get("Tasks\nexecuted a second").last), 10);
});

test("time that nothing was counted of is what the worker is at; a gap in which nobody looked is none", () => {
	const m = createModel();
	m.add(sample(1, [worker("CPU 0", "executing", [0, 0, 0, 0])]));
	m.add(sample(1.1, [worker("CPU 0", "executing", [0, 0, 0, 0])]));
	assert.deepEqual(m.rows.get("CPU 0").slots[0].shares, [1, 0, 0, 0]);
	m.add(sample(9, [worker("CPU 0", "executing", [0, 0, 0, 0])]));
	assert.equal(m.rows.get("CPU 0").slots.length, 1);
});

test("another process begins anew; threads that end go", () => {
	const m = createModel();
	m.add(sample(1, [worker("CPU 0", "other", [0, 0, 0, 0])]));
	m.add({ ...sample(0.2, []), pid: 8, threads: [{ id: 1, name: "a", region: "solve", events: 5 }, { id: 2, name: "b", region: null, events: 0 }] });
	assert.deepEqual([...m.rows.keys()], ["1", "2"]);
	m.add({ ...sample(0.3, []), pid: 8, threads: [{ id: 1, name: "a", region: "solve", events: 6 }] });
	assert.deepEqual([...m.rows.keys()], ["1"]);
	assert.deepEqual(m.rows.get("1").slots[0].shares, [1, 0, 0, 0]);
});

test("values, counters and tunlets are plotted, and what is no number is not", () => {
	const m = createModel();
	m.add(sample(1, [], { data: [{ name: "on", value: true, min: 0, max: 1, active: true }, { name: "off", value: 3, active: false }, { name: "none", value: null, min: 0, max: 9, active: true }], counters: [{ name: "c", values: [4, 5] }], tunlets: [{ name: "t", values: [{ name: "x", value: 2 }, { name: "y", value: null }] }] }));
	assert.deepEqual([...m.series.keys()].filter(k => !k.startsWith("Tasks")), ["The program's values\non", "Counters\nc of worker 0", "Counters\nc of worker 1", "Tunlet t\nx"]);
	assert.deepEqual(counterValues({ codelets: [{ name: "gemm", value: 3 }] }), [["gemm", 3]]);
});

test("limits of a curve are those of what is shown: they shrink when the outermost point has gone", () => {
	const m = createModel(), at = (t, v) => m.add({ sample: 0, time_s: t, pid: 7, workers: [], counters: [{ name: "c", values: [v] }] });
	const series = () => m.series.get("Counters\nc of worker 0"), limits = () => [series().min, series().max];
	at(1, 50);
	at(1.1, -3);
	assert.deepEqual(limits(), [-3, 50]);
	for (let i = 0; i < 899; i++) at(1.2 + i / 10, 7 + (i % 2));
	assert.equal(series().points.length, 900);
	assert.deepEqual(limits(), [-3, 8]);
	at(100, 9);
	assert.deepEqual(limits(), [0, 9]);
});

test("previsions are told on the samples' clock", () => {
	const [p] = previsions({ time_s: 10, now_us: 5e6, previsions: [{ task: 1, name: "n", worker: 2, start_us: 5.5e6, end_us: 6e6 }] });
	assert.deepEqual([p.from, p.to, p.worker], [10.5, 11, 2]);
	assert.deepEqual(previsions({ time_s: 1, previsions: [{}] }), []);
});

test("what can be turned: parameters, then knobs, those of workers once for each", () => {
	const list = turnable({ parameters: [{ name: "alpha", type: "float", value: 0.5, min: 0, max: 1 }], knobs: [{ name: "k", values: [1, 0] }, { name: "g", value: 3 }] });
	assert.deepEqual(list.map(i => [i.kind, i.name, i.of, i.value]), [["parameter", "alpha", null, 0.5], ["knob", "k", 0, 1], ["knob", "k", 1, 0], ["knob", "g", null, 3]]);
	assert.deepEqual(turnable(null), []);
	assert.equal(stepOf({ type: "float", min: 0, max: 1 }), 0.01);
	assert.equal(stepOf({ type: "integer" }), 1);
});

test("numbers in few signs", () => {
	assert.deepEqual([0, 12, 0.5, 12345, 3.2e6, 4e9, NaN].map(brief), ["0", "12", "0.500", "12.3 k", "3.20 M", "4.00 G", "–"]);
	assert.deepEqual([runningText(3.21), runningText(90), runningText(3725)], ["3.2 s", "90 s", "62 min 05 s"]);
	assert.equal(rowsText([{ state: "sleeping" }, { state: "sleeping" }, { state: "" }]), "3 rows: 2 sleeping, 1 unknown");
	assert.ok(heightOf(64) >= 22 && heightOf(2) <= 46 && heightOf(0) > 0);
});

test("the window stands still while a tenth of it fills, has what is foreseen, and then moves on", () => {
	const at = (now, ahead = 0) => windowOf({ began: 5, now, ahead, span: 10 });
	assert.deepEqual(at(7.5), { from: 5, to: 15, fill: 7 });
	assert.deepEqual([at(15.1), at(15.9)], [{ from: 6, to: 16, fill: 15 }, { from: 6, to: 16, fill: 15 }]);
	assert.deepEqual(at(16.1), { from: 7, to: 17, fill: 16 });
	assert.deepEqual(at(15.1, 2), { from: 8, to: 18, fill: 15 });
	for (let now = 5; now < 60; now += 0.37) {
		const w = at(now, 1.3);
		assert.ok(w.from <= w.fill && w.fill <= now && now + 1.3 <= w.to + 1e-6, String(now));
	}
});

/* ---- the graph ---- */

const row = (ref, state, before = [], codelet = "c") => [ref, state, -1, codelet, "", 0, "f.c", 1, before, 0];

test("a task stands below all that it waits for, and stays where it is", () => {
	const d = createDag();
	d.add({ seq: 4, tasks: [row("1", "done"), row("2", "ready", ["1"]), row("3", "ready", ["1"]), row("4", "submitted", ["2", "3"])] });
	assert.deepEqual([..."1234"].map(r => d.tasks.get(r).layer), [0, 1, 1, 2]);
	assert.notEqual(d.tasks.get("2").x, d.tasks.get("3").x);
	const before = ["2", "3", "4"].map(r => d.tasks.get(r).x);
	d.add({ seq: 6, tasks: [["2", "running", 3], ["3", "done", 1]] });
	assert.deepEqual(["2", "3", "4"].map(r => d.tasks.get(r).x), before);
	assert.equal(d.tasks.get("2").state, "running");
	assert.equal(d.front, 1);
	assert.deepEqual(d.counts(), { submitted: 1, ready: 0, taken: 0, held: 0, running: 1, done: 2 });
});

test("no two tasks have one place, however many come; old ones that are done go", () => {
	const d = createDag({ most: 50 });
	for (let i = 0; i < 200; i++) d.add({ seq: i + 1, tasks: [row(String(i), i < 190 ? "done" : "submitted", i > 3 ? [String(i - 1), String(i - 4)] : [])] });
	assert.ok(d.tasks.size <= 50);
	const places = new Set([...d.tasks.values()].map(t => `${t.layer} ${t.x}`));
	assert.equal(places.size, d.tasks.size);
	assert.ok(d.tasks.has("199"));
	const [low, high] = d.layers;
	assert.ok(low > 0 && high >= low);
});

test("what begins independently stands beside what is at work", () => {
	const d = createDag();
	d.add({ seq: 1, tasks: [row("1", "done"), row("2", "done", ["1"]), row("3", "running", ["2"])] });
	d.add({ seq: 2, tasks: [row("9", "ready")] });
	assert.equal(d.tasks.get("9").layer, 2);
});

test("a short row of a task that is gone is left out; another run begins anew", () => {
	const d = createDag();
	d.add({ seq: 5, tasks: [["77", "done", 0]] });
	assert.equal(d.tasks.size, 0);
	d.add({ seq: 6, tasks: [row("1", "ready")] });
	d.add({ seq: 1, tasks: [row("5", "ready")] });
	assert.deepEqual([...d.tasks.keys()], ["5"]);
});

test("codelets have colours of their own", () => {
	const names = ["gemm", "trsm", "potrf", "syrk", "a", "b"], colors = names.map(codeletColor);
	assert.equal(new Set(colors).size, names.length);
	assert.deepEqual(names.map(codeletColor), colors);
});

test("each entry of a tuner's log comes once; what was missed is counted", () => {
	const j = createJournal(), entry = n => ({ n, time_s: n, kind: "done", text: String(n) });
	assert.equal(j.add({ pid: 1, log: [entry(0), entry(1)] }), 2);
	assert.equal(j.add({ pid: 1, log: [entry(1), entry(2)] }), 1);
	assert.equal(j.add({ pid: 1, log: [entry(5)] }), 1);
	assert.equal(j.missed, 2);
	assert.deepEqual(j.list.map(e => e.n), [0, 1, 2, 5]);
	j.add({ pid: 2, log: [entry(0)] });
	assert.deepEqual(j.list.map(e => e.n), [0]);
});
