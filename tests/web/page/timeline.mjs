// SPDX-License-Identifier: Apache-2.0
/* Flows through the timeline: what is drawn, zooms, keys, undo, finding, details, tracks, marks; the address; both themes. See areas.mjs. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import test, { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { accessible, close, serve, serveAlone, stateOf, until, visit } from "./drive.mjs";
import { choose, painted, range, ready } from "./stage.mjs";

const at = name => join(process.env.WEFT_TRACES, `${name}.weft`);
after(close);

test("it shows the trace at once, in both themes, and everything has a name", async () => {
	const s = await serve([at("imbalance")]);
	const page = await visit(s.url);
	for (const theme of ["light", "dark"]) {
		await page.emulateMedia({ colorScheme: theme });
		await until(page, want => document.documentElement.dataset.theme === want, theme);
		await ready(page);
		await until(page, () => document.querySelector(".tl-busy").hidden);
		assert.ok((await painted(page)) > 0.03);
		await page.shot(`timeline-${theme}`);
		await accessible(page, theme === "dark" ? ["color-contrast"] : undefined);
	}
	await page.done();
	assert.equal(await s.stop(), 0);
});

test("what colours mean is said when cells come late, and follows the zoom", async () => {
	const s = await serve([at("imbalance")]), page = await visit(s.url, "", { late: /api\/time\/cells/ });
	await ready(page);
	const shares = () => page.evaluate(() => [...document.querySelectorAll(".tl-entry button")].map(b => b.title.replace(/ of what.*/, "")).join("\n"));
	const all = await shares();
	await page.locator(".tl-range").fill("25%..30%");
	await page.keyboard.press("Enter");
	await until(page, was => { const l = [...document.querySelectorAll(".tl-entry button")].map(b => b.title.replace(/ of what.*/, "")).join("\n"); return l && l !== was; }, all);
	await page.done();
	await s.stop();
});

test("wheel, keys and typed times zoom; undo takes back; the address has it", async () => {
	const s = await serve([at("imbalance")]), page = await visit(s.url);
	await ready(page);
	const all = await range(page), box = await page.locator(".tl-over").first().boundingBox();
	await page.mouse.move(box.x + box.width / 2, box.y + 40);
	await page.mouse.wheel(0, -600);
	await until(page, was => document.querySelector(".tl-range").value !== was, all);
	const near = await range(page);
	await page.locator(".tl-over").first().focus();
	await page.keyboard.press("w");
	await until(page, was => document.querySelector(".tl-range").value !== was, near);
	await page.keyboard.press("d");
	await page.keyboard.press("Control+z");
	await page.keyboard.press("Control+z");
	await until(page, was => document.querySelector(".tl-range").value === was, near);
	await page.locator(".tl-range").fill("25%..50%");
	await page.keyboard.press("Enter");
	const end = await page.evaluate(async () => (await (await fetch("api/session/info")).json()).traces[0].end);
	await until(page, want => location.hash.includes(`from=${want[0]}&to=${want[1]}`), [Math.round(end / 4), Math.round(end / 2)]);
	const again = await visit(s.url, new URL(page.url()).hash);
	await ready(again);
	assert.equal(await range(again), await range(page));
	await page.locator(".tl-range").fill("nonsense");
	await page.keyboard.press("Enter");
	await until(page, () => /no range of time/.test(document.querySelector(".said").textContent));
	await page.locator(".tl-over").first().focus();
	await page.keyboard.press("f");
	await until(page, was => document.querySelector(".tl-range").value === was, all);
	await again.done();
	await page.done();
	await s.stop();
});

test("a click tells everything; keys go on from there; a drag is a range", async () => {
	const s = await serve([at("late-sender")]), page = await visit(s.url);
	await ready(page);
	const name = await choose(page);
	assert.ok(name, "nothing lies under any of the places");
	assert.match(await page.locator(".tl-details").innerText(), /lasts[\s\S]*thread/);
	await page.shot("timeline-details");
	await until(page, () => /"to":/.test(decodeURIComponent(location.hash)));
	await page.keyboard.press("z");
	await until(page, () => location.hash.includes("from="));
	await page.keyboard.press("f");
	const box = await page.locator(".tl-over").first().boundingBox();
	await page.mouse.move(box.x + box.width * 0.3, box.y + 30);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.5, box.y + 34, { steps: 5 });
	await page.mouse.up();
	await page.getByRole("menuitem", { name: "Zoom to this range" }).click();
	await until(page, () => location.hash.includes("from="));
	await page.keyboard.press("Escape");
	await page.done();
	await s.stop();
});

