// SPDX-License-Identifier: Apache-2.0
/* The head of a track: what it shows, and menus of how. */
import { fill, h, icon, plain, tool } from "../lib/dom.js";
import { chooser, dialog, menu } from "../lib/menu.js";
import { number } from "../lib/time.js";

export const DRAWS = [
	["most", "What takes most of a pixel's time"], ["last", "Last"], ["maximum", "Maximum"], ["minnotzero", "Minimum, not zero"], ["random", "Random"], ["randnotzero", "Random, not zero"],
	["average", "Average"], ["averagenotzero", "Average, not zero"], ["mode", "Most frequent"], ["absolute_maximum", "Absolute maximum"], ["absolute_minimum", "Absolute minimum, not zero"],
];
const COLORS = [["", "As the view says"], ["code", "A colour for each value"], ["gradient", "Gradient"], ["null-gradient", "Gradient, nothing at 0"], ["alternative-gradient", "Cold to hot"]];
const LEVELS = ["workload", "application", "process", "thread", "system", "node", "cpu"];

/** The views that can be chosen: those of the session and the library, and counters. */
export async function viewItems(app, take, current) {
	const [{ views }, { counters }] = await Promise.all([app.api.json("session/views"), app.api.json("time/counters", { trace: app.state.trace })]);
	const own = views.filter(v => v.own && !counters.some(c => c.view === v.name || c.rate === v.name)), library = views.filter(v => !v.own);
	const item = v => ({ title: v.title ?? v.name, checked: v.name === current, run: () => take({ view: v.name, title: v.title ?? v.name }) });
	const regions = { title: app.trace?.has.regions ? "Regions" : "States", hint: "what each thread is in", checked: !current, run: () => take({ view: "", title: "" }) };
	return text => {
		const words = text.toLowerCase().split(/\s+/).filter(Boolean), fits = t => words.every(w => t.toLowerCase().includes(w));
		const part = (title, list) => (list.length ? [{ head: true, title }, ...list] : []);
		return [
			...part("This trace", [regions].filter(i => fits(i.title))),
			...part("Counters", counters.filter(c => fits(c.name)).flatMap(c => [c.view && { title: c.name, hint: c.unit, checked: c.view === current, run: () => take({ view: c.view, title: c.name, style: "curve" }) },
				c.rate && { title: `${c.name} a second`, checked: c.rate === current, run: () => take({ view: c.rate, title: `${c.name} a second`, style: "curve" }) }]).filter(Boolean)), /* of a saved page one of both may be missing */
			...part("Views of this session", own.map(item).filter(i => fits(i.title))),
			...part("Library", library.map(item).filter(i => fits(i.title))),
		];
	};
}
/** A list of views at a button. */
export async function chooseView(app, at, take, current) {
	try {
		const items = await viewItems(app, take, current);
		chooser(at, { title: "Find a view or a counter", items, empty: "no view is called so" });
	} catch (error) { app.fail(error); }
}

export function buildHead(head, app, stage, track) {
	const name = h("button", { type: "button", class: "tl-title", "aria-haspopup": "listbox", onclick: () => chooseView(app, name, patch => stage.setTrack(track.index, { view: "", window: "", level: "", draw: "", fuse: "", color: "", style: "", title: "", min: undefined, max: undefined, ...patch }), track.def.view ?? "") });
	const style = h("span", { class: "tl-styles", role: "group", "aria-label": "Style" }), info = h("span", { class: "tl-scale soft" });
	const more = tool("more", "How this track is drawn", () => openMenu());
	const close = tool("close", "Remove this track", () => stage.removeTrack(track.index));
	head.append(name, style, info, h("span", { class: "grow" }), more, close);

	function openMenu() {
		const d = track.def, set = patch => stage.setTrack(track.index, patch), trace = app.trace;
		const levels = LEVELS.filter(l => trace.levels.some(t => t.name === l));
		menu(more, [
			...(d.view ? [{ title: "Rows", head: true }, ...levels.map(l => ({ title: l === "process" ? "Processes" : l === "cpu" ? "CPUs" : `${l[0].toUpperCase()}${l.slice(1)}s`, checked: track.level === l, run: () => set({ level: l }) })), { line: true }] : []),
			{ title: "A pixel shows", head: true }, ...DRAWS.filter(([k]) => k !== "most" || track.codes).map(([k, title]) => ({ title, checked: (d.draw || (d.view ? "" : "most")) === k, run: () => set({ draw: d.draw === k ? "" : k }) })),
			{ line: true }, { title: "Rows that share a line show", head: true }, ...DRAWS.slice(1).map(([k, title]) => ({ title, checked: (d.fuse || "") === k, run: () => set({ fuse: d.fuse === k ? "" : k }) })),
			...(d.view ? [{ line: true }, { title: "Colours", head: true }, ...COLORS.map(([k, title]) => ({ title, checked: (d.color || "") === k, run: () => set({ color: k }) })), { title: "Scale…", run: scaleDialog }] : []),
			{ line: true }, { title: "Move up", disabled: track.index === 0, run: () => stage.moveTrack(track.index, -1) }, { title: "Duplicate", run: () => stage.addTrack({ ...d }, track.index + 1) },
		]);
	}
	function scaleDialog() {
		const min = h("input", { type: "text", inputmode: "decimal", value: track.def.min ?? track.scale?.min ?? "", "aria-label": "Least" }), max = h("input", { type: "text", inputmode: "decimal", value: track.def.max ?? track.scale?.max ?? "", "aria-label": "Greatest" });
		const d = dialog("Scale", h("form", { class: "tl-form", onsubmit(e) {
			e.preventDefault();
			const value = i => (i.value.trim() === "" || !Number.isFinite(Number(i.value)) ? undefined : Number(i.value));
			stage.setTrack(track.index, { min: value(min), max: value(max) });
			d.close();
		} }, h("label", {}, "Least ", min), h("label", {}, "Greatest ", max), h("div", { class: "tl-row" }, h("button", { type: "button", onclick() { stage.setTrack(track.index, { min: undefined, max: undefined }); d.close(); } }, "As it was"), h("button", { type: "submit", class: "main" }, "Set"))));
	}
	return {
		update() {
			const title = track.def.title || track.rows?.title || (app.trace?.has.regions ? "Regions" : "States");
			fill(name, plain(title, 60), icon("down"));
			const styles = track.canNest() ? [["cells", "Innermost"], ["nest", "Nested"]] : track.def.view ? [["cells", "Cells"], ["curve", "Curves"]] : [];
			fill(style, styles.map(([k, label]) => h("button", { type: "button", "aria-pressed": String(track.style === k), onclick: () => stage.setTrack(track.index, { style: k }) }, label)));
			const draw = DRAWS.find(d => d[0] === track.def.draw);
			fill(info, !track.codes && track.scale && track.style !== "curve" ? `${number(track.scale.min)} … ${number(track.scale.max)}` : "", draw && track.def.view ? ` · ${draw[1].toLowerCase()}` : "");
			close.hidden = stage.tracks().length < 2;
		},
	};
}
