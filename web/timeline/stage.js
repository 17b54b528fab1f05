// SPDX-License-Identifier: Apache-2.0
/*
 * The timeline: a map of the whole, an axis, and tracks one below the other, which share the range of time, the cursor and the selection. It
 * changes the state; what is drawn follows from that.
 *
 *     bar     find, range, tools
 *     map     ▔▔▔▔[▔▔▔▔]▔▔▔▔
 *     axis    |    |    |    |
 *     tracks  rows × time
 *     legend  what the colours of the first track mean
 */
import { isAbort } from "../lib/api.js";
import { fill, h, plain, tool } from "../lib/dom.js";
import { dialog, menu } from "../lib/menu.js";
import { at as timeText, parseTime, span } from "../lib/time.js";
import { createAxis, createMinimap } from "./axis.js";
import { createFind } from "./find.js";
import { createLegend } from "./legend.js";
import { bindPointer } from "./pointer.js";
import { rowsMenu } from "./rows_menu.js";
import { createSplit, trackFlex } from "./split.js";
import { createTrack } from "./track.js";
import { chooseView } from "./track_head.js";
import { clamp, pan, zoom } from "./zoom.js";

const WHEEL_STEP = 60, ARROWS_MOST = 400;

/** @param {HTMLElement} host @param {any} app */
export function createStage(host, app) {
	const tip = h("div", { class: "tl-tip", role: "tooltip", hidden: true });
	const tracksBox = h("div", { class: "tl-tracks" });
	const splits = [];
	let tracks = [], frame = 0, hover = -1, band = null, wheel = 0, arrows = { messages: [], flows: [] }, asked = "", stop = null;

	const width = () => tracks[0]?.width() ?? Math.max(1, tracksBox.clientWidth - stage.gutter());
	const size = () => ({ width: width(), end: Math.max(1, app.trace?.end ?? 1) });

	const stage = {
		tip,
		get hover() { return hover; }, get band() { return band; }, get arrows() { return arrows; }, spaceHeld: false,
		tracks: () => (app.state.tracks.length ? app.state.tracks : [{}]),
		view: i => tracks[i],
		gutter: () => app.state.sizes.gutter ?? 176,
		schedule,
		legendChanged: () => legend.update(),

		/* tracks */
		setTrack: (i, patch) => setTracks(stage.tracks().map((t, k) => (k === i ? tidy({ ...t, ...patch }) : t))),
		addTrack: (def, at = stage.tracks().length) => setTracks([...stage.tracks().slice(0, at), tidy(def), ...stage.tracks().slice(at)]),
		removeTrack: i => setTracks(stage.tracks().filter((_, k) => k !== i)),
		moveTrack(i, by) {
			const list = [...stage.tracks()], [one] = list.splice(i, 1);
			list.splice(i + by, 0, one);
			setTracks(list);
		},
		setRows: (level, choice) => app.set({ rows: { ...app.state.rows, [level]: choice } }, { step: true }),
		fold(track, line) {
			const c = track.choice(), groups = new Set(track.lines.filter(l => l.kind === "group").map(l => l.group));
			const folded = c.folded === "all" ? groups : new Set(c.folded ?? []);
			if (line.folded) folded.delete(line.group); else folded.add(line.group);
			stage.setRows(track.level, { ...c, folded: [...folded] });
		},
		toggleOnly(name) {
			const only = app.own("timeline").only ?? [];
			app.own("timeline", { only: only.includes(name) ? only.filter(n => n !== name) : [...only, name] }, { step: true });
			legend.update();
		},

		/* time */
		setRange(range, step) {
			const { end } = size(), r = clamp(range, end);
			app.set(r.from <= 0 && r.to >= end ? { from: 0, to: 0 } : { from: r.from, to: r.to }, { step });
		},
		zoomTo(from, to, margin = 0) {
			const more = (to - from) * margin;
			stage.setRange({ from: from - more, to: Math.max(to + more, from + 1) }, true);
		},
		zoomBy: (steps, at) => stage.setRange(zoom(app.range(), steps, at ?? middle(), size()), true),
		zoomWheel(by, at) {
			wheel += by;
			const steps = Math.trunc(wheel / WHEEL_STEP);
			if (!steps) return;
			wheel -= steps * WHEEL_STEP;
			stage.setRange(zoom(app.range(), Math.max(-8, Math.min(8, steps)), at, size()), true);
		},
		panBy: part => stage.setRange(pan(app.range(), part, size().end), true),
		fit: () => stage.setRange({ from: 0, to: size().end }, true),

		/* pointer */
		setHover(t) { if (t !== hover) { hover = t; schedule(); } },
		setBand(b) { band = b; schedule(); },
		endBand(x, y) {
			const b = band;
			band = null;
			if (!b || b.to <= b.from) { schedule(); return; }
			app.set({ selection: { from: b.from, to: b.to }, cursor: b.from }, { step: true });
			menu({ x, y }, [{ head: true, title: span(b.to - b.from) },
				{ title: "Zoom to this range", key: "Z", run: () => stage.zoomTo(b.from, b.to) },
				{ title: "Table of this range", run: () => app.open("table") },
				{ title: "Mark this range", run: () => stage.mark(b.from, b.to) },
				{ title: "Let go of it", key: "Esc", run: () => app.set({ selection: null }) }]);
		},

		/* marks */
		mark(at, to) {
			const marks = [...app.state.marks, { at, ...(to > at ? { to } : {}), note: "" }];
			app.set({ marks });
			stage.editMark(marks.length - 1);
		},
		editMark(i) {
			const m = app.state.marks[i], note = h("input", { type: "text", value: m?.note ?? "", "aria-label": "Note", maxlength: "200" });
			if (!m) return;
			const keep = patch => app.set({ marks: app.state.marks.map((x, k) => (k === i ? { ...x, ...patch } : x)) });
			const d = dialog(`Mark at ${timeText(m.at, 1e3)}`, h("form", { class: "tl-form", onsubmit(e) { e.preventDefault(); keep({ note: note.value.trim() }); d.close(); } },
				h("label", {}, "Note ", note), h("div", { class: "tl-row" },
					h("button", { type: "button", onclick() { app.set({ marks: app.state.marks.filter((_, k) => k !== i) }); d.close(); } }, "Remove"), h("button", { type: "submit", class: "main" }, "Keep"))));
			note.focus();
		},
	};
	const middle = () => { const r = app.range(); return app.state.cursor >= r.from && app.state.cursor <= r.to ? app.state.cursor : (r.from + r.to) / 2; };
	const tidy = def => Object.fromEntries(Object.entries(def).filter(([, v]) => v !== "" && v !== undefined));
	const setTracks = list => app.set({ tracks: list.length === 1 && !Object.keys(list[0]).length ? [] : list }, { step: true });

	const map = createMinimap(app, stage), axis = createAxis(app, stage), legend = createLegend(app, stage), find = createFind(app, stage);
	const range = h("input", { type: "text", class: "tl-range", spellcheck: "false", "aria-label": "Range of time in view, like 10ms..25ms", title: "Range in view: type 10ms..25ms, 25%..50%, or a time to go to",
		onchange: () => typeRange(), onkeydown: e => { if (e.key === "Enter") range.blur(); else if (e.key === "Escape") { showRange(true); range.blur(); } } });
	const add = h("button", { type: "button", class: "tl-add", onclick: () => chooseView(app, add, def => stage.addTrack(def), null) }, "+ Track");
	const rowsButton = tool("rows", "Rows: groups, order, filter, arrows", () => rowsMenu(app, stage, rowsButton));
	const bar = h("div", { class: "tl-bar" }, find.box, h("span", { class: "grow" }), range,
		tool("minus", "Zoom out", () => stage.zoomBy(-4), "−"), tool("plus", "Zoom in", () => stage.zoomBy(4), "+"), tool("fit", "All of it", () => stage.fit(), "F"),
		rowsButton, add);
	fill(host, h("div", { class: "tl" }, bar, map.box, axis.box, tracksBox, legend.box), tip);
	host.classList.add("tl-host");

	function typeRange() {
		const end = size().end, [a, b] = range.value.split(/\.\.|–|—/), from = a.trim() ? parseTime(a, { end }) : 0, to = b === undefined ? null : b.trim() ? parseTime(b, { end }) : end;
		if (from === null || (b !== undefined && (to === null || to <= from))) { app.say(`'${plain(range.value, 40)}' is no range of time: 10ms..25ms, 25%..50%`, "error"); showRange(true); return; }
		if (b === undefined) { const r = app.range(), half = (r.to - r.from) / 2; stage.setRange({ from: from - half, to: from + half }, true); app.set({ cursor: from }); }
		else stage.setRange({ from, to }, true);
		showRange(true);
	}
	function showRange(always) {
		if (!always && document.activeElement === range) return;
		const r = app.range(), step = (r.to - r.from) / width();
		range.value = `${timeText(r.from, step)} .. ${timeText(r.to, step)}`;
	}

	/* ---- messages and flows of what is selected ---- */

	async function askArrows() {
		const s = app.state.selection, r = app.range(), t = app.trace, which = app.own("timeline").arrows ?? "";
		const chosen = s?.row !== undefined && s.level === "thread", some = t && (t.has.messages || t.has.flows);
		const of = !some || which === "none" ? null : which === "all" ? { trace: app.state.trace, from: r.from, to: r.to, most: ARROWS_MOST }
			: chosen ? { trace: app.state.trace, row: s.row, from: s.to > s.from ? s.from : r.from, to: s.to > s.from ? s.to : r.to, most: ARROWS_MOST } : null;
		const key = JSON.stringify(of);
		if (key === asked) return;
		asked = key;
		stop?.abort();
		if (!of) { arrows = { messages: [], flows: [] }; schedule(); return; }
		stop = new AbortController();
		try {
			const [m, f] = await Promise.all([t.has.messages ? app.api.json("time/messages", of, { signal: stop.signal }) : { messages: [] }, t.has.flows ? app.api.json("time/flows", of, { signal: stop.signal }) : { flows: [] }]);
			if (key !== asked) return;
			if (which === "all" && m.n > ARROWS_MOST) app.say(`${m.n} messages are in view, of which ${ARROWS_MOST} are drawn: zoom in to see all`);
			if (which === "all" && m.left_out) app.say(`${m.left_out} messages that are shorter are not in this page`);
			arrows = { messages: m.messages.filter(x => x.from >= 0 && x.to >= 0).map(x => ({ from: x.from, to: x.to, begin: x.sent ?? x.began, end: x.received })), flows: f.flows.map(x => ({ from: x.from, to: x.to, begin: x.begin ?? x.from_time, end: x.end ?? x.to_time })) };
			schedule();
		} catch (error) { if (!isAbort(error)) app.fail(error); }
	}

	/* ---- life ---- */

	function schedule() {
		frame ||= requestAnimationFrame(() => {
			frame = 0;
			map.draw();
			axis.draw();
			for (const t of tracks) t.schedule();
		});
	}
	function build() {
		const n = stage.tracks().length;
		while (tracks.length > n) { tracks.pop().destroy(); splits.pop()?.remove(); }
		while (tracks.length < n) {
			const t = createTrack(app, stage, tracks.length);
			if (tracks.length) {
				splits.push(createSplit(app, () => tracks.map(x => x.box), tracks.length));
				tracksBox.append(splits.at(-1));
			}
			tracks.push(t);
			tracksBox.append(t.box);
			bindPointer(app, stage, t);
		}
		tracks.forEach((t, i) => { t.box.style.flex = trackFlex(app.state, stage.tracks(), i); });
	}
	function update(changed) {
		if (!app.trace) return;
		build();
		for (const t of tracks) t.update(changed);
		if (["colors", "safe", "theme", "more"].some(k => changed.has(k))) { map.recolor(); legend.update(); }
		if (["from", "to", "trace", "info"].some(k => changed.has(k))) showRange(false);
		if (["selection", "from", "to", "trace", "more"].some(k => changed.has(k))) askArrows();
		if (changed.has("info") || changed.has("trace")) find.update();
		schedule();
	}
	const sizes = new ResizeObserver(() => { showRange(false); schedule(); });
	sizes.observe(tracksBox);
	const hold = e => { if (e.key === " ") stage.spaceHeld = e.type === "keydown"; };
	addEventListener("keydown", hold);
	addEventListener("keyup", hold);
	return {
		stage, update,
		destroy() {
			sizes.disconnect();
			removeEventListener("keydown", hold);
			removeEventListener("keyup", hold);
			cancelAnimationFrame(frame);
			for (const t of tracks) t.destroy();
		},
		find,
	};
}
