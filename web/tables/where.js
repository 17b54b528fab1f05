// SPDX-License-Identifier: Apache-2.0
/*
 * Where it happens: the intervals of chosen cells, to step through one after the other, and as a view of its own in the timeline.
 */
import { fill, h, plain, tool } from "../lib/dom.js";
import { at, count, span } from "../lib/time.js";

/** Intervals of all rows in the order of time. @param {any} answer of table/cell */
export function inTime(answer) {
	const list = [];
	for (const row of answer.rows) for (let i = 0; i + 2 < row.intervals.length; i += 3) list.push({ from: row.intervals[i], to: row.intervals[i] + row.intervals[i + 1], value: row.intervals[i + 2], row: row.object, label: row.label });
	return list.sort((a, b) => a.from - b.from || a.row - b.row);
}

/** The longest one's number; -1: none. @param {{from: number, to: number}[]} list */
export function longest(list) {
	let best = -1;
	list.forEach((x, i) => { if (best < 0 || x.to - x.from > list[best].to - list[best].from) best = i; });
	return best;
}

/** A range around an interval in which it can be seen beside its neighbours. @param {{from: number, to: number}} x @param {number} end */
export function around({ from, to }, end) {
	const room = Math.max(1, (to - from) * 4);
	return { from: Math.max(0, from - room), to: Math.min(end, to + room) };
}

/**
 * @param {import("../app.js").App} app @param {() => object} about   arguments of the table
 * @param {() => {from: number, to: number, of: string}} [range] that it is of @param {() => void} [changed]   what `held` says has
 */
export function createWhere(app, about, range = () => null, changed = () => {}) {
	const element = h("div", { class: "where", role: "region", "aria-label": "Where it happens" });
	let answer = null, list = [], now = -1, turn = 0, held = null;
	element.hidden = true;

	function go(i) {
		if (!list.length) return;
		now = (i + list.length) % list.length;
		const x = list[now], view = around(x, app.trace?.end ?? x.to);
		app.show(view.from, view.to, { step: true, row: { from: x.from, to: x.to, trace: app.state.trace, level: answer.level, row: x.row, at: x.from, track: 0 } });
		draw();
	}
	function draw() {
		element.hidden = !answer;
		if (!answer) return;
		const x = list[now];
		fill(element,
			h("strong", {}, plain(answer.name, 80)), h("span", { class: "soft" }, `${count(answer.n)} interval${answer.n === 1 ? "" : "s"}, ${span(answer.time)}${answer.left_out ? `; the first ${count(list.length)} can be stepped through` : ""}`),
			list.length ? [tool("left", "The one before", () => go(now - 1), "p"), h("span", { class: "n" }, now < 0 ? "–" : `${now + 1} / ${list.length}`), tool("right", "The next one", () => go(now + 1), "n"), h("button", { type: "button", onclick: () => go(longest(list)) }, "longest")] : null,
			x ? h("span", { class: "soft" }, `${plain(x.label, 40)} at ${at(x.from, Math.max(1, (x.to - x.from) / 10))}, ${span(x.to - x.from)}`) : null,
			h("span", { class: "grow" }),
			answer.view ? h("button", { type: "button", class: "main", onclick: () => track({ kind: "metric", view: answer.view, cells: true }) }, "Show in timeline") : null,
			tool("close", "Close", () => { answer = held = null; list = []; draw(); changed(); }));
	}
	/* One track of cells at a time; those that are there stay. */
	function track(t) {
		const there = app.state.tracks?.length ? app.state.tracks : [{}]; /* as the timeline begins */
		app.set({ tracks: [...there.filter(x => !(t.cells && x.cells)), t], main: "timeline" }, { step: true });
		app.say("shown in the timeline", "done");
	}
	return {
		element, track,
		/** The range of what was asked for, while it is shown. */
		held: () => held,
		/** @param {{row: number[], column: number[], plane?: string}} cells   numbers; []: all */
		async ask({ row, column, plane }) {
			const mine = ++turn;
			try {
				const next = await app.api.json("table/cell", { ...about(), ...(plane && { plane }), row: row.join(","), column: column.join(","), most: 5000, keep: app.api.exported ? undefined : 1 });
				if (mine !== turn) return;
				held = range();
				answer = next;
				list = inTime(next);
				now = -1;
				draw();
				changed();
				if (!list.length) app.say("nothing of it is in this range");
			} catch (error) {
				app.fail(error);
			}
		},
		/** Keys of the panel. @param {string} key */
		key(key) {
			if (!answer || (key !== "n" && key !== "p")) return false;
			go(now + (key === "n" ? 1 : -1));
			return true;
		},
	};
}
