// SPDX-License-Identifier: Apache-2.0
/* Rows as curves: the average of each pixel filled, the greatest as a line above it. Fetched for what is seen, when it stands still. */
import { isAbort } from "../lib/api.js";
import { css, CODES } from "../lib/color.js";
import { number } from "../lib/time.js";
import { readCurve } from "./cells.js";
import { lineAt, specs } from "./rows.js";
import { xOf } from "./zoom.js";

const ROWS_MOST = 200;

export function createCurves(app, schedule, fail) {
	let data = null, asked = "", stop = null, timer = 0;

	async function ask(track, range, part, width) {
		const mine = JSON.stringify([track.args(), specs(part), range, width]);
		if (mine === asked) return;
		asked = mine;
		stop?.abort();
		stop = new AbortController();
		try {
			const curve = readCurve(await app.api.bytes("time/curve", { ...track.args(), draw: undefined, rows: specs(part), from: range.from, to: range.to, width: Math.min(width, Math.floor(900000 / part.length)) }, { signal: stop.signal }));
			data = { curve, at: new Map(part.map((l, i) => [l.rows.join("_"), i])) };
			schedule();
		} catch (error) {
			if (isAbort(error)) return;
			fail(error);
		}
	}
	return {
		clear() { data = null; asked = ""; stop?.abort(); clearTimeout(timer); },
		/** @param {CanvasRenderingContext2D} c */
		draw(c, track, { range, width, tall, colors, unit }) {
			const { lines, top, body } = track;
			if (!lines.length) return;
			const first = Math.max(0, lineAt(top, body.scrollTop)), end = lineAt(top, body.scrollTop + tall - 0.01), last = end < 0 ? lines.length - 1 : end;
			const part = lines.slice(first, last + 1).filter(l => l.kind === "row" || l.folded).slice(0, ROWS_MOST);
			clearTimeout(timer);
			if (part.length) timer = setTimeout(() => ask(track, range, part, Math.round(width * (devicePixelRatio || 1))), 60);
			if (!data) return;
			const { curve, at } = data, low = Math.min(0, track.scale?.min ?? curve.min), high = Math.max(track.scale?.max ?? curve.max, low + 1e-9);
			for (let i = first; i <= last; i++) {
				const n = at.get(lines[i].rows.join("_"));
				if (n === undefined) continue;
				drawOne(c, curve, n, { y: top[i] - body.scrollTop, t: top[i + 1] - top[i] - 3, low, high, range, width, color: css(CODES[0]), soft: colors.soft, font: unit.small });
			}
		},
	};
}

function drawOne(c, curve, n, { y, t, low, high, range, width, color, soft, font }) {
	const x = i => xOf(curve.from + (i * (curve.to - curve.from)) / curve.width, range, width);
	const up = v => y + t - (Math.max(low, Math.min(high, v)) - low) / (high - low) * (t - 2);
	const zero = up(Math.max(0, low));
	c.save();
	c.beginPath();
	c.rect(0, y, width, t + 1);
	c.clip();
	c.beginPath();
	c.moveTo(x(0), zero);
	for (let i = 0; i < curve.width; i++) { const v = up(curve.average[n * curve.width + i]); c.lineTo(x(i), v); c.lineTo(x(i + 1), v); }
	c.lineTo(x(curve.width), zero);
	c.closePath();
	c.fillStyle = color;
	c.globalAlpha = 0.45;
	c.fill();
	c.globalAlpha = 1;
	c.beginPath();
	for (let i = 0; i < curve.width; i++) { const v = up(curve.most[n * curve.width + i]); if (i) c.lineTo(x(i), v); else c.moveTo(x(i), v); c.lineTo(x(i + 1), v); }
	c.strokeStyle = color;
	c.lineWidth = 1;
	c.stroke();
	if (t >= 30) {
		c.font = font;
		c.fillStyle = soft;
		c.textBaseline = "top";
		c.textAlign = "right";
		c.fillText(number(high), width - 4, y + 2);
		c.textAlign = "left";
	}
	c.restore();
}
