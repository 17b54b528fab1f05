// SPDX-License-Identifier: Apache-2.0
/* The axis of times above the tracks, with marks and what is measured; and the small map of the whole. */
import { colorOf } from "../lib/color.js";
import { h } from "../lib/dom.js";
import { at as timeText, span, ticks } from "../lib/time.js";
import { CODES, paint, pixel, readCells } from "./cells.js";
import { linesOf, specs, squeeze } from "./rows.js";
import { trackArgs } from "./track.js";
import { timeOf, xOf } from "./zoom.js";

const MAP_LINES = 16, AXIS_TALL = 26, MAP_TALL = 38;

function fit(canvas, width, tall) {
	const ratio = devicePixelRatio || 1, w = Math.max(1, Math.round(width * ratio)), t = Math.round(tall * ratio);
	if (canvas.width !== w || canvas.height !== t) { canvas.width = w; canvas.height = t; canvas.style.width = `${width}px`; canvas.style.height = `${tall}px`; }
	const c = canvas.getContext("2d");
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.clearRect(0, 0, width, tall);
	return c;
}
const color = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export function createAxis(app, stage) {
	const canvas = h("canvas", { class: "tl-axis-canvas", "aria-hidden": "true" }), measure = h("div", { class: "tl-measure" });
	const box = h("div", { class: "tl-axis" }, measure, canvas);
	let down = null;
	const width = () => Math.max(1, box.clientWidth - stage.gutter());
	const time = e => timeOf(e.clientX - canvas.getBoundingClientRect().left, app.range(), width());
	/* The range that is measured, in pixels; null: none is to be seen. */
	function bandOf(range, w) {
		const of = stage.band ?? (app.state.selection?.to > app.state.selection?.from ? app.state.selection : null);
		if (!of) return null;
		const a = Math.max(0, xOf(of.from, range, w)), b = Math.min(w, xOf(of.to, range, w));
		return b > 0 && a < w ? { a, b, ns: of.to - of.from } : null;
	}
	/* What stands on the axis instead of times: how long the range is, and marks with their notes. */
	function flagsOf(c, range, w) {
		const list = [], band = bandOf(range, w);
		if (band && (stage.band || band.b - band.a > 40)) {
			const text = span(band.ns), wide = c.measureText(text).width + 10, x = Math.max(0, Math.min(w - wide, (band.a + band.b - wide) / 2));
			list.push({ x, wide, draw() {
				c.fillStyle = color("accent");
				c.beginPath();
				c.roundRect(x, 2, wide, 16, 4);
				c.fill();
				c.fillStyle = color("on-accent");
				c.fillText(text, x + 5, 10.5);
			} });
		}
		for (const [i, m] of app.state.marks.entries()) {
			const x = xOf(m.at, range, w), text = String(m.note || i + 1).slice(0, 24);
			if (x < -8 || x > w) continue;
			list.push({ x, wide: c.measureText(text).width + 13, draw() {
				c.fillStyle = color("cursor");
				c.beginPath();
				c.moveTo(x, AXIS_TALL);
				c.lineTo(x, 3);
				c.lineTo(x + 9, 7);
				c.lineTo(x + 1, 11);
				c.lineTo(x + 1, AXIS_TALL);
				c.fill();
				c.fillText(text, x + 11, 7.5);
			} });
		}
		return list;
	}
	canvas.addEventListener("pointerdown", e => { if (e.button === 0) { down = time(e); canvas.setPointerCapture(e.pointerId); } });
	canvas.addEventListener("pointermove", e => {
		stage.setHover(Math.max(0, Math.round(time(e))));
		if (down !== null) stage.setBand({ from: Math.max(0, Math.round(Math.min(down, time(e)))), to: Math.min(app.trace.end, Math.round(Math.max(down, time(e)))) });
	});
	canvas.addEventListener("pointerup", e => {
		if (down === null) return;
		const band = stage.band, still = !band || (Math.abs(time(e) - down) / (app.range().to - app.range().from)) * width() < 4;
		down = null;
		stage.setBand(null);
		if (!still) stage.zoomTo(band.from, band.to);
		else {
			const near = app.state.marks.findIndex(m => Math.abs(xOf(m.at, app.range(), width()) - xOf(time(e), app.range(), width())) < 6);
			if (near >= 0) stage.editMark(near);
			else app.set({ cursor: Math.max(0, Math.round(time(e))) });
		}
	});
	canvas.addEventListener("pointerleave", () => { if (down === null) stage.setHover(-1); });
	canvas.addEventListener("wheel", e => { e.preventDefault(); stage.zoomWheel(-e.deltaY, time(e)); }, { passive: false });
	return {
		box,
		draw() {
			if (!app.trace) return;
			const w = width(), range = app.range(), c = fit(canvas, w, AXIS_TALL), { step, list } = ticks(range.from, range.to, w);
			canvas.style.left = `${stage.gutter()}px`;
			measure.style.width = `${stage.gutter()}px`;
			c.font = `11px ${color("sans")}`;
			c.textBaseline = "middle";
			c.lineWidth = 1;
			const flags = flagsOf(c, range, w), covered = (a, b) => flags.some(f => a < f.x + f.wide && b > f.x);
			for (const t of list) {
				const x = Math.round(xOf(t, range, w)) + 0.5;
				c.strokeStyle = color("line");
				c.beginPath();
				c.moveTo(x, AXIS_TALL - 7);
				c.lineTo(x, AXIS_TALL);
				for (let k = 1; k < 5; k++) { const m = Math.round(xOf(t + (step * k) / 5, range, w)) + 0.5; c.moveTo(m, AXIS_TALL - 3); c.lineTo(m, AXIS_TALL); }
				c.stroke();
				c.fillStyle = color("soft");
				const text = timeText(t, step), wide = c.measureText(text).width;
				const left = Math.max(2, Math.min(w - wide - 2, x - wide / 2));
				if (!covered(left, left + wide)) c.fillText(text, left, 9);
			}
			const band = bandOf(range, w);
			if (band) {
				c.fillStyle = color("accent");
				c.fillRect(band.a, AXIS_TALL - 3, Math.max(1, band.b - band.a), 3);
			}
			for (const f of flags) f.draw();
			if (app.state.cursor >= 0) {
				const x = xOf(app.state.cursor, range, w);
				if (x >= 0 && x <= w) { c.fillStyle = color("cursor"); c.beginPath(); c.moveTo(x - 4, AXIS_TALL - 7); c.lineTo(x + 4, AXIS_TALL - 7); c.lineTo(x, AXIS_TALL); c.fill(); }
			}
			const t = stage.hover >= 0 ? stage.hover : app.state.cursor, s = app.state.cursor;
			measure.textContent = t < 0 ? "" : `${timeText(t, (range.to - range.from) / w)}${s >= 0 && stage.hover >= 0 && s !== t ? `  Δ ${span(Math.abs(t - s))}` : ""}`;
		},
	};
}

