// SPDX-License-Identifier: Apache-2.0
/* Canvases of the live page: rows of what workers are at, and curves. A sample costs what is new in it, and copying what is seen. */
import { plain } from "../lib/dom.js";
import { STATES, brief } from "./model.js";

/** A canvas as large as its box, in device pixels, ready to be painted in CSS pixels; opaque: who paints it covers all of it. @param {HTMLCanvasElement} canvas */
export function fit(canvas, height, width = canvas.parentElement.clientWidth, opaque = false) {
	const ratio = devicePixelRatio || 1;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
	}
	const c = canvas.getContext("2d", { alpha: !opaque });
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	if (!opaque) c.clearRect(0, 0, width, height);
	return { c, width, height };
}

/** The names of colours that the page's style has. */
export function inks(element) {
	const style = getComputedStyle(element), ink = name => style.getPropertyValue(`--${name}`).trim();
	return { text: ink("text"), soft: ink("soft"), line: ink("line"), lineSoft: ink("line-soft"), track: ink("track"), ground: ink("ground"), raised: ink("raised"), accent: ink("accent"), warn: ink("warn"), font: style.fontFamily };
}

export const LABELS = 172, ROW = 22, AXIS = 22;

/** Round steps of seconds so that about `most` fit. @param {number} span @param {number} most */
export function tickStep(span, most) {
	const least = span / Math.max(1, most), power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map(k => k * power).find(step => step >= least) ?? 10 * power;
}

const cuts = new Map();
/** A text that is cut to a width; the same few are asked for again and again. */
function cut(c, text, width) {
	const key = `${c.font}\n${width}\n${text}`, known = cuts.get(key);
	if (known !== undefined) return known;
	let n = text.length;
	if (c.measureText(text).width > width) while (n > 1 && c.measureText(text.slice(0, n) + "…").width > width) n--;
	if (cuts.size > 4000) cuts.clear();
	cuts.set(key, n < text.length ? text.slice(0, n) + "…" : text);
	return cuts.get(key);
}

/* The parts of a slot, from below: executing (or regions), then what it was beside. */
function paintSlot(c, s, x0, w, top, h, colors, byWhat) {
	let y = top + h;
	const parts = byWhat && s.parts?.length ? s.parts : null, n = parts ? parts.length : STATES.length;
	for (let k = 0; k < n; k++) {
		const tall = h * (parts ? parts[k][1] : s.shares[k]);
		if (tall < 0.2) continue;
		c.fillStyle = parts ? byWhat(parts[k][0]) : k === 0 && byWhat && s.what ? byWhat(s.what) : colors[STATES[k]];
		c.fillRect(x0, y - tall, w, tall);
		y -= tall;
	}
}

const tickText = t => `${Number(t.toPrecision(9))} s`;
/* What lies below everything: rows [first, last), row 0 at `top`, and lines of the axis at these places. */
function paintGround(c, { x, width, first = 0, last, row, top, ink, lines, thick }) {
	const y = top + first * row, tall = (last - first) * row;
	c.fillStyle = ink.ground;
	c.fillRect(x, y, width, tall);
	c.fillStyle = ink.lineSoft;
	for (const at of lines) c.fillRect(at, y, thick, tall);
	c.fillStyle = ink.track;
	for (let i = first; i < last; i++) c.fillRect(x, top + i * row, width, row - 4);
}
/* Rows [first, last) that are seen at all. */
const seenRows = ({ rows, row, scroll, height }) => [Math.max(0, Math.floor(scroll / row)), Math.min(rows.length, Math.ceil((scroll + height - AXIS) / row))];

/**
 * The columns of the last seconds, each painted once with what is below it: a ring of pixels in which time goes round, so that a sample costs what is new
 * in it, and showing it is copying. It has the rows that are seen: scrolling paints it anew.
 *
 *     time     … 27  28  29  30 ┊ 31  32           column = time × scale modulo width
 *     ring     30 │ 31  32 │ 23 …                  what is shown are two pieces of it
 */
