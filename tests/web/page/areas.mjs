// SPDX-License-Identifier: Apache-2.0
/*
 * Flows through tasks, live, compare, share, learn: clicks and keys, and what is there then. Environment, beside drive.mjs': WEFT_TRACES, a folder with the
 * traces of the tutorials and with tiles.weft; WEFT_SUBJECT, a program of tasks that waits to be started, with parameters; beside it heat and tune_steps.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { TUTORIALS } from "../../../web/learn/tutorials.js";
import { accessible, close, keep, pathOf, serve, serveAlone, until, visit } from "./drive.mjs";

const traces = process.env.WEFT_TRACES, at = name => join(traces, `${name}.weft`), scratch = mkdtempSync(join(tmpdir(), "weft-page-"));
after(close);

const SOON_MS = 3000, LISTENS_TURNS = 200;
const programs = name => join(dirname(process.env.WEFT_SUBJECT), name);
const text = (page, selector) => page.locator(selector).first().innerText();

/* ---- tasks ---- */

test("Gantt, a task, the graph, the scheduler, the critical path", async () => {
	const s = await serve([at("tiles")]), page = await visit(s.url, "#main=gantt");
	await until(page, () => /20 tasks/.test(document.querySelector("#panel-gantt .bar").innerText));
	await page.shot("gantt");
	const box = await page.locator("#panel-gantt canvas").boundingBox();
	/* A task lies under the middle of the first worker's row: which one, the line at the bottom says. */
	await page.locator("#panel-gantt canvas").focus();
	for (let i = 0; i < 3; i++) await page.keyboard.press("+");
	await until(page, () => location.hash.includes("from="));
	let found = false;
	for (let y = 60; y < box.height && !found; y += 9)
		for (let x = 300; x < box.width - 100 && !found; x += 60) {
			await page.mouse.move(box.x + x, box.y + y);
			found = /(gemm|trsm|syrk|potrf), /.test(await text(page, ".hinted"));
			if (found) await page.mouse.click(box.x + x, box.y + y);
		}
	assert.ok(found, "no task lies under the pointer");
	await page.waitForSelector(".task-panel h2");
	const name = await text(page, ".task-panel h2");
	assert.match(name, /gemm|trsm|syrk|potrf|last/);
	await page.locator("#panel-gantt canvas").focus();
	await page.keyboard.press("n");
	await page.keyboard.press("0");
	await page.getByRole("button", { name: "In the graph" }).click();
	await page.waitForSelector(".taskgraph .box.chosen");
	await page.shot("taskgraph");
	await page.getByRole("combobox", { name: "Which equal tasks are one box" }).selectOption("By codelet");
	await until(page, () => document.querySelectorAll(".taskgraph .box").length === 4);
	await page.getByRole("textbox", { name: "Filter of tasks" }).fill("codelet=gemm");
	await page.keyboard.press("Enter");
	await until(page, () => document.querySelectorAll(".taskgraph .box").length === 1);
	await page.getByRole("textbox", { name: "Filter of tasks" }).fill("codelet=(");
	await page.keyboard.press("Enter");
	await page.waitForSelector("#panel-taskgraph .bad");
	await page.getByRole("button", { name: "Scheduler", exact: true }).click();
	await page.waitForSelector(".sched-worker");
	const before = await text(page, "#panel-scheduler .bar .n");
	await page.getByTitle("The next instant  (Right)").click();
	await until(page, was => document.querySelector("#panel-scheduler .bar .n").innerText !== was, before);
	await page.getByRole("slider", { name: "Time" }).fill("1000");
	await until(page, () => /20 are done/.test(document.querySelector(".sched-counts").innerText));
	await page.shot("scheduler");
	await page.getByRole("button", { name: "Panels below" }).click();
	await page.getByRole("menuitemcheckbox", { name: "Critical path" }).click();
	await until(page, () => /8 tasks of 20 take 2.400 ms/.test(document.querySelector("#panel-path")?.innerText ?? ""));
	await page.done();
	await s.stop();
});

test("screens of tasks are accessible in both themes", async () => {
	const s = await serve([at("tiles")]);
	const page = await visit(s.url, `#main=gantt&side=task&dock=path&more=${encodeURIComponent('{"tasks":{"task":3}}')}`);
	for (const theme of ["light", "dark"]) {
		await page.emulateMedia({ colorScheme: theme });
		await until(page, want => document.documentElement.dataset.theme === want, theme);
		for (const [main, title] of [["gantt", "Gantt"], ["taskgraph", "Task graph"], ["scheduler", "Scheduler"]]) {
			await page.getByRole("button", { name: title, exact: true }).click();
			await page.waitForSelector(`#panel-${main} canvas, #panel-${main} svg, .sched-worker`);
			await page.waitForSelector(".task-panel h2");
			await page.waitForSelector("#panel-path table");
			await accessible(page, theme === "dark" ? ["color-contrast"] : undefined);
		}
	}
	await page.done();
	await s.stop();
});

