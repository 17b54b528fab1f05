// SPDX-License-Identifier: Apache-2.0
/*
 * Where the time in view went, beside the timeline, following the zoom: by region, group, thread; how well the threads were used; what runtimes did.
 */
import { fill, h, plain, tool } from "../lib/dom.js";
import { virtualList } from "../lib/list.js";
import { at, bytes, count, span } from "../lib/time.js";
import { follower, rangeArgs, rangeOf, saveText } from "../tables/follow.js";
import { nameColor, valueText } from "../tables/heat.js";
import { byName, plainCsv } from "../tables/model.js";

const TABS = [["region", "Regions"], ["group", "Groups"], ["thread", "Threads"], ["efficiency", "Efficiency"], ["runs", "Runtimes"]];
const PATHS = { region: "table/profile", group: "table/groups", thread: "table/profile", efficiency: "table/efficiency", runs: "table/runs" };
const ROW = 36;

/** Rows of a plain table as objects. @param {{columns: {key: string}[], rows: any[][]}} t */
export const asObjects = t => t.rows.map(row => Object.fromEntries(t.columns.map((c, i) => [c.key, row[i]])));

/** What a factor says, for people. @param {number} v */
export const factorWords = v => (v >= 0.95 ? "good" : v >= 0.8 ? "fair" : "poor");

