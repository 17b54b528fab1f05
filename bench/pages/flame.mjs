// SPDX-License-Identifier: Apache-2.0
/*
 * The flame graph of a page against speedscope's: from a file to bars that are drawn, and a zoom. Alternately, medians; speedscope (npm) is measured, never
 * shipped. usage: node bench/pages/flame.mjs TRACE.weft [ROUNDS]; weft on the PATH, WEFT_NODE_MODULES with playwright-core and speedscope.
 */
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";

const [trace, rounds = "5"] = process.argv.slice(2), modules = process.env.WEFT_NODE_MODULES ?? "", need = createRequire(join(modules, "need.js"));
const peer = join(modules, "speedscope/dist/release");
if (!existsSync(peer)) { console.log("skip flame speedscope not installed"); process.exit(0); }
const { chromium } = need("playwright-core"), work = mkdtempSync(join(tmpdir(), "weft-flame-"));
execFileSync("weft", ["calls", "-q", trace, "-o", join(work, "x.json"), "--to", "speedscope"]);
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const files = createServer((q, a) => {
	const path = new URL(q.url, "http://x").pathname, file = path === "/x.json" ? join(work, "x.json") : join(peer, path);
	if (!existsSync(file)) { a.writeHead(404); return a.end(); }
	a.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
	a.end(readFileSync(file));
});
await new Promise(done => files.listen(0, "127.0.0.1", done));
const server = spawn("weft", ["open", "-q", "--no-browser", trace], { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise(done => server.stdout.once("data", d => done(String(d).trim())));
const browser = await chromium.launch({ executablePath: process.env.WEFT_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

/* Until something is drawn: some pixel of the canvas is no ground. */
const variants = {
	ours: async page => { await page.goto(`${url}#dock=calls`); await page.waitForFunction(() => /^all/.test(document.querySelector(".calls-facts")?.innerText ?? "")); },
	speedscope: async page => { await page.goto(`http://127.0.0.1:${files.address().port}/index.html#profileURL=/x.json&view=left-heavy`); await page.waitForFunction(() => /Left Heavy/.test(document.body.innerText) && document.querySelectorAll("canvas").length > 1); },
};
const times = { ours: [], speedscope: [] };
for (let i = 0; i <= Number(rounds); i++)
	for (const [name, open] of Object.entries(variants)) {
		const context = await browser.newContext({ viewport: { width: 1400, height: 850 } }), page = await context.newPage(), began = performance.now();
		await open(page);
		await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
		if (i) times[name].push(performance.now() - began); /* the first warms the files */
		await context.close();
	}
const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];
for (const [name, list] of Object.entries(times)) console.log(`bench flame_open ${name} ${median(list).toFixed(0)} ms median ${Math.min(...list).toFixed(0)} ${Math.max(...list).toFixed(0)}`);
console.log(`ratio flame_open ours/speedscope ${(median(times.ours) / median(times.speedscope)).toFixed(2)}`);
await browser.close();
server.kill("SIGTERM");
files.close();
rmSync(work, { recursive: true });
