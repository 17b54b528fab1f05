// SPDX-License-Identifier: Apache-2.0
/*
 * Traces beside each other: laid over one time, a marker or iterations; one zoom for all. Below, what differs: as a table, as a flame graph, and what got
 * slower first.
 */
import { chooser } from "../lib/menu.js";
import { fill, h, plain } from "../lib/dom.js";
import { at, bytes, span } from "../lib/time.js";
import { fit, inks } from "../live/paint.js";
import { timeStep } from "../tasks/chart.js";
import { changeColor, changeText, createMapping, flameBars, pieces } from "./align.js";
import { createStrip, drawPieces } from "./strip.js";

const LABELS = 130, AXIS = 22, GAP = 12, BAR = 18;
const VIEWS = ["regions", "states", "mpi-time", "functions", "tasks", "useful-histogram"];

/** @param {HTMLElement} host @param {any} app */
export function createCompare(host, app) {
	const own = () => app.own("compare"), set = (patch, how) => app.own("compare", patch, how);
	const canvas = h("canvas", { tabindex: "0", role: "img" }), stripBox = h("div", { class: "compare-strips" }, h("div", {}, canvas));
	const pickA = h("select", { "aria-label": "The one", onchange: () => set({ a: pickA.selectedIndex, from: 0, to: 0 }, { step: true }) }), pickB = h("select", { "aria-label": "The other", onchange: () => set({ b: pickB.selectedIndex }, { step: true }) });
	const align = h("button", { type: "button", "aria-haspopup": "listbox", onclick: () => chooseMark() });
	const tabs = h("span", { class: "segments", role: "tablist", "aria-label": "What differs" }), below = h("div", { class: "compare-below" }), note = h("span", { class: "soft" });
	fill(host, h("div", { class: "live" }, h("div", { class: "bar" }, pickA, h("span", { class: "soft" }, "and"), pickB, h("span", { class: "soft" }, "aligned by"), align, h("button", { type: "button", title: "All of it  (0)", onclick: () => set({ from: 0, to: 0 }, { step: true }) }, "All"), h("span", { class: "grow" }), note), stripBox, h("div", { class: "bar" }, tabs), below));
	const strips = new Map();
	let marks = null, times = [[], []], mapping = createMapping([], []), pairKey = "", markKey = "", askedKey = "", asked = false, turn = 0, plot = { left: LABELS, width: 1 };

	const a = () => own().a ?? 0, b = () => own().b ?? (app.info.traces.length > 1 ? 1 : 0), trace = i => app.info.traces[i];
	const strip = i => { if (!strips.has(i)) strips.set(i, createStrip(app, i)); return strips.get(i); };
	const shown = () => [a(), ...app.info.traces.map((_, i) => i).filter(i => i !== a() && (i === b() || (own().all && trace(i).state === "ready")))];
	function range() {
		const end = Math.max(trace(a())?.end ?? 1, mapping.toA(trace(b())?.end ?? 0)), { from = 0, to = 0 } = own();
		return to > from ? { from, to } : { from: Math.min(0, mapping.toA(0)), to: end };
	}
	const rangeB = () => { const { from, to } = range(), end = trace(b())?.end ?? 1; return { from: Math.max(0, Math.min(end - 1, Math.round(mapping.toB(from)))), to: Math.max(1, Math.min(end, Math.round(mapping.toB(to)))) }; };
	const pairArgs = () => { const { from, to } = range(), end = trace(a())?.end ?? 1, rb = rangeB(); return { a: a(), b: b(), afrom: Math.max(0, Math.min(end - 1, Math.round(from))), ato: Math.max(1, Math.min(end, Math.round(to))), bfrom: Math.min(rb.from, rb.to - 1), bto: rb.to }; };

	/* ---- what is aligned by what ---- */

	async function loadPair() {
		const key = JSON.stringify([a(), b()]);
		if (key === pairKey) return;
		pairKey = key;
		marks = null;
		try {
			marks = await app.api.json("compare/marks", { a: a(), b: b() });
			if (!own().mark && own().mark !== "" && marks.length && marks[0].times[0] === marks[0].times[1]) set({ mark: marks[0].name, iteration: marks[0].iteration });
		} catch (error) { app.fail(error); marks = []; }
	}
	async function loadMark() {
		const key = JSON.stringify([a(), b(), own().mark ?? "", Boolean(own().iteration)]);
		if (key === markKey) return;
		markKey = key;
		times = [[], []];
		if (own().mark) {
			try {
				const answer = await app.api.json("compare/align", { a: a(), b: b(), mark: own().mark, iteration: own().iteration ? 1 : 0 });
				if (key !== markKey) return;
				times = answer.times;
			} catch (error) { app.fail(error); }
		}
		mapping = createMapping(times[0], times[1]);
		fill(note, own().mark ? `${mapping.n} times in both` : "from the begin of each");
	}
	function chooseMark() {
		chooser(align, { title: "what happens in both", items: text => [{ title: "Time since the begin", checked: !own().mark, run: () => set({ mark: "", iteration: false }, { step: true }) }, ...(marks ?? []).filter(m => m.name.toLowerCase().includes(text.toLowerCase())).map(m => ({ title: m.iteration ? "Iterations of tasks" : m.name, hint: `${m.times[0]} and ${m.times[1]} times`, checked: own().mark === m.name && Boolean(own().iteration) === m.iteration, run: () => set({ mark: m.name, iteration: m.iteration }, { step: true }) }))] });
	}

	/* ---- strips ---- */

	const x = t => { const { from, to } = range(); return plot.left + ((t - from) / (to - from)) * plot.width; };
	const time = px => { const { from, to } = range(); return from + ((px - plot.left) / plot.width) * (to - from); };
	const toOther = (i, t) => (i === a() ? t : i === b() ? mapping.toB(t) : t);
	async function loadStrips() {
		const { from, to } = range(), width = Math.min(4096, Math.max(50, Math.round((stripBox.clientWidth - 24 - LABELS - 10) * (devicePixelRatio || 1))));
		if (stripBox.clientWidth < 200) return;
		const mine = ++turn;
		await Promise.all(shown().map(i => strip(i).load(toOther(i, from), toOther(i, to), width).catch(error => app.fail(error))));
		if (mine === turn) soon();
	}
	const soon = () => { if (!asked) { asked = true; requestAnimationFrame(draw); } };
	function draw() {
		asked = false;
		const list = shown(), tall = Math.max(26, Math.min(150, Math.floor((stripBox.clientHeight - AXIS - 8) / Math.max(1, list.length)) - GAP)), ink = inks(host);
		const { c, width } = fit(canvas, AXIS + list.length * (tall + GAP)), { from, to } = range();
		plot = { left: LABELS, width: width - LABELS - 10 };
		c.font = `11.5px ${ink.font}`;
		c.textBaseline = "middle";
		for (let step = timeStep(to - from, plot.width / 110), t = Math.ceil(from / step) * step; t <= to; t += step) {
			c.fillStyle = ink.lineSoft;
			c.fillRect(Math.round(x(t)), 0, 1, AXIS + list.length * (tall + GAP));
			c.fillStyle = ink.soft;
			c.fillText(at(t, step), x(t) + 4, AXIS / 2);
		}
		list.forEach((i, k) => {
			const top = AXIS + k * (tall + GAP), parts = i === b() && i !== a() ? pieces(times[0], mapping, from, to).map(p => ({ x0: x(p.a0), x1: x(p.a1), from: p.b0, to: p.b1 })) : [{ x0: x(from), x1: x(to), from, to }];
			c.fillStyle = ink.track;
			c.fillRect(plot.left, top, plot.width, tall);
			c.save();
			c.beginPath();
			c.rect(plot.left, top, plot.width, tall);
			c.clip();
			drawPieces(c, strip(i).picture, parts, top, tall);
			c.restore();
			c.fillStyle = ink.text;
			c.fillText(plain(trace(i).name, 40), 4, top + tall / 2 - 7, LABELS - 12);
			c.fillStyle = ink.soft;
			c.fillText(`${i === a() ? "a" : i === b() ? "b" : ""}  ${span(trace(i).end)}`, 4, top + tall / 2 + 9, LABELS - 12);
		});
		/* Marks, and whether b is slower between them. */
		if (mapping.n > 1 && list.length > 1) {
			const y = AXIS + tall + 1;
			for (let k = 0; k + 1 < mapping.n; k++) {
				const x0 = Math.max(plot.left, x(times[0][k])), x1 = Math.min(plot.left + plot.width, x(times[0][k + 1]));
				if (x1 <= x0) continue;
				c.fillStyle = changeColor(times[0][k + 1] - times[0][k], times[1][k + 1] - times[1][k], app.dark());
				c.fillRect(x0, y, Math.max(0.7, x1 - x0 - (x1 - x0 > 3 ? 1 : 0)), GAP - 2);
			}
		}
		canvas.setAttribute("aria-label", `${list.length} traces beside each other, ${span(to - from)}${own().mark ? `, aligned by ${plain(own().mark, 60)}` : ""}`);
	}
	function show(from, to, step = false) { set({ from: Math.round(from), to: Math.round(Math.max(to, from + 20)) }, { step }); }
	const zoom = (factor, middle) => { const { from, to } = range(), length = (to - from) * factor, part = (middle - from) / (to - from); show(middle - part * length, middle - part * length + length); };
	const pan = part => { const { from, to } = range(); show(from + (to - from) * part, to + (to - from) * part); };
	let drag = null;
	canvas.addEventListener("wheel", e => { e.preventDefault(); if (e.shiftKey) pan(e.deltaY / 800); else zoom(Math.exp(e.deltaY * 0.002), time(e.offsetX)); }, { passive: false });
	canvas.addEventListener("pointerdown", e => { drag = { x: e.offsetX, ...range(), moved: false, select: e.shiftKey }; canvas.setPointerCapture(e.pointerId); });
	canvas.addEventListener("pointermove", e => {
		const t = time(e.offsetX);
		app.hint(`${plain(trace(a())?.name ?? "", 30)}: ${at(t, 1000)} · ${plain(trace(b())?.name ?? "", 30)}: ${at(mapping.toB(t), 1000)}`);
		if (!drag) return;
		drag.moved ||= Math.abs(e.offsetX - drag.x) > 3;
		if (drag.moved && !drag.select) { const by = ((drag.x - e.offsetX) / plot.width) * (drag.to - drag.from); show(drag.from + by, drag.to + by); }
	});
	canvas.addEventListener("pointerup", e => {
		if (drag?.moved && drag.select) { const [p, q] = [time(drag.x), time(e.offsetX)].sort((u, v) => u - v); show(p, q, true); } else if (drag?.moved) { const r = range(); show(r.from, r.to, true); }
		drag = null;
	});
	canvas.addEventListener("pointerleave", () => app.hint(""));
	canvas.addEventListener("keydown", e => {
		const middle = (range().from + range().to) / 2;
		const run = { "+": () => zoom(0.6, middle), "=": () => zoom(0.6, middle), "-": () => zoom(1.7, middle), w: () => zoom(0.6, middle), s: () => zoom(1.7, middle), a: () => pan(-0.2), d: () => pan(0.2), ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), 0: () => set({ from: 0, to: 0 }, { step: true }) }[e.key];
		if (!run || e.ctrlKey || e.metaKey || e.altKey) return;
		e.preventDefault();
		e.stopPropagation();
		run();
	});

	/* ---- what differs ---- */

	const TABS = [["table", "Table"], ["flame", "Flame graph"], ["slower", "What got slower first"]];
	let later = 0;
	async function loadBelow() {
		const tab = own().tab ?? "table", key = JSON.stringify([tab, own().view ?? "", own().by ?? "", own().share ?? "", own().mark ?? "", pairArgs()]);
		if (key === askedKey) return;
		askedKey = key;
		fill(tabs, TABS.map(([name, title]) => h("button", { type: "button", role: "tab", "aria-selected": String(tab === name), onclick: () => set({ tab: name }) }, title)));
		try {
			const data = tab === "slower" ? (own().mark ? await app.api.json("compare/slower", { a: a(), b: b(), mark: own().mark, iteration: own().iteration ? 1 : 0 }) : null) : await app.api.json(`compare/${tab}`, { ...pairArgs(), ...(tab === "table" ? { view: own().view ?? "regions", by: own().by ?? "column" } : {}) });
			if (key !== askedKey) return;
			({ table: putTable, flame: putFlame, slower: putSlower })[tab](data);
		} catch (error) {
			if (key === askedKey) fill(below, tab === "table" ? tableHead() : null, h("p", { class: "note" }, plain(error.message, 300)));
		}
	}
	const belowSoon = () => { clearTimeout(later); later = setTimeout(loadBelow, 120); };

	const value = (kind, v) => (v === null ? "–" : kind === "ns" ? span(v) : kind === "bytes" ? bytes(v) : kind === "percent" ? `${v.toFixed(2)} %` : String(Number(v.toPrecision(5))));
	function tableHead() {
		const view = h("select", { "aria-label": "View", onchange: () => set({ view: view.value }, { step: true }) }, [...new Set([...VIEWS, own().view ?? "regions"])].map(v => h("option", { value: v, selected: v === (own().view ?? "regions") }, v)));
		const by = h("select", { "aria-label": "A line for each", onchange: () => set({ by: by.value }, { step: true }) }, ["column", "row", "cell"].map(v => h("option", { value: v, selected: v === (own().by ?? "column") }, `by ${v}`)));
		return h("div", { class: "bar" }, view, by);
	}
	function putTable(d) {
		const most = Math.max(1e-12, ...d.items.map(i => Math.abs((i[3] ?? 0) - (i[2] ?? 0))));
		fill(below, tableHead(), h("p", { class: "soft compare-words" }, `${plain(d.table, 60)}: ${plain(d.stat, 60)}; ${d.all} lines, what changed most first`),
			h("table", { class: "plain compare-table" }, h("thead", {}, h("tr", {}, [["what", ""], [plain(trace(a()).name, 30), "n"], [plain(trace(b()).name, 30), "n"], ["change", "n"], ["", "n"], ["", ""]].map(([t, c]) => h("th", { scope: "col", class: c }, t)))),
				h("tbody", {}, d.items.slice(0, 300).map(([row, column, va, vb]) => {
					const by = (vb ?? 0) - (va ?? 0);
					return h("tr", {}, h("th", { scope: "row" }, plain([column, row].filter(Boolean).join(" · "), 100)), h("td", { class: "n" }, value(d.kind, va)), h("td", { class: "n" }, value(d.kind, vb)), h("td", { class: "n" }, `${by > 0 ? "+" : by < 0 ? "−" : ""}${value(d.kind, Math.abs(by))}`), h("td", { class: "n" }, changeText(va, vb)),
						h("td", {}, h("span", { class: "change-bar" }, h("span", { style: { width: `${(50 * Math.abs(by)) / most}%`, "margin-left": by < 0 ? `${50 - (50 * Math.abs(by)) / most}%` : "50%", background: changeColor(va ?? 0, vb ?? 0, app.dark()) } }))));
				}))));
	}
	function putFlame(d) {
		const root = own().root ?? 0, bars = flameBars(d, { share: Boolean(own().share), root: root < d.nodes.length ? root : 0 }), depth = Math.max(...bars.map(v => v.depth)) + 1;
		const c2 = h("canvas", { tabindex: "0", role: "img", "aria-label": `Difference flame graph of ${bars.length} calls` }), box = h("div", { class: "compare-flame" }, c2);
		fill(below, h("div", { class: "bar" }, h("button", { type: "button", "aria-pressed": String(Boolean(own().share)), onclick: () => set({ share: !own().share }) }, "As shares of each"), h("button", { type: "button", disabled: !root, onclick: () => set({ root: 0 }) }, "All"), h("span", { class: "soft" }, "blue: less in b; orange: more")), box);
		const paintFlame = () => {
			const ink = inks(host), { c, width } = fit(c2, depth * BAR);
			c.font = `11px ${ink.font}`;
			c.textBaseline = "middle";
			for (const bar of bars) {
				const w = bar.w * width;
				if (w < 0.4) continue;
				c.fillStyle = changeColor(bar.a, bar.b, app.dark());
				c.fillRect(bar.x * width, bar.depth * BAR, Math.max(0.5, w - 0.7), BAR - 1.5);
				if (w > 30) { c.fillStyle = ink.text; c.fillText(plain(bar.name, 60).slice(0, Math.floor((w - 8) / 6)), bar.x * width + 4, bar.depth * BAR + BAR / 2); }
			}
		};
		const find = e => bars.find(v => v.depth === Math.floor(e.offsetY / BAR) && e.offsetX >= v.x * c2.clientWidth && e.offsetX < (v.x + v.w) * c2.clientWidth);
		const words = v => (own().share ? [v.a, v.b].map(s => `${(100 * s).toFixed(2)} %`) : [span(v.a), span(v.b)]);
		c2.addEventListener("pointermove", e => { const v = find(e); app.hint(v ? `${plain(v.name, 80)}: ${words(v).join(" → ")}, ${changeText(v.a, v.b)}` : ""); });
		c2.addEventListener("click", e => { const v = find(e); if (v) set({ root: v.node === root ? 0 : v.node }); });
		paintFlame();
	}
	function putSlower(d) {
		if (!d) { fill(below, h("p", { class: "note" }, "Align by a marker or by iterations: then each step of b is held against the same step of a.")); return; }
		const c2 = h("canvas", { role: "img", "aria-label": `Lengths of ${d.steps.length} steps in both` }), box = h("div", { class: "compare-steps" }, c2), most = Math.max(1, ...d.steps.flatMap(s => [s[1], s[3]]));
		const step = d.first >= 0 ? d.steps[d.first] : null;
		fill(below, h("p", { class: "compare-words" }, step ? [h("strong", {}, `Step ${d.first + 1} of ${d.steps.length} is the first that got slower: `), `${span(step[1])} → ${span(step[3])} (${changeText(step[1], step[3])}), at ${span(step[0])}. `, h("button", { type: "button", onclick: () => show(step[0] - step[1], step[0] + 2 * step[1], true) }, "Show it")] : "No step of b takes longer than the same step of a by more than a tenth."), box,
			d.culprits?.length ? h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ["in it, own time of", "a", "b", "more by"].map((t, k) => h("th", { scope: "col", class: k ? "n" : "" }, t)))), h("tbody", {}, d.culprits.map(([name, va, vb]) => h("tr", {}, h("th", { scope: "row" }, plain(name, 80)), h("td", { class: "n" }, span(va)), h("td", { class: "n" }, span(vb)), h("td", { class: "n" }, `${span(vb - va)}`))))) : null);
		const ink = inks(host), { c, width } = fit(c2, 110), w = width / d.steps.length;
		d.steps.forEach((s, i) => {
			c.fillStyle = ink.line;
			c.fillRect(i * w, 104 - (96 * s[1]) / most, Math.max(0.6, w * 0.45), (96 * s[1]) / most);
			c.fillStyle = i === d.first ? changeColor(1, 4, app.dark()) : changeColor(s[1], s[3], app.dark());
			c.fillRect(i * w + w * 0.47, 104 - (96 * s[3]) / most, Math.max(0.6, w * 0.45), (96 * s[3]) / most);
		});
		c2.addEventListener("pointermove", e => { const i = Math.floor(e.offsetX / (c2.clientWidth / d.steps.length)), s = d.steps[i]; app.hint(s ? `step ${i + 1}: ${span(s[1])} → ${span(s[3])}, ${changeText(s[1], s[3])}` : ""); });
		c2.addEventListener("click", e => { const s = d.steps[Math.floor(e.offsetX / (c2.clientWidth / d.steps.length))]; if (s) show(s[0], s[0] + s[1], true); });
	}

	async function all() {
		for (const [pick, now] of [[pickA, a()], [pickB, b()]]) { fill(pick, app.info.traces.map(t => h("option", { disabled: t.state !== "ready" }, plain(t.name, 40)))); pick.selectedIndex = now; }
		await loadPair();
		await loadMark();
		fill(align, own().mark ? (own().iteration ? "iterations" : plain(own().mark, 40)) : "time", " ▾");
		loadStrips();
		soon();
		belowSoon();
	}
	const sizes = new ResizeObserver(() => { loadStrips(); soon(); });
	sizes.observe(stripBox);
	return {
		update(changed) {
			if (app.state.main !== "compare") return;
			if (changed.has("theme")) askedKey = "";
			if (["more", "main", "info", "theme"].some(k => changed.has(k))) all();
		},
		destroy() { sizes.disconnect(); for (const s of strips.values()) s.destroy(); },
	};
}
