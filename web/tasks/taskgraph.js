// SPDX-License-Identifier: Apache-2.0
/*
 * The task graph, folded by level, iteration or codelet; critical path; slack. The server has placed everything; boxes and edges are drawn by the same code as
 * the page of `weft graph` (web/graph.js).
 */
import { draw, findBoxes, tasksOf, timeText } from "../graph.js";
import { fill, h, plain } from "../lib/dom.js";

const FOLDINGS = [["auto", "As it fits"], ["none", "Single tasks"], ["level", "By level"], ["iteration", "By iteration"], ["codelet", "By codelet"]];
const ROWS = 60;

/** @param {HTMLElement} host @param {any} app */
export function createTaskGraph(host, app) {
	const map = h("div", { class: "taskgraph-map", tabindex: "0", "aria-label": "Task graph; arrows move, plus and minus zoom", role: "application" }), side = h("div", { class: "taskgraph-side" }), words = h("span", { class: "soft" });
	const fold = h("select", { "aria-label": "Which equal tasks are one box", onchange: () => app.own("taskgraph", { by: FOLDINGS[fold.selectedIndex][0], box: -1 }, { step: true }) }, FOLDINGS.map(([, t]) => h("option", {}, t)));
	const filter = h("input", { type: "text", class: "mono", placeholder: "filter: codelet=gemm iteration=0..3", "aria-label": "Filter of tasks", spellcheck: "false", size: "28", onchange: () => app.own("taskgraph", { filter: filter.value.trim(), box: -1 }, { step: true }) });
	const find = h("input", { type: "search", placeholder: "find  (/)", "aria-label": "Find boxes", size: "12", oninput: () => search(0) });
	const path = h("button", { type: "button", title: "To the begin of the critical path  (c)", onclick: () => toPath() }, "Critical path");
	fill(host, h("div", { class: "live" }, h("div", { class: "bar" }, fold, filter, find, path, h("button", { type: "button", title: "The whole graph  (0)", onclick: () => { view = null; look(); } }, "All"), h("span", { class: "grow" }), words), h("div", { class: "taskgraph" }, map, side)));
	const own = () => app.own("taskgraph");
	let data = null, index = [], drawn = null, view = null, asked = "", found = [], foundAt = -1, turn = 0;

	async function load() {
		const o = own(), now = JSON.stringify([app.state.trace, o.by ?? "auto", o.filter ?? ""]);
		if (now === asked || !app.trace?.has.tasks) return;
		asked = now;
		fold.selectedIndex = Math.max(0, FOLDINGS.findIndex(f => f[0] === (o.by ?? "auto")));
		filter.value = o.filter ?? "";
		const mine = ++turn;
		fill(words, "computing…");
		try {
			const answer = await app.api.json("task/graph", { trace: app.state.trace, by: o.by ?? "auto", filter: o.filter ?? "" });
			if (mine !== turn) return;
			data = answer.graph;
			index = answer.index;
			drawn = draw(data);
			fill(map, drawn.root);
			view = null;
			fill(words, plain(data.words, 300), answer.edges ? "" : " – dependencies are not recorded");
			begin();
			light();
			toWanted();
		} catch (error) {
			if (mine !== turn) return;
			asked = "";
			fill(words, h("span", { class: "bad" }, plain(error.message, 200)));
		}
	}
	const whole = () => {
		const r = map.getBoundingClientRect(), w = Math.max(data.width + 60, r.width), hh = (w * r.height) / Math.max(r.width, 1);
		return [-(w - data.width) / 2, -30, w, hh];
	};
	const look = () => { if (drawn) drawn.root.setAttribute("viewBox", (view ?? whole()).join(" ")); };
	/* At first so large that it can be read. */
	function begin() {
		const r = map.getBoundingClientRect(), [, , w, hh] = whole(), seen = Math.min(w, 1.4 * r.width), first = data.path.length ? data.boxes[data.tasks.box[data.path[0]]] : data.boxes[0];
		if (first && seen < w) view = [first[4] - seen / 2, -30, seen, (hh * seen) / w];
		look();
	}
	function see(box) {
		const [, , w, hh] = view ?? whole(), b = data.boxes[box];
		view = [b[4] - w / 2, b[3] * data.pitch - hh / 2, w, hh];
		look();
	}
	function choose(box, move = false) {
		app.own("taskgraph", { box });
		if (move && box >= 0) see(box);
	}
	const taskButton = k => h("button", { type: "button", class: "as-link", onclick: () => { app.own("tasks", { task: index[k] }); app.set({ side: "task" }); } }, plain(data.names[data.name_of[k]], 40));
	function light() {
		if (!drawn) return;
		const box = own().box ?? -1;
		drawn.light(box);
		const b = data.boxes[box], list = b ? tasksOf(data, box) : data.path;
		const rows = list.slice(0, ROWS).map(k => h("tr", { class: data.tasks.slack[k] === 0 ? "critical" : "" }, h("td", {}, taskButton(k)), h("td", { class: "n" }, timeText(data.tasks.duration[k])), h("td", { class: "n" }, timeText(data.tasks.slack[k])), h("td", { class: "soft" }, plain(data.workers[data.tasks.worker[k]] ?? "", 20))));
		fill(side, b ? [h("h3", {}, plain(b[6], 60)), h("p", { class: "soft" }, plain(b[7], 100)), h("p", {}, `${b[2]} tasks, ${timeText(b[8])} in all, ${timeText(b[9])} to ${timeText(b[10])} each; least slack ${timeText(b[11])}; ${b[12]} on the critical path`)] : [h("h3", {}, `Critical path: ${data.path.length} tasks`), h("p", { class: "soft" }, plain(data.folded, 100))],
			h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ["task", "takes", "slack", "worker"].map((t, k) => h("th", { scope: "col", class: k === 1 || k === 2 ? "n" : "" }, t)))), h("tbody", {}, rows)), list.length > ROWS ? h("p", { class: "soft" }, `and ${list.length - ROWS} more`) : null);
	}
	function search(step) {
		if (!data) return;
		found = findBoxes(data, find.value);
		drawn.mark(found);
		if (step && found.length) choose(found[(foundAt = (foundAt + step + found.length) % found.length)], true);
	}
	/* A task that another panel has asked for. */
	function toWanted() {
		const want = own().find, k = typeof want === "number" ? index.indexOf(want) : -1;
		if (!data || typeof want !== "number") return;
		app.own("taskgraph", { find: null, ...(k >= 0 ? { box: data.tasks.box[k] } : {}) });
		if (k >= 0) see(data.tasks.box[k]);
		else app.say("this task does not pass the filter", "error");
	}
	const toPath = () => { if (data?.path.length) choose(data.tasks.box[data.path[0]], true); };
	function zoom(factor, cx, cy) {
		const v = view ?? whole(), r = map.getBoundingClientRect(), px = v[0] + (v[2] * (cx - r.left)) / r.width, py = v[1] + (v[3] * (cy - r.top)) / r.height;
		if (v[2] * factor < 60 || v[2] * factor > 1e7) return;
		view = [px - (px - v[0]) * factor, py - (py - v[1]) * factor, v[2] * factor, v[3] * factor];
		look();
	}
	const moveBy = (dx, dy) => { const v = view ?? whole(); view = [v[0] + dx, v[1] + dy, v[2], v[3]]; look(); };
	map.addEventListener("wheel", e => { if (!data) return; e.preventDefault(); zoom(Math.exp(e.deltaY * 0.0015), e.clientX, e.clientY); }, { passive: false });
	let held = null;
	map.addEventListener("pointerdown", e => { held = { x: e.clientX, y: e.clientY, moved: false, on: e.target.closest?.(".box") }; map.setPointerCapture(e.pointerId); });
	map.addEventListener("pointermove", e => {
		if (!held || !data) return;
		const v = view ?? whole(), r = map.getBoundingClientRect();
		held.moved ||= Math.abs(e.clientX - held.x) + Math.abs(e.clientY - held.y) > 4;
		if (!held.moved) return;
		moveBy(((held.x - e.clientX) * v[2]) / r.width, ((held.y - e.clientY) * v[3]) / r.height);
		held = { ...held, x: e.clientX, y: e.clientY };
	});
	map.addEventListener("pointerup", () => {
		if (held && !held.moved && data) {
			const box = held.on ? Number(held.on.dataset.box) : -1;
			choose(box);
			if (box >= 0 && data.boxes[box][2] === 1) { app.own("tasks", { task: index[data.boxes[box][1]] }); app.set({ side: "task" }); }
		}
		held = null;
	});
	find.addEventListener("keydown", e => { if (e.key === "Enter") { foundAt = e.shiftKey ? foundAt : foundAt; search(e.shiftKey ? -1 : 1); } });
	map.addEventListener("keydown", e => {
		const r = map.getBoundingClientRect(), step = data ? (view ?? whole())[2] / 10 : 0;
		const run = { "+": () => zoom(0.8, r.left + r.width / 2, r.top + r.height / 2), "=": () => zoom(0.8, r.left + r.width / 2, r.top + r.height / 2), "-": () => zoom(1.25, r.left + r.width / 2, r.top + r.height / 2), 0: () => { view = null; look(); }, "/": () => find.focus(), c: toPath, n: () => search(1), Escape: () => choose(-1),
			ArrowLeft: () => moveBy(-step, 0), ArrowRight: () => moveBy(step, 0), ArrowUp: () => moveBy(0, -step), ArrowDown: () => moveBy(0, step) }[e.key];
		if (!run || !data || e.ctrlKey || e.metaKey || e.altKey) return;
		e.preventDefault();
		e.stopPropagation();
		run();
	});
	const sizes = new ResizeObserver(() => { if (data) look(); });
	sizes.observe(map);
	return {
		update(changed) {
			if (app.state.main !== "taskgraph") return;
			load();
			toWanted();
			if (changed.has("more")) light();
		},
		destroy: () => sizes.disconnect(),
	};
}
