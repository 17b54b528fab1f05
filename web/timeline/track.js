// SPDX-License-Identifier: Apache-2.0
/*
 * A track: rows of one metric along time, as cells, as regions that lie in each other, or as curves. What it shows is in the state (a track's
 * definition, rows of its level); how it is drawn is here; what the pointer does is in pointer.js.
 *
 *     head    what is shown, and how
 *     labels  │ plot: pieces of cells (strips.js), names where they fit; over it: cursor, selection, arrows
 */
import { isAbort } from "../lib/api.js";
import { colorOf, textOn } from "../lib/color.js";
import { h, plain } from "../lib/dom.js";
import { readCells } from "./cells.js";
import { createCurves } from "./curves.js";
import { createOrder } from "./order.js";
import { drawOver } from "./over.js";
import { lineAt, linesOf, place, shortName, specs, squeeze } from "./rows.js";
import { createStrips, TALL, WIDE } from "./strips.js";
import { at as timeText, span as spanText } from "../lib/time.js";
import { buildHead } from "./track_head.js";
import { strips as stripsOf, xOf } from "./zoom.js";

const HEAD = 19, STEP = 15, LABEL_ROW = 11, EXACT_MOST = 4000, SETTLE_MS = 90, DEPTH_MOST = 24, NEST_TALL = 12;

/** What a track asks the server for: the part of every request that says what is shown. */
export const trackArgs = (trace, t) => ({ trace, view: t.view || undefined, window: t.window || undefined, level: t.level || undefined, draw: t.draw || undefined, fuse: t.fuse || undefined, color: t.color || undefined });

/**
 * @param {any} app @param {any} stage @param {number} index
 */
