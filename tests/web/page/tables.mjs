// SPDX-License-Identifier: Apache-2.0
/* Flows through tables, summaries, views, and pages that were saved: clicks and keys, and what is there then. Environment: as areas.mjs'. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { accessible, close, serve, stateOf, until, visit } from "./drive.mjs";

const traces = process.env.WEFT_TRACES, at = name => join(traces, name);
after(close);
const text = (page, selector) => page.locator(selector).first().innerText();
const more = async page => JSON.parse((await stateOf(page)).more ?? "{}");

test("a table: statistics, sorting, hiding, where a cell happens, CSV", async () => {
	const s = await serve([at("sample.prv")]), page = await visit(s.url, "#dock=table");
	await page.waitForSelector("#panel-table .grid-cell.active");
	const first = await text(page, "#panel-table .grid-row .grid-name");
	await page.getByRole("button", { name: /^Statistic:/ }).click();
	await page.keyboard.type("# bursts");
	await page.keyboard.press("Enter");
	await until(page, () => /# Bursts/.test(document.querySelector("#panel-table .bar").innerText));
	assert.match(await text(page, "#panel-table .grid-cell.active"), /^\d/);
	/* A heading sorts, and once more the other way. */
	const heading = page.locator("#panel-table .grid-title").nth(0);
	await heading.click();
	await page.waitForSelector("#panel-table .grid-title:has-text('▾')");
	await heading.click();
	await page.waitForSelector("#panel-table .grid-title:has-text('▴')");
	await heading.click();
	/* A cell leads back to time, and its intervals are stepped through. */
	await page.locator("#panel-table .grid-cell").first().click();
	await page.waitForSelector("#panel-table .where button.main");
	assert.match(await text(page, "#panel-table .where"), /interval/);
	await page.locator("#panel-table .grid").focus();
	await page.keyboard.press("n");
	await until(page, () => location.hash.includes("selection="));
	const { selection, from } = await stateOf(page);
	assert.ok(JSON.parse(selection).to > JSON.parse(selection).from);
	assert.ok(from === undefined || Number(from) >= 0);
	assert.match(await text(page, "#panel-table .where .n"), /^1 \//);
	await page.getByRole("button", { name: "Show in timeline" }).click();
	await until(page, () => location.hash.includes("tracks="));
	assert.match((await stateOf(page)).tracks, /"view":"@1"/);
	/* Hiding with a key, and back. */
	await page.locator("#panel-table .grid").focus();
	await page.keyboard.press("h");
	await until(page, name => document.querySelector("#panel-table .grid-row .grid-name")?.innerText !== name, first);
	await page.getByRole("button", { name: "More of this table" }).click();
	await page.getByRole("menuitem", { name: /Show what is hidden/ }).click();
	await until(page, name => document.querySelector("#panel-table .grid-row .grid-name")?.innerText === name, first);
	await page.getByRole("button", { name: "More of this table" }).click();
	const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Save as CSV" }).click()]);
	assert.match(readFileSync(await file.path(), "utf8"), /^row,.*\n/);
	await accessible(page);
	await page.shot("table");
	await page.getByRole("button", { name: "colours" }).click();
	await page.locator("#panel-table .heatmap").focus();
	await page.keyboard.press("ArrowRight");
	await page.shot("table-colours");
	await page.done();
	assert.equal(await s.stop(), 0);
});

test("a selected range of time is what the table and the summary are of", async () => {
	const s = await serve([at("heat.weft")]), page = await visit(s.url, "#dock=table&side=summary");
	await page.waitForSelector("#panel-summary .share-row");
	const whole = await text(page, "#panel-summary .share-line .n");
	await page.goto(s.url + "#dock=table&side=summary&from=50000000&to=60000000");
	await until(page, was => document.querySelector("#panel-summary .share-line .n").innerText !== was, whole);
	await until(page, () => /50.* 60.*10\.00 ms seen/.test(document.querySelector("#panel-table .range")?.innerText));
	await page.goto(s.url + `#dock=table&side=summary&selection=${encodeURIComponent(JSON.stringify({ from: 0, to: 140010000 }))}&from=50000000&to=60000000`);
	await until(page, was => document.querySelector("#panel-summary .share-line .n").innerText === was, whole);
	await until(page, () => /selected/.test(document.querySelector("#panel-table .range")?.innerText));
	await page.done();
	await s.stop();
});

test("summaries: regions, groups, threads, efficiency, runtimes", async () => {
	const s = await serve([at("heat.weft")]), page = await visit(s.url, "#side=summary", { theme: "dark" }), tab = name => page.getByRole("tab", { name, exact: true }).click();
	await page.waitForSelector("#panel-summary .share-row");
	assert.match(await text(page, "#panel-summary .share-name"), /solve/);
	await page.locator("#panel-summary .list-row").first().click();
	assert.match(await text(page, "#panel-summary .summary-rest"), /own time/);
	await page.getByRole("searchbox", { name: "Only what has these letters" }).fill("recv");
	await until(page, () => /MPI_Recv/.test(document.querySelector("#panel-summary .share-name").innerText));
	await page.getByRole("searchbox", { name: "Only what has these letters" }).fill("");
	await tab("Groups");
	await until(page, () => /user/.test(document.querySelector("#panel-summary .share-name")?.innerText));
	await tab("Threads");
	await until(page, () => /1\.\d\.\d/.test(document.querySelector("#panel-summary .share-name")?.innerText));
	await tab("Efficiency");
	await page.waitForSelector("#panel-summary .factor");
	assert.match(await text(page, "#panel-summary .factors"), /Load balance\s+\d/);
	await accessible(page);
	await page.shot("efficiency-dark");
	await tab("Runtimes");
	await page.waitForSelector("#panel-summary table.plain");
	await page.done();
	await s.stop();
});

