// SPDX-License-Identifier: Apache-2.0
/* One trace as a strip: its rows over the range that is seen, stretched piece by piece so that what belongs together stands above each other. */
import { paint, pixel, readCells } from "../timeline/cells.js";
import { fusedRows } from "./align.js";

const LINES = 64;

/** @param {any} app @param {number} id of the trace */
export function createStrip(app, id) {
	let held = null, turn = 0, stop = null, image = null;
	const trace = () => app.info.traces[id];
	return {
		id,
		get picture() { return image; },
		get range() { return held; },
		/** Asks for what lies in a range, unless it is there. @returns {Promise<boolean>} whether something new came */
		async load(from, to, width) {
			const end = trace()?.end ?? 1, n = trace()?.levels?.find(l => l.name === "thread")?.n ?? 1;
			from = Math.max(0, Math.floor(from));
			to = Math.min(end, Math.ceil(to));
			if (to <= from) { image = null; held = { from, to, width }; return true; }
			if (held && held.from === from && held.to === to && held.width === width) return false;
			const mine = ++turn;
			stop?.abort();
			stop = new AbortController();
			const cells = readCells(await app.api.bytes("time/cells", { trace: id, from, to, width, rows: fusedRows(n, LINES) }, { signal: stop.signal }));
			if (mine !== turn) return false;
			const off = new OffscreenCanvas(cells.width, cells.lines), data = new ImageData(cells.width, cells.lines);
			paint(cells.place, Uint32Array.from(cells.colors, c => (c >>> 24 ? pixel(c & 0xffffff) : 0)), new Uint32Array(data.data.buffer));
			off.getContext("2d").putImageData(data, 0, 0);
			image = { canvas: off, from: cells.from, to: cells.to, lines: cells.lines };
			held = { from, to, width };
			return true;
		},
		destroy: () => stop?.abort(),
	};
}

/** Draws pieces [{x0, x1, from, to}] (pixels, times of this trace) of a strip's picture. */
export function drawPieces(c, picture, pieces, top, height) {
	if (!picture) return;
	c.imageSmoothingEnabled = false;
	const { canvas, from, to } = picture, scale = canvas.width / (to - from);
	for (const p of pieces) {
		/* What lies outside of the picture stays empty. */
		const t0 = Math.max(p.from, from), t1 = Math.min(p.to, to);
		if (t1 <= t0 || p.to <= p.from) continue;
		const x = t => p.x0 + ((t - p.from) / (p.to - p.from)) * (p.x1 - p.x0);
		c.drawImage(canvas, (t0 - from) * scale, 0, Math.max(0.5, (t1 - t0) * scale), canvas.height, x(t0), top, Math.max(0.5, x(t1) - x(t0)), height);
	}
}
