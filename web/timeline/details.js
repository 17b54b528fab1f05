// SPDX-License-Identifier: Apache-2.0
/* Everything about the selected place: the value and how long it lasts, the regions around it with attributes, where in the source, events, samples. */
import { isAbort } from "../lib/api.js";
import { css } from "../lib/color.js";
import { fill, h, plain } from "../lib/dom.js";
import { at as timeText, bytes, clock, number, span } from "../lib/time.js";
import { trackArgs } from "./track.js";

const facts = rows => h("table", { class: "facts" }, rows.filter(r => r && r[1] !== "" && r[1] !== undefined && r[1] !== null).map(([k, v]) => h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, v))));
const place = f => (f.file ? h("span", { class: "mono soft" }, `${plain(f.file, 200)}${f.line ? `:${f.line}` : ""}`) : null);
const part = (title, ...children) => h("section", { class: "tl-part" }, h("h3", {}, title), children);

function eventText(e) {
	if (e.message) {
		const m = e.message;
		return `${bytes(m.size)}, tag ${m.tag}${m.comm ? `, ${plain(m.comm, 60)}` : ""}`;
	}
	return e.text !== undefined ? plain(e.text, 120) : e.value !== undefined ? `${number(e.value)}${e.unit ? ` ${plain(e.unit, 20)}` : ""}` : "";
}

/** @param {HTMLElement} host @param {any} app */
export function createDetails(host, app) {
	let asked = "", stop = null;
	const box = h("div", { class: "tl-details" });
	fill(host, box);

	const empty = () => fill(box, h("p", { class: "note" }, "Click on the timeline: what is there, for how long, in which function of the source, stands here. Drag to choose a range of time; the wheel zooms."));

	function zoomLink(text, from, to) {
		return h("button", { type: "button", class: "tl-link", title: "Zoom to it", onclick: () => app.show(from - (to - from) * 0.15, to + (to - from) * 0.15) }, text);
	}
	function rangeFacts(s) {
		return part("Selected range", facts([["from", timeText(s.from)], ["to", timeText(s.to)], ["length", zoomLink(span(s.to - s.from), s.from, s.to)]]));
	}
	function stackPart(list) {
		if (!list?.length) return null;
		return part("Regions, the innermost first", h("ol", { class: "tl-stack" }, [...list].reverse().map(r => h("li", {}, h("span", { class: "swatch", style: { background: css(r.color) } }), h("span", { class: "tl-stack-name" }, plain(r.name, 120)),
			zoomLink(r.open ? `${span(r.end - r.begin)} …` : span(r.end - r.begin), r.begin, r.end), place(r),
			r.attrs?.length ? facts(r.attrs.map(a => [plain(a.name, 40), `${plain(a.text ?? number(a.value), 160)}${a.unit ? ` ${plain(a.unit, 12)}` : ""}`])) : null))));
	}
	const framesPart = (title, frames, note) => (frames?.length ? part(title, note, h("ol", { class: "tl-frames" }, frames.map(f => h("li", { class: f.inlined ? "soft" : "" }, h("span", {}, plain(f.function, 140), f.inlined ? " (inlined)" : ""), place(f))))) : null);
	const eventsPart = list => (list?.length ? part("Events here", h("ol", { class: "tl-events" }, list.map(e => h("li", {}, h("span", { class: "n soft" }, timeText(e.time)), h("span", {}, h("b", {}, plain(e.kind, 20)), ` ${plain(e.name ?? "", 60)} `, h("span", { class: "soft" }, eventText(e))))))) : null);

	function show(got, s) {
		const v = got.value, t = got.thread;
		fill(box,
			h("div", { class: "tl-head-line" }, v ? h("span", { class: "swatch", style: { background: css(v.color) } }) : null, h("h2", {}, v ? plain(v.name, 120) : "nothing")),
			facts([["row", plain(got.row, 160)], ["time", `${timeText(got.at)}`], ["clock", clock(app.trace.begin, got.at)],
				v && v.end > v.begin ? ["lasts", zoomLink(span(v.end - v.begin), v.begin, v.end)] : null, v && v.end > v.begin ? ["from, to", `${timeText(v.begin)} … ${timeText(v.end)}`] : null,
				t ? ["thread", `${plain(t.label, 40)}${t.tid ? `, tid ${t.tid}` : ""}${t.pid ? `, pid ${t.pid}` : ""}${t.node ? ` on ${plain(t.node, 60)}` : ""}`] : null]),
			stackPart(got.stack),
			framesPart("Called from", got.calls), eventsPart(got.events),
			framesPart("Nearest sample", got.sample, got.sampled !== undefined ? h("p", { class: "soft tl-small" }, `${span(Math.abs(got.sampled - got.at))} ${got.sampled > got.at ? "later" : "earlier"}`) : null),
			s.to > s.from && s.row === undefined ? rangeFacts(s) : null);
	}
	async function ask() {
		const s = app.state.selection, def = app.state.tracks[s?.track ?? 0] ?? {};
		const key = JSON.stringify([app.state.trace, s, def]);
		if (key === asked || !app.trace) return;
		asked = key;
		stop?.abort();
		if (!s) { empty(); return; }
		if (s.row === undefined) { fill(box, rangeFacts(s)); return; }
		stop = new AbortController();
		try {
			const got = await app.api.json("time/at", { ...trackArgs(app.state.trace, { ...def, level: s.level ?? def.level }), draw: undefined, fuse: undefined, color: undefined, row: s.row, at: Math.round(s.at >= 0 ? s.at : s.from ?? 0) }, { signal: stop.signal });
			if (key !== asked) return;
			show(got, s);
			/* A click on cells that stood for many intervals: now it is known which one it was. */
			const v = got.value;
			if (!(s.to > s.from) && v?.end > v?.begin) {
				const whole = { ...s, from: v.begin, to: v.end };
				asked = JSON.stringify([app.state.trace, whole, def]);
				app.set({ selection: whole });
			}
		} catch (error) {
			if (!isAbort(error)) fill(box, h("p", { class: "note bad" }, plain(error.message, 300)));
		}
	}
	return { update(changed) { if (["selection", "trace", "tracks", "info"].some(k => changed.has(k))) ask(); }, destroy() { stop?.abort(); } };
}
