// SPDX-License-Identifier: Apache-2.0
/*
 * A grid of any size: only the cells that can be seen are in the page. The row of headings, the names of rows and the totals stay in place.
 * One cell is active: arrows move it, Enter takes it; it is what a screen reader hears.
 *
 *   ┌ corner ┬ headings … ┐ stays at the top
 *   │ names  │ cells      │ names stay on the left
 *   └ totals ┴────────────┘ stays at the bottom
 */
import { fill, h, plain } from "../lib/dom.js";
import { keyName } from "../lib/keys.js";
import { moveCell } from "./model.js";

const HEIGHT = 22;

/**
 * @typedef {object} Grid
 * @property {string} label
 * @property {number} rows
 * @property {number} columns
 * @property {(r: number) => string} rowName
 * @property {(c: number) => string} columnName
 * @property {(c: number) => string} [heading]         what stands above the column, when its name is too long for that
 * @property {(r: number, c: number) => {text: string, back?: string, ink?: string} | null} cell
 * @property {(c: number) => string} [mark]            behind a heading: "▼"
 * @property {{name: string, cell: (c: number) => string}[]} [totals]
 * @property {string} [corner]
 * @property {number} [nameWidth] @property {number} [width]   pixels of the names and of a column
 *
 * @typedef {object} GridHow
 * @property {(at: {r: number, c: number}, event: Event) => void} [take]    a cell was clicked, or Enter
 * @property {(c: number, event: Event) => void} [head]    a heading was clicked
 * @property {(r: number, event: Event) => void} [name]
 * @property {() => void} [corner]
 * @property {(at: {r: number, c: number}, place: {x: number, y: number}) => void} [menu]   r or c -1: of a heading, a name
 * @property {(at: {r: number, c: number}) => void} [look]    the active cell has changed
 * @property {(key: string, at: {r: number, c: number}) => boolean} [key]
 */

