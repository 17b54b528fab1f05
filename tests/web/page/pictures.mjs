// SPDX-License-Identifier: Apache-2.0
/*
 * Pictures of the page, a quarter in each direction, against those of tests/golden/pages/, with a tolerance that other fonts pass and another colour does
 * not (png.mjs). WEFT_UPDATE=1 writes them anew: look at them before you commit. A picture that differs is kept in WEFT_SHOTS.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";
import { cannedProgram } from "./canned.mjs";
import { close, serve, until, visit } from "./drive.mjs";
import { compare, decode, encode, shrink } from "./png.mjs";

const traces = process.env.WEFT_TRACES, golden = fileURLToPath(new URL("../../golden/pages", import.meta.url)), update = process.env.WEFT_UPDATE === "1", BY = 4;
const SIZE = { width: 1200, height: 760 }, TURNS = 24, TURN_MS = 120;
after(close);

async function shot(page) {
	await page.quiet();
	await until(page, () => document.fonts.status === "loaded" && [...document.querySelectorAll(".tl-busy")].every(b => b.hidden) && !document.querySelector("[aria-busy=true]"));
	await page.mouse.move(2, 2);
	return shrink(decode(await page.screenshot({ animations: "disabled", caret: "hide" })), BY);
}
/* Names and legends come after what they name: until nothing changes any more. */
async function settled(page) {
	let last = await shot(page);
	for (let turn = 0; turn < TURNS; turn++) {
		await page.waitForTimeout(TURN_MS);
		const now = await shot(page);
		if (Buffer.compare(now.at, last.at) === 0) return now;
		last = now;
	}
	return last;
}
/* Again where it differs: what is late may not have come yet. */
async function same(page, name) {
	const path = join(golden, `${name}.png`);
	if (update) return writeFileSync(path, encode(await settled(page)));
	const want = decode(readFileSync(path));
	let small, d;
	for (let turn = 0; turn < TURNS; turn++) {
		if (turn) await page.waitForTimeout(TURN_MS);
		d = compare((small = await shot(page)), want);
		if (d.same) return;
	}
	const kept = process.env.WEFT_SHOTS;
	if (kept) { mkdirSync(kept, { recursive: true }); writeFileSync(join(kept, `${name}-differs.png`), encode(small)); }
	const where = d.tiles.slice(0, 6).map(t => `${BY * t.x},${BY * t.y} (${Math.round(100 * t.share)} %)`).join(", ");
	assert.fail(`${name}: differs by ${d.mean.toFixed(1)} of 255 in the mean, ${(100 * d.share).toFixed(1)} % of the pixels far${where ? `; most near pixel ${where}` : ""}`);
}