export function createRing() {
	let ring = null, c = null, key = "", upTo = -Infinity, w = 1, scale = 1, turn = 0;
	const column = t => Math.floor(t * scale);
	/* Columns [a, b) lie in one or two pieces of the ring. */
	const each = (a, b, f) => { for (let at = a; at < b;) { const x = ((at % w) + w) % w, n = Math.min(b - at, w - x); f(x, n, at); at += n; } };
	return {
		column,
		/** The first column that is not known yet; how often all has begun anew. */
		get end() { return upTo; }, get turn() { return turn; },
		/** Paints what is new up to `now`, in rows that are `width` wide in `span` seconds. */
		add({ rows, row, from, now, span, width, height, scroll, ratio, ink, colors, byWhat }) {
			const [top, end] = seenRows({ rows, row, scroll, height }), tall = Math.max(1, Math.round((height - AXIS) * ratio)), step = axisStep(span, width), was = scale;
			w = Math.max(1, Math.round(width * ratio));
			scale = w / span;
			let next = `${row} ${w} ${tall} ${scroll} ${span} ${colors.executing} ${ink.track} ${Boolean(byWhat)}`;
			for (let i = top; i < end; i++) next += `\n${rows[i].name}`;
			if (next !== key || was !== scale || column(now) < upTo) {
				key = next;
				turn++;
				ring = new OffscreenCanvas(w, tall);
				c = ring.getContext("2d", { alpha: false });
				upTo = -Infinity;
			}
			const first = Math.max(upTo === -Infinity ? column(from) : upTo, column(now) - w), last = column(now);
			c.setTransform(1, 0, 0, ratio, 0, 0);
			each(first, last, (x, n, at) => {
				const lines = [];
				for (let t = Math.ceil(at / scale / step) * step; column(t) < at + n; t += step) lines.push(x + column(t) - at);
				paintGround(c, { x, width: n, first: top, last: end, row, top: -scroll, ink, lines, thick: Math.max(1, Math.round(ratio)) });
			});
			for (let i = top; i < end; i++) {
				const { slots } = rows[i];
				for (let k = slots.length - 1; k >= 0; k--) {
					const s = slots[k], a = Math.max(column(s.t - s.dt), first), b = Math.min(Math.max(column(s.t), a + 1), last);
					if (column(s.t) <= first) break;
					each(a, b, (x, n) => paintSlot(c, s, x, n, i * row - scroll, row - 4, colors, byWhat));
				}
			}
			upTo = last;
		},
		/** Copies columns [a, b) to x, y, `tall` of the height; all in CSS pixels but columns. @returns {number} the first column that is not known */
		show(on, a, b, { x, y, tall, ratio }) {
			const begin = Math.max(a, upTo - w), end = Math.min(b, upTo);
			let to = x + (begin - a) / ratio;
			if (tall > 0) each(begin, end, (at, n) => { on.drawImage(ring, at, 0, n, tall * ratio, to, y, n / ratio, tall); to += n / ratio; });
			return Math.max(end, a);
		},
	};
}

const axisStep = (span, width) => tickStep(span, width / 90);
const ticksOf = (from, to, step) => { const list = []; for (let t = Math.ceil(from / step) * step; t <= to; t += step) list.push(t); return list; };

/**
 * The window of time that is shown: it stands still while a tenth of it fills, and then moves on by that, so that between two moves only that part is
 * painted. fill: where that part begins.
 * @param {{began: number, now: number, ahead: number, span: number}} of   ahead: seconds that are foreseen
 */
export function windowOf({ began, now, ahead, span }) {
	const step = span / 10, whole = Math.ceil((now + ahead - began) / step - 1e-9), from = began + Math.max(0, whole - 10) * step;
	return { from, to: from + span, fill: Math.max(from, began + Math.floor((now - began) / step) * step) };
}

/**
 * Rows over time, those that are seen of them: columns [a, b) at 0, rows at `top`; what is not known yet is ground, with what is foreseen.
 * @typedef {{rows: any[], row: number, from: number, to: number, width: number, height: number, scroll: number, ratio: number, ring: any, ink: any, previsions: any[]}} How
 * @param {CanvasRenderingContext2D} c @param {number} a @param {number} b @param {number} top @param {How} how
 */