/** @param {HTMLElement} host @param {GridHow} how */
export function createGrid(host, how) {
	const head = h("div", { class: "grid-head", role: "row" }), body = h("div", { class: "grid-body", role: "rowgroup" }), foot = h("div", { class: "grid-foot", role: "rowgroup" });
	const space = h("div", { class: "grid-space" }, head, body, foot);
	const box = h("div", { class: "grid", role: "grid", tabindex: "0" }, space);
	host.append(box);
	/** @type {Grid} */
	let g = { label: "", rows: 0, columns: 0, rowName: () => "", columnName: () => "", cell: () => null };
	let at = { r: 0, c: 0 }, frame = 0;
	const id = `grid-${Math.random().toString(36).slice(2, 8)}`;
	const nameWidth = () => g.nameWidth ?? 150, width = () => g.width ?? 92;

	function draw() {
		frame = 0;
		const w = width(), left = nameWidth(), firstC = Math.max(0, Math.floor(box.scrollLeft / w) - 1), lastC = Math.min(g.columns - 1, Math.ceil((box.scrollLeft + box.clientWidth - left) / w) + 1);
		const top = box.scrollTop, firstR = Math.max(0, Math.floor(top / HEIGHT) - 3), lastR = Math.min(g.rows - 1, Math.ceil((top + box.clientHeight) / HEIGHT) + 3);
		fill(head, h("div", { class: "grid-corner", role: "columnheader", style: { width: `${left}px` }, onclick: () => how.corner?.() }, g.corner ?? ""), seq(firstC, lastC, c =>
			h("div", { class: "grid-title", role: "columnheader", title: plain(g.columnName(c)), "aria-colindex": String(c + 2), style: { left: `${left + c * w}px`, width: `${w}px` }, "data-c": c },
				h("span", { class: "grow" }, plain((g.heading ?? g.columnName)(c), 80)), g.mark?.(c) ?? "")));
		fill(body, seq(firstR, lastR, r => h("div", { class: "grid-row", role: "row", "aria-rowindex": String(r + 2), style: { top: `${r * HEIGHT}px` } },
			h("div", { class: "grid-name", role: "rowheader", title: plain(g.rowName(r)), "data-r": r, style: { width: `${left}px` } }, plain(g.rowName(r), 80)),
			seq(firstC, lastC, c => {
				const v = g.cell(r, c), active = r === at.r && c === at.c;
				return h("div", { class: active ? "grid-cell active" : "grid-cell", role: "gridcell", id: active ? id : null, "aria-colindex": String(c + 2), "data-r": r, "data-c": c, "data-cell": "",
					style: { left: `${left + c * w}px`, width: `${w}px`, ...(v?.back && { background: v.back }), ...(v?.ink && { color: v.ink }) } }, v?.text ?? "");
			}))));
		fill(foot, (g.totals ?? []).map(t => h("div", { class: "grid-total", role: "row" }, h("div", { class: "grid-name", role: "rowheader", style: { width: `${left}px` } }, t.name),
			seq(firstC, lastC, c => h("div", { class: "grid-cell", role: "gridcell", style: { left: `${left + c * w}px`, width: `${w}px` } }, t.cell(c))))));
		box.setAttribute("aria-activedescendant", id);
	}
	const soon = () => { if (!frame) frame = requestAnimationFrame(draw); };
	box.addEventListener("scroll", soon, { passive: true });
	const sizes = new ResizeObserver(soon);
	sizes.observe(box);

	function reveal() {
		const w = width(), x = at.c * w, y = at.r * HEIGHT, footHeight = (g.totals?.length ?? 0) * HEIGHT, wide = box.clientWidth - nameWidth(), high = box.clientHeight - HEIGHT - 4 - footHeight;
		if (x < box.scrollLeft) box.scrollLeft = x;
		else if (x + w > box.scrollLeft + wide) box.scrollLeft = x + w - wide;
		if (y < box.scrollTop) box.scrollTop = y;
		else if (y + HEIGHT > box.scrollTop + high) box.scrollTop = y + HEIGHT - high;
	}
	function go(to) {
		at = to;
		reveal();
		draw();
		how.look?.(at);
	}
	const place = e => ({ r: Number(e.dataset.r ?? -1), c: Number(e.dataset.c ?? -1) });
	box.addEventListener("click", event => {
		const e = event.target.closest("[data-r], [data-c]");
		if (!e) return;
		const p = place(e);
		if (p.r < 0) how.head?.(p.c, event);
		else if (p.c < 0) how.name?.(p.r, event);
		else { go(p); how.take?.(p, event); }
	});
	box.addEventListener("contextmenu", event => {
		const e = event.target.closest("[data-r], [data-c]");
		if (!e || !how.menu) return;
		event.preventDefault();
		how.menu(place(e), { x: event.clientX, y: event.clientY });
	});
	box.addEventListener("keydown", event => {
		const key = keyName(event), to = g.rows && g.columns ? moveCell(at, key, { rows: g.rows, columns: g.columns, page: Math.max(1, Math.floor(box.clientHeight / HEIGHT) - 3) }) : null;
		if (to) go(to);
		else if (key === "Enter" && g.rows) how.take?.(at, event);
		else if ((key === "Shift+F10" || key === "ContextMenu") && how.menu) {
			const e = box.querySelector(".grid-cell.active")?.getBoundingClientRect();
			how.menu(at, { x: e?.left ?? 0, y: e?.bottom ?? 0 });
		} else if (!how.key?.(key, at)) return;
		event.preventDefault();
		event.stopPropagation();
	});
	return {
		/** @param {Grid} next */
		set(next) {
			g = next;
			at = { r: Math.max(0, Math.min(at.r, g.rows - 1)), c: Math.max(0, Math.min(at.c, g.columns - 1)) };
			box.setAttribute("aria-label", g.label);
			box.setAttribute("aria-rowcount", String(g.rows + 1));
			box.setAttribute("aria-colcount", String(g.columns + 1));
			space.style.width = `${nameWidth() + g.columns * width()}px`;
			body.style.height = `${g.rows * HEIGHT}px`;
			draw();
		},
		redraw: soon,
		go,
		get at() { return at; },
		element: box,
		destroy() { sizes.disconnect(); cancelAnimationFrame(frame); box.remove(); },
	};
}

function seq(first, last, make) {
	const list = [];
	for (let i = first; i <= last; i++) list.push(make(i));
	return list;
}