const JSON_OF = what => encodeURIComponent(JSON.stringify(what)), more = what => `more=${JSON_OF(what)}`, dark = { theme: "dark" };
const TRACES = ["imbalance.weft", "balanced.weft", "first.weft", "late-sender.weft", "heat.weft", "tiles.weft", "sample.prv"], PAIR = { a: 1, b: 0 };
const marks = [{ at: 3000000, note: "first step" }, { at: 12000000, to: 15000000, note: "one is late" }];
const click = (name, role = "button") => page => page.getByRole(role, { name }).first().click();
const lastSample = page => until(page, () => /runs for 12 s/.test(document.querySelector(".live-facts").innerText));
/* Name, trace, address, what is there when it can be looked at, how it is opened, what is done then. */
const subjects = [
	["timeline-light", "imbalance.weft", "", ".tl-entry", {}],
	["timeline-dark", "imbalance.weft", "#from=2000000&to=9000000", ".tl-entry", dark],
	["timeline-nested", "first.weft", `#tracks=${JSON_OF([{ style: "nest" }])}&side=summary`, "#panel-summary .share-row", {}],
	["timeline-tracks-dark", "heat.weft", `#tracks=${JSON_OF([{ style: "nest" }, { view: "useful", style: "curve", level: "process" }])}&side=`, ".tl-track:nth-of-type(2) .tl-title", dark],
	["timeline-details", "late-sender.weft", `#selection=${JSON_OF({ row: 1, level: "thread", at: 6000000, from: 6000000, to: 6000001 })}&cursor=6000000`, ".tl-details", {}],
	["timeline-marks-dark", "imbalance.weft", `#side=marks&marks=${JSON_OF(marks)}&selection=${JSON_OF({ from: 5000000, to: 9000000 })}`, ".tl-marks input", dark],
	["timeline-safe", "balanced.weft", "#safe=true&from=0&to=8000000&side=summary", "#panel-summary .share-row", {}],
	["timeline-narrow-dark", "late-sender.weft", "#dock=table", "#panel-table .grid-cell", { ...dark, width: 1024, height: 700 }],
	["keys", "imbalance.weft", "", ".tl-entry", {}, page => page.keyboard.press("?")],
	["table", "sample.prv", "#dock=table&side=", "#panel-table .grid-cell", {}],
	["table-colours-dark", "imbalance.weft", `#dock=table&side=&${more({ table: { view: "regions", mode: "colours" } })}`, "#panel-table .heatmap", dark],
	["histogram", "imbalance.weft", `#dock=table&side=&${more({ table: { view: "useful-histogram" } })}`, "#panel-table .grid-cell", {}],
	["matrix-dark", "imbalance.weft", "#dock=messages&side=", "#panel-messages .grid-cell", dark],
	["flame", "heat.weft", `#dock=calls&side=&${more({ calls: { of: "regions" } })}`, "#panel-calls .flame", {}],
	["flame-time-dark", "heat.weft", `#dock=calls&side=&${more({ calls: { of: "regions", mode: "time" } })}`, "#panel-calls .flame", dark],
	["call-tree", "first.weft", `#dock=calls&side=&${more({ calls: { of: "regions", mode: "tree" } })}`, "#panel-calls .tree .list-row", {}],
	["efficiency-dark", "imbalance.weft", `#side=summary&dock=table&${more({ summary: { tab: "efficiency" } })}`, "#panel-summary .factor", dark],
	["gantt-light", "tiles.weft", "#main=gantt&side=task&dock=path&more=%7B%22tasks%22%3A%7B%22task%22%3A3%7D%7D", ".task-panel h2", {}],
	["gantt-dark", "tiles.weft", "#main=gantt&side=", "#panel-gantt canvas", dark],
	["task-graph", "tiles.weft", "#main=taskgraph&side=", ".taskgraph .box", {}],
	["task-graph-dark", "tiles.weft", `#main=taskgraph&side=&${more({ taskgraph: { by: "codelet" } })}`, ".taskgraph .box", dark],
	["scheduler-dark", "tiles.weft", "#main=scheduler&side=", ".sched-worker", dark, page => page.getByRole("slider", { name: "Time" }).fill("400")],
	["memory-nodes", "tiles.weft", "#main=gantt&dock=nodes&side=", "#panel-nodes table, #panel-nodes .note", {}],
	["compare", "balanced.weft", `#main=compare&${more({ compare: PAIR })}`, ".compare-table tbody tr", {}],
	["compare-flame-dark", "balanced.weft", `#main=compare&${more({ compare: { ...PAIR, tab: "flame" } })}`, ".compare-flame canvas", dark],
	["compare-slower", "balanced.weft", `#main=compare&${more({ compare: { ...PAIR, tab: "slower" } })}`, ".compare-below p, .compare-below table", {}],
	["views", "sample.prv", `#side=views&${more({ views: { edit: true, text: "a = state == Running" } })}`, "#panel-views .editor-result .grid-cell", {}],
	["views-dark", "heat.weft", "#side=views", "#panel-views .view-item", dark],
	["replay", "heat.weft", `#dock=replay&side=&${more({ replay: { cpu: 2, latency_ns: 10000 } })}`, "#panel-replay .replay-hints tr", {}],
	["replay-dark", "heat.weft", "#dock=replay&side=", "#panel-replay .replay-hints tr", dark],
	["replay-time", "heat.weft", `#dock=replay&side=&from=20000000&to=120000000&${more({ replay: { cpu: 2, show: "time" } })}`, "#panel-replay .replay-both canvas[aria-label^=measured]", {}],
	["tutorials-dark", "", "#side=learn", ".learn button", { ...dark, learn: true }],
	["tutorial", "", `#side=learn&${more({ learn: { tutorial: "imbalance", step: 1 } })}`, ".learn-nav", { learn: true }],
	["share-dark", "heat.weft", "", ".tl-entry", dark, click(/^Share/)],
	["live", "tiles.weft", `#main=live&side=knobs&dock=&${more({ live: { seconds: 10 } })}`, ".live-card", { first: cannedProgram }, lastSample],
	["live-dark", "tiles.weft", `#main=live&side=&dock=livetables&${more({ live: { seconds: 10, codelets: true } })}`, ".live-card", { ...dark, first: cannedProgram }, lastSample],
	["live-graph", "tiles.weft", "#main=livegraph&side=", ".dag-held .chip", { first: cannedProgram }],
];
/* One server with all traces, and one page that goes from picture to picture: what it has in common is compiled once. */
let page = null;
for (const [name, trace, hash, ready, how, act] of subjects)
	test(`the picture '${name}' is as it was`, async () => {
		const s = await serve(how.learn ? ["--learn"] : TRACES.map(t => join(traces, t))), own = how.first || how.learn || !page;
		const address = `${s.url}#${how.learn ? "" : `trace=${TRACES.indexOf(trace)}&`}${hash.replace(/^#/, "")}`, one = own ? await visit(address, "", { ...SIZE, ...how }) : page;
		if (!own) await page.again(address, { ...SIZE, ...how });
		await one.waitForSelector(ready);
		await act?.(one);
		await same(one, name);
		if (how.first || how.learn) await one.done();
		else page = one;
	});
after(async () => { await page?.done(); page = null; });

test("the picture of a page that was saved is as it was", async () => {
	const file = join(traces, "picture.html");
	execFileSync("weft", ["export", "-q", "--force", "--html", join(traces, "heat.weft"), "-o", file, "--view", "useful"]);
	const saved = await visit("file://" + file, "#dock=calls&side=summary", { ...SIZE, ...dark });
	await saved.waitForSelector("#panel-summary .share-row");
	await same(saved, "saved-dark");
	await saved.done();
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