export function paintPart(c, a, b, top, { rows, row, from, to, width, height, scroll, ratio, ring, ink, previsions }) {
	const zero = ring.column(from), end = rows.length * row - scroll, tall = Math.min(height - AXIS, end);
	const known = ring.show(c, a, b, { x: 0, y: top, tall, ratio }), left = (known - a) / ratio, wide = (b - a) / ratio;
	const x = t => ((t - from) / (to - from)) * width - (a - zero) / ratio;
	c.save();
	c.beginPath();
	c.rect(left, top, wide - left, height - AXIS);
	c.clip();
	if (known < b) paintGround(c, { x: left, width: wide - left, last: rows.length, row, top: top - scroll, ink, lines: ticksOf(from, to, axisStep(to - from, width)).map(t => Math.round(x(t))), thick: 1 });
	paintPrevisions(c, { previsions, rows, row, from, x, top: top - scroll, ink });
	c.restore();
	c.fillStyle = ink.ground;
	if (end < height - AXIS) c.fillRect(0, top + end, wide, height);
}
/** The axis above them. @param {CanvasRenderingContext2D} c @param {How} how */
export function paintAxis(c, { from, to, width, ink }) {
	c.fillStyle = ink.ground;
	c.fillRect(0, 0, width, AXIS);
	c.font = `11.5px ${ink.font}`;
	c.textBaseline = "middle";
	for (const t of ticksOf(from, to, axisStep(to - from, width))) {
		const x = ((t - from) / (to - from)) * width;
		c.fillStyle = ink.lineSoft;
		c.fillRect(Math.round(x), AXIS - 4, 1, 4);
		c.fillStyle = ink.soft;
		if (x < width - 32) c.fillText(tickText(t), x + 4, AXIS / 2);
	}
}

function paintPrevisions(c, { previsions, rows, row, from, x, top: zero, ink }) {
	c.lineWidth = 1;
	c.font = `11.5px ${ink.font}`;
	c.textBaseline = "middle";
	for (const p of previsions) {
		if (p.worker < 0 || p.worker >= rows.length || p.to < from) continue;
		const top = zero + p.worker * row, x0 = x(p.from), w = Math.max(2, x(p.to) - x0);
		c.setLineDash([3, 2]);
		c.strokeStyle = ink.text;
		c.strokeRect(x0 + 0.5, top + 0.5, w, row - 5);
		c.setLineDash([]);
		c.fillStyle = ink.soft;
		if (w > 30) c.fillText(cut(c, plain(p.name, 40), w - 6), x0 + 4, top + (row - 4) / 2);
	}
}

/** Beside them: state, name, what it is at. @param {CanvasRenderingContext2D} c */
export function paintLabels(c, { rows, row, height, scroll, ink, colors }) {
	c.fillStyle = ink.ground;
	c.fillRect(0, 0, LABELS, height);
	c.font = `11.5px ${ink.font}`;
	c.textBaseline = "middle";
	const [first, last] = seenRows({ rows, row, scroll, height });
	for (let i = first; i < last; i++) {
		const r = rows[i], middle = AXIS + i * row - scroll + (row - 4) / 2;
		c.fillStyle = colors[r.state] ?? colors.other;
		c.beginPath();
		c.arc(12, middle, 4.5, 0, 7);
		c.fill();
		c.fillStyle = ink.text;
		const name = plain(r.label ?? r.name, 40), what = plain(r.what, 40);
		c.fillText(cut(c, name, what ? 78 : LABELS - 34), 22, middle);
		c.fillStyle = ink.soft;
		if (what) c.fillText(cut(c, what, LABELS - 112), 106, middle);
	}
	c.fillStyle = ink.ground;
	c.fillRect(0, 0, LABELS, AXIS);
}

/** A curve over the last seconds. @param {CanvasRenderingContext2D} c */
export function paintCurve(c, { series, value, from, to, width, height, ink, color }) {
	c.fillStyle = ink.raised;
	c.fillRect(0, 0, width, height);
	c.textBaseline = "top";
	c.textAlign = "right";
	c.fillStyle = ink.text;
	c.font = `12px ${ink.font}`;
	c.fillText(value, width, 0);
	c.textAlign = "left";
	const low = Math.min(series.min, 0), span = Math.max(series.max - low, 1e-12), x = t => ((t - from) / (to - from)) * width, y = v => height - 2 - ((v - low) / span) * (height - 18); // below the greatest, which is written
	c.strokeStyle = ink.lineSoft;
	c.beginPath();
	c.moveTo(0, height - 1.5);
	c.lineTo(width, height - 1.5);
	c.stroke();
	c.beginPath();
	let first = true;
	for (const [t, v] of series.points) {
		if (t < from) continue;
		if (first) c.moveTo(x(t), y(v));
		else c.lineTo(x(t), y(v));
		first = false;
	}
	c.strokeStyle = color;
	c.lineWidth = 1.5;
	c.lineJoin = "round";
	c.stroke();
	if (first) return;
	c.lineTo(x(series.points.at(-1)[0]), height - 2);
	c.lineTo(Math.max(0, x(series.points.find(p => p[0] >= from)[0])), height - 2);
	c.globalAlpha = 0.12;
	c.fillStyle = color;
	c.fill();
	c.globalAlpha = 1;
	c.fillStyle = ink.soft;
	c.font = `10.5px ${ink.font}`;
	c.fillText(brief(series.max), 3, 2);
}
