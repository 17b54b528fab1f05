// SPDX-License-Identifier: Apache-2.0
/* Flows through tables, summaries, views, and pages that were saved: clicks and keys, and what is there then. Environment: as areas.mjs'. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { accessible, close, pathOf, serve, serveAlone, stateOf, until, visit } from "./drive.mjs";

const traces = process.env.WEFT_TRACES, at = name => join(traces, name);
after(close);
const text = (page, selector) => page.locator(selector).first().innerText();
const more = async page => JSON.parse((await stateOf(page)).more ?? "{}");

test("a table: statistics, sorting, hiding, where a cell happens, CSV", async () => {
	const s = await serveAlone([at("sample.prv")]), page = await visit(s.url, "#dock=table");
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
	assert.match(readFileSync(await pathOf(file), "utf8"), /^row,.*\n/);
	await accessible(page);
	await page.shot("table");
	await page.getByRole("button", { name: "colours" }).click();
	await page.locator("#panel-table .heatmap").focus();
	await page.keyboard.press("ArrowRight");
	await page.shot("table-colours");
	await page.done();
	assert.equal(await s.stop(), 0);
});

test("planes of a table; its CSV is what the command prints; a plane's cell leads to its place", async () => {
	const view = join(traces, "planes.view"), table = (...words) => execFileSync("weft", ["table", "-q", ...words, "--csv"], { encoding: "utf8" });
	writeFileSync(view, 'st = state\ncall = value(50000001 .. 50000005)\ntable "p" = time by st planes call { plane_scale 0..20 step 1 }\n');
	const s = await serveAlone([at("sample.prv"), view]), page = await visit(s.url, `#dock=table&more=${encodeURIComponent(JSON.stringify({ table: { view: "@1" } }))}`);
	const csv = async () => {
		await page.getByRole("button", { name: "More of this table" }).click();
		const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Save as CSV" }).click()]);
		return readFileSync(await pathOf(file), "utf8");
	};
	await page.waitForSelector("#panel-table .grid-cell");
	const planes = table(view, at("sample.prv")).split("\n").slice(1).filter(Boolean).map(l => l.split(",")), names = [...new Set(planes.map(l => l[1]))];
	assert.deepEqual(names, ["Outside MPI", "MPI_Send", "MPI_Recv", "MPI_Allreduce"]);
	for (const name of names) {
		await page.getByRole("button", { name: /^call:/ }).click();
		await page.getByRole("option", { name }).click();
		await until(page, want => document.querySelector("#panel-table [aria-label^='call: ']").getAttribute("aria-label") === `call: ${want}` && !document.querySelector("#panel-table[aria-busy]"), name);
		/* Rows of the whole table: those of the plane, cell by cell. */
		const [head, ...rows] = (await csv()).trim().split("\n").map(l => l.split(",")), cells = rows.flatMap(r => r.slice(1).map((v, i) => [r[0], head[i + 1], v])).filter(c => c[2] !== "");
		assert.deepEqual(cells, planes.filter(l => l[1] === name).map(l => l.slice(2)), name);
	}
	await page.locator("#panel-table .grid-cell").first().click();
	await page.waitForSelector("#panel-table .where button.main");
	await page.locator("#panel-table .grid").focus();
	await page.keyboard.press("n");
	await until(page, () => location.hash.includes("selection="));
	const { from, to } = JSON.parse((await stateOf(page)).selection);
	assert.deepEqual([from, to], [8000, 9000]);
	/* A plain table, whole, and of a range. */
	await page.again(`${s.url}#dock=table&more=${encodeURIComponent(JSON.stringify({ table: { view: "mpi-profile" } }))}`);
	for (const time of [[], ["--time", "2000ns..9000ns"]]) {
		if (time.length) await page.evaluate(() => { location.hash += "&from=2000&to=9000"; });
		await until(page, part => /mpi-profile/.test(document.querySelector("#panel-table .bar").innerText) && /seen/.test(document.querySelector("#panel-table .range").innerText) === part && !document.querySelector("#panel-table[aria-busy]"), time.length > 0);
		assert.equal(await csv(), table("mpi-profile", at("sample.prv"), ...time));
	}
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

