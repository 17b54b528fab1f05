// SPDX-License-Identifier: Apache-2.0
/* One task: all that is known of it, what it waited for and who waits for it, its data; and the ways to where it is seen elsewhere. */
import { fill, h, plain } from "../lib/dom.js";
import { bytes, span } from "../lib/time.js";

/** A field's value as it is read. @param {{kind: string, value: any}} f */
export function fieldText(f) {
	if (f.value === null) return "–";
	if (f.kind === "ns") return span(f.value);
	if (f.kind === "bytes") return bytes(f.value);
	if (f.kind === "percent") return `${f.value.toFixed(1)} %`;
	return typeof f.value === "number" && !Number.isInteger(f.value) ? String(Number(f.value.toPrecision(4))) : String(f.value);
}

/* What is read first; the rest lies below. */
const FIRST = ["codelet", "worker", "start", "duration", "wait", "blocked", "slack", "critical", "iteration", "priority", "place"];

/** @param {HTMLElement} host @param {any} app */
export function createTask(host, app) {
	let shown = -1, turn = 0;
	const task = () => app.own("tasks").task;
	const link = ([i, name, start, end, slack]) => h("li", {}, h("button", { type: "button", class: "as-link", onclick: () => app.own("tasks", { task: i }) }, plain(name, 60)), h("span", { class: "soft" }, ` ${start < 0 ? "never ran" : span(end - start)}${slack === 0 ? ", critical" : ""}`));
	const list = (title, of) => (of.length ? h("section", {}, h("h3", {}, `${title} (${of.length})`), h("ul", { class: "task-list" }, of.map(link))) : null);

	async function load() {
		const i = task(), mine = ++turn;
		if (i === undefined || !app.trace?.has.tasks) { fill(host, h("p", { class: "note" }, "Click a task in the Gantt chart or in the graph.")); shown = -1; return; }
		if (i === shown) return;
		try {
			const t = await app.api.json("task/task", { trace: app.state.trace, task: i });
			if (mine !== turn) return;
			shown = i;
			const of = name => t.fields.find(f => f.name === name);
			const start = of("start")?.value, end = of("end")?.value, has = start !== undefined && end !== undefined;
			const row = f => h("tr", { title: plain(f.help, 200) }, h("th", { scope: "row" }, f.title), h("td", {}, plain(fieldText(f), 200)));
			const go = main => { if (has) app.show(Math.max(0, start - (end - start)), end + (end - start), { row: t.thread === undefined ? null : { trace: app.state.trace, level: "thread", row: t.thread, at: start, from: start, to: end } }); app.set({ main }); };
			const place = t.path ? h("p", {}, "submitted at ", t.link ? h("a", { href: t.link, rel: "noopener" }, plain(`${t.path}:${of("line")?.value ?? ""}`, 200)) : h("button", { type: "button", class: "as-link mono", title: "Copies it", onclick: () => navigator.clipboard?.writeText(`${t.path}:${of("line")?.value ?? ""}`).then(() => app.say("copied")) }, plain(`${t.path}:${of("line")?.value ?? ""}`, 200))) : null;
			fill(host, h("div", { class: "task-panel" }, h("h2", {}, plain(t.name, 80)), h("p", { class: "bar-inline" },
				h("button", { type: "button", disabled: !has, onclick: () => go("gantt") }, "In the Gantt"), h("button", { type: "button", disabled: !has, onclick: () => go("timeline") }, "In the timeline"), h("button", { type: "button", onclick: () => { app.own("taskgraph", { find: i }); app.set({ main: "taskgraph" }); } }, "In the graph")),
			place, h("table", { class: "facts" }, h("tbody", {}, FIRST.map(of).filter(Boolean).map(row))),
			list("Waits for", t.before), list("Is waited for by", t.after),
			t.data.length ? h("section", {}, h("h3", {}, `Data (${t.data.length})`), h("table", { class: "plain" }, h("tbody", {}, t.data.map(d => h("tr", {}, h("th", { scope: "row" }, plain(d.name || `handle 0x${d.handle.toString(16)}`, 40)), h("td", {}, d.mode), h("td", { class: "n" }, bytes(d.bytes)), h("td", { class: "soft" }, d.at.length ? `[${d.at.join(", ")}]` : "")))))) : null,
			h("details", {}, h("summary", {}, "Everything"), h("table", { class: "facts" }, h("tbody", {}, t.fields.filter(f => !FIRST.includes(f.name)).map(row))))));
		} catch (error) {
			if (mine === turn) { shown = -1; fill(host, h("p", { class: "note" }, plain(error.message, 300))); }
		}
	}
	return { update(changed) { if (["more", "trace", "info", "side"].some(k => changed.has(k))) { if (changed.has("trace")) shown = -1; load(); } } };
}
