// SPDX-License-Identifier: Apache-2.0
/* More flows through the timeline: the map, many steps back and forth, filters, files of views, ways of drawing, colours, zooms of the browser, screen readers. See areas.mjs. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { close, pathOf, serve, serveAlone, stateOf, until, visit } from "./drive.mjs";
import { choose, painted, range, ready } from "./stage.mjs";

const at = name => join(process.env.WEFT_TRACES, `${name}.weft`);
after(close);

test("the map: its window is moved, its edge dragged, a click elsewhere takes it there, two show all", async () => {
	const s = await serve([at("imbalance")]), page = await visit(s.url, "#from=8000000&to=16000000");
	await ready(page);
	const end = await page.evaluate(async () => (await (await fetch("api/session/info")).json()).traces[0].end);
	const box = await page.locator(".tl-map").boundingBox(), x = t => box.x + (box.width * t) / end, y = box.y + box.height / 2, pixel = end / box.width;
	const seen = async () => { const state = await stateOf(page); return [Number(state.from ?? 0), Number(state.to ?? end)]; };
	/* The address follows a little later. */
	const shows = async want => {
		const far = got => Math.abs(got[0] - want[0]) > 2 * pixel || Math.abs(got[1] - want[1]) > 2 * pixel;
		for (let turn = 0; turn < 30 && far(await seen()); turn++) await sleep(100);
		const got = await seen();
		assert.ok(!far(got), `${got}, wanted ${want}`);
	};
	const drag = async (a, b) => {
		await page.mouse.move(x(a), y);
		await page.mouse.down();
		await page.mouse.move(x(b), y, { steps: 4 });
		await page.mouse.up();
	};
	await drag(12e6, 18e6);
	await shows([14e6, 22e6]);
	await drag(22e6, 26e6);
	await shows([14e6, 26e6]);
	await drag(14e6, 20e6);
	await shows([20e6, 26e6]);
	await page.mouse.click(x(6e6), y);
	await shows([3e6, 9e6]);
	for (const want of [[20e6, 26e6], [14e6, 26e6], [14e6, 22e6], [8e6, 16e6]]) {
		await page.keyboard.press("Control+z");
		await shows(want);
	}
	await page.mouse.dblclick(x(30e6), y);
	await until(page, () => !location.hash.includes("from="));
	await page.done();
	await s.stop();
});

test("steps of all kinds are taken back one by one, and done again; another step forgets what was taken back", async () => {
	const s = await serve([at("imbalance")]), page = await visit(s.url), states = [];
	await ready(page);
	/* The address is written a little after the state: until it says something else than before. */
	const note = async () => {
		await until(page, was => location.hash !== was, states.at(-1) ?? "-");
		await page.waitForTimeout(200);
		states.push(await page.evaluate(() => location.hash));
	};
	const over = page.locator(".tl-over").first(), press = async key => { await over.focus(); await page.keyboard.press(key); };
	await note();
	await page.locator(".tl-range").fill("10%..90%");
	await page.keyboard.press("Enter");
	await note();
	for (const key of ["w", "d", "x"]) { await press(key); await note(); }
	await page.locator(".tl-entry button").first().click();
	await note();
	await page.getByRole("button", { name: /^Rows/ }).click();
	await page.getByRole("menu").getByText("The other way round").click();
	await note();
	const at0 = () => page.evaluate(() => location.hash), reaches = async want => { await until(page, w => location.hash === w, want).catch(() => {}); assert.equal(await at0(), want); };
	for (const want of states.slice(0, -1).reverse()) { await press("Control+z"); await reaches(want); }
	assert.ok(await page.getByRole("button", { name: "Undo" }).isDisabled());
	for (const want of states.slice(1)) { await press("Control+y"); await reaches(want); }
	assert.ok(await page.getByRole("button", { name: "Redo" }).isDisabled());
	for (let i = 0; i < 3; i++) await press("Control+z");
	await reaches(states.at(-4));
	await press("s");
	await until(page, was => location.hash !== was, states.at(-4));
	assert.ok(await page.getByRole("button", { name: "Redo" }).isDisabled());
	await page.done();
	await s.stop();
});

