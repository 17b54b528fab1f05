// SPDX-License-Identifier: Apache-2.0
/*
 * The table of a view over what is seen, or selected. A cell, a column, a row leads back to where in time its values occur: intervals one after the
 * other, and a view of them for the timeline.
 */
import { fill, h, plain, tool } from "../lib/dom.js";
import { chooser, menu } from "../lib/menu.js";
import { at, span } from "../lib/time.js";
import { viewItems } from "../views/search.js";
import { follower, rangeArgs, rangeOf, saveText } from "./follow.js";
import { createGrid } from "./grid.js";
import { css, heatRgb, inkOn, valueText } from "./heat.js";
import { createHeatmap } from "./heatmap.js";
import { cellOf, columnOrder, rowOrder, scaleOf, shareOf, shortRange, tableCsv, tableModel, TOTALS } from "./model.js";
import { createWhere } from "./where.js";

const CELLS_FOR_NUMBERS = 80; /* with more columns a table begins as colours */

/** What a trace is looked at by first. @param {any} trace */
export function firstView(trace) {
	const has = trace?.has ?? {};
	return has.regions ? "regions" : has.states ? "states" : has.messages ? "mpi-matrix" : "useful";
}

/** @param {HTMLElement} host @param {import("../app.js").App} app @returns {import("../panels.js").PanelView} */
export function createTable(host, app) {
	const own = patch => app.own("table", patch, { step: false });
	const bar = h("div", { class: "bar" }), note = h("div", { class: "table-note", role: "status" }), body = h("div", { class: "table-body" });
	const where = createWhere(app, () => ({ ...about(), ...rangeArgs(range()) }), () => range(), () => { ask(); arrange(); });
	host.classList.add("table-panel");
	host.append(bar, where.element, note, body);
	const filter = h("input", { type: "search", placeholder: "rows…", "aria-label": "Only rows with these words", class: "short", oninput: () => { own({ filter: filter.value || undefined }); } });
	let answer = null, model = null, rows = [], columns = [], scale = null, error = "";

	const numbers = createGrid(body, {
		take: p => show([rows[p.r]], [columns[p.c]]), head: (c, e) => { if (e.detail !== 0 || e.type === "click") sortBy(columns[c]); },
		name: (r, e) => rowMenu(rows[r], { x: e.clientX, y: e.clientY }), corner: () => sortBy("label"),
		menu: (p, place) => (p.r < 0 ? columnMenu(columns[p.c], place) : p.c < 0 ? rowMenu(rows[p.r], place) : cellMenu(rows[p.r], columns[p.c], place)), look, key: keys,
	});
	const colours = createHeatmap(body, { take: p => show([rows[p.r]], [columns[p.c]]), look, menu: (p, place) => cellMenu(rows[p.r], columns[p.c], place) });

	/* While cells are looked for, the table stays the one that they are of. */
	const range = () => where.held() ?? rangeOf(app);
	const view = () => own().view ?? app.state.tracks?.find(t => t.view && !t.cells)?.view ?? firstView(app.trace);
	const about = () => {
		const o = own();
		return { trace: app.state.trace, view: view(), table: o.table, window: o.window, statistic: o.statistic, plane: o.plane, columns: o.columns, min: o.min, max: o.max };
	};
	const loading = follower(host, signal => app.api.json("table/view", { ...about(), ...rangeArgs(range()) }, { signal }), next => { error = ""; answer = next; model = tableModel(next); arrange(); }, e => { error = e.message; answer = model = null; arrange(); });

	const ask = () => loading.ask({ ...about(), ...range() });

	/* ---- what is done ---- */

	function sortBy(by) {
		const o = own().sort ?? {};
		const down = by === "label" ? false : true;
		own({ sort: o.by !== by ? { by, down } : o.down === down ? { by, down: !down } : undefined });
	}
	/* By number of the row in the answer, and of the column. */
	function show(rowNumbers, columnNumbers) {
		if (answer.partners) return app.say("columns are partners of messages, which have no place in time");
		where.ask({ row: rowNumbers, column: columnNumbers, plane: answer.planes ? answer.planes.find(p => p.number === answer.plane)?.label : undefined });
	}
	function look(p) {
		if (!p || !model || rows[p.r] === undefined) return app.hint("");
		const row = model.rows[rows[p.r]], v = cellOf(row, columns[p.c]);
		app.hint(`${plain(row.label)} · ${plain(model.columns[columns[p.c]].label)}: ${v === undefined ? "nothing" : valueText(v, model.kind, model.factor)}`);
	}
	const hide = (key, what) => own({ [key]: [...(own()[key] ?? []), what] });
	function cellMenu(r, c, place) {
		menu(place, [
			{ title: "Where it happens", key: "Enter", run: () => show([r], [c]) },
			{ title: `Where this column happens`, hint: model.columns[c].label, key: "c", run: () => show([], [c]) },
			{ title: `Where this row has values`, hint: model.rows[r].label, key: "r", run: () => show([r], []) },
			{ line: true, title: "" }, ...rowItems(r), { line: true, title: "" }, ...columnItems(c),
		]);
	}
	const rowItems = r => [
		{ title: "Columns by this row", run: () => own({ across: { by: `row ${r}`, down: true } }) },
		{ title: "Hide this row", key: "h", run: () => hide("hiddenRows", model.rows[r].object) },
	];
	const columnItems = c => [
		{ title: "Rows by this column", key: "s", run: () => sortBy(c) },
		{ title: "Hide this column", key: "H", run: () => hide("hiddenColumns", model.columns[c].label) },
	];
	const rowMenu = (r, place) => menu(place, [{ title: "Where this row has values", run: () => show([r], []) }, ...rowItems(r)]);
	const columnMenu = (c, place) => menu(place, [{ title: "Where this column happens", run: () => show([], [c]) }, ...columnItems(c)]);
	function keys(key, p) {
		const r = rows[p.r], c = columns[p.c];
		if (r === undefined || c === undefined) return where.key(key);
		const does = { c: () => show([], [c]), r: () => show([r], []), s: () => sortBy(c), h: () => hide("hiddenRows", model.rows[r].object), H: () => hide("hiddenColumns", model.columns[c].label) }[key];
		does?.();
		return Boolean(does) || where.key(key);
	}

	/* ---- how it looks ---- */

	function arrange() {
		const o = own();
		const mode = o.mode ?? (model && model.columns.length > CELLS_FOR_NUMBERS ? "colours" : "numbers");
		tools(o, mode);
		numbers.element.hidden = mode !== "numbers" || !model;
		colours.element.hidden = mode !== "colours" || !model;
		const lines = [error, answer?.lack && `the trace has no events of ${answer.lack}`, answer?.rows_left_out && `${answer.rows_left_out} rows more than can be shown: choose some by 'rows' in the menu`,
			model && !model.columns.length && "nothing falls into this table here"].filter(Boolean);
		fill(note, lines.map(l => h("p", { class: error ? "bad" : "soft" }, plain(l, 500))));
		note.hidden = !lines.length;
		if (!model) return;
		rows = rowOrder(model, { ...(o.sort ?? {}), filter: o.filter ?? "", hidden: o.hiddenRows ?? [] });
		columns = columnOrder(model, { ...(o.across ?? {}), hidden: o.hiddenColumns ?? [] });
		scale = scaleOf(model, rows, columns);
		const dark = app.dark(), text = v => valueText(v, model.kind, model.factor), label = `${plain(answer.table)}: ${answer.statistic} by ${plain(answer.by)}`;
		const cell = (r, c) => cellOf(model.rows[rows[r]], columns[c]);
		if (mode === "colours") return colours.set({ rows: rows.length, columns: columns.length, dark, label, share: (r, c) => shareOf(cell(r, c), scale, o.log), rowName: r => model.rows[rows[r]].label, columnName: c => model.columns[columns[c]].label, text: (r, c) => text(cell(r, c)) });
		numbers.set({
			label, rows: rows.length, columns: columns.length, corner: answer.level, nameWidth: Math.min(260, 46 + 6.6 * Math.max(8, ...rows.slice(0, 200).map(r => model.rows[r].label.length))), width: 96,
			rowName: r => model.rows[rows[r]].label, columnName: c => model.columns[columns[c]].label, heading: c => shortRange(model.columns[columns[c]].label), mark: c => (o.sort?.by === columns[c] ? (o.sort.down ? "▾" : "▴") : ""),
			cell: (r, c) => {
				const v = cell(r, c), s = shareOf(v, scale, o.log);
				if (v === undefined) return null;
				if (Number.isNaN(s) || o.plain) return { text: text(v) };
				const rgb = heatRgb(s, dark);
				return { text: text(v), back: css(rgb), ink: inkOn(rgb) };
			},
			totals: o.totals === false || rows.length < 2 ? [] : TOTALS.filter((_, i) => body.clientHeight > 260 || i < 2).map(name => ({ name, cell: c => (model.totals[name] ? (name === "Avg/Max" ? valueText(model.totals[name][columns[c]], "number") : text(model.totals[name][columns[c]])) : "") })),
		});
	}
	const pick = (name, now, items, run) => h("button", { type: "button", class: "pick", "aria-haspopup": "true", "aria-label": `${name}: ${plain(now, 80)}`, title: name, onclick: e => chooser(e.currentTarget, { title: name, items: words => items.filter(i => i.title.toLowerCase().includes(words.toLowerCase())).map(i => ({ ...i, checked: i.title === now, run: () => run(i) })) }) }, h("span", { class: "grow" }, plain(now, 40)), " ▾");
	function tools(o, mode) {
		const is = range(), fresh = { table: undefined, window: undefined, statistic: undefined, plane: undefined, sort: undefined, across: undefined, hiddenRows: undefined, hiddenColumns: undefined, columns: undefined };
		const tables = [...(answer?.tables ?? []).map(title => ({ title, table: title })), ...(answer?.windows ?? []).map(title => ({ title, hint: "time by value", window: title }))];
		filter.value = o.filter ?? "";
		fill(bar,
			h("button", { type: "button", class: "pick", "aria-haspopup": "true", title: "View", "aria-label": `View: ${plain(view(), 60)}`, onclick: e => chooser(e.currentTarget, { title: "View", items: words => viewItems(app, words, v => own({ ...fresh, view: v.name }), view()) }) }, h("strong", { class: "grow" }, plain(view(), 40)), " ▾"),
			answer && tables.length > 1 ? pick("Table", o.window ?? answer.table, tables, i => own({ ...fresh, table: i.table, window: i.window })) : null,
			answer ? pick("Statistic", answer.statistic, answer.statistics.map(s => ({ title: s.title, hint: s.name, name: s.name })), i => own({ statistic: i.name })) : null,
			answer?.planes ? pick(answer.planes_of, answer.planes.find(p => p.number === answer.plane)?.label ?? "", answer.planes.map(p => ({ title: p.label })), i => own({ plane: i.title })) : null,
			h("span", { class: "segments", role: "group", "aria-label": "Shown as" }, ["numbers", "colours"].map(m => h("button", { type: "button", "aria-pressed": String(m === mode), onclick: () => own({ mode: m }) }, m))),
			h("button", { type: "button", "aria-pressed": String(Boolean(o.log)), title: "Colours by the logarithm of values", onclick: () => own({ log: o.log ? undefined : true }) }, "log"),
			filter,
			h("span", { class: "bar-tail" }, h("span", { class: "soft range" }, `${at(is.from, (is.to - is.from) / 100)} – ${at(is.to, (is.to - is.from) / 100)} · ${where.held() ? "held" : is.of === "whole" ? "all" : `${span(is.to - is.from)} ${is.of}`}`),
				tool("more", "More of this table", e => more(e.currentTarget, o))));
	}
	function more(place, o) {
		const hidden = (o.hiddenRows?.length ?? 0) + (o.hiddenColumns?.length ?? 0);
		menu(place, [
			{ title: "Save as CSV", disabled: !model, run: () => saveText(`${view()}.csv`, tableCsv(model, rows, columns)) },
			{ title: "Totals", checked: o.totals !== false, run: () => own({ totals: o.totals === false ? undefined : false }) },
			{ title: "Colours behind numbers", checked: !o.plain, run: () => own({ plain: o.plain ? undefined : true }) },
			{ line: true, title: "" }, { head: true, title: "Columns" },
			...["", "label", "total"].map(by => ({ title: { "": "In the view's order", label: "By name", total: "By total" }[by], checked: (o.across?.by ?? "") === by, run: () => own({ across: by ? { by, down: by !== "label" } : undefined }) })),
			{ head: true, title: "Ranges of values" },
			...[undefined, 20, 50, 200].map(n => ({ title: n ? `${n} of equal width` : "As the view says", checked: o.columns === n, disabled: answer?.partners, run: () => own({ columns: n }) })),
			{ line: true, title: "" },
			{ title: "Rows by total", checked: o.sort?.by === "total", run: () => sortBy("total") },
			{ title: `Show what is hidden`, hint: hidden ? String(hidden) : "", disabled: !hidden, run: () => own({ hiddenRows: undefined, hiddenColumns: undefined }) },
			{ title: "Show this view in the timeline", run: () => where.track({ kind: "metric", view: view(), ...(o.window && { window: o.window }) }) },
		]);
	}
	return {
		update(changed) {
			if (!app.trace) return;
			ask();
			if (["more", "theme", "safe", "selection", "from", "to"].some(k => changed.has(k))) arrange();
		},
		destroy() { loading.stop(); numbers.destroy(); colours.destroy(); },
		async export(kind) { return kind === "csv" && model ? new Blob([tableCsv(model, rows, columns)], { type: "text/csv" }) : null; },
	};
}
