// SPDX-License-Identifier: Apache-2.0
/* What lies over a track: the selected range, the cursor, marks, messages and flows of the selection. */
import { xOf } from "./zoom.js";

const ARROW = 6;

/** @param {CanvasRenderingContext2D} c */
export function drawOver(c, track, app, stage, { range, width, tall, colors }) {
	const s = app.state;
	c.clearRect(0, 0, width, tall);
	const x = t => Math.round(xOf(t, range, width)) + 0.5;
	const line = (t, color, dash = []) => {
		if (t < range.from || t > range.to) return;
		c.strokeStyle = color;
		c.setLineDash(dash);
		c.beginPath();
		c.moveTo(x(t), 0);
		c.lineTo(x(t), tall);
		c.stroke();
	};
	c.lineWidth = 1;
	const band = stage.band ?? (s.selection?.to > s.selection?.from && s.selection.row === undefined ? s.selection : null);
	if (band) {
		const a = Math.max(0, xOf(band.from, range, width)), b = Math.min(width, xOf(band.to, range, width));
		c.fillStyle = colors.select;
		if (b > a) c.fillRect(a, 0, b - a, tall);
		line(band.from, colors.accent);
		line(band.to, colors.accent);
	}
	for (const m of s.marks) {
		line(m.at, colors.cursor, [2, 3]);
		if (m.to > m.at) {
			c.globalAlpha = 0.12;
			c.fillStyle = colors.cursor;
			c.fillRect(xOf(m.at, range, width), 0, xOf(m.to, range, width) - xOf(m.at, range, width), tall);
			c.globalAlpha = 1;
		}
	}
	drawArrows(c, track, stage, { range, width, tall, colors });
	if (stage.hover >= 0) line(stage.hover, colors.faint, [1, 2]);
	if (s.cursor >= 0) line(s.cursor, colors.cursor);
	const at = s.selection;
	if (at?.row !== undefined && at.level === track.level && at.from < at.to) {
		const y = track.yOf(at.row), a = Math.max(-2, xOf(at.from, range, width)), b = Math.min(width + 2, xOf(at.to, range, width));
		if (!Number.isNaN(y) && b > 0 && a < width && track.style !== "nest") {
			const i = track.lines.findIndex(l => l.kind === "row" && l.rows.includes(at.row));
			c.setLineDash([]);
			c.strokeStyle = colors.text;
			c.lineWidth = 1.5;
			c.strokeRect(a, track.top[i] - track.body.scrollTop + 0.5, Math.max(2, b - a), Math.max(2, track.top[i + 1] - track.top[i] - 2));
		}
	}
}

function drawArrows(c, track, stage, { range, width, tall, colors }) {
	if (track.level !== "thread") return;
	c.setLineDash([]);
	for (const [list, color] of [[stage.arrows.flows, colors.soft], [stage.arrows.messages, colors.text]]) {
		c.strokeStyle = color;
		c.fillStyle = color;
		c.lineWidth = list.length > 100 ? 0.7 : 1.2;
		for (const m of list) {
			const y0 = track.yOf(m.from), y1 = track.yOf(m.to);
			if (Number.isNaN(y0) || Number.isNaN(y1) || Math.max(y0, y1) < 0 || Math.min(y0, y1) > tall) continue;
			const x0 = xOf(m.begin, range, width), x1 = xOf(m.end, range, width);
			c.beginPath();
			c.moveTo(x0, y0);
			c.lineTo(x1, y1);
			c.stroke();
			head(c, x0, y0, x1, y1);
		}
	}
}

function head(c, x0, y0, x1, y1) {
	const long = Math.hypot(x1 - x0, y1 - y0);
	if (long < ARROW) return;
	const ux = (x1 - x0) / long, uy = (y1 - y0) / long;
	c.beginPath();
	c.moveTo(x1, y1);
	c.lineTo(x1 - ARROW * ux - 0.45 * ARROW * uy, y1 - ARROW * uy + 0.45 * ARROW * ux);
	c.lineTo(x1 - ARROW * ux + 0.45 * ARROW * uy, y1 - ARROW * uy - 0.45 * ARROW * ux);
	c.closePath();
	c.fill();
}