test("regions in each other, another view beside it, draw modes, and away again", async () => {
	const s = await serve([at("imbalance")]), page = await visit(s.url);
	await ready(page);
	await page.getByRole("button", { name: "Nested" }).click();
	await until(page, () => location.hash.includes("nest"));
	await page.getByRole("button", { name: "+ Track" }).click();
	await page.getByRole("combobox").fill("useful");
	await page.keyboard.press("Enter");
	await until(page, () => document.querySelectorAll(".tl-track").length === 2);
	await until(page, () => document.querySelectorAll(".tl-track")[1].querySelector(".tl-title").textContent.includes("useful"));
	await until(page, () => [...document.querySelectorAll(".tl-busy")].every(b => b.hidden));
	await page.shot("timeline-tracks");
	await page.locator(".tl-track").nth(1).getByRole("button", { name: "How this track is drawn" }).click();
	await page.getByRole("menuitemcheckbox", { name: "Average", exact: true }).first().click();
	await until(page, () => location.hash.includes("average"));
	/* The border between tracks is dragged, and moved by keys; the address has it. */
	const heights = () => page.evaluate(() => [...document.querySelectorAll(".tl-track")].map(t => Math.round(t.getBoundingClientRect().height)));
	const was = await heights(), border = page.getByRole("separator", { name: "Height of track 1" }), at0 = await border.boundingBox();
	await page.mouse.move(at0.x + 300, at0.y);
	await page.mouse.down();
	await page.mouse.move(at0.x + 300, at0.y - 50, { steps: 4 });
	await page.mouse.up();
	await until(page, () => decodeURIComponent(location.hash).includes('"tracks":['));
	const now = await heights();
	assert.ok(Math.abs(was[0] - now[0] - 50) <= 2 && Math.abs(now[1] - was[1] - 50) <= 2, `${was} ${now}`);
	await border.focus();
	await page.keyboard.press("ArrowDown");
	await until(page, h => Math.abs(document.querySelector(".tl-track").getBoundingClientRect().height - h - 20) <= 2, now[0]);
	await accessible(page);
	await page.locator(".tl-track").nth(1).getByRole("button", { name: "Remove this track" }).click();
	await until(page, () => document.querySelectorAll(".tl-track").length === 1);
	await page.done();
	await s.stop();
});

test("finding, marking, showing only one, the keys' list", async () => {
	const s = await serve([at("imbalance")]), page = await visit(s.url);
	await ready(page);
	const name = await page.locator(".tl-entry button").first().innerText();
	await page.keyboard.press("/");
	await page.keyboard.type(name.split(" ")[0].replace("…", ""));
	await page.keyboard.press("Enter");
	await until(page, () => location.hash.includes("cursor="));
	const first = (await stateOf(page)).cursor;
	await page.keyboard.press("Enter");
	await until(page, was => new URLSearchParams(location.hash.slice(1)).get("cursor") !== was, first);
	await page.locator(".tl-over").first().focus();
	await page.keyboard.press("m");
	await page.getByRole("dialog").getByRole("textbox").fill("here it begins");
	await page.getByRole("button", { name: "Keep" }).click();
	await until(page, () => decodeURIComponent(location.hash).includes("here+it+begins"));
	await page.locator(".tl-entry button").first().click();
	await until(page, () => document.querySelectorAll(".tl-entry.off").length > 0);
	await page.getByRole("button", { name: "Show all" }).click();
	await page.keyboard.press("?");
	await page.getByRole("dialog").getByText("Nested", { exact: false }).first().waitFor();
	await page.shot("timeline-keys");
	await page.keyboard.press("Escape");
	await page.done();
	await s.stop();
});

