// SPDX-License-Identifier: Apache-2.0
/* Who sends how much to whom, in what is seen: the matrix, what all messages together were, how many there were of each size. */
import { fill, h, plain, tool } from "../lib/dom.js";
import { at, bytes, count, span } from "../lib/time.js";
import { follower, rangeArgs, rangeOf, saveText } from "./follow.js";
import { createGrid } from "./grid.js";
import { css, heatRgb, inkOn, valueText } from "./heat.js";
import { createHeatmap } from "./heatmap.js";
import { plainCsv, shareOf } from "./model.js";

/** What a cell of the matrix can be: its place in the answer's cells, and its kind. */
export const MEASURES = [
	{ name: "bytes", title: "Bytes", kind: "bytes", of: c => c[3] }, { name: "count", title: "Messages", kind: "count", of: c => c[2] },
	{ name: "mean", title: "Mean size", kind: "bytes", of: c => (c[2] ? c[3] / c[2] : 0) }, { name: "most", title: "Largest", kind: "bytes", of: c => c[4] },
	{ name: "flight", title: "Mean time of flight", kind: "ns", of: c => c[5] },
];
const LEVELS = ["process", "thread", "node"];

/** Cells by sender and receiver. @param {{ends: string[], cells: number[][]}} answer @param {(cell: number[]) => number} of */
export function matrixOf({ ends, cells }, of) {
	const at = new Map(cells.map(c => [c[0] * ends.length + c[1], of(c)]));
	let most = 0, positive = Infinity;
	for (const v of at.values()) { if (v > most) most = v; if (v > 0 && v < positive) positive = v; }
	return { n: ends.length, at: (r, c) => at.get(r * ends.length + c), scale: { least: 0, most, positive: positive === Infinity ? 0 : positive } };
}

/** @param {HTMLElement} host @param {import("../app.js").App} app @returns {import("../panels.js").PanelView} */
export function createMessages(host, app) {
	const own = patch => app.own("messages", patch);
	const bar = h("div", { class: "bar" }), body = h("div", { class: "table-body" }), facts = h("div", { class: "message-facts" });
	host.classList.add("table-panel");
	host.append(bar, h("div", { class: "message-parts" }, body, facts));
	let answer = null, error = "", m = null;
	const measure = () => MEASURES.find(x => x.name === own().measure) ?? MEASURES[0];
	const look = p => app.hint(p && answer ? `${plain(answer.ends[p.r])} → ${plain(answer.ends[p.c])}: ${valueText(m.at(p.r, p.c), measure().kind) || "nothing"}` : "");
	const grid = createGrid(body, { look }), map = createHeatmap(body, { look });
	const loading = follower(host, signal => app.api.json("table/messages", { trace: app.state.trace, level: own().level, ...rangeArgs(rangeOf(app)) }, { signal }), next => { answer = next; error = ""; draw(); }, e => { error = e.message; answer = null; draw(); });

	function draw() {
		const o = own(), is = measure(), mode = o.mode ?? (answer && answer.ends.length > 12 ? "colours" : "numbers"), dark = app.dark(), range = rangeOf(app);
		fill(bar, h("select", { "aria-label": "Measure", onchange: e => own({ measure: e.target.value }) }, MEASURES.map(x => h("option", { value: x.name, selected: x === is }, x.title))),
			h("select", { "aria-label": "Level", onchange: e => own({ level: e.target.value }) }, LEVELS.map(x => h("option", { value: x, selected: x === (o.level ?? "process") }, `by ${x}`))),
			h("span", { class: "segments", role: "group", "aria-label": "Shown as" }, ["numbers", "colours"].map(x => h("button", { type: "button", "aria-pressed": String(x === mode), onclick: () => own({ mode: x }) }, x))),
			h("button", { type: "button", "aria-pressed": String(Boolean(o.log)), title: "Colours by the logarithm of values", onclick: () => own({ log: o.log ? undefined : true }) }, "log"),
			h("span", { class: "grow" }), h("span", { class: "soft range" }, `${at(range.from, (range.to - range.from) / 100)} – ${at(range.to, (range.to - range.from) / 100)}`),
			tool("save", "Save as CSV", () => answer && saveText("messages.csv", plainCsv({ columns: ["from", "to", "messages", "bytes", "most_bytes", "mean_flight_ns"].map(key => ({ key })), rows: answer.cells.map(c => [answer.ends[c[0]], answer.ends[c[1]], ...c.slice(2)]) }))));
		grid.element.hidden = mode !== "numbers" || !answer;
		map.element.hidden = mode !== "colours" || !answer;
		if (!answer) return fill(facts, h("p", { class: "note bad" }, error));
		m = matrixOf(answer, is.of);
		const name = i => answer.ends[i], label = `${is.title}, from rows to columns`, share = (r, c) => shareOf(m.at(r, c), m.scale, o.log);
		if (mode === "colours") map.set({ rows: m.n, columns: m.n, dark, square: true, label, share, rowName: name, columnName: name, text: (r, c) => valueText(m.at(r, c), is.kind) });
		else grid.set({ label, rows: m.n, columns: m.n, corner: "from ╲ to", nameWidth: 96, width: 86, rowName: name, columnName: name, cell: (r, c) => {
			const v = m.at(r, c);
			if (v === undefined) return null;
			const rgb = heatRgb(share(r, c), dark);
			return { text: valueText(v, is.kind), back: css(rgb), ink: inkOn(rgb) };
		} });
		summary();
	}
	function summary() {
		const a = answer, most = Math.max(1, ...a.sizes.map(s => s[1]));
		const line = (name, value) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "n" }, value));
		fill(facts, h("table", { class: "facts" }, h("tbody", {}, line("Messages", count(a.n)), line("Bytes", bytes(a.bytes)), line("Smallest, largest", `${bytes(a.least)}, ${bytes(a.most)}`), line("Mean", a.n ? bytes(Math.round(a.bytes / a.n)) : "–"),
			line("Mean, longest flight", `${span(a.mean_flight_ns)}, ${span(a.longest_flight_ns)}`), a.backward ? line("Received before sent", count(a.backward)) : null, a.unmatched ? line("With one end only", count(a.unmatched)) : null)),
		a.sizes.length ? [h("h3", {}, "Sizes"), h("div", { class: "bars", role: "list" }, a.sizes.map(([from, n]) => h("div", { role: "listitem", class: "bar-row" }, h("span", { class: "n" }, from < 2 ? bytes(from) : `< ${bytes(from * 2)}`), h("span", { class: "bar-box" }, h("span", { class: "bar-fill", style: { width: `${(100 * n) / most}%` } })), h("span", { class: "n soft" }, count(n)))))] : null);
	}
	return {
		update(changed) {
			if (!app.trace) return;
			loading.ask({ trace: app.state.trace, level: own().level, ...rangeOf(app) });
			if (["more", "theme", "safe"].some(k => changed.has(k))) draw();
		},
		destroy() { loading.stop(); grid.destroy(); map.destroy(); },
	};
}
