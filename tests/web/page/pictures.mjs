// SPDX-License-Identifier: Apache-2.0
/*
 * Pictures of the page, a quarter in each direction, against those of tests/golden/pages/, with a tolerance that other fonts pass and another colour does
 * not (png.mjs). WEFT_UPDATE=1 writes them anew: look at them before you commit. A picture that differs is kept in WEFT_SHOTS.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";
import { close, serve, until, visit } from "./drive.mjs";
import { compare, decode, encode, shrink } from "./png.mjs";

const traces = process.env.WEFT_TRACES, golden = fileURLToPath(new URL("../../golden/pages", import.meta.url)), update = process.env.WEFT_UPDATE === "1", BY = 4;
const SIZE = { width: 1200, height: 760 };
after(close);

async function shot(page) {
	await until(page, () => document.fonts.status === "loaded" && [...document.querySelectorAll(".tl-busy")].every(b => b.hidden) && !document.querySelector("[aria-busy=true]"));
	await page.mouse.move(2, 2);
	await page.waitForTimeout(400); /* names and legends come after what they name */
	return shrink(decode(await page.screenshot({ animations: "disabled", caret: "hide" })), BY);
}
/* Once more where it differs: a machine that is busy may have drawn the first before all had come. */
async function same(page, name) {
	const path = join(golden, `${name}.png`);
	let small = await shot(page), d;
	if (update) return writeFileSync(path, encode(small));
	const want = decode(readFileSync(path));
	for (let turn = 0; turn < 8; turn++) {
		d = compare(small, want);
		if (d.same) return;
		small = await shot(page);
	}
	const kept = process.env.WEFT_SHOTS;
	if (kept) { mkdirSync(kept, { recursive: true }); writeFileSync(join(kept, `${name}-differs.png`), encode(small)); }
	const where = d.tiles.slice(0, 6).map(t => `${BY * t.x},${BY * t.y} (${Math.round(100 * t.share)} %)`).join(", ");
	assert.fail(`${name}: differs by ${d.mean.toFixed(1)} of 255 in the mean, ${(100 * d.share).toFixed(1)} % of the pixels far${where ? `; most near pixel ${where}` : ""}`);
}

const JSON_OF = what => encodeURIComponent(JSON.stringify(what));
const subjects = [
	["timeline-light", "imbalance.weft", "", ".tl-entry", {}],
	["timeline-dark", "imbalance.weft", "#from=2000000&to=9000000", ".tl-entry", { theme: "dark" }],
	["timeline-nested", "first.weft", `#tracks=${JSON_OF([{ style: "nest" }])}&side=summary`, "#panel-summary .share-row", {}],
	["table", "sample.prv", "#dock=table&side=", "#panel-table .grid-cell", {}],
	["flame", "heat.weft", `#dock=calls&side=&more=${JSON_OF({ calls: { of: "regions" } })}`, "#panel-calls .flame", {}],
	["gantt-dark", "tiles.weft", "#main=gantt&side=", "#panel-gantt canvas", { theme: "dark" }],
];
for (const [name, trace, hash, ready, how] of subjects)
	test(`the picture '${name}' is as it was`, async () => {
		const s = await serve([join(traces, trace)]), page = await visit(s.url, hash, { ...SIZE, ...how });
		await page.waitForSelector(ready);
		await same(page, name);
		await page.done();
		await s.stop();
	});

test("a picture with other colours, or with a bar less, is not the same", { skip: update }, async () => {
	const want = decode(readFileSync(join(golden, "flame.png"))), other = { ...want, at: Uint8Array.from(want.at) };
	assert.equal(compare(want, other).same, true);
	/* A bar of a row, 30 by 9 of these pixels, becomes ground. */
	let bar = null;
	for (let y = 20; y < 150 && !bar; y++)
		for (let x = 60; x < 200 && !bar; x++) {
			const inside = [...Array(30).keys()].every(i => { const k = 3 * (y * want.width + x + i), c = want.at.subarray(k, k + 3); return Math.max(...c) - Math.min(...c) > 90; });
			if (inside) bar = { x, y };
		}
	assert.ok(bar);
	for (let y = bar.y; y < bar.y + 9; y++) other.at.fill(255, 3 * (y * want.width + bar.x), 3 * (y * want.width + bar.x + 30));
	const d = compare(want, other);
	assert.equal(d.same, false);
	assert.ok(d.tiles.some(t => Math.abs(t.x - bar.x) <= 40 && Math.abs(t.y - bar.y) <= 20));
	assert.equal(compare(want, decode(readFileSync(join(golden, "timeline-dark.png")))).same, false);
	assert.deepEqual(decode(encode(want)), want);
});