test("found by a filter: next, the one before, what the command finds; arrows of what was found", async () => {
	const s = await serve([at("imbalance")]), page = await visit(s.url), filter = "region=\"update points\" and duration>780us";
	await ready(page);
	const events = execFileSync("weft", ["dump", "-q", at("imbalance"), "--filter", filter], { encoding: "utf8" }).split("\n").filter(l => /enter/.test(l)).map(l => Number(/\d+/.exec(l)[0])).sort((a, b) => a - b);
	assert.ok(events.length > 3, String(events.length));
	const find = page.getByRole("searchbox", { name: /^Find events/ }), cursor = async () => Number((await stateOf(page)).cursor);
	await find.fill(filter);
	for (const [key, want] of [["Enter", 0], ["Enter", 1], ["Enter", 2], ["Shift+Enter", 1], ["Shift+Enter", 0]]) {
		await find.press(key);
		await until(page, t => Number(new URLSearchParams(location.hash.slice(1)).get("cursor")) === t, events[want]).catch(() => {});
		assert.equal(await cursor(), events[want], `${key} to ${want}`);
	}
	await find.press("Shift+Enter");
	await until(page, () => /no earlier event/.test(document.querySelector(".said").textContent));
	await until(page, () => /update points[^]*heat\.c:74/.test(document.querySelector(".tl-details")?.innerText ?? ""));
	/* Arrows of the row that was found; none when none are wanted. */
	const marked = () => page.evaluate(() => { const c = document.querySelector(".tl-over"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) if (d[i]) n++; return n; });
	await page.locator(".tl-over").first().focus();
	await page.keyboard.press("f");
	await page.evaluate(() => { location.hash += `&selection=${encodeURIComponent(JSON.stringify({ row: 2, level: "thread", at: 9000000, track: 0 }))}&cursor=-1`; });
	await page.quiet();
	await page.mouse.move(5, 5);
	const with_ = await marked();
	await page.getByRole("button", { name: /^Rows/ }).click();
	await page.getByRole("menu").getByText("None", { exact: true }).last().click();
	await until(page, was => { const c = document.querySelector(".tl-over"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) if (d[i]) n++; return n < was - 200; }, with_);
	await find.fill("duration>");
	await find.press("Enter");
	await until(page, () => document.querySelector(".said .bad"));
	await page.done();
	await s.stop();
});

test("marks with notes are kept in a .view, and are there when it is opened", async () => {
	const file = join(process.env.TMPDIR ?? "/tmp", "marks.view"), notes = ["\u00fcber \"alles\" <b>&", "\u4e00\u4e8c"], s = await serve([at("late-sender")]), page = await visit(s.url, "#from=2000000&to=9000000&cursor=4000000");
	await ready(page);
	for (const [i, note] of notes.entries()) {
		await page.locator(".tl-over").first().focus();
		await page.keyboard.press("m");
		await page.getByRole("dialog").getByRole("textbox").fill(note);
		await page.getByRole("button", { name: "Keep" }).click();
		/* The address follows a little later. */
		await until(page, n => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("marks") ?? "[]").at(-1)?.note === n, note);
		if (i === 0) await page.evaluate(() => { location.hash = location.hash.replace("cursor=4000000", "cursor=6500000"); });
		await until(page, () => location.hash.includes("cursor=6500000"));
	}
	await page.getByRole("button", { name: /^Share/ }).click();
	const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: /Save this view/ }).click()]);
	await download.saveAs(file);
	await page.done();
	const kept = JSON.parse(readFileSync(file, "utf8"));
	assert.deepEqual(kept.marks.map(m => [m.at, m.note]), [[4e6, notes[0]], [6.5e6, notes[1]]]);
	const t = await serveAlone([file]), again = await visit(t.url);
	await ready(again);
	await again.getByRole("tab", { name: "Marks" }).click();
	assert.deepEqual(await again.locator(".tl-marks input").evaluateAll(l => l.map(i => i.value)), notes);
	assert.equal(await again.evaluate(() => document.querySelectorAll(".tl-marks b").length), 0);
	/* To go there, and a note that is written anew. */
	await again.locator(".tl-marks .tl-link").nth(1).click();
	await until(again, () => { const q = new URLSearchParams(location.hash.slice(1)); return Math.abs((Number(q.get("from")) + Number(q.get("to"))) / 2 - 6.5e6) < 2; });
	await again.locator(".tl-marks input").first().fill("first");
	await again.keyboard.press("Enter");
	await until(again, () => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("marks"))[0].note === "first");
	await again.done();
	assert.equal(await t.stop(), 0);
});

test("all ways of drawing: the picture that is saved is what the copied command draws", async () => {
	const folder = process.env.TMPDIR ?? "/tmp", s = await serve([at("imbalance")]), page = await visit(s.url, `#from=2000000&to=9000000&tracks=${encodeURIComponent(JSON.stringify([{ view: "useful", title: "useful" }]))}`);
	await ready(page);
	const share = async name => { await page.getByRole("button", { name: /^Share/ }).click(); return page.getByRole("menuitem", { name }); }, pictures = new Set();
	for (const title of ["Last", "Maximum", "Minimum, not zero", "Random", "Random, not zero", "Average", "Average, not zero", "Most frequent", "Absolute maximum", "Absolute minimum, not zero"]) {
		const cells = page.waitForResponse(r => /time\/cells.*draw=/.test(r.url()) && r.status() === 200);
		await page.getByRole("button", { name: "How this track is drawn" }).click();
		await page.getByRole("menuitemcheckbox", { name: title, exact: true }).first().click();
		await cells;
		await (await share(/Copy the command/)).click();
		const command = await page.evaluate(() => navigator.clipboard.readText());
		for (const form of ["PNG", ...(title === "Average" ? ["SVG"] : [])]) {
			const [download] = await Promise.all([page.waitForEvent("download"), share(`Picture, ${form}`).then(i => i.click())]), out = join(folder, `${title.replace(/\W/g, "")}.${form.toLowerCase()}`);
			rmSync(out, { force: true });
			execFileSync("sh", ["-c", command.replace("picture.svg", out)], { stdio: "ignore" });
			assert.deepEqual(readFileSync(await pathOf(download)), readFileSync(out), `${title}: ${command}`);
			pictures.add(readFileSync(out, "base64"));
		}
	}
	assert.ok(pictures.size >= 4, `${pictures.size} pictures differ`);
	const [values] = await Promise.all([page.waitForEvent("download"), share("Values, CSV").then(i => i.click())]);
	execFileSync("weft", ["timeline", "-q", "--force", "useful", at("imbalance"), "-o", join(folder, "drawn.csv"), "--time", "2000000ns..9000000ns", "--draw-mode", "absolute_minimum"]);
	assert.deepEqual(readFileSync(await pathOf(values)), readFileSync(join(folder, "drawn.csv")));
	await page.done();
	await s.stop();
});

