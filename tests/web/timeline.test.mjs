// SPDX-License-Identifier: Apache-2.0
/* The timeline's arithmetic: ranges, strips, lines, colours, filters. */
import assert from "node:assert/strict";
import test from "node:test";
import { colorOf, lightness, safe, SAFE, textOn } from "../../web/lib/color.js";
import { paint, pixel, readCells } from "../../web/timeline/cells.js";
import { filterOf } from "../../web/timeline/find.js";
import { rowValues } from "../../web/timeline/order.js";
import { moved, trackFlex } from "../../web/timeline/split.js";
import { lineAt, linesOf, matches, place, shortName, spec, specs, squeeze } from "../../web/timeline/rows.js";
import { clamp, LEAST, pan, strips, timeOf, xOf, zoom } from "../../web/timeline/zoom.js";

test("zooming keeps the time under the pointer, and its levels come again", () => {
	const of = { width: 1000, end: 1e9 };
	let r = { from: 0, to: 1e9 };
	for (let i = 0; i < 40; i++) {
		const next = zoom(r, 1, 3e8, of);
		assert.ok(next.to - next.from <= r.to - r.from && next.from <= 3e8 && next.to >= 3e8);
		if (r.to < 1e9) assert.ok(Math.abs(xOf(3e8, next, 1000) - xOf(3e8, r, 1000)) < 1.5);
		r = next;
	}
	const back = zoom(zoom(r, -8, 3e8, of), 8, 3e8, of);
	assert.ok(Math.abs((back.to - back.from) / (r.to - r.from) - 1) < 1e-3);
	assert.equal(zoom({ from: 0, to: 30 }, 100, 10, of).to - zoom({ from: 0, to: 30 }, 100, 10, of).from, LEAST);
	assert.deepEqual(zoom({ from: 0, to: 1e9 }, -4, 5e8, of), { from: 0, to: 1e9 });
});

test("panning stops at both ends and keeps the length", () => {
	assert.deepEqual(pan({ from: 10, to: 110 }, -1, 1000), { from: 0, to: 100 });
	assert.deepEqual(pan({ from: 850, to: 950 }, 1, 1000), { from: 900, to: 1000 });
	assert.deepEqual(clamp({ from: -50, to: 5000 }, 1000), { from: 0, to: 1000 });
	assert.equal(timeOf(xOf(77, { from: 0, to: 1000 }, 640), { from: 0, to: 1000 }, 640), 77);
});

test("strips are aligned, cover the range, and do not depend on where it begins", () => {
	const a = strips({ from: 1000, to: 9000 }, 10, 100, 1e6), b = strips({ from: 1500, to: 9000 }, 10, 100, 1e6);
	assert.ok(a[0].from <= 1000 && a.at(-1).to >= 9000);
	for (let i = 1; i < a.length; i++) assert.equal(a[i].from, a[i - 1].to);
	assert.ok(b.every(s => a.some(t => t.from === s.from && t.to === s.to)));
	assert.equal(strips({ from: 0, to: 50 }, 0.001, 512, 50).at(-1).to >= 50, true);
});

const rows = { n: 6, names: ["a · main", "a · worker 1", "a · worker 2", "b · main", "b · worker 1", "c"], up: { process: [0, 0, 0, 1, 1, 2] }, parents: { process: { names: ["a", "b", "c"] } }, events: [5, 1, 9, 2, 2, 7] };

test("lines: groups, folding, hiding, sorting, filters", () => {
	const text = choice => linesOf(rows, choice).map(l => (l.kind === "group" ? `[${l.label}${l.folded ? ` ${l.count}` : ""}]` : l.label)).join(" ");
	assert.equal(text({}), "[a] a · main a · worker 1 a · worker 2 [b] b · main b · worker 1 c");
	assert.equal(text({ folded: [0] }), "[a 3] [b] b · main b · worker 1 c");
	assert.equal(text({ group: "", sort: "events" }), "a · worker 2 c a · main b · main b · worker 1 a · worker 1");
	assert.equal(text({ group: "", filter: "worker -b" }), "a · worker 1 a · worker 2");
	assert.equal(text({ group: "", hidden: [0, 1, 2], down: true }), "c b · worker 1 b · main");
	assert.equal(text({ only: [3, 5] }), "b · main c");
	assert.equal(shortName("heat 0 · main", "heat 0"), "main");
	assert.ok(matches("MPI_Send", "send") && !matches("MPI_Send", "recv"));
});

test("rows as the server reads them", () => {
	assert.equal(spec([4, 5, 6, 9]), "4~6_9");
	assert.equal(specs([{ rows: [0] }, { rows: [1] }, { rows: [2] }, { rows: [7] }, { rows: [4, 5] }]), "0-2,7,4~5");
	const few = squeeze(linesOf(rows, { group: "" }), 2);
	assert.deepEqual(few.map(l => l.rows), [[0, 1, 2], [3, 4, 5]]);
});