/* ---- compare ---- */

test("two runs, step by step: table, flame graph, what got slower first", async () => {
	const s = await serve([at("balanced"), at("imbalance"), at("first")]), page = await visit(s.url, "#main=compare");
	await until(page, () => /step/.test(document.querySelector("#panel-compare [aria-haspopup=listbox]")?.innerText ?? "") && /MPI_Recv/.test(document.querySelector(".compare-table")?.innerText ?? ""));
	assert.match(await text(page, ".compare-table tbody tr"), /MPI_Recv.*\+\d/s);
	await page.shot("compare");
	await page.locator("#panel-compare canvas").first().focus();
	await page.keyboard.press("+");
	await until(page, () => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("more") ?? "{}").compare?.to > 0);
	await page.keyboard.press("0");
	await page.getByRole("tab", { name: "What got slower first" }).click();
	await until(page, () => /Step 2 of 39 is the first/.test(document.querySelector(".compare-below").innerText));
	await page.getByRole("button", { name: "Show it" }).click();
	await page.getByRole("tab", { name: "Flame graph" }).click();
	await page.waitForSelector(".compare-flame canvas");
	await page.shot("compare-flame");
	await page.locator("#panel-compare [aria-haspopup=listbox]").click();
	await page.getByRole("option", { name: /Time since the begin/ }).click();
	await until(page, () => /from the begin of each/.test(document.querySelector("#panel-compare .bar").innerText));
	await page.getByRole("tab", { name: "What got slower first" }).click();
	await until(page, () => /Align by a marker/.test(document.querySelector(".compare-below").innerText));
	await page.locator("#panel-compare select").nth(1).selectOption("first.weft");
	await page.getByRole("tab", { name: "Table" }).click();
	await until(page, () => /first.weft/.test(document.querySelector(".compare-table")?.innerText ?? ""));
	for (let i = 0; i < 3; i++) await page.keyboard.press("Control+z");
	await accessible(page);
	await page.done();
	await s.stop();
});

/* ---- share ---- */

const shareItem = async (page, name) => {
	await page.getByRole("button", { name: /^Share/ }).click();
	return page.getByRole("menuitem", { name });
};