test("the flame graph: keys, zoom, search; the tree; over time", async () => {
	const s = await serve([at("heat.weft")]), page = await visit(s.url, `#dock=calls&more=${encodeURIComponent('{"calls":{"of":"regions"}}')}`);
	await page.waitForSelector("#panel-calls .flame");
	await until(page, () => /^all/.test(document.querySelector(".calls-facts").innerText));
	await page.locator(".flame").focus();
	await page.keyboard.press("ArrowDown");
	await until(page, () => /^main/.test(document.querySelector(".calls-facts").innerText));
	await page.keyboard.press("ArrowDown");
	await until(page, () => /^solve/.test(document.querySelector(".calls-facts").innerText));
	await page.keyboard.press("Enter");
	await until(page, () => location.hash.includes("way"));
	assert.equal((await more(page)).calls.way, "main\u0001solve");
	await page.keyboard.press("Escape");
	await until(page, () => !location.hash.includes("solve"));
	await page.getByRole("searchbox", { name: "Find a function" }).fill("recv");
	await page.shot("flame");
	await page.getByRole("searchbox", { name: "Find a function" }).fill("");
	await page.getByRole("button", { name: "Tree", exact: true }).click();
	await page.waitForSelector("#panel-calls .tree .list-row");
	await page.locator("#panel-calls .tree").focus();
	const rows = await page.locator("#panel-calls .tree .list-row").count();
	await page.keyboard.press("ArrowLeft");
	await until(page, n => document.querySelectorAll("#panel-calls .tree .list-row").length < n, rows);
	await accessible(page);
	await page.getByRole("button", { name: "Functions" }).click();
	await until(page, () => /solve/.test(document.querySelector("#panel-calls .tree .list-row").innerText));
	await page.getByRole("button", { name: "Over time" }).click();
	await until(page, () => /levels/.test(document.querySelector(".calls-facts").innerText));
	await page.locator(".flame").focus();
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Enter");
	await until(page, () => location.hash.includes("from="));
	await page.done();
	await s.stop();
});

test("who sends to whom", async () => {
	const s = await serve([at("heat.weft")]), page = await visit(s.url, "#dock=messages");
	await page.waitForSelector("#panel-messages .grid-cell");
	assert.match(await text(page, ".message-facts"), /Messages\s+2/);
	await page.getByRole("combobox", { name: "Measure" }).selectOption("count");
	await until(page, () => [...document.querySelectorAll("#panel-messages .grid-cell")].some(e => e.innerText === "1"));
	await page.getByRole("combobox", { name: "Level" }).selectOption("thread");
	await until(page, () => /1\.\d\.\d/.test(document.querySelector("#panel-messages .grid-title").innerText));
	await accessible(page);
	await page.done();
	await s.stop();
});

test("views are searched; a metric is written, mended, kept", async () => {
	const s = await serve([at("sample.prv")]), page = await visit(s.url, "#side=views");
	await page.waitForSelector("#panel-views .view-item");
	assert.match(await text(page, "#panel-views .views-list"), /this trace can feed/i);
	await page.getByRole("searchbox", { name: "Search views" }).fill("load bal");
	await until(page, () => document.querySelectorAll("#panel-views .view-item").length === 1);
	await page.keyboard.press("Enter");
	await until(page, () => location.hash.includes("load-balance"));
	await page.getByRole("button", { name: "New metric" }).click();
	const area = page.getByRole("textbox", { name: "Text of the view" });
	await area.fill("");
	await area.pressSequentially("a = state == Runing");
	await page.waitForSelector("#panel-views .wrong");
	assert.equal(await text(page, "#panel-views .wrong"), "Runing");
	assert.match(await text(page, "#panel-views .editor-said"), /1:14: unknown state 'Runing' \(did you mean 'Running'\?\)/);
	for (let i = 0; i < 4; i++) await page.keyboard.press("Backspace");
	await page.waitForSelector("#editor-words:not([hidden])");
	await page.keyboard.press("Tab");
	assert.equal(await area.inputValue(), "a = state == Running");
	await page.waitForSelector("#panel-views .editor-said .good");
	await page.waitForSelector("#panel-views .editor-result .grid-cell");
	await accessible(page);
	await page.shot("views");
	await area.press("Control+Enter");
	await until(page, () => location.hash.includes("@1"));
	await page.getByRole("searchbox", { name: "Search views" }).fill("");
	await until(page, () => /yours/i.test(document.querySelector("#panel-views .views-list").innerText));
	await page.done();
	await s.stop();
});

test("a page that was saved opens without a server, and asks nobody", async () => {
	execFileSync("weft", ["export", "-q", "--force", "--html", at("heat.weft"), "-o", join(traces, "heat.html"), "--view", "states"]);
	const page = await visit("file://" + join(traces, "heat.html"), "#dock=calls&side=summary"), asked = [];
	page.on("request", r => asked.push(r.url()));
	await page.waitForSelector("#panel-summary .share-row");
	assert.match(await text(page, "#panel-summary .share-name"), /solve/);
	await until(page, () => /^all/.test(document.querySelector(".calls-facts").innerText));
	await page.getByRole("tab", { name: "Table", exact: true }).click();
	await page.waitForSelector("#panel-table .grid-cell");
	await page.evaluate(() => { location.hash = "#dock=table&side=summary&from=0&to=60000000"; });
	await until(page, () => /seen/.test(document.querySelector("#panel-table .range").innerText));
	await page.waitForSelector("#panel-summary .share-row");
	assert.deepEqual(asked.filter(u => !u.startsWith("blob:")), []);
	assert.equal(readFileSync(join(traces, "heat.html"), "utf8").includes(traces), false);
	await page.shot("saved");
	await page.done();
});
