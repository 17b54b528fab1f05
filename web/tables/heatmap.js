// SPDX-License-Identifier: Apache-2.0
/*
 * A table as colours alone: all of it at once, each cell as large as there is room, down to many cells a pixel, of which the greatest is shown.
 * One canvas; the cell under the pointer, and the one that arrows move, has a frame.
 */
import { h } from "../lib/dom.js";
import { keyName } from "../lib/keys.js";
import { heatRgb } from "./heat.js";
import { moveCell } from "./model.js";

const LEFT = 110, TOP = 18, CELL_MOST = 26;

/** Where a row or column begins, in whole pixels. @param {number} i @param {number} n @param {number} size */
export const edge = (i, n, size) => Math.floor((i * size) / n);

/**
 * @param {HTMLElement} host
 * @param {{take?: (at: {r: number, c: number}, e: Event) => void, look?: (at: {r: number, c: number} | null) => void, menu?: (at: {r: number, c: number}, p: {x: number, y: number}) => void}} how
 */
export function createHeatmap(host, how) {
	const canvas = h("canvas", { class: "heatmap", tabindex: "0", role: "img", "aria-label": "Table as colours" });
	host.append(canvas);
	let g = { rows: 0, columns: 0, share: () => NaN, rowName: () => "", columnName: () => "", label: "", dark: false, square: false }, at = { r: 0, c: 0 }, over = null;
	const size = () => {
		const w = Math.max(1, host.clientWidth), t = Math.max(1, host.clientHeight);
		const across = Math.min(w - LEFT - 8, g.columns * CELL_MOST), down = Math.min(t - TOP - 8, g.rows * CELL_MOST);
		if (!g.square) return { w, t, across: Math.max(1, across), down: Math.max(1, down) };
		const one = Math.max(1 / 64, Math.min(across / Math.max(1, g.columns), down / Math.max(1, g.rows)));
		return { w, t, across: Math.max(1, Math.floor(one * g.columns)), down: Math.max(1, Math.floor(one * g.rows)) };
	};

	/* The greatest share of the cells of each pixel; nothing where there is none. */
	function image(across, down) {
		const shares = new Float32Array(across * down).fill(-1);
		for (let r = 0; r < g.rows; r++) {
			const y0 = edge(r, g.rows, down), y1 = Math.max(y0 + 1, edge(r + 1, g.rows, down) - (down / g.rows >= 6 ? 1 : 0));
			for (let c = 0; c < g.columns; c++) {
				const s = g.share(r, c);
				if (!(s >= 0)) continue;
				const x0 = edge(c, g.columns, across), x1 = Math.max(x0 + 1, edge(c + 1, g.columns, across) - (across / g.columns >= 6 ? 1 : 0));
				for (let y = y0; y < y1 && y < down; y++) for (let x = x0; x < x1 && x < across; x++) if (s > shares[y * across + x]) shares[y * across + x] = s;
			}
		}
		return shares;
	}
	function draw() {
		const { w, t, across, down } = size(), scale = devicePixelRatio || 1, style = getComputedStyle(canvas), x = canvas.getContext("2d");
		canvas.width = Math.round(w * scale);
		canvas.height = Math.round(t * scale);
		canvas.style.width = `${w}px`;
		canvas.style.height = `${t}px`;
		x.scale(scale, scale);
		x.fillStyle = style.getPropertyValue("--track");
		x.fillRect(LEFT, TOP, across, down);
		if (!g.rows || !g.columns) return;
		const px = Math.round(across * scale), py = Math.round(down * scale), shares = image(px, py), data = x.createImageData(px, py);
		for (let i = 0; i < shares.length; i++) {
			if (shares[i] < 0) continue;
			const [r, gr, b] = heatRgb(shares[i], g.dark);
			data.data.set([r, gr, b, 255], 4 * i);
		}
		const bitmap = new OffscreenCanvas(px, py);
		bitmap.getContext("2d").putImageData(data, 0, 0);
		x.drawImage(bitmap, LEFT, TOP, across, down);
		x.fillStyle = style.getPropertyValue("--soft");
		x.font = `11px ${style.getPropertyValue("--sans")}`;
		x.textBaseline = "middle";
		x.textAlign = "right";
		const stepR = Math.max(1, Math.ceil(13 / (down / g.rows))), stepC = Math.max(1, Math.ceil(60 / (across / g.columns)));
		for (let r = 0; r < g.rows; r += stepR) x.fillText(cut(x, g.rowName(r), LEFT - 10), LEFT - 6, TOP + ((r + 0.5) * down) / g.rows);
		x.textAlign = "left";
		for (let c = 0; c < g.columns; c += stepC) x.fillText(cut(x, g.columnName(c), Math.max(20, stepC * (across / g.columns) - 6), true), LEFT + (c * across) / g.columns, TOP - 9);
		for (const [spot, color] of [[over, "--soft"], [document.activeElement === canvas ? at : null, "--cursor"]]) {
			if (!spot) continue;
			x.strokeStyle = style.getPropertyValue(color);
			x.lineWidth = 1.5;
			const x0 = edge(spot.c, g.columns, across), y0 = edge(spot.r, g.rows, down);
			x.strokeRect(LEFT + x0 - 0.75, TOP + y0 - 0.75, Math.max(2, across / g.columns) + 0.5, Math.max(2, down / g.rows) + 0.5);
		}
	}
	const find = e => {
		const { across, down } = size(), b = canvas.getBoundingClientRect(), c = Math.floor(((e.clientX - b.left - LEFT) / across) * g.columns), r = Math.floor(((e.clientY - b.top - TOP) / down) * g.rows);
		return r >= 0 && r < g.rows && c >= 0 && c < g.columns ? { r, c } : null;
	};
	const say = spot => { how.look?.(spot); if (spot) canvas.setAttribute("aria-label", `${g.label}: ${g.rowName(spot.r)}, ${g.columnName(spot.c)}: ${g.text?.(spot.r, spot.c) ?? ""}`); };
	canvas.addEventListener("pointermove", e => {
		const spot = find(e);
		if (spot?.r === over?.r && spot?.c === over?.c) return;
		over = spot;
		draw();
		say(spot);
	});
	canvas.addEventListener("pointerleave", () => { over = null; draw(); how.look?.(null); });
	canvas.addEventListener("click", e => { const spot = find(e); if (spot) { at = spot; draw(); how.take?.(spot, e); } });
	canvas.addEventListener("contextmenu", e => { const spot = find(e); if (spot && how.menu) { e.preventDefault(); how.menu(spot, { x: e.clientX, y: e.clientY }); } });
	canvas.addEventListener("keydown", e => {
		const to = g.rows && g.columns ? moveCell(at, keyName(e), { rows: g.rows, columns: g.columns, page: 10 }) : null;
		if (to) { at = to; draw(); say(at); } else if (e.key === "Enter" && g.rows) how.take?.(at, e);
		else return;
		e.preventDefault();
		e.stopPropagation();
	});
	canvas.addEventListener("focus", draw);
	canvas.addEventListener("blur", draw);
	const sizes = new ResizeObserver(draw);
	sizes.observe(host);
	return {
		set(next) { g = { ...g, ...next }; at = { r: Math.max(0, Math.min(at.r, g.rows - 1)), c: Math.max(0, Math.min(at.c, g.columns - 1)) }; canvas.setAttribute("aria-label", g.label); draw(); },
		redraw: draw,
		element: canvas,
		destroy() { sizes.disconnect(); canvas.remove(); },
	};
}

/* The end of a row's name tells more than its begin ("THREAD 1.12.3"), the begin of a column's more than its end ("[10.5..12)"). */
function cut(x, text, room, begin = false) {
	if (x.measureText(text).width <= room) return text;
	let n = text.length;
	const part = () => (begin ? text.slice(0, n) + "…" : "…" + text.slice(-n));
	while (n > 1 && x.measureText(part()).width > room) n--;
	return part();
}
