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

let browser = null, context = null;
const running = new Set(), shared = new Map();
export const WAIT_MS = Number(process.env.WEFT_WAIT_MS ?? 30000);
const LATE_MS = 400, QUIET_MS = 350;

async function start(args, env) {
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

/** `weft open` with arguments, of this flow alone; its address, and what ends it. */
export const serveAlone = (args, env = {}) => start(args, env);
/** The same for all flows of a file that look at the same: started once; that it ends well is seen when the last has been (close). */
export async function serve(args) {
	const key = JSON.stringify(args);
	if (!shared.has(key)) shared.set(key, start(args, {}));
	return { ...(await shared.get(key)), stop: async () => 0 };
}

/* One browser for all files where there is one (browser.mjs), and one context for a file: what pages have in common is fetched and compiled once. */
async function newPage() {
	if (!browser) browser = process.env.WEFT_BROWSER ? await chromium.connect(process.env.WEFT_BROWSER) : await chromium.launch({ executablePath: process.env.WEFT_CHROMIUM ?? "/usr/bin/chromium", args: CHROMIUM });
	context ??= await browser.newContext({ acceptDownloads: true, permissions: ["clipboard-read", "clipboard-write"] });
	return context.newPage();
}
export const CHROMIUM = ["--no-sandbox", "--force-device-scale-factor=1"];

/** A page at the address; what it logs as an error, or throws, fails the flow when it is closed. late: answers that are held up; first: what is done with it before. */
export async function visit(url, hash = "", { theme = "light", width = 1400, height = 850, late, first } = {}) {
	const page = await newPage(), wrong = [];
	page.setDefaultTimeout(WAIT_MS);
	page.on("pageerror", e => wrong.push(String(e)));
	page.on("console", m => { if (m.type() === "error" && !/status of (4|5)\d\d/.test(m.text())) wrong.push(m.text()); });
	if (late) await page.route(late, async route => { await sleep(LATE_MS); await route.continue().catch(() => {}); });
	const open = new Set();
	let last = performance.now();
	page.on("request", r => open.add(r));
	for (const event of ["requestfinished", "requestfailed"]) page.on(event, r => { open.delete(r); last = performance.now(); });
	/** Until nothing was asked for a while: names and legends are asked for when what they name has come. */
	page.quiet = async () => { while (open.size || performance.now() - last < QUIET_MS) await sleep(20); };
	await first?.(page);
	/** Another address, from the begin: nothing of what was is left. */
	page.again = async (address, { theme = "light", width = 1400, height = 850 } = {}) => {
		await page.setViewportSize({ width, height });
		await page.emulateMedia({ colorScheme: theme });
		await page.goto("about:blank");
		await page.goto(address);
		await page.waitForSelector(".frame:not([hidden])");
	};
	await page.again(url + hash, { theme, width, height });
	page.done = async () => { await page.close(); assert.deepEqual(wrong, []); };
	page.shot = async name => { if (process.env.WEFT_SHOTS) { mkdirSync(process.env.WEFT_SHOTS, { recursive: true }); await page.screenshot({ path: join(process.env.WEFT_SHOTS, `${name}.png`) }); } };
	return page;
}

/** Where what was downloaded lies, for as long as the flows run. */
let files = 0;
export async function pathOf(download) {
	const path = join(process.env.TMPDIR ?? "/tmp", `weft-download-${process.pid}-${++files}`);
	await download.saveAs(path);
	return path;
}

/** Nothing that axe-core finds serious; only: of these rules (a theme changes no names, but contrasts). */
export async function accessible(page, only) {
	await page.evaluate(axe);
	const { violations } = await page.evaluate(rules => globalThis.axe.run(document, { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) }), only);
	const bad = violations.filter(v => ["serious", "critical"].includes(v.impact)).map(v => `${v.id}: ${v.nodes.slice(0, 4).map(n => n.target.join(" ")).join(" | ")}`);
	assert.deepEqual(bad, []);
}

/** Waits until what the function gives in the page is true. */
export const until = (page, what, arg) => page.waitForFunction(what, arg, { timeout: WAIT_MS });
export const stateOf = page => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
/** Also what a flow that failed has left. */
export async function close() {
	const servers = [...shared.values()];
	shared.clear();
	const codes = await Promise.all(servers.map(async s => (await s.catch(() => null))?.stop()));
	for (const child of running) child.kill("SIGKILL");
	await context?.close();
	await browser?.close();
	browser = context = null;
	assert.deepEqual(codes.filter(c => c !== 0), []);
}
/** A process that is ended with the flows, whatever becomes of them. */
export const keep = child => { running.add(child); child.on("exit", () => running.delete(child)); return child; };
