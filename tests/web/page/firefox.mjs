// SPDX-License-Identifier: Apache-2.0
/* The page in Firefox: it draws, zooms, opens panels in both themes, and opens what was saved. Skipped where there is no Firefox. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { close, keep, serve } from "./drive.mjs";
import { firefoxPath, startFirefox } from "./marionette.mjs";

const traces = process.env.WEFT_TRACES, skip = firefoxPath() ? false : "no firefox";
let page = null;
const firefox = async () => (page ??= await startFirefox(keep));
after(async () => { await page?.stop(); await close(); });

/* What goes wrong from here on is kept in the document: scripts of ours and those of the page share nothing else. True: it does hear. */
const listen = () => {
	const kept = document.documentElement.dataset, add = text => { kept.wrong = `${kept.wrong ?? ""}${text}\n`; };
	window.addEventListener("error", e => add(e.message));
	window.addEventListener("unhandledrejection", e => add(e.reason));
	document.addEventListener("securitypolicyviolation", e => add(`${e.violatedDirective}: ${e.blockedURI}`));
	window.dispatchEvent(new ErrorEvent("error", { message: "heard" }));
	const heard = kept.wrong === "heard\n";
	kept.wrong = "";
	return heard;
};
const wrong = () => document.documentElement.dataset.wrong;
const drawn = () => {
	const c = document.querySelector(".tl-plot");
	if (!document.querySelector(".tl-entry") || !c?.width) return 0;
	const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
	let n = 0;
	for (let i = 0; i < d.length; i += 4) if (Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 24) n++;
	return n / (d.length / 4) > 0.03;
};
async function shot(name) {
	if (!process.env.WEFT_SHOTS) return;
	mkdirSync(process.env.WEFT_SHOTS, { recursive: true });
	writeFileSync(join(process.env.WEFT_SHOTS, `firefox-${name}.png`), await page.shot());
}

test("firefox draws the timeline, zooms by wheel and keys, and takes it back", { skip }, async () => {
	const s = await serve([join(traces, "imbalance.weft")]), f = await firefox();
	await f.go(s.url);
	assert.ok(await f.run(listen));
	await f.until(drawn);
	const range = () => document.querySelector(".tl-range").value, all = await f.run(range);
	const [x, y] = await f.run(() => { const r = document.querySelector(".tl-over").getBoundingClientRect(); return [r.left + r.width / 2, r.top + 40]; });
	await f.wheel(x, y, -600);
	const near = await f.until(was => document.querySelector(".tl-range").value !== was && document.querySelector(".tl-range").value, all);
	await f.run(() => { document.querySelector(".tl-over").focus(); });
	await f.keys("w");
	await f.until(was => document.querySelector(".tl-range").value !== was, near);
	await f.keys("f");
	await f.until(was => document.querySelector(".tl-range").value === was, all);
	await f.keys("x");
	await f.until(() => decodeURIComponent(location.hash).includes('"style":"nest"'));
	await f.until(drawn);
	await shot("timeline");
	assert.equal(await f.run(wrong), "");
	assert.equal(await s.stop(), 0);
});

test("firefox shows tables, flames, summaries, in the dark; the share menu; a Gantt", { skip }, async () => {
	const s = await serve([join(traces, "heat.weft"), join(traces, "tiles.weft")]), f = await firefox();
	await f.go(`${s.url}#dock=table&side=summary&theme=dark`);
	assert.ok(await f.run(listen));
	await f.until(() => document.querySelector("#panel-table .grid-cell") && document.querySelector("#panel-summary .share-row"));
	assert.equal(await f.run(() => document.documentElement.dataset.theme), "dark");
	await f.run(() => { document.getElementById("tab-calls").click(); });
	await f.until(() => /^all/.test(document.querySelector(".calls-facts")?.innerText ?? ""));
	await f.click("button[aria-label^=Share]");
	const items = await f.until(() => { const l = [...document.querySelectorAll(".menu [role=menuitem]")].map(e => e.innerText); return l.length ? l : null; });
	assert.ok(items.some(t => /Save as a page/.test(t)) && items.some(t => /Picture, SVG/.test(t)));
	await shot("dark");
	await f.run(() => { location.hash = "#trace=1&main=gantt"; });
	await f.until(() => /tasks/.test(document.querySelector("#panel-gantt .bar")?.innerText ?? ""));
	assert.equal(await f.run(wrong), "");
	assert.equal(await s.stop(), 0);
});

test("firefox opens a page that was saved", { skip }, async () => {
	const file = join(traces, "firefox.html"), f = await firefox();
	execFileSync("weft", ["export", "-q", "--force", "--html", join(traces, "heat.weft"), "-o", file]);
	await f.go("file://" + file);
	assert.ok(await f.run(listen));
	await f.until(drawn);
	await f.run(() => { location.hash = "#dock=calls&side=summary"; });
	await f.until(() => document.querySelector("#panel-summary .share-row") && /^all/.test(document.querySelector(".calls-facts")?.innerText ?? ""));
	assert.equal(await f.run(wrong), "");
});