export function createTrack(app, stage, index) {
	const labels = h("canvas", { class: "tl-labels", "aria-hidden": "true" });
	const plot = h("canvas", { class: "tl-plot" }), over = h("canvas", { class: "tl-over", tabindex: "0", role: "application" });
	const note = h("div", { class: "tl-note", hidden: true }), busy = h("div", { class: "tl-busy", hidden: true });
	const view = h("div", { class: "tl-view" }, labels, plot, over), space = h("div", { class: "tl-space" });
	const body = h("div", { class: "tl-body" }, view, space, note, busy);
	const head = h("div", { class: "tl-head" });
	const box = h("section", { class: "tl-track", "aria-label": "Track" }, head, body);
	const styles = getComputedStyle(document.documentElement);
	let colors = {}, rows = null, lines = [], top = new Float64Array(1), depths = null, failed = "", names = new Map(), scale = null, exact = null;
	let frame = 0, settle = 0, stop = null, unit = {}, key = "", geometry = "", sorted = {};

	const strips = createStrips(app, { draw: schedule, fail: error => { say(error.message); } });
	const curves = createCurves(app, schedule, error => say(error.message)), order = createOrder(app, { choice: () => track.choice(), args: () => track.args(), get rows() { return rows; }, setSort: v => track.setSort(v) }, error => say(error.message));

	const track = {
		box, body, over, plot,
		get def() { return stage.tracks()[index] ?? {}; },
		get rows() { return rows; }, get lines() { return lines; }, get top() { return top; }, get names() { return names; }, get scale() { return scale; },
		get style() { return this.def.style === "nest" && this.canNest() ? "nest" : this.def.style === "curve" && this.def.view ? "curve" : "cells"; },
		get index() { return index; }, get exact() { return exact; }, get colors() { return colors; },
		get level() { return rows?.level ?? "thread"; },
		gutter: () => app.state.sizes.gutter ?? 176,
		width: () => Math.max(1, body.clientWidth - track.gutter()),
		canNest: () => Boolean(app.trace?.has.regions && !track.def.view),
		choice: () => app.state.rows[track.level] ?? {},
		depthOf: row => Math.min(DEPTH_MOST, depths?.[row] ?? 1),
		setSort(values) { sorted = { value: values }; layout(); schedule(); },
		args: () => trackArgs(app.state.trace, track.def),
		update, destroy, schedule,
		/** The line, the row, and what is known there. @param {number} x @param {number} y CSS pixels of the plot */
		at(x, y) {
			const i = lineAt(top, y + body.scrollTop);
			if (i < 0) return null;
			const line = lines[i], range = app.range(), t = range.from + (x * (range.to - range.from)) / track.width();
			const inLine = y + body.scrollTop - top[i], depth = track.style === "nest" ? Math.floor(inLine / STEP) : 0;
			return { line, i, row: line.rows[0], time: t, depth, ...valueAt(line, i, t, depth) };
		},
		reveal(row) {
			const i = lines.findIndex(l => l.kind === "row" && l.rows.includes(row));
			if (i < 0) return;
			if (top[i] < body.scrollTop) body.scrollTop = top[i];
			else if (top[i + 1] > body.scrollTop + body.clientHeight) body.scrollTop = top[i + 1] - body.clientHeight;
		},
		/** Middle of a row that can be seen; NaN: it cannot. */
		yOf(row) {
			const i = lines.findIndex(l => (l.kind === "row" || l.folded) && l.rows.includes(row));
			if (i < 0) return NaN;
			return top[i] - body.scrollTop + Math.min(top[i + 1] - top[i], 26) / 2;
		},
		/** Values in view, with how much of what is shown has them, by what was fetched. */
		values() {
			const sum = new Map(), range = app.range();
			for (const w of wanted(range)) {
				const s = strips.get(w.key);
				if (!s) continue;
				s.cells.values.forEach((v, i) => sum.set(v, (sum.get(v) ?? 0) + s.cells.counts[i]));
			}
			const all = [...sum.values()].reduce((a, b) => a + b, 0) || 1;
			return [...sum].map(([value, n]) => ({ value, share: n / all, name: names.get(value)?.name ?? "", color: shown(value) })).sort((a, b) => b.share - a.share);
		},
		get codes() { return rows?.codes ?? true; },
	};
	const headView = buildHead(head, app, stage, track);

	function say(text) { note.textContent = text ? plain(text, 300) : ""; note.hidden = !text; }

	/* ---- what there is ---- */

	/** How a value looks. */
	function shown(value) {
		const n = names.get(value);
		if (!n) return -1;
		return colorOf({ value, color: n.color & 0xffffff, alpha: n.color >>> 24 }, { codes: track.codes, regions: !track.def.view, min: scale?.min ?? 0, max: scale?.max ?? 1, safe: app.state.safe, dark: app.dark(), paraver: app.own("timeline").paraver, name: n.name, own: app.state.colors, rank: n.rank });
	}
	function addNames(list) {
		for (const v of list) if (!names.has(v.value)) names.set(v.value, { name: v.name, color: v.color, file: v.file, line: v.line, rank: names.size });
		setLook();
	}
	function setLook() {
		const only = app.own("timeline").only;
		strips.look = { dim: only?.length ? new Set(only) : null, own: app.state.colors, safe: app.state.safe, dark: app.dark(), paraver: app.own("timeline").paraver, names };
	}
	let asking = "";
	async function askNames() {
		const range = app.range(), missing = new Set();
		for (const w of wanted(range)) for (const v of strips.get(w.key)?.cells.values ?? []) if (!names.has(v)) missing.add(v);
		if (!missing.size || (!track.codes && missing.size > 400)) return;
		const list = [...missing].slice(0, 500).sort((a, b) => a - b).join(","), mine = key;
		if (list === asking) return;
		asking = list;
		try {
			const { values } = await app.api.json("time/legend", { ...track.args(), values: list });
			if (mine === key) { addNames(values); schedule(); stage.legendChanged(); }
		} catch (error) {
			asking = "";
			if (!isAbort(error)) say(error.message);
		}
	}

	/** Anew: another view, another level, another trace. */
	async function load() {
		const mine = key = JSON.stringify([app.state.trace, track.def.view, track.def.window, track.def.level]);
		rows = depths = exact = scale = null;
		lines = [];
		top = new Float64Array(1);
		names = new Map();
		asking = "";
		failed = "";
		strips.clear();
		curves.clear();
		setLook();
		say("");
		busy.hidden = false;
		try {
			const got = await app.api.json("time/rows", track.args());
			if (mine !== key) return;
			rows = got;
			if (got.lack) say(`the trace has no events of ${got.lack}`);
			if (!track.def.view) addNames((await app.api.json("time/legend", track.args())).values);
			else if (!got.codes) await findScale();
			if (mine !== key) return;
			if (track.canNest() && got.n <= 4096) {
				const { depths: d } = await app.api.json("time/depths", track.args());
				if (mine === key) depths = d;
			}
		} catch (error) {
			if (mine !== key || isAbort(error)) return;
			failed = error.message;
			say(error.message);
		}
		busy.hidden = true;
		order.look();
		layout();
		headView.update();
		describe();
		schedule();
		stage.legendChanged();
	}
	/* For who does not see it. */
	function describe() {
		const { from, to } = app.range();
		over.setAttribute("aria-label", `${plain(track.def.title || rows?.title || "Track", 80)}, ${lines.length} lines, ${spanText(to - from)} from ${timeText(from, (to - from) / 100)}. Arrow keys move, plus and minus zoom`);
	}

	/* Of quantities: one scale for all pieces, from a coarse look at the whole. */
	async function findScale() {
		const mine = key, most = squeeze(linesOf(rows, {}), 256);
		const c = readCells(await app.api.bytes("time/cells", { ...track.args(), width: 512, rows: specs(most), min: track.def.min, max: track.def.max }));
		if (mine === key) scale = { min: track.def.min ?? c.min, max: track.def.max ?? c.max };
	}

	function layout() {
		if (!rows) return;
		const all = linesOf(rows, track.choice(), sorted), tall = body.clientHeight || 200, own = app.own("timeline");
		const cells = all.filter(l => l.kind === "row" || l.folded).length, heads = all.length - cells;
		lines = own.fit && track.style !== "nest" ? squeeze(all, Math.max(1, Math.floor(tall))) : all;
		const height = own.fit ? Math.max(1, (tall - 1) / lines.length) : own.tall ?? Math.max(12, Math.min(36, Math.floor((tall - heads * HEAD) / Math.max(1, cells))));
		top = place(lines, { height: track.style === "curve" ? Math.max(height, own.fit ? 1 : 44) : height, head: HEAD, depth: track.style === "nest" ? track.depthOf : undefined, step: STEP });
		space.style.height = `${Math.max(0, top[lines.length] - tall)}px`;
		over.dataset.rows = lines.slice(0, 64).flatMap(l => (l.kind === "row" ? [l.rows.join("~")] : [])).join(",");
		geometry = `${tall}|${own.fit}|${own.tall}|${track.style}|${app.state.sizes.gutter}`;
	}

	/* ---- pieces ---- */

	/* Lines with cells of a block, and their places in it. */
	function blockOf(b, tall) {
		const part = [];
		for (let i = b * tall; i < Math.min(lines.length, (b + 1) * tall); i++) if (lines[i].kind === "row" || lines[i].folded) part.push(i);
		return part;
	}
	function wanted(range, ahead = 0) {
		if (!rows || track.style === "curve" || !lines.length) return [];
		const nest = track.style === "nest", tall = nest ? NEST_TALL : TALL, ratio = devicePixelRatio || 1;
		const scaleNs = (range.to - range.from) / (track.width() * ratio), list = [];
		const first = Math.max(0, lineAt(top, Math.min(body.scrollTop, top[lines.length] - 1))), last = lineAt(top, body.scrollTop + body.clientHeight);
		const span = (range.to - range.from) * ahead;
		for (let b = Math.floor(first / tall); b <= Math.floor((last < 0 ? lines.length - 1 : last) / tall); b++) {
			const part = blockOf(b, tall);
			if (!part.length) continue;
			const spec = specs(part.map(i => lines[i])), depth = nest ? Math.max(1, ...part.map(i => track.depthOf(lines[i].rows[0]))) : 1;
			const of = { ...track.args(), ...(nest ? { depth, view: undefined } : scale ? { min: scale.min, max: scale.max } : {}) };
			const block = JSON.stringify([key, track.def.draw, track.def.fuse, track.def.color, spec, depth, scale]);
			for (const s of stripsOf({ from: range.from - span, to: range.to + span }, scaleNs, WIDE, app.trace.end))
				list.push({ key: `${block}|${s.from}|${s.to}`, block, part, depth, regions: !track.def.view, from: s.from, to: s.to, path: nest ? "time/nest" : "time/cells", args: { ...of, rows: spec, from: s.from, to: s.to, width: WIDE } });
		}
		return list;
	}

	/* ---- drawing ---- */

	function schedule() { frame ||= requestAnimationFrame(draw); }
	function fit(canvas, width, height) {
		const ratio = devicePixelRatio || 1, w = Math.max(1, Math.round(width * ratio)), t = Math.max(1, Math.round(height * ratio));
		if (canvas.width !== w || canvas.height !== t) { canvas.width = w; canvas.height = t; canvas.style.width = `${width}px`; canvas.style.height = `${height}px`; }
		const c = canvas.getContext("2d");
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		return c;
	}
	function readColors() {
		for (const name of ["ground", "panel", "track", "line", "line-soft", "text", "soft", "faint", "accent", "select", "cursor", "hover", "mark", "raised"]) colors[name] = styles.getPropertyValue(`--${name}`).trim();
		unit.font = `12px ${styles.getPropertyValue("--sans")}`;
		unit.small = `11px ${styles.getPropertyValue("--sans")}`;
	}

	function draw() {
		frame = 0;
		if (!box.isConnected || !app.trace) return;
		readColors();
		const width = track.width(), tall = body.clientHeight, gutter = track.gutter();
		view.style.height = `${tall}px`;
		if (geometry !== `${tall}|${app.own("timeline").fit}|${app.own("timeline").tall}|${track.style}|${app.state.sizes.gutter}`) layout();
		const range = app.range(), c = fit(plot, width, tall);
		plot.style.left = over.style.left = `${gutter}px`;
		c.fillStyle = colors.ground;
		c.fillRect(0, 0, width, tall);
		const list = wanted(range);
		drawGround(c, width, tall);
		if (track.style === "curve") curves.draw(c, track, { range, width, tall, colors, unit });
		else drawPieces(c, list, range, width);
		drawLines(c, width, tall);
		if (exact && track.style !== "curve") drawNames(c, range, width, tall);
		drawLabels(fit(labels, gutter, tall), gutter, tall);
		drawOver(fit(over, width, tall), track, app, stage, { range, width, tall, colors, unit });
		strips.want(list);
		clearTimeout(settle);
		settle = setTimeout(settled, SETTLE_MS);
		busy.hidden = !strips.busy && rows !== null || Boolean(failed);
	}

	function visible(tall) {
		const from = Math.max(0, lineAt(top, body.scrollTop)), to = lineAt(top, body.scrollTop + tall - 0.001);
		return [from, to < 0 ? lines.length - 1 : to];
	}
	function drawGround(c, width, tall) {
		if (!lines.length) return;
		const [from, to] = visible(tall);
		for (let i = from; i <= to; i++) {
			const l = lines[i], y = top[i] - body.scrollTop, t = top[i + 1] - top[i];
			c.fillStyle = l.kind === "group" && !l.folded ? colors.panel : colors.track;
			c.fillRect(0, y, width, t);
		}
	}
	function drawPieces(c, list, range, width) {
		c.imageSmoothingEnabled = false;
		const ratio = devicePixelRatio || 1, snap = x => Math.round(x * ratio) / ratio;
		for (const w of list) {
			const piece = strips.get(w.key);
			const put = p => {
				const x0 = snap(xOf(p.from, range, width)), x1 = snap(xOf(p.to, range, width));
				const cut0 = Math.max(x0, snap(xOf(w.from, range, width))), cut1 = Math.min(x1, snap(xOf(w.to, range, width)));
				if (cut1 <= cut0 || p.image.height !== w.part.length * w.depth) return;
				const sx = ((cut0 - x0) * p.image.width) / (x1 - x0), sw = ((cut1 - cut0) * p.image.width) / (x1 - x0);
				drawBlock(c, p.image, w, sx, sw, cut0, cut1 - cut0);
			};
			if (piece) put(piece);
			else strips.standIns(w.block, w.from, w.to).forEach(put);
		}
	}
	/* Lines of one height that stand together are one picture. */
	function drawBlock(c, image, w, sx, sw, x, wide) {
		for (let i = 0; i < w.part.length;) {
			let end = i;
			const t = top[w.part[i] + 1] - top[w.part[i]];
			while (w.depth === 1 && end + 1 < w.part.length && w.part[end + 1] === w.part[end] + 1 && Math.abs(top[w.part[end + 1] + 1] - top[w.part[end + 1]] - t) < 0.01) end++;
			const y = top[w.part[i]] - body.scrollTop;
			if (w.depth > 1 || track.style === "nest") {
				const d = track.depthOf(lines[w.part[i]].rows[0]);
				c.drawImage(image, sx, i * w.depth, sw, d, x, y, wide, d * STEP);
			} else c.drawImage(image, sx, i, sw, end - i + 1, x, y, wide, t * (end - i + 1));
			i = end + 1;
		}
	}
	function drawLines(c, width, tall) {
		if (!lines.length) return;
		const [from, to] = visible(tall), nest = track.style === "nest";
		for (let i = from; i <= to; i++) {
			const y = top[i + 1] - body.scrollTop, t = top[i + 1] - top[i];
			if (t < 6) continue;
			c.fillStyle = colors.ground;
			c.fillRect(0, y - 1, width, 1);
			if (!nest || lines[i].kind === "group") continue;
			for (let d = 1; d <= track.depthOf(lines[i].rows[0]); d++) c.fillRect(0, top[i] - body.scrollTop + d * STEP - 1, width, 1);
			c.fillStyle = colors.line;
			c.fillRect(0, y - 2, width, 1);
		}
	}

	/* ---- intervals where they are few ---- */

	async function settled() {
		askNames();
		describe();
		/* Each time: names may have been there before the pieces that have them, and the next zoom has other values. */
		if (!strips.busy) stage.legendChanged();
		if (!rows || !lines.length || track.style === "curve") return;
		strips.want([...wanted(app.range()), ...wanted(app.range(), 0.6)].filter((w, i, all) => all.findIndex(o => o.key === w.key) === i));
		const range = app.range(), [from, to] = visible(body.clientHeight), nested = track.style === "nest";
		const part = lines.slice(from, to + 1).filter(l => l.kind === "row" && l.rows.length === 1);
		const tall = part.length ? top[to + 1] - top[to] : 0, spec = specs(part);
		if (!part.length || tall < LABEL_ROW || part.length > 400) { exact = null; return; }
		const same = JSON.stringify([key, spec, nested]);
		if (exact?.same === same && exact.from <= range.from && exact.to >= range.to && (!exact.many || (exact.from === range.from && exact.to === range.to))) return;
		stop?.abort();
		stop = new AbortController();
		try {
			const got = await app.api.json("time/exact", { ...track.args(), rows: spec, from: range.from, to: range.to, most: EXACT_MOST, nested: nested ? 1 : 0 }, { signal: stop.signal });
			exact = got.many ? { same, many: true, from: range.from, to: range.to, by: new Map() } : { same, from: range.from, to: range.to, by: new Map(got.rows.map(r => [r.row, r.spans])) };
			if (!got.many) addNames(got.values);
			schedule();
		} catch (error) { if (!isAbort(error)) say(error.message); }
	}
	function drawNames(c, range, width, tall) {
		if (exact.many) return;
		const [from, to] = visible(tall), nest = track.style === "nest";
		c.font = unit.small;
		c.textBaseline = "middle";
		for (let i = from; i <= to; i++) {
			const spans = lines[i].kind === "row" && lines[i].rows.length === 1 ? exact.by.get(lines[i].rows[0]) : null;
			if (!spans) continue;
			const t = nest ? STEP : top[i + 1] - top[i];
			if (t < LABEL_ROW) continue;
			for (let k = 0; k < spans.length; k += 4) {
				const x0 = Math.max(0, xOf(spans[k + 1], range, width)), x1 = Math.min(width, xOf(spans[k + 2], range, width));
				if (x1 - x0 < 22) continue;
				const color = shown(spans[k + 3]), n = names.get(spans[k + 3]);
				if (!n || color < 0) continue;
				const y = top[i] - body.scrollTop + (nest ? spans[k] * STEP : 0);
				if (nest && spans[k] >= track.depthOf(lines[i].rows[0])) continue;
				if (x1 - x0 > 3) { c.fillStyle = "rgba(0,0,0,.16)"; c.fillRect(x1 - 1, y, 1, t - 1); }
				c.fillStyle = textOn(color);
				const text = cutText(c, plain(n.name, 120), x1 - x0 - 8);
				if (text) c.fillText(text, x0 + 4, y + t / 2 - 0.5);
			}
		}
	}
	function cutText(c, text, room) {
		if (c.measureText(text).width <= room) return text;
		let low = 0, high = text.length;
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (c.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle;
			else high = middle - 1;
		}
		return low >= 2 ? `${text.slice(0, low)}…` : "";
	}

	function drawLabels(c, gutter, tall) {
		c.fillStyle = colors.panel;
		c.fillRect(0, 0, gutter, tall);
		if (!lines.length) return;
		const [from, to] = visible(tall), chosen = app.state.selection;
		c.textBaseline = "middle";
		let last = -100;
		for (let i = from; i <= to; i++) {
			const l = lines[i], y = top[i] - body.scrollTop, t = top[i + 1] - top[i], grouped = l.group >= 0 && l.kind === "row";
			if (chosen && chosen.level === track.level && l.kind === "row" && l.rows.includes(chosen.row)) { c.fillStyle = colors.select; c.fillRect(0, y, gutter, t); }
			if (y + t / 2 - last < 11) continue;
			last = y + Math.min(t, 30) / 2;
			c.font = l.kind === "group" ? `600 ${unit.small}` : t < 14 ? unit.small : unit.font;
			c.fillStyle = l.kind === "group" ? colors.text : colors.soft;
			const under = grouped && lines.length > 1 && isUnderHead(i), name = under ? shortName(l.label, headOf(i)) : l.label;
			const x = l.kind === "group" ? 20 : under ? 20 : 8, middle = y + Math.min(t, track.style === "nest" ? STEP : 44) / 2;
			if (l.kind === "group") drawTwist(c, 8, middle, l.folded);
			const text = plain(name, 100) + (l.kind === "group" && l.folded ? `  (${l.count})` : "");
			c.fillText(cutText(c, text, gutter - x - 8) || text.slice(0, 3), x, middle);
		}
		c.fillStyle = colors.line;
		c.fillRect(gutter - 1, 0, 1, tall);
	}
	const headOf = i => { for (let k = i; k >= 0; k--) if (lines[k].kind === "group") return lines[k].label; return ""; };
	const isUnderHead = i => { for (let k = i - 1; k >= 0; k--) { if (lines[k].group !== lines[i].group) return false; if (lines[k].kind === "group") return !lines[k].folded; } return false; };
	function drawTwist(c, x, y, folded) {
		c.strokeStyle = colors.soft;
		c.lineWidth = 1.4;
		c.beginPath();
		if (folded) { c.moveTo(x - 1.5, y - 3.5); c.lineTo(x + 2, y); c.lineTo(x - 1.5, y + 3.5); }
		else { c.moveTo(x - 3.5, y - 1.5); c.lineTo(x, y + 2); c.lineTo(x + 3.5, y - 1.5); }
		c.stroke();
	}

	/* ---- what is where ---- */

	function valueAt(line, i, t, depth) {
		const spans = exact && !exact.many && line.kind === "row" && line.rows.length === 1 ? exact.by.get(line.rows[0]) : null;
		if (spans) for (let k = 0; k < spans.length; k += 4)
			if (spans[k] === depth && spans[k + 1] <= t && spans[k + 2] > t) return { value: spans[k + 3], name: names.get(spans[k + 3])?.name, begin: spans[k + 1], end: spans[k + 2], color: shown(spans[k + 3]) };
		for (const w of wanted(app.range())) {
			const at = w.part.indexOf(i);
			if (at < 0 || t < w.from || t >= w.to) continue;
			const piece = strips.get(w.key);
			if (!piece || depth >= w.depth) return {};
			const x = Math.min(piece.cells.width - 1, Math.floor(((t - piece.from) * piece.cells.width) / (piece.to - piece.from)));
			const value = piece.cells.values[piece.cells.place[(at * w.depth + depth) * piece.cells.width + x]];
			return { value, name: names.get(value)?.name, color: shown(value) };
		}
		return {};
	}

	/* ---- life ---- */

	function update(changed) {
		const next = JSON.stringify([app.state.trace, track.def.view, track.def.window, track.def.level]);
		if (changed.has("info") || next !== key) { if (app.trace) load(); }
		else if (changed.has("tracks")) {
			const s = track.def.min !== undefined || track.def.max !== undefined;
			if (s && scale && rows && !rows.codes) scale = { min: track.def.min ?? scale.min, max: track.def.max ?? scale.max };
			headView.update();
		}
		if (changed.has("rows") || changed.has("more") || changed.has("sizes") || changed.has("tracks")) layout();
		if (changed.has("colors") || changed.has("safe") || changed.has("more") || changed.has("theme")) { setLook(); headView.update(); }
		if (changed.has("rows")) exact = null;
		if (changed.has("rows") || changed.has("tracks")) order.look();
		schedule();
	}
	const sizes = new ResizeObserver(() => { layout(); schedule(); });
	sizes.observe(body);
	body.addEventListener("scroll", schedule, { passive: true });
	function destroy() {
		sizes.disconnect();
		cancelAnimationFrame(frame);
		clearTimeout(settle);
		stop?.abort();
		strips.clear();
		curves.clear();
		box.remove();
	}
	return track;
}
