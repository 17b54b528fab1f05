// SPDX-License-Identifier: Apache-2.0
/*
 * What a live page costs: 64 workers, ten samples a second; processor time of the page's process (renderer), of the rest of the browser, of the server, by the
 * kernel, of what is shown when it has been filled; and how often a picture was painted.
 * usage: node bench/pages/live.mjs PROGRAM [SECONDS [SPAN]]; PROGRAM runs on with GO in its environment (tests/web/page/subject.c); weft on the PATH,
 * WEFT_NODE_MODULES with playwright-core.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const HERTZ = 100, WORKERS = 64, BEGINS_MS = 4000, [program, seconds = "20", span = "10"] = process.argv.slice(2), need = createRequire(join(process.env.WEFT_NODE_MODULES ?? "", "need.js"));
let chromium;
try { ({ chromium } = need("playwright-core")); } catch { console.log("skip live all playwright-core not installed"); process.exit(0); }
if (!program) { console.error("usage: node bench/pages/live.mjs PROGRAM [SECONDS [SPAN]]"); process.exit(2); }

const live = mkdtempSync(join(tmpdir(), "weft-live-")), env = { ...process.env, WEFT_LIVE: live };
const child = spawn(program, [], { env: { ...env, GO: "1", STARPU_NCPU: String(WORKERS), STARPU_SILENT: "1", STARPU_NOPENCL: "0" }, stdio: "ignore" });
let server = null, url = "";
while (!url) {
	await sleep(200);
	server = spawn("weft", ["open", "-q", "--no-browser", String(child.pid)], { env, stdio: ["ignore", "pipe", "ignore"] });
	url = await new Promise(done => { server.stdout.once("data", d => done(String(d).trim())); server.once("exit", () => done("")); });
}
/* Nobody listens to the browser while it is measured: a debugger gets each sample once more, also for a while after it has left. What is shown is asked at the end. */
const profile = mkdtempSync(join(tmpdir(), "weft-chromium-")), address = `${url}#dock=&side=&more=${encodeURIComponent(JSON.stringify({ live: { seconds: Number(span) } }))}`;
const browser = spawn(process.env.WEFT_CHROMIUM ?? "/usr/bin/chromium", ["--headless=new", "--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--window-size=1400,993", `--user-data-dir=${profile}`, "--remote-debugging-port=0", address], { stdio: "ignore" });
async function ask(what) {
	const port = join(profile, "DevToolsActivePort");
	while (!existsSync(port)) await sleep(100);
	const client = await chromium.connectOverCDP(`http://127.0.0.1:${readFileSync(port, "utf8").split("\n")[0]}`);
	await what(client.contexts()[0].pages()[0]);
	await client.close();
}
const shown = page => page.waitForFunction(n => document.querySelector("#panel-live canvas")?.getAttribute("aria-label")?.startsWith(`${n} rows`), WORKERS);

/* Seconds that processes have had: by what Chromium calls them. */
const ticks = pid => { const f = readFileSync(`/proc/${pid}/stat`, "latin1"), l = f.slice(f.lastIndexOf(")") + 2).split(" "); return { parent: Number(l[1]), s: (Number(l[11]) + Number(l[12])) / HERTZ }; };
function spent() {
	const sum = { renderer: 0, browser: 0, server: ticks(server.pid).s }, of = new Map();
	for (const name of readdirSync("/proc")) if (/^\d+$/.test(name)) try { of.set(Number(name), ticks(name)); } catch { /* gone meanwhile */ }
	const ours = pid => pid === browser.pid || (of.has(pid) && ours(of.get(pid).parent));
	for (const [pid, { s }] of of) if (ours(pid)) sum[/--type=renderer/.test(readFileSync(`/proc/${pid}/cmdline`, "latin1")) ? "renderer" : "browser"] += s;
	return sum;
}
await sleep(BEGINS_MS + 1000 * Number(span));
const before = spent(), began = performance.now();
await sleep(1000 * Number(seconds));
const after = spent(), took = (performance.now() - began) / 1000;
for (const name of ["renderer", "browser", "server"]) console.log(`bench live_${name} ${span}s ${((100 * (after[name] - before[name])) / took).toFixed(2)} % 1`);
await ask(async page => {
	await shown(page);
	if (process.env.WEFT_SHOTS) await page.screenshot({ path: join(process.env.WEFT_SHOTS, "live-64.png") });
});
const ended = new Promise(done => browser.on("exit", done));
browser.kill("SIGTERM");
await ended;
server.kill("SIGTERM");
child.kill("SIGKILL");
await sleep(1000);
for (const folder of [live, profile]) try { rmSync(folder, { recursive: true, maxRetries: 5, retryDelay: 200 }); } catch { /* a helper of the browser still writes */ }
