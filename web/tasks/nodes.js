// SPDX-License-Identifier: Apache-2.0
/* Memory nodes, what went between them and why, and the copies of what is in view one by one; the critical path, task by task. */
import { fill, h, plain } from "../lib/dom.js";
import { bytes, count, span } from "../lib/time.js";

/** Bytes a second over the time that copies took. @param {{bytes: number, ns: number}} c */
export const bandwidth = c => (c.ns > 0 ? `${bytes(c.bytes / (c.ns / 1e9))}/s` : "–");
const table = (heads, rows, text = 1) => h("table", { class: "plain" }, h("thead", {}, h("tr", {}, heads.map((t, k) => h("th", { scope: "col", class: k >= text ? "n" : "" }, t)))), h("tbody", {}, rows));
const line = (cells, text = 1) => h("tr", {}, cells.map((v, k) => h(k ? "td" : "th", { class: k >= text ? "n" : "", ...(k ? {} : { scope: "row" }) }, v instanceof Node ? v : plain(v, 80))));

/** @param {HTMLElement} host @param {any} app */
export function createNodes(host, app) {
	const left = h("div", {}), right = h("div", {});
	fill(host, h("div", { class: "live-tables" }, left, right));
	let known = "", seen = "", turn = 0;
	async function load() {
		if (!app.trace?.has.tasks) return;
		const { from, to } = app.range(), trace = app.state.trace, mine = ++turn;
		try {
			if (known !== String(trace)) {
				const n = await app.api.json("task/nodes", { trace });
				if (mine !== turn) return;
				known = String(trace);
				const name = k => n.nodes.find(x => x.number === k)?.name || `node ${k}`, most = Math.max(1, ...n.ways.map(w => w.bytes));
				fill(left, h("h3", {}, "Memory nodes"), n.nodes.length ? table(["node", "kind", "most in use", "mean", "allocations", "reused", "no room", "evicted"], n.nodes.map(x => line([x.name || `node ${x.number}`, x.kind, bytes(x.most_allocated), bytes(x.mean_allocated), count(x.allocations), count(x.reused), count(x.refused), count(x.evicted)], 2)), 2) : h("p", { class: "soft" }, "None are recorded (weft record --on starpu_detail)."),
					n.ways.length ? [h("h3", {}, "Between them"), table(["from → to", "copies", "bytes", "time", "bandwidth", ""], n.ways.map(w => line([`${name(w.from)} → ${name(w.to)}`, count(w.n), bytes(w.bytes), span(w.ns), bandwidth(w), h("span", { class: "meter", style: { width: `${(80 * w.bytes) / most}px` } })])))] : null,
					n.causes.length ? [h("h3", {}, "Why"), table(["cause", "copies", "bytes", "time"], n.causes.map(c => line([c.cause || "not said", count(c.n), bytes(c.bytes), span(c.ns)])))] : null);
			}
			const key = JSON.stringify([trace, from, to]);
			if (key === seen) return;
			const c = await app.api.json("task/copies", { trace, from, to });
			if (mine !== turn) return;
			seen = key;
			fill(right, h("h3", {}, `Copies in view: ${count(c.all)}`), c.copies.length ? table(["begins", "from → to", "takes", "bytes", "cause", "datum"], c.copies.slice(0, 200).map(([start, end, a, b, n, cause, datum]) => line([h("button", { type: "button", class: "as-link", onclick: () => app.show(start - (end - start), end + (end - start)) }, span(start)), `${a} → ${b}`, end < 0 ? "–" : span(end - start), bytes(n), cause, datum])), 1) : null, c.all > 200 ? h("p", { class: "soft" }, `${count(c.all - Math.min(200, c.copies.length))} more: zoom in`) : null);
		} catch (error) {
			if (mine === turn) fill(right, h("p", { class: "note" }, plain(error.message, 200)));
		}
	}
	return { update(changed) { if (app.state.dock === "nodes" && ["trace", "from", "to", "dock", "info"].some(k => changed.has(k))) load(); } };
}

/** @param {HTMLElement} host @param {any} app */
export function createPath(host, app) {
	let known = "", turn = 0;
	async function load() {
		const trace = app.state.trace;
		if (!app.trace?.has.tasks || known === String(trace)) return;
		const mine = ++turn;
		try {
			const p = await app.api.json("task/path", { trace });
			if (mine !== turn) return;
			known = String(trace);
			let before = -1;
			const took = p.path.length ? p.path.at(-1)[3] - p.path[0][2] : 0;
			const rows = p.path.slice(0, 400).map(([i, name, start, end]) => {
				const late = before >= 0 && start >= before ? start - before : 0;
				before = end;
				return line([h("button", { type: "button", class: "as-link", onclick: () => { app.own("tasks", { task: i }); app.set({ side: "task" }); } }, plain(name, 60)), span(end - start), h("span", { class: late > (end - start) / 2 ? "bad" : "" }, late ? span(late) : "–"), h("button", { type: "button", class: "as-link", onclick: () => app.show(start - (end - start), end + (end - start)) }, span(start))]);
			});
			fill(host, h("div", { class: "live-tables" }, h("section", {}, h("h3", {}, "Critical path"), h("p", {}, `${count(p.n_path)} tasks of ${count(p.tasks)} take ${span(p.critical_ns)} in a row; all work is ${span(p.work_ns)}: with as many workers as wanted at most ${(p.work_ns / Math.max(1, p.critical_ns)).toFixed(1)} times as fast as one. From the first's begin to the last's end it took ${span(took)}, ${(took / Math.max(1, p.critical_ns)).toFixed(2)} times as long.`),
				table(["task", "takes", "began late by", "begins"], rows), p.n_path > 400 ? h("p", { class: "soft" }, `and ${count(p.n_path - 400)} more (weft graph --path)`) : null)));
		} catch (error) {
			if (mine === turn) fill(host, h("p", { class: "note" }, plain(error.message, 200)));
		}
	}
	return { update(changed) { if (changed.has("trace")) known = ""; if (app.state.dock === "path") load(); } };
}