test("a table's cell leads back to time; the summary follows the zoom", async () => {
	const s = await serve([at("imbalance")]), page = await visit(s.url, "#side=summary&dock=table");
	await ready(page);
	await page.locator("#panel-table").waitFor();
	await page.shot("timeline-all");
	const before = await page.locator("#panel-summary").innerText();
	await page.locator(".tl-range").fill("40%..45%");
	await page.keyboard.press("Enter");
	await until(page, was => document.querySelector("#panel-summary").innerText !== was, before);
	await page.done();
	await s.stop();
});

test("narrow and wide windows", async () => {
	const s = await serve([at("late-sender")]);
	for (const [width, height] of [[1024, 700], [2560, 1400], [3840, 2160]]) {
		const page = await visit(s.url, "", { width, height });
		await ready(page);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
		await page.shot(`timeline-${width}`);
		await page.done();
	}
	await s.stop();
});

test("rows are filtered, ordered, hidden and come back; marks are a list", async () => {
	const s = await serve([at("heat")]), page = await visit(s.url), menu = name => page.getByRole("menu").getByText(name, { exact: false }).first();
	await ready(page);
	const rows = () => page.evaluate(() => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("rows") ?? "{}").thread ?? {});
	const open = () => page.getByRole("button", { name: /^Rows/ }).click();
	await open();
	await menu("Filter by name").click();
	await page.getByRole("dialog").getByRole("searchbox").fill("heat 0 -helper");
	await page.getByRole("dialog").getByText("1 of 3 rows", { exact: false }).waitFor();
	await page.getByRole("dialog").getByRole("button", { name: "Filter" }).click();
	await until(page, () => decodeURIComponent(location.hash).includes("-helper"));
	assert.match(await page.locator(".tl-over").first().getAttribute("aria-label"), /lines/);
	await open();
	await menu("Show all rows").click();
	await open();
	await menu("By number of events").click();
	await until(page, () => decodeURIComponent(location.hash).includes('"sort":"events"'));
	/* By what they show: heat 0 waits in MPI_Recv longer than heat 1, its helper never. In groups the helper stays with its process. */
	const order = () => page.evaluate(() => document.querySelector(".tl-over").dataset.rows);
	assert.equal(await order(), "0,1,2");
	await open();
	await menu("By time in MPI_Recv").click();
	await until(page, () => decodeURIComponent(location.hash).includes('"sort":"value"'));
	await open();
	await menu("None").click();
	await until(page, () => document.querySelector(".tl-over").dataset.rows === "0,2,1");
	await open();
	await menu("The other way round").click();
	await until(page, () => document.querySelector(".tl-over").dataset.rows === "1,2,0");
	await open();
	await menu("By number of events").click();
	await open();
	await menu("Processes").click();
	await open();
	await menu("The other way round").click();
	await until(page, () => !decodeURIComponent(location.hash).includes('"down":true'));
	await open();
	await menu("Fold all").click();
	await until(page, () => decodeURIComponent(location.hash).includes('"folded":"all"'));
	assert.equal((await rows()).filter, "");
	await page.keyboard.press("Control+z");
	await until(page, () => !decodeURIComponent(location.hash).includes('"folded":"all"'));
	const box = await page.locator(".tl-over").first().boundingBox();
	await page.mouse.click(box.x + box.width / 2, box.y + 40);
	await page.keyboard.press("m");
	await page.getByRole("dialog").getByRole("textbox").fill("half");
	await page.getByRole("button", { name: "Keep" }).click();
	await page.getByRole("tab", { name: "Marks" }).click();
	assert.equal(await page.locator(".tl-marks input").inputValue(), "half");
	await accessible(page);
	await page.shot("timeline-marks");
	await page.getByRole("button", { name: "Remove mark 1" }).click();
	await until(page, () => !location.hash.includes("marks="));
	await page.done();
	assert.equal(await s.stop(), 0);
});