test("a name has one colour everywhere, on any ground, for any eyes, also where a trace has states alone", async () => {
	const s = await serve([at("imbalance"), join(process.env.WEFT_TRACES, "sample.prv")]);
	for (const trace of [0, 1])
		for (const [theme, safe] of [["light", false], ["dark", false], ["dark", true], ["light", true]]) {
			const page = await visit(s.url, `#trace=${trace}&side=summary&safe=${safe}`, { theme });
			await ready(page);
			await page.waitForSelector("#panel-summary .share-row");
			const swatches = () => {
				const hex = rgb => `#${(rgb.match(/\d+/g) ?? []).map(v => Number(v).toString(16).padStart(2, "0")).join("")}`;
				const legend = [...document.querySelectorAll(".tl-entry")].map(e => [e.querySelector("button").innerText, e.querySelector("input").value]), beside = Object.fromEntries([...document.querySelectorAll("#panel-summary .share-row")].map(r => [r.querySelector(".share-name").innerText, hex(getComputedStyle(r.querySelector(".swatch")).backgroundColor)]));
				const both = legend.filter(([name]) => beside[name]);
				return { n: both.length, differ: both.filter(([name, color]) => beside[name] !== color).map(([name, color]) => `${name}: ${color}, ${beside[name]}`) };
			};
			for (let turn = 0; turn < 20 && (({ n, differ }) => n < 3 || differ.length)(await page.evaluate(swatches)); turn++) await sleep(100);
			const { n, differ } = await page.evaluate(swatches);
			assert.ok(n > 2, `${n} names are in both`);
			assert.deepEqual(differ, [], `${trace} ${theme} ${safe}`);
			await page.done();
		}
	await s.stop();
});

test("zooms of the browser: canvases are as sharp as the screen, and nothing is cut off", async () => {
	const s = await serve([at("imbalance")]);
	for (const [scale, width, height] of [[2, 1280, 720], [0.5, 2560, 1440], [1.25, 1024, 700]]) {
		const page = await visit(s.url, "#side=details&dock=table"), cdp = await page.context().newCDPSession(page);
		await cdp.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: false });
		await ready(page);
		await until(page, k => { const c = document.querySelector(".tl-plot"); return devicePixelRatio === k && Math.abs(c.width - c.clientWidth * k) <= 1; }, scale);
		await until(page, () => document.querySelector(".tl-busy").hidden);
		assert.ok((await painted(page)) > 0.03);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight));
		/* A click finds what is drawn there. */
		assert.ok(await choose(page), "nothing lies under any of the places");
		await page.done();
	}
	await s.stop();
});

test("what a screen reader is told: landmarks, names, what is in view, what was done", async () => {
	const s = await serve([at("imbalance")]), page = await visit(s.url, "#dock=table&side=summary");
	await ready(page);
	for (const [role, name] of [["banner"], ["navigation", "Areas"], ["search"], ["region", "Timeline"], ["tablist", "Side"], ["tablist", "Dock"], ["contentinfo"], ["img", /^The whole trace/]])
		assert.equal(await page.getByRole(role, name ? { name } : {}).count(), 1, `${role} ${name ?? ""}`);
	const over = page.locator(".tl-over").first(), label = () => over.getAttribute("aria-label");
	const before = await label();
	assert.match(before, /Regions.*6 lines.*34\.\d+ ms/);
	await page.locator(".tl-range").fill("25%..30%");
	await page.keyboard.press("Enter");
	await until(page, was => document.querySelector(".tl-over").getAttribute("aria-label") !== was, before);
	assert.match(await label(), /1\.7\d+ ms/);
	await over.focus();
	const said = words => until(page, w => document.querySelector("[role=status].said").textContent.includes(w), words);
	await page.keyboard.press("j");
	await said("heat 0");
	await page.keyboard.press("j");
	await said("heat 1");
	await page.keyboard.press(".");
	await said("s from ");
	/* Nothing that can be pressed is without a name, and no two buttons beside each other have the same. */
	const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, [role=tab], [tabindex='0']")].filter(e => e.checkVisibility() && !(e.getAttribute("aria-label") ?? e.title ?? "").trim() && !e.getAttribute("aria-labelledby") && !e.innerText.trim() && !e.closest("label") && !e.labels?.length).map(e => e.outerHTML.slice(0, 120)));
	assert.deepEqual(nameless, []);
	await page.done();
	await s.stop();
});
