// SPDX-License-Identifier: Apache-2.0
/*
 * The timeline in Chromium while it moves: frames a second, and how long the page works for one. A trace of WEFT_BENCH_EVENTS (10^6) states of 64 threads is
 * made; then, a step a frame: panning over what was seen before, panning into what was not, zooming in and out about the pointer. And how long the same trace takes
 * to open, from the server and as a page that was saved, until all of the timeline is drawn.
 * usage: node bench/pages/scroll.mjs [ROUNDS]; weft on the PATH, WEFT_NODE_MODULES with playwright-core.
 */
import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const THREADS = 64, FRAMES = 180, STATES = 6, [rounds = "5"] = process.argv.slice(2), events = Number(process.env.WEFT_BENCH_EVENTS ?? 1e6);
const need = createRequire(join(process.env.WEFT_NODE_MODULES ?? "", "need.js"));
let chromium;
try { ({ chromium } = need("playwright-core")); } catch { console.log("skip scroll all playwright-core not installed"); process.exit(0); }
const work = mkdtempSync(join(tmpdir(), "weft-scroll-")), trace = join(work, "scroll.prv");

/* States of about a microsecond each that touch; the same each time. */
function makeTrace() {
	const each = Math.floor(events / THREADS), file = openSync(trace, "w"), end = each * 2000;
	writeSync(file, `#Paraver (01/01/2024 at 00:00):${end}_ns:1(${THREADS}):1:1(${THREADS}:1)\n`);
	let random = 1;
	for (let t = 1; t <= THREADS; t++) {
		const lines = [];
		for (let i = 0, time = 0; i < each; i++) {
			random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
			const next = i + 1 === each ? end : Math.min(end - (each - i), time + 1000 + (random >>> 8) % 2000);
			lines.push(`1:${t}:1:1:${t}:${time}:${next}:${(random >>> 28) % STATES}`);
			time = next;
		}
		writeSync(file, lines.join("\n") + "\n");
	}
	closeSync(file);
}

/* Runs in the page: a wheel's step each frame, and when frames came. */
const move = ([kind, frames]) => new Promise(done => {
	const over = document.querySelector(".tl-over"), box = over.getBoundingClientRect(), at = { clientX: box.left + box.width * 0.4, clientY: box.top + box.height / 2, bubbles: true, cancelable: true }, times = [];
	const step = time => {
		times.push(time);
		if (times.length > frames) return done(times);
		const back = Math.floor(times.length / 45) % 2;
		over.dispatchEvent(new WheelEvent("wheel", kind === "zoom" ? { ...at, deltaY: back ? 60 : -60 } : { ...at, shiftKey: true, deltaY: kind === "pan-new" || !back ? 40 : -40 }));
		requestAnimationFrame(step);
	};
	requestAnimationFrame(step);
});

makeTrace();
const server = spawn("weft", ["open", "-q", "--no-browser", trace], { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise(done => server.stdout.once("data", d => done(String(d).trim())));
const browser = await chromium.launch({ executablePath: process.env.WEFT_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];
const kinds = ["pan-cached", "pan-new", "zoom"], out = Object.fromEntries(kinds.map(k => [k, { fps: [], work: [], worst: [] }]));
for (let round = 0; round <= Number(rounds); round++)
	for (const kind of kinds) {
		const page = await browser.newPage({ viewport: { width: 1600, height: 900 } }), cdp = await page.context().newCDPSession(page);
		const spent = async () => (await cdp.send("Performance.getMetrics")).metrics.find(m => m.name === "TaskDuration").value;
		await cdp.send("Performance.enable");
		const end = Math.floor(events / THREADS) * 2000, from = Math.round(end * (kind === "zoom" ? 0 : 0.2)), to = kind === "zoom" ? end : Math.round(end * 0.22);
		await page.goto(kind === "zoom" ? url : `${url}#from=${from}&to=${to}`);
		await page.waitForFunction(() => document.querySelector(".tl-entry") && [...document.querySelectorAll(".tl-busy")].every(b => b.hidden), null, { timeout: 120000 });
		if (kind === "pan-cached") { await page.evaluate(move, [kind, FRAMES]); await page.waitForTimeout(600); }
		const before = await spent(), times = await page.evaluate(move, [kind, FRAMES]), took = (await spent()) - before;
		const gaps = times.slice(1).map((t, i) => t - times[i]).sort((a, b) => a - b);
		if (round) { /* the first warms the files */
			out[kind].fps.push((1000 * FRAMES) / (times.at(-1) - times[0]));
			out[kind].work.push((1000 * took) / FRAMES);
			out[kind].worst.push(gaps[Math.floor(gaps.length * 0.95)]);
		}
		await page.context().close();
	}
const saved = join(work, "scroll.html"), opened = { server: [], saved: [] };
execFileSync("weft", ["export", "-q", "--html", trace, "-o", saved]);
for (let round = 0; round <= Number(rounds); round++)
	for (const [name, address] of [["server", url], ["saved", `file://${saved}`]]) {
		const page = await browser.newPage({ viewport: { width: 1600, height: 900 } }), began = performance.now();
		await page.goto(address);
		await page.waitForFunction(() => document.querySelector(".tl-entry") && [...document.querySelectorAll(".tl-busy")].every(b => b.hidden), null, { polling: "raf" });
		if (round) opened[name].push(performance.now() - began);
		await page.context().close();
	}
for (const [name, list] of Object.entries(opened)) console.log(`bench page_open ${name} ${median(list).toFixed(0)} ms median ${Math.min(...list).toFixed(0)} ${Math.max(...list).toFixed(0)}`);
console.log(`bench page_saved size ${(statSync(saved).size / 1e6).toFixed(2)} MB median ${(statSync(saved).size / 1e6).toFixed(2)} ${(statSync(saved).size / 1e6).toFixed(2)}`);
for (const kind of kinds)
	for (const [name, unit] of [["fps", "frames/s"], ["work", "ms"], ["worst", "ms"]]) {
		const list = out[kind][name];
		console.log(`bench scroll_${name} ${kind} ${median(list).toFixed(1)} ${unit} median ${Math.min(...list).toFixed(1)} ${Math.max(...list).toFixed(1)}`);
	}
await browser.close();
server.kill("SIGTERM");
rmSync(work, { recursive: true });
