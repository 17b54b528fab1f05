// SPDX-License-Identifier: Apache-2.0
/* What the colours of a track mean: those in view, the most frequent first. A click shows one of them only; a colour can be chosen. */
import { css } from "../lib/color.js";
import { fill, h, plain } from "../lib/dom.js";
import { number } from "../lib/time.js";

const MOST = 24;

export function createLegend(app, stage) {
	const box = h("div", { class: "tl-legend", role: "group", "aria-label": "Colours" });
	let timer = 0, shown = "";

	function entry(v, only) {
		const name = v.name || number(v.value), off = only.length > 0 && !only.includes(name);
		const pick = h("input", { type: "color", class: "tl-pick", value: css(v.color), "aria-label": `Colour of ${plain(name, 60)}`, tabindex: "-1",
			oninput: () => app.set({ colors: { ...app.state.colors, [name]: pick.value } }) });
		return h("span", { class: `tl-entry${off ? " off" : ""}` }, pick,
			h("button", { type: "button", "aria-pressed": String(only.includes(name)), title: `${plain(name, 200)}: ${(100 * v.share).toFixed(1)} % of what is in view. Click: show only this`, onclick: () => stage.toggleOnly(name) }, plain(name, 36)));
	}
	function draw() {
		const track = stage.view(0), only = app.own("timeline").only ?? [];
		if (!track?.rows) { shown = ""; fill(box); return; }
		if (!track.codes) {
			const s = track.scale;
			shown = "";
			fill(box, s ? h("span", { class: "soft" }, `${number(s.min)} to ${number(s.max)}, from cold to hot`) : null);
			return;
		}
		const list = track.values().filter(v => v.color >= 0 && (v.name || v.value)).slice(0, MOST);
		const now = JSON.stringify([only, list.map(v => [v.name, v.value, v.color, v.share.toFixed(3)])]);
		if (now === shown) return;
		shown = now;
		const held = box.contains(document.activeElement) ? document.activeElement.textContent : null;
		fill(box, list.map(v => entry(v, only)), only.length ? h("button", { type: "button", class: "tl-all", onclick: () => { app.own("timeline", { only: [] }); draw(); } }, "Show all") : null);
		if (held !== null) [...box.querySelectorAll("button")].find(b => b.textContent === held)?.focus();
	}
	return { box, update() { clearTimeout(timer); timer = setTimeout(draw, 120); } };
}
