// SPDX-License-Identifier: Apache-2.0
/*
 * The flame graph on a canvas: what called is above what was called; a click makes a bar as wide as the picture, arrows go from bar to bar, what is
 * searched for is marked. What is narrower than half a pixel is not drawn.
 */
import { h } from "../lib/dom.js";
import { nextBar } from "./tree.js";
import { inkOn, nameColor, rgbOf } from "../tables/heat.js";

const ROW = 19;

/**
 * @typedef {{depth: number, begin: number, end: number, name: string, module?: string, outer?: boolean, node?: number}} Bar
 * @param {HTMLElement} host
 * @param {{look: (b: Bar | null) => void, take: (b: Bar, e: Event) => void, menu?: (b: Bar, p: {x: number, y: number}) => void, out: () => void, words: (b: Bar) => string}} how
 */
export function createFlame(host, how) {
	const canvas = h("canvas", { class: "flame", tabindex: "0", role: "application", "aria-roledescription": "flame graph", "aria-label": "Flame graph: arrows go from bar to bar" });
	const space = h("div", { class: "flame-space" }), said = h("div", { class: "unseen", "aria-live": "polite" }), box = h("div", { class: "flame-box" }, space, said);
	space.append(canvas);
	host.append(box);
	/** @type {{bars: Bar[], find: string, dark: boolean, colors: Record<string, string>}} */
	let g = { bars: [], find: "", dark: false, colors: {} };
	let levels = [], at = -1, over = -1, frame = 0, from = 0, to = 1;
	const width = () => Math.max(1, box.clientWidth);

	function draw() {
		frame = 0;
		const w = width(), t = Math.max(1, box.clientHeight), scale = devicePixelRatio || 1, x = canvas.getContext("2d"), style = getComputedStyle(canvas);
		canvas.width = Math.round(w * scale);
		canvas.height = Math.round(t * scale);
		canvas.style.width = `${w}px`;
		canvas.style.height = `${t}px`;
		canvas.style.top = `${box.scrollTop}px`;
		x.setTransform(scale, 0, 0, scale, 0, -box.scrollTop * scale);
		x.clearRect(0, box.scrollTop, w, t);
		x.font = `11.5px ${style.getPropertyValue("--sans")}`;
		x.textBaseline = "middle";
		const first = Math.max(0, Math.floor(box.scrollTop / ROW)), last = Math.min(levels.length - 1, Math.floor((box.scrollTop + t) / ROW)), words = g.find.toLowerCase(), letter = x.measureText("n").width;
		for (let d = first; d <= last; d++) for (const i of levels[d] ?? []) {
			const b = g.bars[i], x0 = ((b.begin - from) / (to - from)) * w, x1 = ((b.end - from) / (to - from)) * w;
			if (x1 < 0 || x0 > w || x1 - x0 < 0.4) continue;
			const hit = words && b.name.toLowerCase().includes(words), left = Math.max(0, x0), wide = Math.min(w, x1) - left;
			const color = nameColor(b.name, g.dark, g.colors);
			x.globalAlpha = b.outer ? 0.5 : words && !hit ? 0.35 : 1;
			x.fillStyle = hit ? style.getPropertyValue("--hit") : color;
			x.fillRect(left, d * ROW, Math.max(0.6, wide - 0.7), ROW - 1.5);
			x.globalAlpha = 1;
			if (wide > 26) {
				const most = Math.floor((wide - 8) / letter);
				x.fillStyle = words && !hit ? style.getPropertyValue("--text") : hit ? style.getPropertyValue("--hit-ink") : inkOn(rgbOf(color));
				x.fillText(b.name.length > most ? b.name.slice(0, Math.max(1, most - 1)) + "…" : b.name, left + 4, d * ROW + ROW / 2 - 0.5);
			}
			if (i === at || i === over) {
				x.strokeStyle = style.getPropertyValue(i === at && document.activeElement === canvas ? "--cursor" : "--text");
				x.lineWidth = i === at ? 2 : 1;
				x.strokeRect(left + 0.5, d * ROW + 0.5, Math.max(1, wide - 1.7), ROW - 2.5);
			}
		}
	}
	const soon = () => { if (!frame) frame = requestAnimationFrame(draw); };
	const find = e => {
		const b = canvas.getBoundingClientRect(), d = Math.floor((e.clientY - b.top + box.scrollTop) / ROW), p = from + ((e.clientX - b.left) / width()) * (to - from), level = levels[d] ?? [];
		let low = 0, high = level.length - 1;
		while (low <= high) {
			const mid = (low + high) >> 1, bar = g.bars[level[mid]];
			if (p < bar.begin) high = mid - 1;
			else if (p >= bar.end) low = mid + 1;
			else return level[mid];
		}
		return -1;
	};
	function go(i, speak = true) {
		at = i;
		const b = g.bars[i];
		if (b) {
			const y = b.depth * ROW;
			if (y < box.scrollTop) box.scrollTop = y;
			else if (y + ROW > box.scrollTop + box.clientHeight) box.scrollTop = y + ROW - box.clientHeight;
			if (speak) said.textContent = how.words(b);
		}
		how.look(b ?? null);
		soon();
	}
	canvas.addEventListener("pointermove", e => {
		const i = find(e);
		if (i === over) return;
		over = i;
		canvas.style.cursor = i >= 0 ? "pointer" : "default";
		how.look(g.bars[i] ?? g.bars[at] ?? null);
		soon();
	});
	canvas.addEventListener("pointerleave", () => { over = -1; how.look(g.bars[at] ?? null); soon(); });
	canvas.addEventListener("click", e => { const i = find(e); if (i >= 0) { go(i, false); how.take(g.bars[i], e); } });
	canvas.addEventListener("contextmenu", e => { const i = find(e); if (i >= 0 && how.menu) { e.preventDefault(); go(i, false); how.menu(g.bars[i], { x: e.clientX, y: e.clientY }); } });
	canvas.addEventListener("keydown", e => {
		const step = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" }[e.key];
		if (step) { const i = nextBar(g.bars, at, step); if (i >= 0) go(i); }
		else if ((e.key === "Enter" || e.key === " ") && at >= 0) how.take(g.bars[at], e);
		else if (e.key === "Escape" || e.key === "Backspace") how.out();
		else if (e.key === "Home") go(0);
		else if ((e.key === "n" || e.key === "N") && g.find) {
			const words = g.find.toLowerCase(), all = g.bars.map((b, i) => [b, i]).filter(([b]) => b.name.toLowerCase().includes(words)).map(([, i]) => i);
			if (all.length) { const k = all.findIndex(i => i > at); go(e.key === "n" ? all[k < 0 ? 0 : k] : all[(all.findIndex(i => i >= at) - 1 + all.length) % all.length]); }
		} else return;
		e.preventDefault();
		e.stopPropagation();
	});
	canvas.addEventListener("focus", soon);
	canvas.addEventListener("blur", soon);
	box.addEventListener("scroll", soon, { passive: true });
	const sizes = new ResizeObserver(soon);
	sizes.observe(box);
	return {
		/** Bars sorted by depth, then begin; from and to: the shares that are seen. */
		set({ bars, find: words = "", dark = false, colors = {}, keep = null }) {
			const was = keep ? keep(g.bars[at]) : -1;
			g = { bars, find: words, dark, colors };
			levels = [];
			bars.forEach((b, i) => (levels[b.depth] ??= []).push(i));
			space.style.height = `${levels.length * ROW}px`;
			at = was;
			over = -1;
			soon();
		},
		mark(words) { g.find = words; soon(); },
		redraw: soon,
		focus: () => canvas.focus(),
		get current() { return g.bars[at] ?? null; },
		element: box,
		destroy() { sizes.disconnect(); cancelAnimationFrame(frame); box.remove(); },
	};
}