test("replay: sliders move the prediction, and stay in the address", async () => {
	const s = await serve([at("heat.weft"), at("tiles.weft")]), page = await visit(s.url, "#dock=replay");
	await page.waitForSelector("#panel-replay .replay-bar");
	await page.waitForSelector("#panel-replay .replay-hints tr");
	assert.match(await text(page, "#panel-replay .replay-said"), /predicted[^]*measured[^]*%/);
	const before = await text(page, "#panel-replay .replay-said .n");
	await page.getByRole("slider", { name: "CPU speed" }).fill("16");
	await until(page, was => document.querySelector("#panel-replay .replay-said .n").innerText !== was, before);
	await until(page, () => location.hash.includes("more="));
	assert.equal((await more(page)).replay.cpu, 4);
	await page.getByRole("slider", { name: "Latency" }).focus();
	await page.keyboard.press("End");
	await until(page, () => /1.000 ms/.test(document.querySelector("#panel-replay .replay-knob output").innerText));
	await page.getByRole("combobox", { name: "Topology" }).selectOption("torus");
	await until(page, () => /torus:2x2/.test(document.querySelector("#panel-replay .replay-said").innerText));
	await page.waitForSelector("#panel-replay .replay-hints tr");
	await accessible(page);
	await page.shot("replay");
	/* Both timelines move with the one above. */
	await page.getByRole("button", { name: "Over time" }).click();
	const both = () => page.locator("#panel-replay .replay-both canvas").getAttribute("aria-label");
	await until(page, () => /^measured and predicted, /.test(document.querySelector("#panel-replay .replay-both canvas").getAttribute("aria-label")));
	const whole = await both();
	await page.locator(".tl-range").fill("25%..50%");
	await page.keyboard.press("Enter");
	await until(page, was => document.querySelector("#panel-replay .replay-both canvas").getAttribute("aria-label") !== was, whole);
	assert.match(await both(), /^measured and predicted, 35\.00 ms/);
	await accessible(page);
	await page.getByRole("button", { name: "Ranks", exact: true }).click();
	await page.waitForSelector("#panel-replay .replay-bar");
	await page.getByRole("checkbox", { name: "ideal network" }).check();
	assert.ok(await page.getByRole("slider", { name: "Latency" }).isDisabled());
	await page.getByRole("button", { name: "Reset", exact: true }).click();
	await until(page, was => document.querySelector("#panel-replay .replay-said .n").innerText === was, before);
	await page.goto(s.url + "#dock=replay&trace=1");
	await until(page, () => /'tiles.weft' has neither messages nor collective operations/.test(document.querySelector("#panel-replay .replay-said").innerText));
	await page.done();
	assert.equal(await s.stop(), 0);
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
	const s = await serveAlone([at("sample.prv")]), page = await visit(s.url, "#side=views");
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

test("a page that was saved has arrows, curves of counters, and what is under the cursor", async () => {
	execFileSync("weft", ["export", "-q", "--force", "--html", at("heat.weft"), "-o", join(traces, "heat-all.html")]);
	const s = await serve([at("heat.weft")]), counters = (await (await s.get("time/counters")).json()).counters, sent = (await (await s.get("time/messages")).json()).messages;
	const more = which => `more=${encodeURIComponent(JSON.stringify({ timeline: { arrows: which } }))}`;
	const page = await visit("file://" + join(traces, "heat-all.html"), `#dock=details&side=&${more("none")}`), rows = page.locator(".tl-track").first();
	const still = () => until(page, () => [...document.querySelectorAll(".tl-busy")].every(b => b.hidden));
	await still();
	assert.ok(sent.length > 0 && counters.length > 0);
	assert.deepEqual(await page.evaluate(async () => (await weftPage.source("time/messages", {})).messages.map(m => [m.from, m.to, m.sent, m.received])), sent.map(m => [m.from, m.to, m.sent, m.received]));
	assert.equal(await page.evaluate(async () => (await weftPage.source("time/flows", {})).n), (await (await s.get("time/flows")).json()).n);
	const bare = await rows.screenshot();
	await page.evaluate(hash => { location.hash = hash; }, `#dock=details&side=&${more("all")}`);
	await until(page, () => location.hash.includes("all"));
	await sleep(300);
	assert.ok(!bare.equals(await rows.screenshot()), "no arrow is drawn");
	/* The greatest value of a counter is where the server has it. */
	const kept = await page.evaluate(async () => (await weftPage.source("time/counters", {})).counters);
	assert.deepEqual(kept.map(c => c.name).sort(), counters.map(c => c.name).sort());
	for (const { name, view } of kept) {
		const args = { trace: 0, rows: "0", width: 100, from: 0, to: 140000000 }, own = counters.find(c => c.name === name).view;
		const here = await page.evaluate(async args => [...new Uint8Array(await weftPage.source("time/curve", args))], { ...args, view });
		const there = await (await s.get(`time/curve?${new URLSearchParams({ ...args, view: own })}`)).arrayBuffer();
		const most = b => new Float64Array(b, 48 + 800, 100);
		assert.ok(Math.abs(Math.max(...most(Uint8Array.from(here).buffer)) - Math.max(...most(there))) <= 0.01 * Math.max(...most(there)), `${name} is another curve`);
	}
	const tracks = encodeURIComponent(JSON.stringify([{ kind: "regions" }, { kind: "metric", view: kept[0].view, style: "curve" }]));
	await page.evaluate(hash => { location.hash = hash; }, `#dock=details&side=&tracks=${tracks}`);
	await until(page, () => document.querySelectorAll(".tl-track").length === 2);
	await still();
	assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll(".tl-note")].map(n => n.hidden)), [true, true]);
	await page.locator(".tl-over").first().click({ position: { x: 400, y: 60 } });
	await page.waitForSelector(".tl-details h2");
	await until(page, () => /heat 0[^]*lasts/.test(document.querySelector(".tl-details").innerText));
	await page.shot("saved-counters");
	await page.done();
	await s.stop();
});

