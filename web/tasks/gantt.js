// SPDX-License-Identifier: Apache-2.0
/*
 * The handbook's Gantt chart: curves of the whole program, a row for each memory node, worker and submitting thread, in its colours. The server computes it for
 * the pixels that are seen; here it is painted, moved, and asked what lies under the pointer.
 */
import { fill, h, plain } from "../lib/dom.js";
import { at, span } from "../lib/time.js";
import { fit, inks } from "../live/paint.js";
import { neighbour, paintAt, pixel, readChart, taskAt, timeStep } from "./chart.js";

const LABELS = 150, AXIS = 22, CURVE = 40, GAP = 10, RIGHT = 84;
export const SHOWN = [["curves", "Curves"], ["nodes", "Memory nodes"], ["events", "Events"], ["push", "Given to the policy"], ["pop", "Taken from it"], ["transfers", "Transfers"], ["dependencies", "Dependencies"]];
const MARKS = { event: "#1b3a93", push: "#0c8599", pop: "#e8590c", transfer: "#6741d9", dependency: "#868e96" };

/** @param {HTMLElement} host @param {any} app */
export function createGantt(host, app) {
	const canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": "Gantt chart" }), box = h("div", { class: "gantt-box" }, h("div", {}, canvas));
	const shown = h("span", { class: "segments", role: "group", "aria-label": "What is shown" }), legend = h("div", { class: "live-legend gantt-legend" }), facts = h("span", { class: "soft" });
	const colors = h("button", { type: "button", onclick: () => app.own("gantt", { codelets: !own().codelets }, { step: true }), title: "A colour for each codelet; else tasks are green, or as the program coloured them" }, "Codelets");
	fill(host, h("div", { class: "live" }, h("div", { class: "bar" }, shown, colors, h("span", { class: "grow" }), facts), box, legend));
	const own = () => app.own("gantt"), what = () => own().show ?? ["curves", "nodes"];
	let chart = null, places = [], plot = { left: LABELS, width: 1 }, asked = false, turn = 0, stop = null, pending = 0;

	async function load() {
		const { from, to } = app.range(), width = Math.max(60, Math.round((box.clientWidth - 24 - LABELS - RIGHT) * (devicePixelRatio || 1)));
		if (!app.trace?.has.tasks || box.clientWidth < 100) return;
		const mine = ++turn;
		stop?.abort();
		stop = new AbortController();
		try {
			const bytes = await app.api.bytes("task/gantt", { trace: app.state.trace, from, to, width, show: what(), colors: own().codelets ? "codelets" : "states" }, { signal: stop.signal });
			if (mine !== turn) return;
			chart = readChart(bytes);
			bar();
			soon();
		} catch (error) {
			if (mine === turn) app.fail(error);
		}
	}
	const loadSoon = () => { clearTimeout(pending); pending = setTimeout(load, 30); };
	const soon = () => { if (!asked) { asked = true; requestAnimationFrame(paint); } };

	const x = t => { const { from, to } = app.range(); return plot.left + ((t - from) / (to - from)) * plot.width; };
	const time = px => { const { from, to } = app.range(); return from + ((px - plot.left) / plot.width) * (to - from); };

	function lay() {
		const own = chart.curves.filter(c => c.row >= 0), all = chart.curves.filter(c => c.row < 0), rowHeight = Math.max(18, Math.min(34, Math.floor((box.clientHeight - 60 - all.length * (CURVE + GAP)) / Math.max(1, chart.rows.length + own.length * 0.6))));
		let y = 6;
		const curves = all.map(c => { const p = { c, y, h: CURVE }; y += CURVE + GAP; return p; });
		const axis = y;
		y += AXIS;
		const rows = chart.rows.map((r, i) => {
			const p = { r, i, y, h: rowHeight - 4 };
			y += rowHeight;
			for (const c of own) if (c.row === i) { curves.push({ c, y, h: 14 }); y += 20; }
			return p;
		});
		return { curves, axis, rows, height: y + 4 };
	}

	/* All rows as an image of one line of pixels each, stretched when painted. While a new chart is on its way the old one stands in for it, moved. */
	function image(ink) {
		const words = chart.paints.map((p, i) => pixel(i ? p.color : ink.track)), off = new OffscreenCanvas(chart.width, Math.max(1, chart.rows.length));
		const data = new ImageData(chart.width, Math.max(1, chart.rows.length)), to = new Uint32Array(data.data.buffer);
		for (let i = 0; i < chart.cells.length; i++) to[i] = words[chart.cells[i]];
		off.getContext("2d").putImageData(data, 0, 0);
		return off;
	}

	function paint() {
		asked = false;
		if (!chart || !box.clientWidth) return;
		const places2 = lay(), ink = inks(host), { c, width } = fit(canvas, places2.height), { from, to } = app.range();
		places = places2.rows;
		plot = { left: LABELS, width: width - LABELS - RIGHT };
		c.font = `11.5px ${ink.font}`;
		c.textBaseline = "middle";
		const picture = image(ink), x0 = x(chart.from), w = x(chart.to) - x0;
		for (let step = timeStep(to - from, plot.width / 110), t = Math.ceil(from / step) * step; t <= to; t += step) {
			c.fillStyle = ink.lineSoft;
			c.fillRect(Math.round(x(t)), 0, 1, places2.height);
			c.fillStyle = ink.soft;
			c.fillText(at(t, step), x(t) + 4, places2.axis + AXIS / 2);
		}
		c.save();
		c.beginPath();
		c.rect(plot.left, 0, plot.width, places2.height);
		c.clip();
		c.imageSmoothingEnabled = false;
		for (const p of places) c.drawImage(picture, 0, p.i, chart.width, 1, x0, p.y, w, p.h);
		for (const p of places2.curves) drawCurve(c, p, x0, w);
		drawTasks(c, ink);
		drawMarks(c, x0, w);
		const cursor = app.state.cursor;
		if (cursor >= from && cursor <= to) { c.fillStyle = ink.accent; c.fillRect(x(cursor), 0, 1, places2.height); }
		c.restore();
		c.fillStyle = ink.text;
		for (const p of places) c.fillText(plain(p.r.label, 26), 4, p.y + p.h / 2, LABELS - 12);
		for (const p of places) {
			c.fillStyle = ink.soft;
			if (p.r.kind === "worker") c.fillText(`${(100 * p.r.busy).toFixed(0)} %`, plot.left + plot.width + 6, p.y + p.h / 2);
		}
		c.textAlign = "left";
		for (const p of places2.curves) {
			c.fillStyle = ink.soft;
			if (p.c.label) c.fillText(plain(p.c.label, 26), 4, p.y + p.h / 2, LABELS - 12);
			c.fillText(`${Number(p.c.most.toPrecision(3))} ${p.c.unit}`, plot.left + plot.width + 6, p.y + 6);
		}
		canvas.setAttribute("aria-label", `Gantt chart of ${chart.rows.length} rows, ${span(to - from)}; ${chart.exact ? `${chart.tasks.length} tasks are seen` : "zoom in for single tasks"}`);
	}

	function drawCurve(c, { c: curve, y, h: high }, x0, w) {
		const most = curve.most || 1, n = curve.values.length;
		c.beginPath();
		c.moveTo(x0, y + high);
		for (let k = 0; k < n; k++) {
			const v = y + high - (curve.values[k] / most) * high;
			c.lineTo(x0 + (k / n) * w, v);
			c.lineTo(x0 + ((k + 1) / n) * w, v);
		}
		c.strokeStyle = curve.color;
		c.lineWidth = 1.2;
		c.stroke();
		c.lineTo(x0 + w, y + high);
		c.closePath();
		c.globalAlpha = 0.13;
		c.fillStyle = curve.color;
		c.fill();
		c.globalAlpha = 1;
	}

	function drawTasks(c, ink) {
		const chosen = app.own("tasks").task, widest = 34;
		if (!chart.exact) return;
		c.font = `11px ${ink.font}`;
		for (const [task, row, start, end, name] of chart.tasks) {
			const p = places[row], x0 = Math.max(plot.left, x(start)), w = Math.min(plot.left + plot.width, x(end)) - x0;
			if (!p || w < 1) continue;
			if (w > 5) { c.fillStyle = ink.ground; c.globalAlpha = 0.5; c.fillRect(x0 + w - 1, p.y, 1, p.h); c.globalAlpha = 1; }
			if (w > widest) {
				c.fillStyle = "#ffffff";
				c.fillText(plain(name, 40).slice(0, Math.floor(w / 6.2)), x0 + 4, p.y + p.h / 2, w - 6);
			}
			if (task === chosen) { c.strokeStyle = ink.text; c.lineWidth = 2; c.strokeRect(x0 + 1, p.y + 1, Math.max(1, w - 2), p.h - 2); }
		}
	}

	function drawMarks(c, x0, w) {
		const px = k => x0 + (k / chart.width) * w;
		for (const [row, k, kind] of chart.points) {
			const p = places[row];
			if (!p) continue;
			c.fillStyle = MARKS[kind];
			c.beginPath();
			c.moveTo(px(k), p.y - 3);
			c.lineTo(px(k) - 3, p.y + 3);
			c.lineTo(px(k) + 3, p.y + 3);
			c.fill();
		}
		c.lineWidth = 1;
		for (const [fromRow, toRow, a, b, kind] of chart.arrows) {
			const from = places[fromRow], to = places[toRow];
			if (!from || !to) continue;
			const y0 = from.y + from.h / 2, y1 = to.y + to.h / 2;
			c.strokeStyle = MARKS[kind];
			c.globalAlpha = 0.7;
			c.beginPath();
			c.moveTo(px(a), y0);
			c.lineTo(px(b), y1);
			const angle = Math.atan2(y1 - y0, px(b) - px(a));
			for (const turned of [2.7, -2.7]) { c.moveTo(px(b), y1); c.lineTo(px(b) + 6 * Math.cos(angle + turned), y1 + 6 * Math.sin(angle + turned)); }
			c.stroke();
			c.globalAlpha = 1;
		}
	}

	function bar() {
		fill(shown, SHOWN.map(([name, title]) => h("button", { type: "button", "aria-pressed": String(what().includes(name)), onclick: () => app.own("gantt", { show: what().includes(name) ? what().filter(s => s !== name) : [...what(), name] }, { step: true }) }, title)));
		colors.setAttribute("aria-pressed", String(Boolean(own().codelets)));
		if (!chart) return;
		const all = chart.paints.reduce((a, p) => a + p.ns, 0) || 1;
		fill(legend, chart.paints.map((p, i) => ({ ...p, i })).filter(p => p.i && p.ns * 2000 > all).sort((a, b) => b.ns - a.ns).slice(0, 24).map(p => h("span", {}, h("span", { class: "swatch", style: { background: p.color } }), ` ${plain(p.name, 60)}${p.ns ? ` ${((100 * p.ns) / all).toFixed(1)} %` : ""}`)));
		fill(facts, chart.left_out ? `${chart.left_out} arrows are left out; zoom in` : chart.exact ? `${chart.tasks.length} tasks` : chart.missing ? "single tasks are not in this page" : "zoom in for single tasks");
	}

	/* ---- pointer and keys ---- */

	const rowAt = y => places.find(p => y >= p.y && y < p.y + p.h + 4);
	function hint(e) {
		const p = rowAt(e.offsetY), t = time(e.offsetX);
		if (!chart || !p || e.offsetX < plot.left || e.offsetX > plot.left + plot.width) return app.hint("");
		const task = chart.exact ? taskAt(chart, p.i, t) : null, paint = chart.paints[paintAt(chart, p.i, ((t - chart.from) / (chart.to - chart.from)) * chart.width)];
		app.hint(`${at(t, (app.range().to - app.range().from) / plot.width)} · ${plain(p.r.label, 40)} · ${task ? `${plain(task[4], 60)}, ${span(task[3] - task[2])}` : plain(paint?.name ?? "", 60)}`);
	}
	function zoom(factor, middle) {
		const { from, to } = app.range(), length = Math.max(20, (to - from) * factor), share = (middle - from) / (to - from);
		app.show(middle - share * length, middle - share * length + length, { step: false });
	}
	function pan(part) {
		const { from, to } = app.range(), by = Math.max(-from, Math.min((to - from) * part, (app.trace?.end ?? to) - to));
		app.show(from + by, to + by, { step: false });
	}
	function choose(task) {
		if (task === null || task === undefined) return;
		app.own("tasks", { task });
		app.set({ side: "task" });
	}
	let drag = null;
	canvas.addEventListener("wheel", e => {
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) { e.preventDefault(); pan((e.deltaX || e.deltaY) / 800); } else if (e.ctrlKey || e.metaKey || box.scrollHeight <= box.clientHeight + 2) { e.preventDefault(); zoom(Math.exp(e.deltaY * 0.002), time(e.offsetX)); }
	}, { passive: false });
	canvas.addEventListener("pointerdown", e => { if (e.button === 0 && e.offsetX >= plot.left) { drag = { x: e.offsetX, from: app.range().from, to: app.range().to, moved: false, select: e.shiftKey, at: e.offsetX }; canvas.setPointerCapture(e.pointerId); } });
	canvas.addEventListener("pointermove", e => {
		if (!drag) return hint(e);
		drag.moved ||= Math.abs(e.offsetX - drag.x) > 3;
		drag.at = e.offsetX;
		if (drag.moved && !drag.select) { const by = ((drag.x - e.offsetX) / plot.width) * (drag.to - drag.from), held = Math.max(-drag.from, Math.min(by, (app.trace?.end ?? drag.to) - drag.to)); app.show(drag.from + held, drag.to + held, { step: false }); }
	});
	canvas.addEventListener("pointerup", e => {
		const was = drag;
		drag = null;
		if (!was) return;
		if (was.moved && was.select) { const [a, b] = [time(was.x), time(e.offsetX)].sort((p, q) => p - q); app.show(a, b); return; }
		if (was.moved) { app.show(app.range().from, app.range().to); return; }
		const p = rowAt(e.offsetY);
		app.set({ cursor: Math.round(time(e.offsetX)) });
		if (p && chart?.exact) choose(taskAt(chart, p.i, time(e.offsetX))?.[0]);
	});
	canvas.addEventListener("dblclick", e => { const p = rowAt(e.offsetY), t = p && chart?.exact && taskAt(chart, p.i, time(e.offsetX)); if (t) app.show(t[2] - (t[3] - t[2]), t[3] + (t[3] - t[2])); });
	canvas.addEventListener("pointerleave", () => app.hint(""));
	canvas.addEventListener("keydown", e => {
		const middle = () => { const { from, to } = app.range(); return app.state.cursor >= from && app.state.cursor <= to ? app.state.cursor : (from + to) / 2; };
		const run = {
			"+": () => zoom(0.6, middle()), "=": () => zoom(0.6, middle()), "-": () => zoom(1.7, middle()), w: () => zoom(0.6, middle()), s: () => zoom(1.7, middle()), a: () => pan(-0.2), d: () => pan(0.2), ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2),
			0: () => app.set({ from: 0, to: 0 }, { step: true }), n: () => chart && choose(neighbour(chart, app.own("tasks").task, 1)?.[0]), p: () => chart && choose(neighbour(chart, app.own("tasks").task, -1)?.[0]),
		}[e.key];
		if (!run || e.ctrlKey || e.metaKey || e.altKey) return;
		e.preventDefault();
		e.stopPropagation();
		run();
	});
	const sizes = new ResizeObserver(loadSoon);
	sizes.observe(box);
	bar();
	return {
		update(changed) {
			if (app.state.main !== "gantt") return;
			if (["info", "trace", "from", "to", "main"].some(k => changed.has(k)) || (changed.has("more") && JSON.stringify([what(), own().codelets]) !== host.dataset.asked)) {
				host.dataset.asked = JSON.stringify([what(), own().codelets]);
				bar();
				loadSoon();
			}
			soon();
		},
		destroy() { sizes.disconnect(); stop?.abort(); },
	};
}