test("a picture is what the command writes; a view goes into a file and comes back; windows make a session", async () => {
	const s = await serve([at("tiles")]), page = await visit(s.url, "#main=gantt&from=1000000&to=3000000");
	await until(page, () => /tasks/.test(document.querySelector("#panel-gantt .bar").innerText));
	await (await shareItem(page, /Copy the command/)).click();
	const command = await page.evaluate(() => navigator.clipboard.readText());
	assert.match(command, /^weft gantt .*tiles\.weft -o picture\.svg --show curves,nodes --time 1000000ns\.\.3000000ns$/);
	let [download] = await Promise.all([page.waitForEvent("download"), shareItem(page, "Picture, SVG").then(i => i.click())]);
	execFileSync("sh", ["-c", command], { cwd: scratch });
	assert.deepEqual(readFileSync(await pathOf(download)), readFileSync(join(scratch, "picture.svg")));
	await (await shareItem(page, /Copy the link/)).click();
	const link = await page.evaluate(() => navigator.clipboard.readText());
	assert.match(link, /#from=1000000&to=3000000&main=gantt/);
	[download] = await Promise.all([page.waitForEvent("download"), shareItem(page, /Save this view/).then(i => i.click())]);
	const file = join(scratch, "seen.view");
	writeFileSync(file, readFileSync(await pathOf(download)));
	const other = await visit(s.url, "#main=taskgraph");
	await other.waitForSelector(".taskgraph .box");
	let [choose] = await Promise.all([other.waitForEvent("filechooser"), shareItem(other, /Open a view/).then(i => i.click())]);
	await choose.setFiles(file);
	await until(other, () => location.hash.includes("main=gantt") && location.hash.includes("to=3000000"));
	await other.done();
	/* A second window of the same browser window's context, and both in a session. */
	const second = await page.context().newPage();
	await second.goto(s.url + "#main=scheduler");
	await second.waitForSelector(".sched-worker");
	[download] = await Promise.all([page.waitForEvent("download"), shareItem(page, /Save all windows/).then(i => i.click())]);
	const session = JSON.parse(readFileSync(await pathOf(download), "utf8"));
	assert.deepEqual([session.weft, session.windows.map(w => w.main)], ["session", ["gantt", "scheduler"]]);
	await second.close();
	await page.done();
	await s.stop();
	/* Named on the command line it opens its trace, as it was seen. */
	const again = await serve([file]), third = await visit(again.url);
	await until(third, () => location.hash.includes("main=gantt") && location.hash.includes("from=1000000"));
	writeFileSync(join(scratch, "session.view"), JSON.stringify(session));
	await third.done();
	await again.stop();
	const both = await serve([join(scratch, "session.view")]), fourth = await visit(both.url);
	await fourth.getByRole("link", { name: "window 2: scheduler" }).waitFor();
	await fourth.done();
	await both.stop();
});

/* ---- learn ---- */

test("a tutorial from begin to end: what is wrong is said, and the next step waits for what is to be done", async () => {
	const s = await serve(["--learn"]), page = await visit(s.url);
	await page.getByRole("button", { name: /Load imbalance/ }).click();
	const next = page.getByRole("button", { name: /^(Next|Finish)$/ });
	await next.click();
	assert.ok(await next.isDisabled());
	await page.getByRole("radio", { name: "rank 5" }).check();
	await page.getByText("Not this one: look again.").waitFor();
	await page.getByRole("radio", { name: "rank 2" }).check();
	assert.ok(await next.isDisabled(), "the zoom is not done yet");
	await until(page, () => decodeURIComponent(location.hash).includes('"who":"1"'));
	/* Whatever is in front of the trace: the state is what counts. */
	await page.evaluate(() => { location.hash = location.hash.replace(/&?(from|to)=\d+/g, "") + "&from=10000000&to=11000000"; });
	await until(page, () => ![...document.querySelectorAll(".learn-nav button")].at(-1).disabled);
	await next.click();
	await page.getByRole("radio", { name: /Sharing the points/ }).check();
	await next.click();
	assert.ok(await next.isDisabled());
	await page.getByRole("button", { name: "Compare", exact: true }).click();
	await until(page, () => ![...document.querySelectorAll(".learn-nav button")].at(-1).disabled);
	await next.click();
	await page.getByRole("radio", { name: /MPI_Recv, by nine tenths/ }).check();
	await until(page, () => /imbalance/.test(document.querySelector("#panel-compare select")?.selectedOptions[0]?.textContent ?? "") && /MPI_Recv/.test(document.querySelector(".compare-table")?.innerText ?? ""));
	await page.shot("learn");
	await accessible(page);
	await next.click();
	await page.getByText(/5 steps, 7 minutes · done/).waitFor();
	await page.done();
	await s.stop();
});

/* What leads the reader on, as far as it is no question: what each waiting step wants to be seen. */
const ZOOMS = { first: 0.2, imbalance: 0.08, "late-sender": 0.15, "too-fine": 0.01, tuned: 0.4 };
test("every tutorial can be finished by doing what it asks for, and what is wrong is not taken", async () => {
	const s = await serve(["--learn"]), page = await visit(s.url), next = page.locator(".learn-nav button").last();
	for (const t of TUTORIALS) {
		await page.getByRole("button", { name: new RegExp(t.title) }).click();
		for (const [k, step] of t.steps.entries()) {
			await until(page, title => document.querySelector(".learn h3")?.innerText === title, step.title).catch(async () => assert.fail(`${t.title}: '${await text(page, ".learn")}' is not '${step.title}'`));
			if (step.done || step.ask) assert.ok(await next.isDisabled(), `${t.title}: '${step.title}' begins done`);
			if (step.done) {
				if (step.title === "Compare with equal shares") await page.getByRole("button", { name: "Compare", exact: true }).click();
				else if (step.title === "Sums of what is in view") {
					/* The summary comes in front of the tutorial: back to it. */
					await page.getByRole("tab", { name: "Summary", exact: true }).click();
					await page.waitForSelector("#panel-summary .share-row");
					await page.locator("#tab-learn").click();
				} else {
					/* The address follows a little later. */
					await until(page, n => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("more") ?? "{}").learn?.step === n, k);
					const end = await page.evaluate(async () => { const { traces } = await (await fetch("api/session/info")).json(); return traces[Number(new URLSearchParams(location.hash.slice(1)).get("trace") ?? 0)].end; });
					await page.evaluate(to => { location.hash = `${location.hash.replace(/&?(from|to)=\d+/g, "")}&from=1000000&to=${1000000 + to}`; }, Math.round(ZOOMS[t.name] * end));
				}
			}
			if (step.ask) {
				const wrong = step.ask.options.findIndex((_, i) => i !== step.ask.right);
				await page.getByRole("radio", { name: step.ask.options[wrong], exact: true }).check();
				await page.getByText("Not this one: look again.").waitFor();
				assert.ok(await next.isDisabled());
				await page.getByRole("radio", { name: step.ask.options[step.ask.right], exact: true }).check();
			}
			await until(page, () => [...document.querySelectorAll(".learn-nav button")].at(-1)?.disabled === false).catch(() => assert.fail(`${t.title}: '${step.title}' is not done`));
			assert.equal(await next.innerText(), k + 1 === t.steps.length ? "Finish" : "Next");
			await next.click();
		}
		await page.locator(".learn-list li", { hasText: t.title }).getByText(/ · done/).waitFor();
	}
	await page.done();
	await s.stop();
});