test("a page that was saved has the tasks", async () => {
	execFileSync("weft", ["export", "-q", "--force", "--html", at("tiles.weft"), "-o", join(traces, "tiles.html")]);
	const page = await visit("file://" + join(traces, "tiles.html"), "#main=gantt&side=task&dock=path"), asked = [];
	page.on("request", r => asked.push(r.url()));
	await page.waitForSelector("#panel-gantt .bar");
	await until(page, () => /20 tasks/.test(document.querySelector("#panel-gantt .bar").innerText));
	await until(page, () => /Critical path/.test(document.querySelector("#panel-path").innerText));
	await page.locator("#panel-path tbody .as-link").first().click();
	await page.waitForSelector(".task-panel h2");
	assert.match(await text(page, ".task-panel h2"), /gemm|trsm|syrk|potrf/);
	assert.match(await text(page, ".task-panel"), /Is waited for by/);
	await page.locator("#panel-gantt canvas").focus();
	for (let i = 0; i < 3; i++) await page.keyboard.press("+");
	await until(page, () => location.hash.includes("from=") && !/20 tasks/.test(document.querySelector("#panel-gantt .bar").innerText));
	await page.getByRole("button", { name: "In the graph" }).click();
	await page.waitForSelector(".taskgraph .box.chosen");
	await page.evaluate(() => { location.hash = "#main=scheduler"; });
	await page.waitForSelector(".sched-worker");
	assert.deepEqual(asked.filter(u => !u.startsWith("blob:")), []);
	await page.shot("saved-tasks");
	await page.done();
});

test("what is in view is saved from the page, and opens without the server", async () => {
	const s = await serve([at("tiles.weft"), at("heat.weft")]), tracks = [{ kind: "regions" }, { kind: "metric", view: "useful", level: "process" }], more = { table: { view: "useful", statistic: "Time" } };
	const hash = `#trace=1&from=1000000&to=60000000&dock=table&side=summary&tracks=${encodeURIComponent(JSON.stringify(tracks))}&more=${encodeURIComponent(JSON.stringify(more))}`;
	const page = await visit(s.url, hash);
	await page.waitForSelector("#panel-table .grid-cell");
	const cells = await page.evaluate(() => [...document.querySelectorAll("#panel-table .grid-cell")].map(c => c.innerText)), seen = await page.locator(".tl-range").inputValue();
	await page.getByRole("button", { name: /^Share/ }).click();
	await page.getByRole("menuitem", { name: /Save as a page/ }).click();
	const box = page.getByRole("dialog", { name: "Save as a page" });
	await accessible(page);
	await box.getByLabel("No larger than").selectOption("1");
	const [download] = await Promise.all([page.waitForEvent("download"), box.getByRole("button", { name: "Save", exact: true }).click()]);
	const file = join(traces, "from-page.html");
	await download.saveAs(file);
	assert.equal(download.suggestedFilename(), "heat.html");
	await until(page, () => /heat\.html: .* intervals/.test(document.querySelector(".said").innerText));
	await page.done();
	assert.match((await (await s.get("share/page?limit=5")).json()).error, /'limit': expected a number from 1048576 to 67108864/);
	assert.match((await (await s.get("share/page?trace=1&state=%7B%22a%22")).json()).error, /'state': expected an object/);
	assert.match((await (await s.get("share/page?trace=1&view0=nothing-like-it")).json()).error, /nothing-like-it/);
	assert.equal(await s.stop(), 0);
	const text = readFileSync(file, "utf8"), saved = await visit("file://" + file), asked = [];
	assert.ok(text.length < 1 << 20 && !text.includes(traces) && !text.includes("tiles"));
	saved.on("request", r => asked.push(r.url()));
	await saved.waitForSelector("#panel-table .grid-cell");
	assert.equal(await saved.locator(".tl-range").inputValue(), seen);
	assert.equal(await saved.locator(".tl-track").count(), 2);
	assert.deepEqual(await saved.evaluate(() => [...document.querySelectorAll("#panel-table .grid-cell")].map(c => c.innerText)), cells);
	await until(saved, () => [...document.querySelectorAll(".tl-busy")].every(b => b.hidden));
	assert.deepEqual(await saved.evaluate(() => [...document.querySelectorAll(".tl-note")].map(n => n.hidden)), [true, true]);
	await saved.shot("saved-from-page");
	assert.deepEqual(asked.filter(u => !u.startsWith("blob:")), []);
	await saved.done();
});