export function createMinimap(app, stage) {
	const canvas = h("canvas", { class: "tl-map", role: "img", "aria-label": "The whole trace; the part in view is framed" });
	const box = h("div", { class: "tl-map-box" }, canvas);
	let image = null, cells = null, key = "", down = null;
	const width = () => Math.max(1, box.clientWidth - stage.gutter());
	const all = () => ({ from: 0, to: Math.max(1, app.trace.end) });
	const time = e => timeOf(e.clientX - canvas.getBoundingClientRect().left, all(), width());

	async function load() {
		const first = stage.view(0), w = Math.min(2048, Math.round(width() * (devicePixelRatio || 1)));
		const mine = JSON.stringify([app.state.trace, first?.def.view, first?.def.window, first?.def.level, first?.choice(), w >> 7]);
		if (mine === key || !first?.rows || !first.lines.length) return;
		key = mine;
		try {
			const lines = squeeze(linesOf(first.rows, { ...first.choice(), group: "" }), MAP_LINES);
			const got = readCells(await app.api.bytes("time/cells", { ...trackArgs(app.state.trace, first.def), rows: specs(lines), width: w, min: first.scale?.min, max: first.scale?.max }));
			if (mine === key) { cells = got; image = null; stage.schedule(); }
		} catch (error) { app.fail(error); }
	}
	function picture() {
		if (image || !cells) return image;
		const first = stage.view(0), table = new Uint32Array(cells.values.length);
		for (let i = 0; i < table.length; i++) {
			const n = first.names.get(cells.values[i]);
			table[i] = pixel(colorOf({ value: cells.values[i], color: cells.colors[i] & 0xffffff, alpha: cells.colors[i] >>> 24 }, { codes: Boolean(cells.flags & CODES), regions: !first.def.view, min: cells.min, max: cells.max, safe: app.state.safe, dark: app.dark(), paraver: app.own("timeline").paraver, name: n?.name, own: app.state.colors, rank: n?.rank }));
		}
		image = document.createElement("canvas");
		image.width = cells.width;
		image.height = cells.lines;
		const c = image.getContext("2d"), data = c.createImageData(cells.width, cells.lines);
		paint(cells.place, table, new Uint32Array(data.data.buffer));
		c.putImageData(data, 0, 0);
		return image;
	}
	canvas.addEventListener("pointerdown", e => {
		if (e.button !== 0) return;
		const t = time(e), range = app.range(), whole = range.from === 0 && range.to >= app.trace.end, edge = (8 * app.trace.end) / width();
		canvas.setPointerCapture(e.pointerId);
		const at = Math.abs(t - range.from) < edge ? "from" : Math.abs(t - range.to) < edge ? "to" : t > range.from && t < range.to ? "move" : "new";
		down = { t, range, at: whole ? "new" : at };
	});
	canvas.addEventListener("pointermove", e => {
		if (!down) return;
		const t = time(e), { range } = down;
		const next = down.at === "move" ? { from: range.from + t - down.t, to: range.to + t - down.t } : down.at === "from" ? { from: Math.min(t, range.to - 20), to: range.to } : down.at === "to" ? { from: range.from, to: Math.max(t, range.from + 20) } : { from: Math.min(t, down.t), to: Math.max(t, down.t) };
		if (next.to - next.from > 19) stage.setRange(next, false);
	});
	canvas.addEventListener("pointerup", e => {
		if (!down) return;
		const still = Math.abs(time(e) - down.t) * width() < 3 * app.trace.end, { range } = down, half = (range.to - range.from) / 2;
		const outside = down.at === "new" && still;
		down = null;
		if (outside) stage.setRange({ from: time(e) - half, to: time(e) + half }, true);
		else stage.setRange(app.range(), true);
	});
	canvas.addEventListener("wheel", e => { e.preventDefault(); stage.zoomWheel(-e.deltaY, time(e)); }, { passive: false });
	canvas.addEventListener("dblclick", () => stage.fit());
	return {
		box,
		recolor() { image = null; },
		draw() {
			if (!app.trace) return;
			load();
			const w = width(), c = fit(canvas, w, MAP_TALL), range = app.range(), map = picture();
			canvas.style.marginLeft = `${stage.gutter()}px`;
			c.fillStyle = color("track");
			c.fillRect(0, 0, w, MAP_TALL);
			c.imageSmoothingEnabled = false;
			if (map) c.drawImage(map, 0, 3, w, MAP_TALL - 6);
			const a = xOf(range.from, all(), w), b = Math.max(a + 2, xOf(range.to, all(), w));
			if (b - a < w - 1) {
				c.fillStyle = color("ground");
				c.globalAlpha = 0.62;
				c.fillRect(0, 0, a, MAP_TALL);
				c.fillRect(b, 0, w - b, MAP_TALL);
				c.globalAlpha = 1;
			}
			c.strokeStyle = color("accent");
			c.lineWidth = 1.5;
			c.strokeRect(a + 0.75, 0.75, Math.max(1, Math.min(b - a, w) - 1.5), MAP_TALL - 1.5);
			for (const m of app.state.marks) { c.fillStyle = color("cursor"); c.fillRect(xOf(m.at, all(), w), 0, 1.5, MAP_TALL); }
		},
	};
}