/* ---- live ---- */

async function subject(env = {}) {
	const live = mkdtempSync(join(tmpdir(), "weft-live-")), child = keep(spawn(process.env.WEFT_SUBJECT, [], { env: { ...process.env, WEFT_LIVE: live, STARPU_NCPU: "3", STARPU_SILENT: "1", STARPU_NOPENCL: "0", ...env }, stdio: "ignore" })), ended = new Promise(done => child.on("exit", done));
	return { pid: child.pid, live, ended, stop() { child.kill("SIGKILL"); return ended; } };
}
async function look(program, args = []) {
	for (let turn = 0; ; turn++) {
		try {
			const s = await serveAlone([...args, String(program.pid)], { WEFT_LIVE: program.live });
			if ((await (await s.get("session/info")).json()).live > 0) return s;
			await s.stop(); /* a recording whose program does not listen yet is a trace */
		} catch (error) {
			if (turn === LISTENS_TURNS) throw error;
		}
		await sleep(100); /* it has not begun to listen yet */
	}
}

test("a program that waits is started, turned, stopped before a codelet, stepped, and let go", async () => {
	const program = await subject(), s = await look(program, ["--control"]), page = await visit(s.url, "#side=knobs&dock=livetables");
	await page.getByRole("button", { name: "Start the program" }).click();
	await until(page, () => /CPU 2/.test(document.querySelector("#panel-livetables").innerText) && /gemm/.test(document.querySelector("#panel-livetables").innerText));
	await page.waitForSelector("[data-name='executed a second']");
	assert.match(await page.locator("#panel-live canvas").first().getAttribute("aria-label"), /^3 rows: /);
	await page.getByRole("spinbutton", { name: "level", exact: true }).fill("7");
	await page.keyboard.press("Enter");
	await page.getByText("level is 7").waitFor();
	await page.getByRole("spinbutton", { name: "level", exact: true }).fill("70");
	await page.keyboard.press("Enter");
	await page.getByText("'level' is from 0 to 10, not '70'").waitFor();
	await page.shot("live");
	await page.getByRole("button", { name: "Live graph" }).click();
	await until(page, () => /done/.test(document.querySelector("#panel-livegraph .bar").innerText));
	await page.locator(".dag canvas").focus();
	await page.keyboard.press("Space");
	await until(page, () => document.querySelectorAll(".dag-held .chip").length > 0);
	await page.shot("livegraph");
	await page.getByRole("button", { name: "Step" }).click();
	await page.getByRole("button", { name: "Go on" }).click();
	await until(page, () => document.querySelectorAll(".dag-held .chip").length === 0);
	/* A break by a click on a task of the picture, while the program stands: else what was chosen may be done and gone before the next click. */
	await page.locator(".dag canvas").focus();
	await page.keyboard.press("Space");
	await until(page, () => document.querySelectorAll(".dag-held .chip").length > 0 && !/running/.test(document.querySelector("#panel-livegraph .bar").innerText));
	await page.getByRole("button", { name: "Follow" }).click();
	const box = await page.locator(".dag canvas").boundingBox();
	const choose = async () => {
		for (let y = 40; y < box.height; y += 18)
			for (let x = 60; x < box.width; x += 60) {
				await page.mouse.click(box.x + x, box.y + y);
				if (await page.locator(".dag-chosen:not([hidden])").count() > 0) return true;
			}
		return false;
	};
	/* Again, where what was chosen has gone before the click came. */
	for (let turn = 0; (await page.locator(".dag-breaks .chip").count()) === 0; turn++) {
		assert.ok(turn < 5 && (await choose()), "no task could be chosen");
		await page.getByRole("button", { name: "Break before the codelet" }).click({ timeout: SOON_MS }).catch(() => {});
		await page.waitForSelector(".dag-breaks .chip", { timeout: SOON_MS }).catch(() => {});
	}
	await page.getByRole("button", { name: "Go on" }).click();
	await until(page, () => /before a break/.test(document.querySelector(".dag-held").innerText));
	await page.getByRole("button", { name: "Clear breaks" }).click();
	await page.getByRole("button", { name: "Go on" }).click();
	await until(page, () => document.querySelectorAll(".dag-held .chip, .dag-breaks .chip").length === 0);
	await accessible(page);
	await page.getByRole("button", { name: "Live", exact: true }).click();
	await page.getByRole("checkbox", { name: "go_on" }).uncheck();
	await program.ended;
	await page.waitForSelector(".live-dot.ended");
	await accessible(page);
	await page.done();
	await s.stop();
});