test("a range is measured; what was taken back is done again; a link opens the same", async () => {
	const s = await serve([at("imbalance")]), page = await visit(s.url);
	await ready(page);
	const box = await page.locator(".tl-over").first().boundingBox(), drag = async (a, b) => {
		await page.mouse.move(box.x + box.width * a, box.y + 30);
		await page.mouse.down();
		await page.mouse.move(box.x + box.width * b, box.y + 34, { steps: 5 });
		await page.mouse.up();
	};
	await drag(0.25, 0.5);
	/* A quarter of 34.15 ms, within a pixel. */
	const measured = Number((await page.locator(".menu-head").innerText()).replace(/ ms$/, ""));
	assert.ok(Math.abs(measured - 34.15 / 4) < 0.2, String(measured));
	await page.getByRole("menuitem", { name: "Mark this range" }).click();
	await page.getByRole("dialog").getByRole("textbox").fill("a quarter");
	await page.getByRole("button", { name: "Keep" }).click();
	await page.locator(".tl-over").first().focus();
	await page.keyboard.press("z");
	await until(page, () => location.hash.includes("from="));
	const zoomed = await range(page);
	await page.keyboard.press("Control+z");
	await until(page, was => document.querySelector(".tl-range").value !== was, zoomed);
	await page.keyboard.press("Control+y");
	await until(page, was => document.querySelector(".tl-range").value === was, zoomed);
	await page.getByRole("button", { name: /^Share/ }).click();
	await page.getByRole("menuitem", { name: /Copy the link/ }).click();
	const link = await page.evaluate(() => navigator.clipboard.readText()), other = await visit(link);
	await ready(other);
	assert.equal(await range(other), zoomed);
	await other.getByRole("tab", { name: "Marks" }).click();
	assert.equal(await other.locator(".tl-marks input").inputValue(), "a quarter");
	await other.done();
	await page.done();
	await s.stop();
});

test("a server that ends is said, and what is there stays; clients that go leave it well", async () => {
	const s = await serveAlone([at("imbalance")]), page = await visit(s.url);
	await ready(page);
	/* Requests that nobody waits for any more, and connections that say half of one. */
	for (let i = 0; i < 40; i++) {
		const stop = new AbortController(), asked = fetch(`${s.url}api/table/view?view=useful&from=${i}`, { signal: stop.signal }).catch(() => {});
		if (i % 2) await sleep(2);
		stop.abort();
		await asked;
		connect(Number(new URL(s.url).port), "127.0.0.1", function () { this.end(`GET ${new URL(s.url).pathname}api/ti`); }).on("error", () => {});
	}
	assert.equal((await s.get("session/info")).status, 200);
	const before = await painted(page);
	assert.equal(await s.stop(), 0);
	await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
	await until(page, () => /the server does not answer/.test(document.querySelector(".said").textContent));
	await page.locator(".tl-over").first().focus();
	await page.keyboard.press("w");
	await until(page, () => location.hash.includes("from="));
	assert.ok((await painted(page)) > before / 2, "what was there is gone");
	await page.close();
});

test("eight tabs of one trace at a time, more than a browser has connections", async () => {
	const s = await serve([at("late-sender")]), pages = await Promise.all(Array.from({ length: 8 }, () => visit(s.url, "#side=summary")));
	for (const page of pages) { await page.waitForSelector("#panel-summary .share-row"); await ready(page); }
	for (const page of pages) await page.done();
	await s.stop();
});

test("the timeline's picture and values are what the command writes", async () => {
	const file = `${at("imbalance")}`, s = await serve([file]), folder = process.env.TMPDIR ?? "/tmp", range = "from=2000000&to=9000000", time = ["--time", "2000000ns..9000000ns"];
	for (const [asked, out, args] of [["share/picture?form=png", "p.png", []], ["share/picture?form=svg", "p.svg", []], ["share/picture?form=png&view=useful", "v.png", ["useful"]], ["share/csv?view=useful", "v.csv", ["useful"]]]) {
		execFileSync("weft", ["timeline", "-q", "--force", ...args, file, "-o", join(folder, out), ...time]);
		assert.deepEqual(Buffer.from(await (await s.get(`${asked}&${range}`)).arrayBuffer()), readFileSync(join(folder, out)), asked);
	}
	await s.stop();
});

