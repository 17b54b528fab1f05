// SPDX-License-Identifier: Apache-2.0
/* What is in view as a page of its own, which needs no server: the server makes it, as `weft export --html` does. */
import { isAbort } from "../lib/api.js";
import { fill, h } from "../lib/dom.js";
import { dialog } from "../lib/menu.js";
import { bytes, span } from "../lib/time.js";

const LIMITS = [1, 5, 20, 64], LOOK_MS = 250, VIEWS_MOST = 16;
const MAINS = ["timeline", "gantt", "taskgraph", "scheduler"];
const TABLE = ["table", "window", "statistic", "plane", "columns", "min", "max"];

/**
 * What is asked of share/page: range, tracks, the table's choices, and the state that the page begins with.
 * @param {{state: any, trace: {name: string}, range: {from: number, to: number}, saved: any, limit: number}} of   saved: the state as files have it
 */
export function pageArgs({ state, trace, range, saved, limit }) {
	const args = { trace: state.trace, from: range.from, to: range.to, limit: limit * 1048576, title: trace.name }, seen = new Set([JSON.stringify(["", "", ""])]);
	const table = state.more?.table ?? {}, views = [];
	const add = (view, window, level) => {
		const key = JSON.stringify([view, window, level]);
		if (!seen.has(key)) { seen.add(key); views.push([view, window, level]); }
	};
	for (const t of state.tracks ?? []) add(String(t.view ?? ""), String(t.window ?? ""), String(t.level ?? ""));
	views.slice(0, VIEWS_MOST).forEach((v, i) => ["view", "window", "level"].forEach((name, k) => { if (k === 0 || v[k]) args[name + i] = v[k]; }));
	const of = table.view ?? state.tracks?.find(t => t.view && !t.cells)?.view;
	if (of) {
		args.table_view = of;
		for (const name of TABLE) if (table[name] !== undefined) args[`table_${name}`] = table[name];
	}
	/* Of areas the timeline and tasks are there. */
	const { weft, trace: number, main, ...rest } = saved;
	return { ...args, state: JSON.stringify({ ...rest, ...(MAINS.includes(main) && { main }), ...range }) };
}

/** What became of it, in words. @param {number} size @param {{step_ns: number, intervals: number}} last */
export const savedText = (size, last) => `${bytes(size)}, ${last.intervals} intervals${last.step_ns > 1 ? `; those shorter than ${span(last.step_ns)} are merged` : ""}`;

/** @param {any} app @param {string} name of the file @param {(blob: Blob, name: string) => void} save */
export function saveDialog(app, name, save) {
	let stop = null;
	const limit = h("select", { id: "save-limit" }, LIMITS.map(n => h("option", { value: String(n), selected: n === 5 }, `${n} MiB`)));
	const bar = h("progress", { max: "1000", value: 0, "aria-label": "How far the page is", hidden: true }), said = h("p", { class: "soft", role: "status" });
	const go = h("button", { type: "button", onclick: run }, "Save");
	const box = dialog("Save as a page", [
		h("p", {}, "One file with what is in view: its range of time, the tracks, tables and summaries. It opens in any browser without a server, and nothing in it says where the trace was."),
		h("p", {}, h("label", { for: "save-limit" }, "No larger than "), limit, h("span", { class: "soft" }, "  short intervals are merged until it fits")), bar, said, h("p", {}, go)], { onclose: () => stop?.abort() });
	async function look() {
		try {
			const p = await app.api.json("share/saving");
			if (!stop || !p.saving) return;
			bar.value = p.done;
			fill(said, p.what);
		} catch { /* the answer itself says what is wrong */ }
	}
	async function run() {
		stop = new AbortController();
		go.disabled = limit.disabled = true;
		bar.hidden = false;
		const timer = setInterval(look, LOOK_MS);
		try {
			const blob = await app.api.blob("share/page", pageArgs({ state: app.state, trace: app.trace, range: app.range(), saved: app.save(), limit: Number(limit.value) }), { signal: stop.signal });
			save(blob, name);
			app.say(`${name}: ${savedText(blob.size, await app.api.json("share/saving"))}`, "done");
			box.close();
		} catch (error) {
			if (!isAbort(error)) fill(said, h("span", { class: "bad" }, error.message));
		} finally {
			clearInterval(timer);
			stop = null;
			go.disabled = limit.disabled = false;
			bar.hidden = true;
		}
	}
	go.focus();
}
