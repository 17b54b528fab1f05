// SPDX-License-Identifier: Apache-2.0
/*
 * Calls in what is seen: the tree, the flame graph that is heavy on the left, one thread's flame over time, functions. From samples or regions; from
 * callers to callees, or the other way.
 */
import { fill, h, icon, plain, tool } from "../lib/dom.js";
import { keyName } from "../lib/keys.js";
import { virtualList } from "../lib/list.js";
import { menu } from "../lib/menu.js";
import { at, count, span } from "../lib/time.js";
import { follower, rangeArgs, rangeOf, saveText } from "../tables/follow.js";
import { nameColor } from "../tables/heat.js";
import { csvField } from "../tables/model.js";
import { createFlame } from "./flame.js";
import { byFunction, callTree, findWay, flameBars, foundShare, hotWays, timeBars, treeRows, wayOf } from "./tree.js";

const MODES = [["flame", "Flame graph"], ["tree", "Tree"], ["functions", "Functions"], ["time", "Over time"]];
const LEAST = 1 / 6000; /* of the picture: narrower bars cannot be seen */

/** @param {HTMLElement} host @param {import("../app.js").App} app @returns {import("../panels.js").PanelView} */
export function createCalls(host, app) {
	const own = (patch, how) => app.own("calls", patch, how);
	const bar = h("div", { class: "bar" }), facts = h("div", { class: "calls-facts", role: "status" }), body = h("div", { class: "table-body" }), list = h("div", { class: "tree", role: "treegrid", tabindex: "0", "aria-label": "Tree of calls" }), head = h("div", { class: "tree-head", "aria-hidden": "true" });
	host.classList.add("table-panel");
	host.append(bar, body, facts);
	const treeBox = h("div", { class: "tree-box" }, head, list);
	body.append(treeBox);
	let answer = null, nodes = [], open = null, rows = [], functions = [], chosen = 0, error = "", bars = [];

	const find = h("input", { type: "search", placeholder: "find a function…", "aria-label": "Find a function", oninput: () => own({ find: find.value || undefined }), onkeydown: e => { if (e.key === "Enter") flame.focus(); } });
	const flame = createFlame(body, { look, take, out, menu: barMenu, words: b => barWords(b) });
	const virtual = virtualList(list, { height: 22, row: drawRow });
	const mode = () => own().mode ?? "flame";
	const ask = () => ({ trace: app.state.trace, of: own().of, callers: own().callers ? 1 : undefined, per: own().per, lines: own().lines ? 1 : undefined });
	const loading = follower(host, async signal => {
		const range = rangeArgs(rangeOf(app));
		if (mode() !== "time") return app.api.json("table/calls", { ...ask(), ...range }, { signal });
		return app.api.json("table/flame", { trace: app.state.trace, thread: thread(), of: own().of ?? (app.trace.has.regions ? "regions" : "samples"), width: Math.min(4096, Math.max(200, body.clientWidth)), ...range }, { signal });
	}, next => { answer = next; error = ""; nodes = next.nodes ? callTree(next) : []; functions = next.nodes ? byFunction(nodes) : []; open ??= hotWays(nodes); draw(); }, e => { answer = null; nodes = []; error = e.message; draw(); });

	/* The thread that is selected, where one is. */
	function thread() {
		const s = app.state.selection;
		return own().thread ?? (s?.level === "thread" && Number.isInteger(s.row) ? s.row : 0);
	}
	const weight = v => (answer?.of === "samples" ? (answer.period_ns ? span(v * answer.period_ns) : `${count(v)} samples`) : span(v));
	const share = v => `${((100 * v) / Math.max(1, answer?.total ?? 1)).toFixed(1)} %`;
	function barWords(b) {
		if (!b) return "";
		if (mode() === "time") return `${b.name}: ${span(b.to - b.from)} at ${at(b.from, Math.max(1, (b.to - b.from) / 10))}${b.n > 1 ? `, the longest of ${b.n}` : ""}`;
		const n = nodes[b.node];
		return `${n.name}: ${weight(n.total)}, ${share(n.total)}${n.self && n.self !== n.total ? `; itself ${weight(n.self)}` : ""}${n.calls && answer.of === "regions" ? `; ${count(n.calls)} call${n.calls === 1 ? "" : "s"}` : ""}`;
	}
	const place = n => [n.module && n.module.split("/").at(-1), n.file && `${n.file.split("/").at(-1)}${n.line ? ":" + n.line : ""}`].filter(Boolean).join(" · ");
	function look(b) {
		const n = b && (b.node !== undefined ? nodes[b.node] : b);
		fill(facts, b ? [h("strong", {}, plain(b.name, 120)), h("span", {}, plain(barWords(b).slice(b.name.length + 2))), h("span", { class: "soft" }, plain(place(n), 160))] : totals());
	}
	function totals() {
		if (error) return h("span", { class: "bad" }, plain(error, 300));
		/* The other mode's answer stands until this one's has come. */
		if (!answer || Boolean(answer.bars) !== (mode() === "time")) return "";
		if (mode() === "time") return h("span", { class: "soft" }, `${plain(answer.label)} ${plain(answer.called)}: ${answer.levels} levels${answer.left_out ? `; ${count(answer.left_out)} bars are left out` : ""}`);
		const parts = [answer.of === "samples" ? `${count(answer.samples)} samples${answer.period_ns ? `, one each ${span(answer.period_ns)} of CPU time` : ""}` : `${span(answer.total)} in regions`,
			answer.left_out ? `${count(answer.left_out)} light nodes are left out` : "", answer.cut ? `${count(answer.cut)} samples had no address` : "", own().find ? `${(100 * foundShare(nodes, own().find)).toFixed(1)} % in what matches` : "", answer.problems[0] ?? ""];
		return h("span", { class: "soft" }, plain(parts.filter(Boolean).join("; "), 300));
	}

	/* ---- what is done ---- */

	function take(b, e) {
		if (mode() === "time") return app.show(b.from, b.to, { step: true });
		own({ way: b.node === root() && nodes[b.node].parent >= 0 && e.type === "click" ? undefined : wayOf(nodes, b.node) || undefined }, { step: true });
	}
	function out() {
		if (mode() === "time") return app.undo();
		const r = root();
		if (nodes[r]?.parent >= 0) own({ way: wayOf(nodes, nodes[r].parent) || undefined }, { step: true });
	}
	const root = () => findWay(nodes, own().way ?? "");
	function barMenu(b, p) {
		const n = b.node !== undefined ? nodes[b.node] : b;
		menu(p, [
			{ title: mode() === "time" ? "Zoom to it" : "As wide as the picture", key: "Enter", run: () => take(b, {}) },
			{ title: "Mark all of that name", run: () => own({ find: n.name }) },
			{ title: "Show in the tree", disabled: b.node === undefined, run: () => reveal(b.node) },
			{ title: "Copy the name", run: () => navigator.clipboard?.writeText(n.name).then(() => app.say("copied", "done"), app.fail) },
			{ title: place(n) || "no source is known", disabled: true },
		]);
	}
	function reveal(node) {
		for (let k = node; k > 0; k = nodes[k].parent) open.add(wayOf(nodes, k));
		own({ mode: "tree", find: undefined });
		queueMicrotask(() => { chosen = Math.max(0, rows.indexOf(node)); virtual.redraw(); virtual.reveal(chosen); list.focus(); });
	}

	/* ---- how it looks ---- */

	function draw() {
		const o = own(), m = mode(), dark = app.dark(), has = app.trace?.has ?? {}, range = rangeOf(app);
		find.value = o.find ?? "";
		const toggle = (key, title) => h("button", { type: "button", "aria-pressed": String(Boolean(o[key])), onclick: () => { open = null; own({ [key]: o[key] ? undefined : true, way: undefined }); } }, title);
		const nThreads = app.trace?.levels.find(l => l.name === "thread")?.n ?? 1;
		fill(bar, h("span", { class: "segments", role: "group", "aria-label": "Shown as" }, MODES.map(([name, title]) => h("button", { type: "button", "aria-pressed": String(name === m), onclick: () => own({ mode: name }) }, title))),
			has.samples && has.regions ? h("select", { "aria-label": "Of", onchange: e => { open = null; own({ of: e.target.value || undefined, way: undefined }); } }, [["", "samples or regions"], ["samples", "samples"], ["regions", "regions"]].map(([v, t]) => h("option", { value: v, selected: (o.of ?? "") === v }, t))) : null,
			m === "time" ? h("label", { class: "row" }, "thread ", h("input", { type: "number", class: "short", min: "0", max: String(nThreads - 1), value: String(thread()), "aria-label": "Thread, by its row", onchange: e => own({ thread: Math.max(0, Math.min(nThreads - 1, Math.round(Number(e.target.value) || 0))) }) }))
				: [toggle("callers", "callers"), h("select", { "aria-label": "A tree for each", onchange: e => { open = null; own({ per: e.target.value || undefined, way: undefined }); } }, [["", "all together"], ["process", "by process"], ["thread", "by thread"]].map(([v, t]) => h("option", { value: v, selected: (o.per ?? "") === v }, t)))],
			find, o.way && m === "flame" ? h("button", { type: "button", onclick: () => own({ way: undefined }, { step: true }) }, "show all") : null,
			h("span", { class: "grow" }), h("span", { class: "soft range" }, `${at(range.from, (range.to - range.from) / 100)} – ${at(range.to, (range.to - range.from) / 100)}`),
			tool("save", "Save as CSV", () => saveText("calls.csv", csv())));
		treeBox.hidden = m !== "tree" && m !== "functions";
		flame.element.hidden = !treeBox.hidden;
		if (m === "flame") {
			bars = flameBars(nodes, root(), LEAST).map(b => ({ ...b, name: nodes[b.node].name, module: nodes[b.node].module })).sort((a, b) => a.depth - b.depth || a.begin - b.begin);
			flame.set({ bars, find: o.find, dark, colors: app.colors, keep: was => (was ? bars.findIndex(b => b.node === was.node) : bars.findIndex(b => b.node === root())) });
		} else if (m === "time") {
			bars = answer?.bars ? timeBars(answer) : [];
			flame.set({ bars, find: o.find, dark, colors: app.colors });
		} else {
			rows = m === "tree" ? treeRows(nodes, open ?? new Set(), o.find) : [];
			if (m === "functions") functions = byFunction(nodes).filter(f => f.name.toLowerCase().includes((o.find ?? "").toLowerCase()));
			fill(head, h("span", { class: "n" }, "total"), h("span", { class: "n" }, "self"), h("span", { class: "n" }, answer?.of === "samples" ? "time" : "calls"), h("span", { class: "grow" }, "function"));
			chosen = Math.min(chosen, Math.max(0, count_() - 1));
			list.setAttribute("aria-rowcount", String(count_()));
			virtual.set(count_());
		}
		look(flame.element.hidden ? null : flame.current);
	}
	const count_ = () => (mode() === "tree" ? rows.length : functions.length);
	function drawRow(i, e) {
		const tree = mode() === "tree", n = tree ? nodes[rows[i]] : functions[i], all = Math.max(1, answer?.total ?? 1), isOpen = tree && (open.has(wayOf(nodes, rows[i])) || own().find);
		e.classList.toggle("chosen", i === chosen);
		e.setAttribute("aria-selected", String(i === chosen));
		e.setAttribute("aria-rowindex", String(i + 1));
		if (tree) { e.setAttribute("aria-level", String(n.depth)); if (n.children.length) e.setAttribute("aria-expanded", String(Boolean(isOpen))); }
		const gauge = (v, kind) => h("span", { class: "gauge n", role: "gridcell" }, h("span", { class: `gauge-fill ${kind}`, style: { width: `${(100 * v) / all}%` } }), h("span", { class: "gauge-text" }, share(v)));
		fill(e, gauge(n.total, "total"), gauge(n.self, "self"), h("span", { class: "n soft count", role: "gridcell" }, answer.of === "samples" ? weight(n.total) : count(n.calls)),
			h("span", { class: "tree-name grow", role: "gridcell", style: { "padding-left": `${tree ? Math.min(40, n.depth - 1) * 13 : 4}px` } },
				tree ? h("span", { class: "twist" }, n.children.length ? icon(isOpen ? "down" : "right") : null) : null, h("span", { class: "swatch", style: { background: nameColor(n.name, app.dark(), app.colors) } }), " ", plain(n.name, 200)),
			h("span", { class: "soft where-text", role: "gridcell" }, plain(place(n), 60)));
		e.title = plain(`${n.name}${n.file ? `\n${n.file}${n.line ? ":" + n.line : ""}` : ""}`, 600);
		e.onclick = () => { choose(i); if (tree && n.children.length) toggleRow(i); };
	}
	function choose(i) { chosen = Math.max(0, Math.min(count_() - 1, i)); virtual.redraw(); virtual.reveal(chosen); }
	function toggleRow(i, want) {
		const way = wayOf(nodes, rows[i]), now = open.has(way);
		if (want === now) return false;
		if (now) open.delete(way);
		else open.add(way);
		rows = treeRows(nodes, open, own().find);
		virtual.set(rows.length);
		return true;
	}
	list.addEventListener("keydown", e => {
		const key = keyName(e), n = mode() === "tree" ? nodes[rows[chosen]] : null, page = Math.max(1, Math.floor(list.clientHeight / 22) - 1);
		const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + page, PageUp: chosen - page, Home: 0, End: Infinity }[key];
		if (to !== undefined) choose(to);
		else if (key === "ArrowRight" && n?.children.length) { if (!toggleRow(chosen, true)) choose(chosen + 1); else choose(chosen); }
		else if (key === "ArrowLeft" && n) { if (!n.children.length || !toggleRow(chosen, false)) choose(Math.max(0, rows.indexOf(n.parent))); else choose(chosen); }
		else if (key === "Enter" && n) own({ mode: "flame", way: wayOf(nodes, rows[chosen]) }, { step: true });
		else if (key === "*" && n) { open = new Set(nodes.map((_, i) => wayOf(nodes, i))); rows = treeRows(nodes, open); virtual.set(rows.length); }
		else return;
		e.preventDefault();
		e.stopPropagation();
	});
	function csv() {
		if (mode() === "functions") return ["function,module,self,total,calls", ...functions.map(f => [csvField(f.name), csvField(f.module), f.self, f.total, f.calls].join(","))].join("\n") + "\n";
		return ["depth,self,total,calls,function,module,file,line", ...nodes.map(n => [n.depth, n.self, n.total, n.calls, csvField(n.name), csvField(n.module), csvField(n.file), n.line || ""].join(","))].join("\n") + "\n";
	}
	return {
		update(changed) {
			if (!app.trace) return;
			loading.ask({ ...ask(), mode: mode() === "time" ? ["time", thread(), own().of] : "", ...rangeOf(app) });
			if (["more", "theme", "safe", "colors", "from", "to", "selection"].some(k => changed.has(k))) draw();
		},
		destroy() { loading.stop(); flame.destroy(); virtual.destroy(); },
		async export(kind) { return kind === "csv" && nodes.length ? new Blob([csv()], { type: "text/csv" }) : null; },
	};
}
