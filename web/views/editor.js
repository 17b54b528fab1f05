// SPDX-License-Identifier: Apache-2.0
/*
 * The editor of metric expressions: completion as one types, what is wrong marked in its place, and at once what comes out: the table of the text over
 * what is seen. When it is what was wanted it becomes a view.
 */
import { fill, h, plain } from "../lib/dom.js";
import { follower, rangeArgs, rangeOf } from "../tables/follow.js";
import { createGrid } from "../tables/grid.js";
import { css, heatRgb, inkOn, valueText } from "../tables/heat.js";
import { cellOf, scaleOf, shareOf, tableModel } from "../tables/model.js";
import { complete, insertWord, offsetOf, placeOf } from "./words.js";

const FIRST = "useful = state == Running\n";

/** @param {HTMLElement} host @param {import("../app.js").App} app @param {{added: () => void, track: (t: object) => void}} how */
export function createEditor(host, app, how) {
	const own = patch => app.own("views", patch);
	const area = h("textarea", { class: "editor-text mono", spellcheck: "false", autocapitalize: "off", "aria-label": "Text of the view", rows: "6", "aria-autocomplete": "list", "aria-controls": "editor-words" });
	const under = h("pre", { class: "editor-under mono", "aria-hidden": "true" }), words = h("div", { class: "editor-words menu", id: "editor-words", role: "listbox", "aria-label": "What can stand here" }), said = h("div", { class: "editor-said", role: "status" }), result = h("div", { class: "editor-result" });
	const buttons = h("div", { class: "bar-line" }, h("button", { type: "button", class: "main", title: "Ctrl+Enter", onclick: () => keep("table") }, "Add to views"), h("button", { type: "button", onclick: () => keep("timeline") }, "In timeline"), h("span", { class: "soft small" }, "Ctrl+Space completes"));
	host.append(h("div", { class: "editor-box" }, under, area, words), said, buttons, result);
	area.value = own().text ?? FIRST;
	words.hidden = true;
	const grid = createGrid(result, {});
	let known = null, knownOf = -1, items = [], from = 0, chosen = 0, checked = null;

	const check = follower(host, async signal => {
		const text = area.value, trace = app.state.trace, one = await app.api.json("table/metric", { trace, text }, { signal });
		const table = one.ok && !one.lack ? await app.api.json("table/view", { trace, text, ...rangeArgs(rangeOf(app)) }, { signal }).catch(error => { if (error.name === "AbortError") throw error; return { error: error.message }; }) : null;
		return { ...one, text, table };
	}, answer => { checked = answer; say(); }, app.fail);

	function say() {
		const a = checked;
		fill(said, !a ? "" : a.ok ? h("span", { class: a.lack ? "soft" : "good" }, a.lack ? `right, but the trace has no events of ${plain(a.lack, 200)}` : `${a.windows.length} metric${a.windows.length === 1 ? "" : "s"}, ${a.tables.length || "no"} table${a.tables.length === 1 ? "" : "s"}`) : h("span", { class: "bad" }, a.line ? `${a.line}:${a.column}: ` : "", plain(a.error, 400)));
		area.setAttribute("aria-invalid", String(Boolean(a && !a.ok)));
		underline(a && !a.ok && a.line ? offsetOf(a.text, a.line, a.column) : -1);
		const t = a?.table;
		result.hidden = !t || Boolean(t.error);
		if (t?.error) fill(said, h("span", { class: "bad" }, plain(t.error, 300)));
		if (!t || t.error) return;
		const model = tableModel(t), rows = model.rows.map((_, i) => i), columns = model.columns.map((_, i) => i), scale = scaleOf(model, rows, columns), dark = app.dark();
		grid.set({ label: "What comes out", rows: rows.length, columns: columns.length, nameWidth: 110, width: 84, corner: plain(t.statistic, 20), rowName: r => model.rows[r].label, columnName: c => model.columns[c].label, cell: (r, c) => {
			const v = cellOf(model.rows[r], c);
			if (v === undefined) return null;
			const rgb = heatRgb(shareOf(v, scale) || 0, dark);
			return { text: valueText(v, model.kind, model.factor), back: css(rgb), ink: inkOn(rgb) };
		} });
	}
	/* The same text below the area, with the wrong word underlined. */
	function underline(at) {
		const text = area.value;
		if (at < 0) return fill(under, text + "\n");
		const word = /^(?:[\w.]+|"[^"\n]*"?|\S|$)/.exec(text.slice(at))?.[0] || " ";
		fill(under, text.slice(0, at), h("span", { class: "wrong" }, word), text.slice(at + word.length) + "\n");
		under.scrollTop = area.scrollTop;
	}
	area.addEventListener("scroll", () => { under.scrollTop = area.scrollTop; under.scrollLeft = area.scrollLeft; });

	/* ---- completion ---- */

	async function offer(asked) {
		if (knownOf !== app.state.trace) {
			try {
				known = await app.api.json("table/words", { trace: app.state.trace });
				knownOf = app.state.trace;
			} catch (error) { return app.fail(error); }
		}
		const at = area.selectionStart, next = complete(area.value, at, known), word = area.value.slice(next.from, at);
		items = next.items.filter(i => i.name !== word || next.items.length > 1).slice(0, 60);
		from = next.from;
		chosen = 0;
		words.hidden = !items.length || (!asked && !word);
		if (words.hidden) return area.removeAttribute("aria-activedescendant");
		fill(words, items.map((item, i) => h("div", { role: "option", id: `word-${i}`, "aria-selected": "false", onpointerdown: e => { e.preventDefault(); take(i); } }, h("span", { class: "grow mono" }, plain(item.name, 60)), h("span", { class: "soft small" }, plain([item.kind, item.note].filter(Boolean).join(" · "), 50)))));
		const line = area.value.slice(0, at).split("\n"), room = 17.5;
		words.style.top = `${Math.min(area.clientHeight - 4, line.length * room + 8 - area.scrollTop)}px`;
		words.style.left = `${Math.min(120, (line.at(-1).length - word.length) * 7.2 + 6)}px`;
		mark();
	}
	const mark = () => [...words.children].forEach((e, i) => { e.setAttribute("aria-selected", String(i === chosen)); if (i === chosen) { e.scrollIntoView({ block: "nearest" }); area.setAttribute("aria-activedescendant", e.id); } });
	function take(i) {
		const item = items[i], at = area.selectionStart;
		if (!item) return;
		const next = insertWord(area.value, at, from, item, placeOf(area.value, at).quoted);
		area.value = next.text;
		area.setSelectionRange(next.at, next.at);
		words.hidden = true;
		changed();
	}
	function changed() {
		own({ text: area.value });
		underline(-1);
		check.ask({ text: area.value, trace: app.state.trace, ...rangeOf(app) });
	}
	area.addEventListener("input", () => { changed(); offer(false); });
	area.addEventListener("blur", () => { words.hidden = true; });
	area.addEventListener("keydown", e => {
		if ((e.ctrlKey || e.metaKey) && e.key === " ") offer(true);
		else if ((e.ctrlKey || e.metaKey) && e.key === "Enter") keep("table");
		else if (!words.hidden && (e.key === "ArrowDown" || e.key === "ArrowUp")) { chosen = (chosen + (e.key === "ArrowDown" ? 1 : -1) + items.length) % items.length; mark(); }
		else if (!words.hidden && (e.key === "Enter" || e.key === "Tab")) take(chosen);
		else if (!words.hidden && e.key === "Escape") words.hidden = true;
		else return;
		e.preventDefault();
		e.stopPropagation();
	});
	async function keep(to) {
		try {
			const a = await app.api.json("table/metric", { trace: app.state.trace, text: area.value, add: 1 });
			if (!a.ok) { checked = { ...a, text: area.value, table: null }; say(); area.focus(); return; }
			how.added();
			if (to === "timeline") how.track({ kind: "metric", view: a.view });
			else { app.own("table", { view: a.view, table: undefined, window: undefined, statistic: undefined, plane: undefined }); app.open("table"); }
			app.say("it is among your views now", "done");
		} catch (error) {
			app.fail(error);
		}
	}
	underline(-1);
	return {
		update(changedKeys) {
			check.ask({ text: area.value, trace: app.state.trace, ...rangeOf(app) });
			if (changedKeys.has("theme")) say();
		},
		destroy() { check.stop(); grid.destroy(); },
	};
}
