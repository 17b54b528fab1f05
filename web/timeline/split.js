// SPDX-License-Identifier: Apache-2.0
/* Borders between tracks, to drag, or to move by keys: how tall each is, as weights in the state; none where their number has changed since. */
import { h } from "../lib/dom.js";

const LEAST = 64, STEP = 20, USUAL = { curve: 90, other: 120 };

/** How a track's box grows. @param {any} state @param {any[]} tracks @param {number} i */
export function trackFlex(state, tracks, i) {
	const tall = state.sizes.tracks;
	if (Array.isArray(tall) && tall.length === tracks.length && tall.every(t => t > 0)) return `${tall[i]} 1 0px`;
	return tracks[i].style === "curve" ? `1 1 ${USUAL.curve}px` : `3 1 ${USUAL.other}px`;
}

/** Heights after a border was moved by so many pixels: both neighbours keep their least. @param {number[]} tall @param {number} i   the border below it @param {number} by */
export function moved(tall, i, by) {
	const most = Math.max(0, tall[i + 1] - LEAST), least = Math.min(0, LEAST - tall[i]), d = Math.round(Math.max(least, Math.min(most, by)));
	return tall.map((t, k) => (k === i ? t + d : k === i + 1 ? t - d : t));
}

/** The border above track `index`. @param {any} app @param {() => HTMLElement[]} boxes @param {number} index */
export function createSplit(app, boxes, index) {
	const heights = () => boxes().map(b => Math.max(1, Math.round(b.getBoundingClientRect().height)));
	const keep = tall => { app.set({ sizes: { ...app.state.sizes, tracks: tall } }); say(tall); };
	const say = tall => bar.setAttribute("aria-valuenow", String(tall[index - 1]));
	const bar = h("div", {
		class: "splitter along", role: "separator", tabindex: "0", "aria-orientation": "horizontal", "aria-label": `Height of track ${index}`, "aria-valuemin": String(LEAST), "aria-valuenow": String(USUAL.other),
		onpointerdown(e) {
			const was = heights(), from = e.clientY;
			bar.setPointerCapture(e.pointerId);
			bar.onpointermove = m => keep(moved(was, index - 1, m.clientY - from));
			bar.onpointerup = bar.onpointercancel = () => { bar.onpointermove = null; };
		},
		ondblclick() { const { tracks, ...rest } = app.state.sizes; app.set({ sizes: rest }); },
		onkeydown(e) {
			const by = { ArrowUp: -STEP, ArrowDown: STEP }[e.key];
			if (by) { keep(moved(heights(), index - 1, by)); e.preventDefault(); e.stopPropagation(); }
		},
	});
	return bar;
}
