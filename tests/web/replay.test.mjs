// SPDX-License-Identifier: Apache-2.0
/* Sliders of machines there and back, and what rows are made of. */
import assert from "node:assert/strict";
import test from "node:test";
import { pixelsOf, rangeOfBoth } from "../../web/replay/lines.js";
import { SLIDERS, change, partsOf, placeOf, valueAt } from "../../web/replay/model.js";

test("each place of a slider is the place of its value", () => {
	for (const s of SLIDERS) {
		let last = -1;
		for (let place = 0; place <= s.most; place++) {
			const v = valueAt(s, place);
			assert.equal(placeOf(s, v), place, `${s.key} ${v}`);
			assert.ok(place === s.special || v > last, `${s.key} ${v}`);
			if (place !== s.special) last = v;
		}
		assert.equal(valueAt(s, placeOf(s, s.usual)), s.usual);
	}
});

test("values beyond a slider are at its ends, and 0 has a place", () => {
	const [latency, bandwidth, cpu] = SLIDERS;
	assert.equal(valueAt(latency, 0), 0);
	assert.equal(placeOf(latency, 1e12), 61);
	assert.equal(placeOf(latency, 0.001), 1);
	assert.equal(placeOf(bandwidth, 0), 49);
	assert.equal(placeOf(bandwidth, 1e18), 48);
	assert.deepEqual([valueAt(cpu, 0), valueAt(cpu, 24)], [0.25, 16]);
	assert.equal(latency.words(0), "none");
	assert.equal(bandwidth.words(0), "no limit");
	assert.equal(bandwidth.words(1e10), "10 GB/s");
	assert.equal(cpu.words(1), "× 1");
});

test("a row's parts are sums of its columns", () => {
	assert.deepEqual(partsOf({ computation_ns: 5, fixed_ns: 1, receiving_ns: 2, sending_ns: 3, waiting_ns: 4, cpu_wait_ns: 1, collective_ns: 7, latency_ns: 8 }), [5, 1, 10, 7, 8]);
	assert.deepEqual([change(50, 100), change(101, 100), change(100, 100)], ["−50.0 %", "+1.0 %", "±0.0 %"]);
});

test("letters are pixels; with the whole in view both ends are seen", () => {
	const p = pixelsOf(["cw.", "..c"], { c: 0x102030, w: 0xff0000 });
	assert.deepEqual([p.width, p.height, [...p.data.subarray(0, 12)]], [3, 2, [16, 32, 48, 255, 255, 0, 0, 255, 0, 0, 0, 0]]);
	assert.deepEqual([...p.data.subarray(20, 24)], [16, 32, 48, 255]);
	assert.deepEqual(rangeOfBoth({ from: 0, to: 100 }, true, 149.5), { from: 0, to: 150 });
	assert.deepEqual(rangeOfBoth({ from: 20, to: 40 }, false, 150), { from: 20, to: 40 });
	assert.deepEqual(pixelsOf([], {}).width, 0);
});