test("a tuner is watched: what it measured, decided and did", async () => {
	const tunlet = fileURLToPath(new URL("../../golden/tunlets/steps.tsl", import.meta.url));
	const live = mkdtempSync(join(tmpdir(), "weft-live-")), tuner = keep(spawn("weft", ["tune", "-q", "-t", tunlet, "--report", join(scratch, "report.txt"), "--", programs("tune_steps"), "4000", "5000"], { env: { ...process.env, WEFT_LIVE: live }, stdio: "ignore" })), ended = new Promise(done => tuner.on("exit", done));
	const s = await look({ pid: "weft-analyzer", live }), page = await visit(s.url, "#dock=tuning");
	await until(page, () => /steps/.test(document.querySelector("#panel-tuning .tunlets")?.innerText ?? "") && /chunk = 7/.test(document.querySelector("#panel-tuning .tune-log")?.innerText ?? ""));
	assert.match(await text(page, "#panel-tuning .tunlets"), /iteration \d+; \d+ evaluated[^]*T\s+[\d.]+[^]*iter\.number\s+\d+/);
	const iteration = async () => Number(/iteration (\d+)/.exec(await text(page, "#panel-tuning .tunlets"))[1]), first = await iteration();
	await until(page, was => Number(/iteration (\d+)/.exec(document.querySelector("#panel-tuning .tunlets").innerText)[1]) > was, first);
	/* One kind of entry alone. */
	const all = await page.locator("#panel-tuning .tune-log li").count();
	await page.getByRole("button", { name: /\d+ done/ }).click();
	await until(page, () => [...document.querySelectorAll("#panel-tuning .tune-log li")].every(e => e.classList.contains("tune-done")));
	assert.ok((await page.locator("#panel-tuning .tune-log li").count()) <= all);
	await accessible(page);
	await page.done();
	await s.stop();
	tuner.kill("SIGINT");
	await ended;
});

test("a recording is followed while it grows, and its end is said", async () => {
	const live = mkdtempSync(join(tmpdir(), "weft-live-")), out = join(scratch, "grows.weft");
	const recorder = keep(spawn("weft", ["record", "-q", "-o", out, "--", programs("heat"), "-p", "2", "-s", "10000"], { env: { ...process.env, WEFT_LIVE: live }, cwd: scratch, stdio: "ignore" })), ended = new Promise(done => recorder.on("exit", done));
	const s = await look({ pid: out, live }), page = await visit(s.url, "#main=live&dock=livetables");
	await until(page, () => /[1-9]\d* rows: .*executing/.test(document.querySelector("#panel-live canvas")?.getAttribute("aria-label") ?? ""));
	await page.waitForSelector("[data-name='events a second']");
	assert.match(await text(page, "#panel-livetables"), /\d/);
	await accessible(page);
	recorder.kill("SIGINT");
	await ended;
	await page.waitForSelector(".live-dot.ended");
	await page.done();
	await s.stop();
});

test("without --control a program is looked at, and cannot be changed", async () => {
	const program = await subject({ GO: "1" }), s = await look(program), page = await visit(s.url, "#side=knobs", { theme: "dark" });
	await page.getByText("Only looked at").waitFor();
	assert.ok(await page.getByRole("spinbutton", { name: "level", exact: true }).isDisabled());
	await page.getByRole("button", { name: "Live graph" }).click();
	await until(page, () => /done/.test(document.querySelector("#panel-livegraph .bar").innerText));
	assert.ok(await page.getByRole("button", { name: "Pause" }).isDisabled());
	for (const path of ["start", "set", "knob", "break", "pause", "step", "go"]) {
		const answer = await s.post(`live/${path}`, { name: "level", value: 1 });
		assert.equal(answer.status, 403, path);
		assert.match((await answer.json()).error, /--control/);
	}
	await page.shot("live-dark");
	await page.done();
	await program.stop();
	await s.stop();
});
