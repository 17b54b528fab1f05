// SPDX-License-Identifier: Apache-2.0
/* Measured and predicted above each other, on one axis: the range is the timeline's, so that both move with it. */
import { at, span } from "../lib/time.js";
import { fit, inks } from "../live/paint.js";
import { timeStep } from "../tasks/chart.js";
import { createStrip, drawPieces } from "../compare/strip.js";

const LABELS = 96, AXIS = 20, GAP = 10;
/** What letters of the server are shown as: names of colours. */
export const INK_OF = { c: "accent", w: "warn", x: "good", l: "bad", d: "faint" };

/** What is seen of both: with the whole in view the longer of the two. @param {{from: number, to: number}} range @param {boolean} whole @param {number} predicted */
export const rangeOfBoth = (range, whole, predicted) => (whole ? { from: 0, to: Math.ceil(Math.max(range.to, predicted || 0)) } : range);

/** Lines of letters as pixels, one a letter. @param {string[]} lines @param {Record<string, number>} colors 0xRRGGBB by letter */
export function pixelsOf(lines, colors) {
	const width = lines[0]?.length ?? 0, data = new Uint8ClampedArray(4 * width * lines.length);
	lines.forEach((line, y) => {
		for (let x = 0; x < width; x++) {
			const c = colors[line[x]];
			if (c !== undefined) data.set([c >> 16, (c >> 8) & 255, c & 255, 255], 4 * (y * width + x));
		}
	});
	return { data, width, height: lines.length };
}

/** @param {HTMLCanvasElement} canvas @param {any} app */
export function createLines(canvas, app) {
	let strip = null, held = null, picture = null;
	const number = text => parseInt(text.replace("#", "").padEnd(6, "0"), 16);
	function paintPredicted() {
		const style = getComputedStyle(canvas), { data, width, height } = pixelsOf(held.lines, Object.fromEntries(Object.entries(INK_OF).map(([l, name]) => [l, number(style.getPropertyValue(`--${name}`).trim())])));
		picture = new OffscreenCanvas(Math.max(1, width), Math.max(1, height));
		if (width) picture.getContext("2d").putImageData(new ImageData(data, width, height), 0, 0);
	}
	function draw() {
		if (!held || !canvas.parentElement.clientWidth) return;
		const ink = inks(canvas), { c, width, height } = fit(canvas, canvas.parentElement.clientHeight), { from, to } = held, wide = width - LABELS - 10, x = t => LABELS + ((t - from) / (to - from)) * wide;
		const tall = Math.max(16, Math.floor((height - AXIS - 2 * GAP) / 2)), tops = [AXIS, AXIS + tall + GAP];
		c.font = `11.5px ${ink.font}`;
		c.textBaseline = "middle";
		for (let step = timeStep(to - from, wide / 110), t = Math.ceil(from / step) * step; t <= to; t += step) {
			c.fillStyle = ink.lineSoft;
			c.fillRect(Math.round(x(t)), 0, 1, height);
			c.fillStyle = ink.soft;
			c.fillText(at(t, step), x(t) + 4, AXIS / 2);
		}
		c.fillStyle = ink.track;
		for (const top of tops) c.fillRect(LABELS, top, wide, tall);
		drawPieces(c, strip.picture, [{ x0: x(from), x1: x(to), from, to }], tops[0], tall);
		c.imageSmoothingEnabled = false;
		c.drawImage(picture, LABELS, tops[1], wide, tall);
		[["measured", app.trace.end], ["predicted", held.time_ns]].forEach(([name, time], k) => {
			c.fillStyle = ink.text;
			c.fillText(name, 8, tops[k] + tall / 2 - 8);
			c.fillStyle = ink.soft;
			c.fillText(span(time), 8, tops[k] + tall / 2 + 8);
		});
		canvas.setAttribute("aria-label", `measured and predicted, ${span(to - from)} from ${at(from, 1)}`);
	}
	return {
		width: () => Math.max(50, Math.min(2048, Math.round((canvas.parentElement.clientWidth - LABELS - 10) * (devicePixelRatio || 1)))),
		/** @param {{lines: string[], time_ns: number}} answer @param {{from: number, to: number}} range */
		async show(answer, range) {
			if (strip?.id !== app.state.trace) { strip?.destroy(); strip = createStrip(app, app.state.trace); }
			await strip.load(range.from, range.to, this.width());
			held = { ...answer, ...range };
			paintPredicted();
			draw();
		},
		recolor() { if (held) { paintPredicted(); draw(); } },
		draw,
		destroy() { strip?.destroy(); },
	};
}