test("a Paje trace and a .cfg are opened as a trace of ours is", async () => {
	const paje = join(process.env.WEFT_TRACES, "converted.paje.trace"), cfg = fileURLToPath(new URL("../../golden/paraver/views/generated/units__Milliseconds.cfg", import.meta.url));
	execFileSync("weft", ["convert", "-q", "--force", at("imbalance"), "-o", paje]);
	const s = await serveAlone([paje]), page = await visit(s.url);
	await ready(page);
	assert.match(await page.locator(".tl-legend").innerText(), /update points[^]*MPI_Recv/);
	await page.done();
	assert.equal(await s.stop(), 0);
	const t = await serveAlone([join(process.env.WEFT_TRACES, "sample.prv"), cfg]), other = await visit(t.url);
	/* The page begins with the view that was named; an address says something else. */
	await until(other, () => decodeURIComponent(location.hash).includes('"view":"@1"') && document.querySelector(".tl-note").hidden);
	await until(other, () => document.querySelector(".tl-legend").innerText.length > 0);
	await other.again(`${t.url}#from=1000&to=9000`);
	await ready(other);
	assert.doesNotMatch(decodeURIComponent(await other.evaluate(() => location.hash)), /@1/);
	await other.done();
	assert.equal(await t.stop(), 0);
});

test("keys alone: to the timeline, closer, along, a row, its details, and back", async () => {
	const s = await serve([at("late-sender")]), page = await visit(s.url);
	await ready(page);
	await page.keyboard.press("T");
	await page.waitForSelector("#panel-table .grid-cell");
	await page.locator(".tl-over").first().focus();
	for (const key of ["w", "w", "d", "j", ".", "."]) await page.keyboard.press(key);
	await until(page, () => /"row":/.test(decodeURIComponent(location.hash)) && location.hash.includes("from="));
	await page.waitForSelector(".tl-details h2");
	await page.keyboard.press("Escape");
	await page.keyboard.press("f");
	await until(page, () => !location.hash.includes("from="));
	await page.done();
	await s.stop();
});

test("names of traces are text, whatever they hold; no request leaves the machine", async () => {
	const hostile = join(process.env.WEFT_TRACES, "hostile.prv"), name = '<img src=x onerror="globalThis.caught=1">\u202egnp.exe<script>globalThis.caught=1</script>', long = "n".repeat(1 << 20);
	writeFileSync(hostile, "#Paraver (01/01/26 at 00:00):1000000_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:400000:1\n1:1:1:1:1:400000:700000:3\n1:1:1:1:1:700000:1000000:4\n");
	writeFileSync(hostile.replace(/prv$/, "pcf"), `STATES\n0 Idle\n1 ${name}\n3 ${long}\n4 "quoted' & <b>bold</b>\n`);
	writeFileSync(hostile.replace(/prv$/, "row"), `LEVEL THREAD SIZE 1\n${name}\n`);
	const s = await serve([hostile]), page = await visit(s.url), elsewhere = [];
	page.on("request", r => { if (!r.url().startsWith(s.url) && !r.url().startsWith("blob:")) elsewhere.push(r.url()); });
	await ready(page);
	await choose(page, 0.2);
	await choose(page, 0.5);
	await page.reload();
	await ready(page);
	assert.equal(await page.evaluate(() => globalThis.caught), undefined);
	assert.equal(await page.evaluate(() => document.querySelectorAll(".frame img, .frame script, .frame b b").length), 0);
	assert.ok(await page.evaluate(() => !document.body.innerText.includes("\u202e")));
	assert.deepEqual(elsewhere, []);
	await page.done();
	await s.stop();
});

test("a file that changes, and one that goes, is said", async () => {
	const changing = join(process.env.WEFT_TRACES, "changing.prv");
	copyFileSync(join(process.env.WEFT_TRACES, "sample.prv"), changing);
	const s = await serveAlone([changing]), page = await visit(s.url);
	await ready(page);
	/* It looks each few seconds, and when it is looked at again. */
	const back = () => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
	appendFileSync(changing, "\n");
	await back();
	await until(page, () => /has changed since it was opened/.test(document.querySelector(".said").textContent));
	unlinkSync(changing);
	await back();
	await until(page, () => /is gone/.test(document.querySelector(".said").textContent));
	await page.done();
	await s.stop();
});