test("places of lines, and back", () => {
	const top = place(linesOf(rows, {}), { height: 20, head: 15 });
	assert.deepEqual([...top], [0, 15, 35, 55, 75, 90, 110, 130, 150]);
	assert.equal(lineAt(top, 34.9), 1);
	assert.equal(lineAt(top, 35), 2);
	assert.equal(lineAt(top, 150), -1);
	assert.equal(lineAt(top, -1), -1);
});

test("cells are read, and what is shorter than it says is refused", () => {
	const buffer = new ArrayBuffer(64 + 32 + 4), view = new DataView(buffer);
	[0x4c454357, 1, 2, 2, 2, 1, 2, 0].forEach((v, i) => view.setUint32(4 * i, v, true));
	view.setFloat64(40, 100, true);
	view.setFloat64(64, 7, true);
	view.setUint32(72, 0xff112233, true);
	new Uint8Array(buffer, 96).set([0, 1, 1, 0]);
	const c = readCells(buffer), out = new Uint32Array(4);
	assert.deepEqual([c.lines, c.width, c.values[0], c.to, c.colors[0]], [2, 2, 7, 100, 0xff112233]);
	paint(c.place, new Uint32Array([pixel(0x112233), pixel(-1)]), out);
	assert.deepEqual([...out], [0xff332211, 0, 0, 0xff332211]);
	assert.throws(() => readCells(buffer.slice(0, 98)), /fewer cells/);
	assert.throws(() => readCells(new ArrayBuffer(10)), /something else/);
});

test("colours: chosen ones first; texts can be read on any", () => {
	const how = { codes: true, regions: true, min: 0, max: 1, safe: false, name: "solve", own: { solve: "#010203" } };
	assert.equal(colorOf({ value: 1, color: 0x445566, alpha: 255 }, how), 0x010203);
	assert.equal(colorOf({ value: 1, color: 0x445566, alpha: 255 }, { ...how, own: {} }), 0x445566);
	assert.equal(colorOf({ value: 1, color: 0x445566, alpha: 0 }, how), -1);
	assert.equal(colorOf({ value: 1, color: 0x445566, alpha: 255 }, { ...how, own: {}, safe: true, rank: 2 }), SAFE[2]);
	for (let i = 0; i < 32; i++) {
		const c = safe(i), text = textOn(c) === "#ffffff" ? 1 : lightness(0x14181d), ground = lightness(c);
		assert.ok((Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05) > 3, `colour ${i}`);
	}
});

test("what is typed into the finder", () => {
	assert.equal(filterOf("solve", { regions: true }), "region=*solve*");
	assert.equal(filterOf(" kind=send and size>1k ", { regions: true }), "kind=send and size>1k");
	assert.equal(filterOf("two words", { regions: true }), 'region="two words"');
	assert.equal(filterOf("x", { regions: false }), "name=*x*");
	assert.equal(filterOf("", { regions: true }), "");
});

test("rows by what they show: the share of a value, or the mean", () => {
	const cells = { lines: 2, width: 4, values: Float64Array.of(0, 3, 8), place: Uint8Array.of(0, 1, 1, 2, 2, 2, 2, 0) };
	assert.deepEqual(rowValues(cells, 3), [0.5, 0]);
	assert.deepEqual(rowValues(cells, 8), [0.25, 0.75]);
	assert.deepEqual(rowValues(cells, undefined), [3.5, 6]);
	const rows = { n: 3, names: ["a", "b", "c"], up: {}, parents: {} };
	assert.deepEqual(linesOf(rows, { sort: "value" }, { value: [0.1, 0.9, 0.1] }).map(l => l.rows[0]), [1, 0, 2]);
	assert.deepEqual(linesOf(rows, { sort: "value", down: true }, { value: [0.1, 0.9, 0.1] }).map(l => l.rows[0]), [2, 0, 1]);
});

test("a border between tracks keeps the sum, and each its least", () => {
	assert.deepEqual(moved([200, 100, 300], 0, 30), [230, 70, 300]);
	assert.deepEqual(moved([200, 100, 300], 0, 90), [236, 64, 300]);
	assert.deepEqual(moved([200, 100, 300], 1, -90), [200, 64, 336]);
	assert.equal(trackFlex({ sizes: { tracks: [230, 70] } }, [{}, {}], 1), "70 1 0px");
	assert.equal(trackFlex({ sizes: { tracks: [230, 70] } }, [{}], 0), "3 1 120px");
	assert.equal(trackFlex({ sizes: {} }, [{ style: "curve" }], 0), "1 1 90px");
});
