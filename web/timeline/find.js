// SPDX-License-Identifier: Apache-2.0
/* The next or the previous event that a filter takes (weft-filter-grammar(7)); a plain word is a region's name or a part of it. */
import { isAbort } from "../lib/api.js";
import { h, plain, tool } from "../lib/dom.js";

/** What is typed, as a filter: "solve" is region=*solve*. @param {string} text @param {{regions: boolean}} has */
export function filterOf(text, has) {
	const t = text.trim();
	if (!t || /[=<>~!()&|]/.test(t)) return t;
	const key = has.regions ? "region" : "name";
	return /^[\w.*?:-]+$/.test(t) ? `${key}=*${t}*` : `${key}="${t.replace(/["\\]/g, "")}"`;
}

export function createFind(app, stage) {
	let stop = null;
	const input = h("input", { type: "search", class: "tl-find", placeholder: "Find a region, or filter", "aria-label": "Find events: a region's name, or a filter like kind=send and size>1k", spellcheck: "false",
		onkeydown(e) {
			if (e.key === "Enter") { go(e.shiftKey); e.preventDefault(); }
			else if (e.key === "Escape") input.blur();
		} });
	const box = h("div", { class: "tl-finder", role: "search" }, input, tool("left", "Find the one before", () => go(true), "Shift+N"), tool("right", "Find the next", () => go(false), "N"));

	async function go(back) {
		const filter = filterOf(input.value, app.trace?.has ?? {});
		if (!filter) { input.focus(); return; }
		const s = app.state.selection, from = app.state.cursor >= 0 ? app.state.cursor + (back ? 0 : 1) : s?.from ?? (back ? app.trace.end : 0);
		stop?.abort();
		stop = new AbortController();
		app.say("looking …");
		try {
			const got = await app.api.json("time/find", { trace: app.state.trace, filter, from, back: back ? 1 : 0 }, { signal: stop.signal });
			if (!got.found) { app.say(`no ${back ? "earlier" : "later"} event that '${plain(input.value, 60)}' matches`); return; }
			show(got);
		} catch (error) { if (!isAbort(error)) app.fail(error); }
	}
	function show(got) {
		const range = app.range(), half = (range.to - range.from) / 2, end = got.end ?? got.time;
		if (got.time < range.from || got.time > range.to) stage.setRange({ from: got.time - half, to: got.time + half }, true);
		app.set({ cursor: got.time, selection: { row: got.row, level: "thread", at: got.time, track: 0, ...(end > got.time ? { from: got.time, to: end } : {}) }, side: "details" });
		stage.view(0)?.reveal(got.row);
		app.say(`${plain(got.event?.name ?? got.name ?? "found", 80)}`, "done");
	}
	return { box, next: () => go(false), previous: () => go(true), focus() { input.focus(); input.select(); }, update() { box.hidden = !app.trace?.has.events && !app.trace?.has.regions; } };
}
