// SPDX-License-Identifier: Apache-2.0
/* What of a running program can be turned, beside it: its parameters, and the runtime's knobs. Without --control they are shown, and cannot be turned. */
import { fill, h, plain } from "../lib/dom.js";
import { brief, turnable } from "./model.js";
import { liveSource } from "./source.js";

const HELD_SAMPLES = 2;

/** How a value moves by one step. @param {{type: string, min?: number, max?: number}} of */
export function stepOf({ type, min = 0, max = 0 }) {
	if (type === "float" || type === "double") return max > min ? (max - min) / 100 : 0.1;
	return 1;
}

/** @param {HTMLElement} host @param {any} app */
export function createKnobs(host, app) {
	const source = liveSource(app), list = h("div", { class: "knobs" }), note = h("p", { class: "note" });
	fill(host, note, list);
	let shape = "";
	/* held: what was turned stays as it was put until a sample after the answer, not one that was on its way, says what it is. */
	const fields = new Map(), values = new Map(), held = new Map();

	async function turn(of, value) {
		const body = { name: of.name, value, ...(of.of !== null ? { of: of.of } : {}) };
		held.set(key(of), Infinity);
		const done = await source.post(of.kind === "parameter" ? "set" : "knob", body, `${of.name}${of.of !== null ? ` of ${of.of}` : ""} is ${value}`);
		held.set(key(of), done ? HELD_SAMPLES : 0);
		if (!done) fields.get(key(of))?.set(values.get(key(of)), true); // what it still is
	}
	const key = of => `${of.kind}\n${of.name}\n${of.of}`;

	function field(of) {
		const name = `${of.name}${of.of !== null ? ` of ${of.of}` : ""}`, disabled = !source.control;
		if (of.type === "boolean") {
			const box = h("input", { type: "checkbox", disabled, "aria-label": name, onchange: () => turn(of, box.checked ? 1 : 0) });
			return { parts: [box], set: v => { box.checked = Boolean(v); } };
		}
		if (of.words) {
			const box = h("select", { disabled, "aria-label": name, onchange: () => turn(of, box.selectedIndex) }, of.words.map(w => h("option", {}, plain(w, 60))));
			return { parts: [box], set: v => { box.selectedIndex = v; } };
		}
		const typed = h("input", { type: "number", disabled, "aria-label": name, step: "any", ...(of.kind === "parameter" ? { min: String(of.min), max: String(of.max) } : {}), onchange: () => typed.value !== "" && turn(of, Number(typed.value)) });
		const parts = [typed];
		let slide = null;
		if (of.kind === "parameter" && of.max > of.min) {
			slide = h("input", { type: "range", disabled, "aria-label": `${name}, by sliding`, min: String(of.min), max: String(of.max), step: String(stepOf(of)), onchange: () => turn(of, Number(slide.value)), oninput: () => { typed.value = slide.value; } });
			parts.unshift(slide);
		}
		return { parts, set(v, always = false) { if (always || (document.activeElement !== typed && document.activeElement !== slide)) { typed.value = String(v); if (slide) slide.value = String(v); } } };
	}

	function lay(items) {
		fields.clear();
		const groups = new Map();
		for (const of of items) {
			const f = field(of);
			fields.set(key(of), f);
			const group = of.kind === "parameter" ? "Parameters of the program" : of.of === null ? "Knobs" : of.name;
			const label = of.of === null ? of.name : `${/worker/.test(of.name) ? "worker" : "of"} ${of.of}`;
			groups.set(group, [...(groups.get(group) ?? []), h("div", { class: "knob" }, h("span", { class: "grow", title: plain(of.name, 200) }, plain(label, 80)), f.parts)]);
		}
		fill(list, [...groups].map(([name, rows]) => h("section", { "aria-label": plain(name, 80) }, h("h3", {}, plain(name, 80)), rows)));
	}

	function paint() {
		if (app.state.side !== "knobs") return;
		const sample = source.program?.model.last, items = turnable(sample);
		const now = JSON.stringify([source.control, items.map(i => [i.kind, i.name, i.of, i.type, i.min, i.max, i.words])]);
		if (now !== shape) {
			shape = now;
			lay(items);
			fill(note, !items.length ? "This program has nothing that can be turned." : source.control ? "" : "Only looked at: 'weft open --control' lets this page turn these.");
			note.hidden = !note.textContent;
		}
		for (const of of items) {
			const left = held.get(key(of)) ?? 0;
			values.set(key(of), of.value);
			if (left > 0) held.set(key(of), left - 1);
			else fields.get(key(of))?.set(of.value);
		}
	}
	const end = source.listen(paint);
	return { update: paint, destroy: end };
}

/** Workers, codelets, memories, messages as tables: what canvases show, for everybody. @param {HTMLElement} host @param {any} app */
export function createTables(host, app) {
	const source = liveSource(app), box = h("div", { class: "live-tables" });
	fill(host, box);
	host.tabIndex = 0; /* it may scroll, and has nothing else to reach it by keys */
	let next = 0;
	const table = (title, heads, rows) => (rows.length ? h("section", {}, h("h3", {}, title), h("table", { class: "plain" }, h("thead", {}, h("tr", {}, heads.map((t, k) => h("th", { scope: "col", class: k && t !== "codelet" && t !== "is" ? "n" : "" }, t)))), h("tbody", {}, rows))) : null);
	const cells = (list, text = 1) => h("tr", {}, list.map((v, k) => h(k ? "td" : "th", { class: k >= text ? "n" : "", ...(k ? {} : { scope: "row" }) }, typeof v === "number" ? brief(v) : plain(v ?? "", 80))));
	function paint() {
		const model = source.program?.model, s = model?.last;
		if (!s || app.state.dock !== "livetables" || performance.now() < next) return;
		next = performance.now() + 480;
		const rows = [...model.rows.values()], time = (s.codelets ?? []).reduce((a, c) => a + c.time_s, 0);
		fill(box, table(s.threads ? "Threads" : "Workers", [s.threads ? "thread" : "worker", "is", s.threads ? "region" : "codelet", s.threads ? "events/s" : "tasks/s", "busy"], rows.map(r => cells([r.label ?? r.name, r.state, r.what, r.rate, `${(100 * r.busy).toFixed(0)} %`], 3))),
			table("Codelets", ["codelet", "tasks", "time, s", "one, µs", "share"], (s.codelets ?? []).map(c => cells([c.name, c.tasks, c.time_s, c.tasks ? (c.time_s / c.tasks) * 1e6 : 0, `${time ? ((100 * c.time_s) / time).toFixed(1) : 0} %`]))),
			table("Regions", ["region", "calls", "own time, s"], (s.regions ?? []).map(r => cells([r.name, r.calls, r.time_s]))),
			table("Between memories", ["way", "MB", "transfers", "s"], (s.links ?? []).map(l => cells([l.name, l.bytes / 1e6, l.transfers, l.time_s]))),
			(s.messages ?? []).length && Array.isArray(s.messages) ? h("section", {}, h("h3", {}, "Messages of the program"), h("ul", { class: "mono" }, s.messages.map(m => h("li", {}, plain(m, 200))))) : null);
	}
	const end = source.listen(paint);
	return { update: () => { next = 0; paint(); }, destroy: end };
}
