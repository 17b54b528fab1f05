// SPDX-License-Identifier: Apache-2.0
/* Canvases of the live page: rows of what workers are at, and curves. Everything is painted anew at each sample: a few thousand rectangles. */
import { plain } from "../lib/dom.js";
import { STATES, brief } from "./model.js";

/** A canvas as large as its box, in device pixels, ready to be painted in CSS pixels. @param {HTMLCanvasElement} canvas */
export function fit(canvas, height, width = canvas.parentElement.clientWidth) {
	const ratio = devicePixelRatio || 1;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
	}
	const c = canvas.getContext("2d");
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.clearRect(0, 0, width, height);
	return { c, width, height };
}

/** The names of colours that the page's style has. */
export function inks(element) {
	const style = getComputedStyle(element), ink = name => style.getPropertyValue(`--${name}`).trim();
	return { text: ink("text"), soft: ink("soft"), line: ink("line"), lineSoft: ink("line-soft"), track: ink("track"), ground: ink("ground"), accent: ink("accent"), warn: ink("warn"), font: style.fontFamily };
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
	const part = (color, share) => {
		if (h * share < 0.2) return;
		c.fillStyle = color;
		c.fillRect(x0, y - h * share, w, h * share);
		y -= h * share;
	};
	if (s.parts?.length && byWhat) for (const [name, share] of s.parts) part(byWhat(name), share);
	else STATES.forEach((state, k) => part(k === 0 && byWhat && s.what ? byWhat(s.what) : colors[state], s.shares[k]));
}

/**
 * The columns of the last seconds, each painted once: a ring of pixels in which time goes round, so that a sample costs what is new in it.
 *
 *     time     … 27  28  29  30 ┊ 31  32           column = time × scale modulo width
 *     ring     30 │ 31  32 │ 23 …                  what is shown are two pieces of it
 */
export function createRing() {
	let ring = null, c = null, key = "", upTo = -Infinity;
	return {
		/** Paints what is new, then puts [from, to of what is known) at x, y of a canvas. */
		draw(on, { rows, row, from, span, left, width, ratio, ink, colors, byWhat, now }) {
			const w = Math.max(1, Math.round(width * ratio)), tall = Math.max(1, Math.round(rows.length * row * ratio)), scale = w / span;
			const next = JSON.stringify([rows.map(r => r.name), row, w, span, colors, ink.track, Boolean(byWhat)]);
			if (next !== key || Math.floor(now * scale) < upTo) {
				key = next;
				ring = new OffscreenCanvas(w, tall);
				c = ring.getContext("2d");
				upTo = -Infinity;
			}
			const column = t => Math.floor(t * scale), first = Math.max(upTo === -Infinity ? column(from) : upTo, column(now) - w), last = column(now);
			c.setTransform(1, 0, 0, ratio, 0, 0);
			/* A slot lies in one or two pieces of the ring. */
			const each = (a, b, f) => { for (let at = a; at < b;) { const x = ((at % w) + w) % w, n = Math.min(b - at, w - x); f(x, n); at += n; } };
			each(first, last, (x, n) => c.clearRect(x, 0, n, tall));
			rows.forEach((r, i) => {
				for (let k = r.slots.length - 1; k >= 0; k--) {
					const s = r.slots[k], a = Math.max(column(s.t - s.dt), first), b = Math.min(Math.max(column(s.t), a + 1), last);
					if (column(s.t) <= first) break;
					each(a, b, (x, n) => paintSlot(c, s, x, n, i * row, row - 4, colors, byWhat));
				}
			});
			upTo = last;
			const begin = Math.max(column(from), last - w);
			let to = left + (begin - column(from)) / ratio;
			each(begin, last, (x, n) => { on.drawImage(ring, x, 0, n, tall, to, AXIS, n / ratio, rows.length * row); to += n / ratio; });
		},
	};
}

/**
 * @param {CanvasRenderingContext2D} c
 * @param {{rows: any[], row: number, from: number, to: number, now: number, width: number, ratio: number, ring: any, ink: any, colors: Record<string, string>, byWhat: ((what: string) => string) | null, previsions: any[]}} how
 */
export function paintRows(c, { rows, row, from, to, now, width, ratio, ring, ink, colors, byWhat, previsions }) {
	const left = LABELS, span = to - from, x = t => left + ((t - from) / span) * (width - left - 8), height = AXIS + rows.length * row;
	c.font = `11.5px ${ink.font}`;
	c.textBaseline = "middle";
	for (let step = tickStep(span, (width - left) / 90), t = Math.ceil(from / step) * step; t <= to; t += step) {
		c.fillStyle = ink.lineSoft;
		c.fillRect(Math.round(x(t)), AXIS - 4, 1, height - AXIS + 4);
		c.fillStyle = ink.soft;
		if (x(t) < width - 40) c.fillText(`${Number(t.toPrecision(9))} s`, x(t) + 4, AXIS / 2);
	}
	c.fillStyle = ink.track;
	rows.forEach((r, i) => c.fillRect(left, AXIS + i * row, width - left - 8, row - 4));
	ring.draw(c, { rows, row, from, span, left, width: width - left - 8, ratio, ink, colors, byWhat, now });
	rows.forEach((r, i) => {
		const top = AXIS + i * row, h = row - 4;
		c.fillStyle = colors[r.state] ?? colors.other;
		c.beginPath();
		c.arc(12, top + h / 2, 4.5, 0, 7);
		c.fill();
		c.fillStyle = ink.text;
		const name = plain(r.label ?? r.name, 40), what = plain(r.what, 40);
		c.fillText(cut(c, name, what ? 78 : left - 34), 22, top + h / 2);
		c.fillStyle = ink.soft;
		if (what) c.fillText(cut(c, what, left - 112), 106, top + h / 2);
	});
	c.lineWidth = 1;
	for (const p of previsions) {
		if (p.worker < 0 || p.worker >= rows.length || p.to < from) continue;
		const top = AXIS + p.worker * row, x0 = Math.max(left, x(p.from)), w = Math.max(2, x(p.to) - x0);
		c.setLineDash([3, 2]);
		c.strokeStyle = ink.text;
		c.strokeRect(x0 + 0.5, top + 0.5, w, row - 5);
		c.setLineDash([]);
		c.fillStyle = ink.soft;
		if (w > 30) c.fillText(cut(c, plain(p.name, 40), w - 6), x0 + 4, top + (row - 4) / 2);
	}
	return height;
}

/** A curve over the last seconds. @param {CanvasRenderingContext2D} c */
export function paintCurve(c, { series, from, to, width, height, ink, color }) {
	const low = Math.min(series.min, 0), span = Math.max(series.max - low, 1e-12), x = t => ((t - from) / (to - from)) * width, y = v => height - 2 - ((v - low) / span) * (height - 6);
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
	c.textBaseline = "top";
	c.fillText(brief(series.max), 3, 2);
}
