// SPDX-License-Identifier: Apache-2.0
/* The marks as a list: times with notes, to go to, to write on, to remove. */
import { fill, h, tool } from "../lib/dom.js";
import { at as timeText, span } from "../lib/time.js";

/** @param {HTMLElement} host @param {any} app */
export function createMarks(host, app) {
	const list = h("ol", { class: "tl-marks" });
	fill(host, list);

	/* So that it stands in the middle; of a range, all of it. */
	function go(m) {
		const r = app.range(), half = (r.to - r.from) / 2;
		if (m.to > m.at) app.show(m.at - (m.to - m.at) * 0.15, m.to + (m.to - m.at) * 0.15);
		else app.show(m.at - half, m.at + half);
		app.set({ cursor: m.at });
	}
	function row(m, i) {
		const change = patch => app.set({ marks: app.state.marks.map((x, k) => (k === i ? { ...x, ...patch } : x)) });
		const note = h("input", { type: "text", value: m.note ?? "", maxlength: "200", placeholder: "note", "aria-label": `Note of mark ${i + 1}`, onchange: () => change({ note: note.value.trim() }) });
		return h("li", {}, h("button", { type: "button", class: "tl-link", title: "Go there", onclick: () => go(m) }, timeText(m.at, 1e3)), note,
			h("span", { class: "soft n" }, m.to > m.at ? span(m.to - m.at) : ""), tool("close", `Remove mark ${i + 1}`, () => app.set({ marks: app.state.marks.filter((_, k) => k !== i) })));
	}
	function draw() {
		const { marks } = app.state;
		/* Who is writing a note goes on doing so. */
		if (list.contains(document.activeElement) && list.children.length === marks.length) return;
		fill(list, marks.length ? marks.map(row) : h("p", { class: "note" }, "No marks yet. M marks the time at the cursor; a range is marked from the menu that dragging over it opens."));
	}
	return { update(changed) { if (["marks", "trace", "info"].some(k => changed.has(k))) draw(); } };
}