/** @param {HTMLElement} host @param {import("../app.js").App} app @returns {import("../panels.js").PanelView} */
export function createSummary(host, app) {
	const own = patch => app.own("summary", patch);
	const bar = h("div", { class: "bar" }), note = h("div", { class: "summary-note", role: "status" }), body = h("div", { class: "summary-body", tabindex: "0" }), rest = h("div", { class: "summary-rest" });
	host.classList.add("summary");
	host.append(bar, note, body, rest);
	let answer = null, rows = [], error = "", most = 1, chosen = -1, names = null;
	const virtual = virtualList(body, { height: ROW, row: drawRow, role: "listitem" });
	body.setAttribute("role", "list");
	const tab = () => own().tab ?? "region";
	const ask = () => ({ trace: app.state.trace, by: tab() === "thread" ? (own().level ?? "thread") : tab() === "region" ? "region" : undefined, name: tab() === "runs" ? own().runs : undefined });
	const loading = follower(host, async signal => {
		if (tab() === "runs" && names?.trace !== app.state.trace) names = { trace: app.state.trace, all: (await app.api.json("table/runs", { trace: app.state.trace }, { signal })).tables };
		if (tab() === "runs" && !names.all.includes(own().runs)) return names.all.length ? app.api.json("table/runs", { ...ask(), name: names.all[0], ...rangeArgs(rangeOf(app)) }, { signal }) : { columns: [], rows: [] };
		return app.api.json(PATHS[tab()], { ...ask(), ...rangeArgs(rangeOf(app)) }, { signal });
	}, next => { answer = next; error = ""; arrange(); }, e => { answer = null; error = e.message; arrange(); });

	const find = h("input", { type: "search", placeholder: "find…", "aria-label": "Only what has these letters", class: "grow", oninput: () => own({ find: find.value || undefined }) });
	const sorts = { self: ["time", r => -r.self_ns], calls: ["calls", r => -r.calls], max: ["longest", r => -(r.max_ns ?? 0)], balance: ["balance", r => r.balance_percent ?? 101], name: ["name", null] };

	function arrange() {
		const o = own(), t = tab(), range = rangeOf(app);
		find.value = o.find ?? "";
		fill(bar, h("div", { class: "tabs small", role: "tablist", "aria-label": "Summary" }, TABS.map(([name, title]) => h("button", { type: "button", role: "tab", "aria-selected": String(name === t), onclick: () => { chosen = -1; answer = null; own({ tab: name }); } }, title))),
			h("div", { class: "bar-line" }, t === "efficiency" ? null : find,
				t === "runs" && names?.all.length ? h("select", { "aria-label": "Table", onchange: e => own({ runs: e.target.value }) }, names.all.map(n => h("option", { value: n, selected: n === o.runs }, n))) : null,
				t === "region" ? h("select", { "aria-label": "Sorted by", onchange: e => own({ sort: e.target.value }) }, Object.entries(sorts).map(([k, [title]]) => h("option", { value: k, selected: k === (o.sort ?? "self") }, `by ${title}`))) : null,
				t === "thread" ? h("select", { "aria-label": "Level", onchange: e => own({ level: e.target.value }) }, ["thread", "process"].map(l => h("option", { value: l, selected: l === (o.level ?? "thread") }, `by ${l}`))) : null,
				answer?.columns?.length ? tool("save", "Save as CSV", () => saveText(`${t}.csv`, plainCsv(answer))) : null));
		const lines = [error, `${range.of === "whole" ? "the whole trace" : range.of}: ${span(range.to - range.from)} from ${at(range.from, (range.to - range.from) / 100)}`];
		fill(note, lines.filter(Boolean).map((l, i) => h("div", { class: error && !i ? "bad" : "soft" }, plain(l, 300))));
		body.hidden = t === "efficiency" || t === "runs";
		rest.hidden = false;
		if (!answer) { virtual.set(0); fill(rest); return; }
		if (t === "efficiency") return drawEfficiency();
		if (t === "runs") return drawRuns();
		const words = (o.find ?? "").toLowerCase(), key = t === "group" ? "group" : "name";
		rows = asObjects(answer).filter(r => `${r[key]} ${r.group ?? ""} ${r.where ?? ""} ${r.called ?? ""}`.toLowerCase().includes(words));
		const by = t === "region" ? sorts[o.sort ?? "self"] : sorts.self;
		rows.sort((a, b) => (by?.[1] ? by[1](a) - by[1](b) : byName(a[key], b[key])) || b.self_ns - a.self_ns);
		most = Math.max(1, ...rows.map(r => r.self_ns));
		virtual.set(rows.length);
		drawChosen();
	}
	const title = r => (tab() === "group" ? r.group : tab() === "thread" ? `${r.where} ${r.called}` : r.name);
	function drawRow(i, e) {
		const r = rows[i], name = title(r), color = tab() === "thread" ? "var(--accent)" : nameColor(name, app.dark(), app.colors);
		e.classList.toggle("chosen", i === chosen);
		e.tabIndex = i === Math.max(0, chosen) ? 0 : -1;
		fill(e, h("div", { class: "share-row" },
			h("div", { class: "share-line" }, h("span", { class: "swatch", style: { background: color } }), h("span", { class: "share-name grow" }, plain(name, 120) || "(without a name)"), h("span", { class: "n" }, span(r.self_ns)), h("span", { class: "n soft percent" }, r.share_percent === null ? "" : `${r.share_percent.toFixed(1)} %`)),
			h("div", { class: "share-bar" }, h("div", { class: "share-fill", style: { width: `${(100 * r.self_ns) / most}%`, background: color } }))));
		e.title = plain(`${name}${r.group ? ` (${r.group})` : ""}\n${count(r.calls)} calls${r.file ? `\n${r.file}${r.line ? ":" + r.line : ""}` : ""}`, 500);
		e.onclick = () => { chosen = chosen === i ? -1 : i; virtual.redraw(); drawChosen(); };
	}
	body.addEventListener("keydown", e => {
		const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, Home: 0, End: rows.length - 1 }[e.key];
		if (to === undefined || !rows.length) return;
		chosen = Math.max(0, Math.min(rows.length - 1, to));
		virtual.redraw();
		virtual.reveal(chosen);
		drawChosen();
		e.preventDefault();
		e.stopPropagation();
	});
	/* All that is known of the chosen row. */
	function drawChosen() {
		const r = rows[chosen];
		if (!r) return fill(rest, summaryLines());
		const facts = [["own time", span(r.self_ns)], r.total_ns !== undefined && ["with what it called", span(r.total_ns)], ["calls", count(r.calls)], r.mean_ns !== undefined && ["mean", span(r.mean_ns)], r.min_ns !== undefined && ["least, greatest", `${span(r.min_ns)}, ${span(r.max_ns)}`],
			r.p50_ns !== undefined && ["median, 99 %", `${span(r.p50_ns)}, ${span(r.p99_ns)}`], r.threads !== undefined && ["threads", count(r.threads)], r.balance_percent !== null && r.balance_percent !== undefined && ["balance", `${r.balance_percent.toFixed(1)} %`],
			r.group && tab() === "region" && ["group", r.group], r.most && ["most of it", `${r.most}, ${span(r.most_ns)}`], r.file && ["source", `${r.file}${r.line ? ":" + r.line : ""}`]].filter(Boolean);
		fill(rest, h("h3", {}, plain(title(r), 160)), h("table", { class: "facts" }, h("tbody", {}, facts.map(([k, v]) => h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, plain(v, 300)))))));
	}
	function summaryLines() {
		const a = answer, self = rows.reduce((s, r) => s + r.self_ns, 0);
		if (!a || a.thread_time === undefined) return null;
		return h("p", { class: "soft small" }, `Threads lasted ${span(a.thread_time)} in all`, a.thread_time && self <= a.thread_time && !own().find ? `; ${((100 * (a.thread_time - self)) / a.thread_time).toFixed(1)} % of it is in none of these` : "", ".", a.load_balance && a.threads > 1 ? ` Load balance ${(100 * a.load_balance).toFixed(1)} %.` : "");
	}

	/* ---- efficiency ---- */

	function drawEfficiency() {
		const a = answer, factor = (name, v, about) => h("div", { class: `factor is-${factorWords(v)}` }, h("div", { class: "factor-head" }, h("span", { class: "grow" }, name), h("strong", { class: "n" }, Number.isFinite(v) ? `${(100 * v).toFixed(1)} %` : "–")), h("div", { class: "share-bar" }, h("div", { class: "share-fill", style: { width: `${Math.max(0, Math.min(100, 100 * v))}%` } })), h("div", { class: "soft small" }, about));
		const t = a.threads, p = a.processes, list = [...a.rows].sort((x, y) => y[3] - x[3]), top = Math.max(1, list[0]?.[3] ?? 1), shown = list.length > 60 ? [...list.slice(0, 30), null, ...list.slice(-29)] : list;
		fill(rest, h("div", { class: "factors" },
			factor("Parallel efficiency", t.parallel, "useful time of the average thread, of the time in view"), factor("Load balance", t.balance, "average over greatest useful time"), factor("Communication efficiency", t.communication, "useful time of the busiest thread, of the time in view"),
			p.n > 1 && p.n !== t.n ? factor("Load balance of processes", p.balance, "of the averages of their threads") : null),
			h("p", { class: "soft small" }, "The first is the product of the next two.", t.without ? ` ${count(t.without)} of ${count(t.n)} threads computed nothing.` : ""),
			h("h3", {}, "Useful time"), h("div", { class: "bars", role: "list" }, shown.map(r => (r ? h("div", { class: "bar-row wide", role: "listitem", title: plain(`${r[0]} ${r[1]}`, 120) }, h("span", { class: "bar-name" }, plain(r[1] ? `${r[1]} ${r[0]}` : r[0], 40)), h("span", { class: "bar-box" }, h("span", { class: "bar-fill", style: { width: `${(100 * r[3]) / top}%` } })), h("span", { class: "n soft" }, span(r[3]))) : h("div", { class: "soft small" }, `… ${list.length - 59} more …`)))));
	}
	function drawRuns() {
		const a = answer, words = (own().find ?? "").toLowerCase();
		if (!a.columns?.length) return fill(rest, h("p", { class: "note" }, "The trace has nothing of MPI, OpenMP, locks, files or memory that was recorded by weft record. Views may have it: see the tab Views."));
		const lines = a.rows.filter(r => r.some(v => typeof v === "string" && v.toLowerCase().includes(words)) || !words).slice(0, 500);
		fill(rest, h("div", { class: "scroll" }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, a.columns.map(c => h("th", { scope: "col", class: c.kind === "text" ? "" : "n" }, c.title)))), h("tbody", {}, lines.map(r => h("tr", {}, r.map((v, i) => h("td", { class: a.columns[i].kind === "text" ? "" : "n" }, v === null ? "–" : typeof v === "string" ? plain(v, 80) : valueText(v, a.columns[i].kind)))))))),
			a.peak_bytes ? h("p", { class: "soft small" }, `At most ${bytes(a.peak_bytes)} were in use.`) : null, a.lock_entries ? h("p", { class: "soft small" }, `${count(a.lock_entries)} times locks were taken; only those that were waited for have rows, unless all were recorded.`) : null);
	}
	return {
		update(changed) {
			if (!app.trace) return;
			loading.ask({ ...ask(), tab: tab(), ...rangeOf(app) });
			if (["more", "theme", "safe", "colors", "from", "to", "selection"].some(k => changed.has(k))) arrange();
		},
		destroy() { loading.stop(); virtual.destroy(); },
		async export(kind) { return kind === "csv" && answer?.columns ? new Blob([plainCsv(answer)], { type: "text/csv" }) : null; },
	};
}
