// SPDX-License-Identifier: Apache-2.0
/* How rows are grouped, ordered, chosen: a menu over the state that rows.js reads. */
import { fill, h, plain } from "../lib/dom.js";
import { dialog, menu } from "../lib/menu.js";
import { orderItems } from "./order.js";
import { matches, usualGroup } from "./rows.js";

const ORDERS = [["", "As in the trace"], ["name", "By name"], ["events", "By number of events"], ["begin", "By begin"]];
const ARROWS = [["", "Of the selected row"], ["all", "All in view"], ["none", "None"]];
const SHOWN = 200;

/** @param {any} app @param {any} stage @param {HTMLElement} at */
export function rowsMenu(app, stage, at) {
	const track = stage.view(0), own = app.own("timeline"), t = app.trace;
	if (!track?.rows) return;
	const c = track.choice(), set = patch => stage.setRows(track.level, { ...c, ...patch }), group = c.group ?? usualGroup(track.rows);
	const parents = Object.keys(track.rows.parents ?? {}).filter(k => track.rows.parents[k].names.length > 1 && track.rows.parents[k].names.length < track.rows.n && track.rows.up?.[k]);
	const left = (c.hidden?.length ?? 0) + (c.only?.length ? track.rows.n - c.only.length : 0);
	menu(at, [
		{ title: "All rows in view", key: "R", checked: Boolean(own.fit), run: () => app.own("timeline", { fit: !own.fit }) },
		{ title: c.filter ? `Filter: ${plain(c.filter, 30)}…` : "Filter by name…", checked: Boolean(c.filter), run: () => filterDialog(app, stage, track) },
		...(left || c.filter ? [{ title: "Show all rows", hint: left ? `${left} hidden` : "", run: () => set({ hidden: [], only: [], filter: "" }) }] : []),
		...(parents.length ? [{ line: true }, { head: true, title: "Groups" }, { title: "None", checked: !group, run: () => set({ group: "", folded: [] }) },
			...parents.map(p => ({ title: p === "process" ? "Processes" : `${p[0].toUpperCase()}${p.slice(1)}s`, checked: group === p, run: () => set({ group: p, folded: [] }) })),
			{ title: "Fold all", disabled: !group, run: () => set({ folded: "all" }) }, { title: "Unfold all", disabled: !group, run: () => set({ folded: [] }) }] : []),
		{ line: true }, { head: true, title: "Order" },
		...ORDERS.filter(([k]) => !k || k === "name" || track.rows[k]).map(([k, title]) => ({ title, checked: (c.sort ?? "") === k, run: () => set({ sort: k, by: undefined }) })),
		...orderItems(track, c, app.range(), set),
		{ title: "The other way round", checked: Boolean(c.down), run: () => set({ down: !c.down }) },
		...(t.has.messages || t.has.flows ? [{ line: true }, { head: true, title: "Messages and arrows" }, ...ARROWS.map(([k, title]) => ({ title, checked: (own.arrows ?? "") === k, run: () => app.own("timeline", { arrows: k }) }))] : []),
		{ line: true }, { title: "Colours of views as in Paraver", checked: Boolean(own.paraver), run: () => app.own("timeline", { paraver: !own.paraver }) },
	]);
}

/* As one types, it is said how many rows that leaves. */
function filterDialog(app, stage, track) {
	const c = track.choice(), was = c.filter ?? "";
	const found = h("p", { class: "soft", role: "status" });
	const input = h("input", { type: "search", value: was, "aria-label": "Words that names of rows have", placeholder: "rank 1   -helper", spellcheck: "false" });
	const say = () => {
		const list = track.rows.names.filter(n => matches(n, input.value.trim()));
		fill(found, `${list.length} of ${track.rows.n} rows${list.length && list.length <= SHOWN ? `: ${list.slice(0, 6).map(n => plain(n, 40)).join(", ")}${list.length > 6 ? "…" : ""}` : ""}`);
	};
	const d = dialog("Rows by name", h("form", { class: "tl-form", onsubmit(e) {
		e.preventDefault();
		stage.setRows(track.level, { ...track.choice(), filter: input.value.trim() });
		d.close();
	} }, h("div", { class: "tl-filter" }, input, h("button", { type: "submit", class: "main" }, "Filter")), found,
	h("p", { class: "soft" }, "Rows whose names have all of the words; a word with - in front: whose names have it not.")));
	input.addEventListener("input", say);
	input.focus();
	say();
}
