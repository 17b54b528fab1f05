// SPDX-License-Identifier: Apache-2.0
/*
 * Chromium in front of a real `weft open`: what the flows of this folder have in common. Environment: WEFT_NODE_MODULES (where playwright-core and axe-core
 * are), WEFT_SHOTS (a folder for pictures; none without it).
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const modules = process.env.WEFT_NODE_MODULES, need = createRequire(join(modules, "need.js"));
const { chromium } = need("playwright-core");
const axe = readFileSync(need.resolve("axe-core/axe.min.js"), "utf8");

let browser = null;
const running = new Set();
export const WAIT_MS = Number(process.env.WEFT_WAIT_MS ?? 30000);

/** `weft open` with arguments; its address, and what ends it. */
export async function serve(args, env = {}) {
	const child = spawn("weft", ["open", "-q", "--no-browser", ...args], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
	keep(child);
	let text = "";
	const url = await new Promise((done, fail) => {
		child.stdout.on("data", d => { text += d; if (text.includes("\n")) done(text.split("\n")[0]); });
		child.on("exit", code => fail(new Error(`weft open ended with ${code}`)));
	});
	const ended = new Promise(done => child.on("exit", done));
	return { url, async stop() { child.kill("SIGTERM"); return ended; }, get: async path => fetch(url + "api/" + path), post: async (path, body = {}) => fetch(url + "api/" + path, { method: "POST", body: JSON.stringify(body) }) };
}

const LATE_MS = 400;

/** A page at the address; what it logs as an error, or throws, fails the flow when it is closed. late: answers that are held up. */
export async function visit(url, hash = "", { theme = "light", width = 1400, height = 850, late } = {}) {
	browser ??= await chromium.launch({ executablePath: process.env.WEFT_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--force-device-scale-factor=1"] });
	const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, acceptDownloads: true, permissions: ["clipboard-read", "clipboard-write"] }), page = await context.newPage(), wrong = [];
	page.setDefaultTimeout(WAIT_MS);
	page.on("pageerror", e => wrong.push(String(e)));
	page.on("console", m => { if (m.type() === "error" && !/status of (4|5)\d\d/.test(m.text())) wrong.push(m.text()); });
	if (late) await page.route(late, async route => { await sleep(LATE_MS); await route.continue().catch(() => {}); });
	await page.goto(url + hash);
	await page.waitForSelector(".frame:not([hidden])");
	page.done = async () => { await context.close(); assert.deepEqual(wrong, []); };
	page.shot = async name => { if (process.env.WEFT_SHOTS) { mkdirSync(process.env.WEFT_SHOTS, { recursive: true }); await page.screenshot({ path: join(process.env.WEFT_SHOTS, `${name}.png`) }); } };
	return page;
}

/** Nothing that axe-core finds serious. */
export async function accessible(page) {
	await page.evaluate(axe);
	const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
	const bad = violations.filter(v => ["serious", "critical"].includes(v.impact)).map(v => `${v.id}: ${v.nodes.slice(0, 4).map(n => n.target.join(" ")).join(" | ")}`);
	assert.deepEqual(bad, []);
}

/** Waits until what the function gives in the page is true. */
export const until = (page, what, arg) => page.waitForFunction(what, arg, { timeout: WAIT_MS });
export const stateOf = page => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
/** Also what a flow that failed has left. */
export const close = async () => { for (const child of running) child.kill("SIGKILL"); await browser?.close(); browser = null; };
/** A process that is ended with the flows, whatever becomes of them. */
export const keep = child => { running.add(child); child.on("exit", () => running.delete(child)); return child; };
