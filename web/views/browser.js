// SPDX-License-Identifier: Apache-2.0
/* Views: searched as one types, those that this trace can feed first; what each shows; the editor for new ones. */
import { fill, h, plain } from "../lib/dom.js";
import { createWhere } from "../tables/where.js";
import { createEditor } from "./editor.js";
import { allViews, findViews, hintsOf } from "./search.js";

/** @param {HTMLElement} host @param {import("../app.js").App} app @returns {import("../panels.js").PanelView} */
export function createViews(host, app) {
	const own = patch => app.own("views", patch);
	const find = h("input", { type: "search", placeholder: "search views…", "aria-label": "Search views", class: "grow", "aria-controls": "views-list", oninput: () => { chosen = 0; draw(); }, onkeydown: keys });
	const list = h("div", { class: "views-list", id: "views-list", role: "list", "aria-label": "Views" }), edit = h("div", { class: "views-edit" });
	const toggle = h("button", { type: "button", "aria-pressed": "false", title: "Write a metric", onclick: () => own({ edit: !own().edit }) }, "New metric");
	host.classList.add("views");
	host.append(h("div", { class: "bar" }, find, app.api.exported ? null : toggle), edit, list);
	const where = createWhere(app, () => ({}));
	let views = [], hints = [], shown = [], chosen = 0, editor = null, trace = -1;

	async function load(again) {
		try {
			[views, hints] = await Promise.all([allViews(app, again), hintsOf(app)]);
			draw();
		} catch (error) {
			fill(list, h("p", { class: "note bad" }, plain(error.message, 300)));
		}
	}
	const timeline = v => where.track({ kind: "metric", view: v.name });
	const table = (v, name) => { app.own("table", { view: v.name, table: name, window: undefined, statistic: undefined, plane: undefined, sort: undefined, across: undefined, hiddenRows: undefined, hiddenColumns: undefined, columns: undefined }); app.open("table"); };
	const run = v => (v.tables.length ? table(v) : timeline(v));

	function draw() {
		const fits = new Map(hints.map(x => [x.name, x])), text = find.value.trim(), found = findViews(views, text);
		const part = (title, of) => (of.length ? [h("div", { class: "menu-head" }, title, h("span", { class: "soft" }, ` ${of.length}`)), of.map(item)] : null);
		shown = [];
		const item = v => {
			const i = shown.push(v) - 1, hint = fits.get(v.name), about = v.about.split("\n")[0];
			return h("div", { class: "view-item", role: "listitem", "aria-current": i === chosen ? "true" : null, onclick: () => { chosen = i; mark(); }, ondblclick: () => run(v) },
				h("div", { class: "view-line" }, h("strong", { class: "grow" }, plain(v.title, 60)), h("span", { class: "view-do" }, h("button", { type: "button", title: "Show in the timeline", onclick: e => { e.stopPropagation(); timeline(v); } }, "timeline"), v.tables.length ? h("button", { type: "button", title: v.tables.map(t => plain(t, 60)).join(", "), onclick: e => { e.stopPropagation(); table(v); } }, "table") : null)),
				about ? h("div", { class: "soft small" }, plain(about, 200)) : null, v.error ? h("div", { class: "bad small" }, plain(v.error, 300)) : null,
				h("div", { class: "view-more small" }, hint?.why ? h("div", { class: "soft" }, "from ", plain(hint.why, 200)) : null, hint?.lack ? h("div", { class: "soft" }, "lacks ", plain(hint.lack, 200)) : null,
					v.about.split("\n").slice(1).filter(Boolean).map(l => h("div", { class: "soft" }, plain(l, 200))), v.tables.length ? h("div", {}, v.tables.map(t => h("button", { type: "button", class: "link", onclick: e => { e.stopPropagation(); table(v, t); } }, plain(t, 60)))) : null,
					v.from === "session" && !app.api.exported ? h("button", { type: "button", class: "link", onclick: e => { e.stopPropagation(); own({ edit: true }); } }, "write another") : null));
		};
		fill(list, text ? part("Found", found) : [part("Yours", found.filter(v => v.from === "session")), part("This trace can feed", found.filter(v => v.from !== "session" && fits.has(v.name)).sort((a, b) => hints.findIndex(x => x.name === a.name) - hints.findIndex(x => x.name === b.name))), part("Others", found.filter(v => v.from !== "session" && !fits.has(v.name)))], found.length ? null : h("p", { class: "note" }, "no view is like that"));
		chosen = Math.max(0, Math.min(chosen, shown.length - 1));
		mark(false);
	}
	function mark(scroll = true) {
		list.querySelectorAll("[role=listitem]").forEach((e, i) => {
			if (i === chosen) e.setAttribute("aria-current", "true");
			else e.removeAttribute("aria-current");
			if (scroll && i === chosen) e.scrollIntoView({ block: "nearest" });
		});
	}
	function keys(e) {
		const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[e.key];
		if (step) { chosen = Math.max(0, Math.min(shown.length - 1, chosen + step)); mark(); }
		else if (e.key === "Enter" && shown[chosen]) (e.shiftKey || e.ctrlKey ? timeline : run)(shown[chosen]);
		else return;
		e.preventDefault();
	}
	return {
		update(changed) {
			if (!app.trace) return;
			const open = Boolean(own().edit) && !app.api.exported;
			toggle.setAttribute("aria-pressed", String(open));
			edit.hidden = !open;
			if (open && !editor) editor = createEditor(edit, app, { added: () => load(true), track: t => where.track(t) });
			editor?.update(changed);
			if (trace !== app.state.trace || changed.has("info")) { trace = app.state.trace; load(false); }
		},
		destroy() { editor?.destroy(); },
	};
}
