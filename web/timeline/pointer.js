// SPDX-License-Identifier: Apache-2.0
/* What the pointer does on a track: zoom, pan, choose; what is said about the place under it. */
import { css } from "../lib/color.js";
import { fill, h, plain } from "../lib/dom.js";
import { closeMenu, menu } from "../lib/menu.js";
import { at as timeText, number, span } from "../lib/time.js";
import { timeOf } from "./zoom.js";

const STILL = 3;

export function bindPointer(app, stage, track) {
	const { over, body } = track;
	let down = null;
	const place = e => { const r = over.getBoundingClientRect(); return { x: e.clientX - r.left, y: e.clientY - r.top }; };
	const time = x => Math.round(timeOf(x, app.range(), track.width()));

	over.addEventListener("wheel", e => {
		e.preventDefault();
		const unit = e.deltaMode === 1 ? 20 : e.deltaMode === 2 ? 300 : 1, { x } = place(e);
		if (e.altKey) body.scrollTop += e.deltaY * unit;
		else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) stage.panBy(((e.shiftKey && !e.deltaX ? e.deltaY : e.deltaX) * unit) / track.width());
		else stage.zoomWheel(-e.deltaY * unit, timeOf(x, app.range(), track.width()));
	}, { passive: false });

	over.addEventListener("pointerdown", e => {
		if (e.button === 2) return;
		const p = place(e);
		over.setPointerCapture(e.pointerId);
		over.dataset.pointed = ""; // the ring is for who got here by keys
		over.focus({ preventScroll: true });
		closeMenu(false);
		down = { ...p, range: app.range(), scroll: body.scrollTop, pans: e.button === 1 || e.ctrlKey || e.metaKey || stage.spaceHeld, moved: false, shift: e.shiftKey };
		if (e.button === 1) e.preventDefault();
	});
	over.addEventListener("pointermove", e => {
		const p = place(e);
		stage.setHover(Math.max(0, time(p.x)));
		if (!down) { tell(p, e); return; }
		down.moved ||= Math.hypot(p.x - down.x, p.y - down.y) > STILL;
		if (!down.moved) return;
		stage.tip.hidden = true;
		if (down.pans) {
			over.style.cursor = "grabbing";
			const by = ((down.x - p.x) * (down.range.to - down.range.from)) / track.width();
			stage.setRange({ from: down.range.from + by, to: down.range.to + by }, false);
			body.scrollTop = down.scroll + down.y - p.y;
		} else {
			const a = timeOf(down.x, down.range, track.width()), b = timeOf(p.x, app.range(), track.width());
			stage.setBand({ from: Math.max(0, Math.round(Math.min(a, b))), to: Math.min(app.trace.end, Math.round(Math.max(a, b))) });
		}
	});
	const up = e => {
		if (!down) return;
		const was = down, p = place(e);
		down = null;
		over.style.cursor = "";
		if (was.moved && was.pans) stage.setRange(app.range(), true);
		else if (was.moved) stage.endBand(e.clientX, e.clientY);
		else if (e.type === "pointerup" && e.button === 0) click(p);
	};
	over.addEventListener("pointerup", up);
	over.addEventListener("pointercancel", up);
	over.addEventListener("pointerleave", () => { stage.setHover(-1); stage.tip.hidden = true; app.hint(""); });
	over.addEventListener("blur", () => { delete over.dataset.pointed; });
	over.addEventListener("dblclick", e => {
		const p = place(e), hit = track.at(p.x, p.y), s = app.state.selection;
		if (hit?.begin !== undefined && hit.end > hit.begin) stage.zoomTo(hit.begin, hit.end, 0.15);
		else if (s?.row !== undefined && s.to > s.from && s.from <= hit?.time && s.to >= hit?.time) stage.zoomTo(s.from, s.to, 0.15);
		else stage.zoomBy(8, timeOf(p.x, app.range(), track.width()));
	});
	over.addEventListener("contextmenu", e => {
		e.preventDefault();
		const p = place(e), hit = track.at(p.x, p.y), s = app.state.selection;
		stage.tip.hidden = true;
		menu({ x: e.clientX, y: e.clientY }, [
			{ title: "Zoom to the selected range", key: "Z", disabled: !(s?.to > s?.from), run: () => stage.zoomTo(s.from, s.to) },
			...(hit?.begin !== undefined ? [{ title: `Zoom to this '${plain(hit.name ?? "", 40)}'`, run: () => stage.zoomTo(hit.begin, hit.end, 0.15) }] : []),
			{ title: "Mark this time", key: "M", run: () => stage.mark(time(p.x)) }, { line: true },
			...(hit?.name ? [{ title: `Show only '${plain(hit.name, 40)}'`, checked: app.own("timeline").only?.includes(hit.name) ?? false, run: () => stage.toggleOnly(hit.name) }] : []),
			...(hit ? rowItems(app, stage, track, hit.line) : []),
		]);
	});

	function click(p) {
		const hit = track.at(p.x, p.y), t = Math.max(0, Math.min(app.trace.end, time(p.x)));
		if (!hit || hit.line.kind === "group") { app.set({ cursor: t, selection: null }); return; }
		const known = hit.begin !== undefined;
		app.set({ cursor: t, selection: { row: hit.row, level: track.level, at: t, track: track.index, depth: hit.depth, ...(known ? { from: hit.begin, to: hit.end } : {}) } });
		if (app.state.side === "") app.set({ side: "details" });
	}
	function tell(p, e) {
		const hit = track.at(p.x, p.y), range = app.range(), step = (range.to - range.from) / track.width();
		if (!hit) { stage.tip.hidden = true; return; }
		const value = hit.value === undefined ? "" : track.codes ? hit.name ?? "" : hit.name ?? number(hit.value);
		app.hint(`${timeText(hit.time, step)}   ${plain(hit.line.label, 60)}${value ? `   ${plain(value, 80)}` : ""}${hit.begin !== undefined ? `   ${span(hit.end - hit.begin)}` : ""}`);
		if (!value || hit.color === -1) { stage.tip.hidden = true; return; }
		fill(stage.tip, h("div", { class: "tl-tip-name" }, hit.color >= 0 ? h("span", { class: "swatch", style: { background: css(hit.color) } }) : null, plain(value, 120)),
			h("div", { class: "soft" }, plain(hit.line.label, 80), hit.line.count > 1 ? ` (${hit.line.count} rows)` : ""),
			hit.begin !== undefined ? h("div", { class: "tl-tip-time" }, span(hit.end - hit.begin), h("span", { class: "soft" }, ` from ${timeText(hit.begin, step)}`)) : null);
		stage.tip.hidden = false;
		const box = stage.tip.getBoundingClientRect();
		stage.tip.style.left = `${Math.min(e.clientX + 14, innerWidth - box.width - 8)}px`;
		stage.tip.style.top = `${e.clientY + 18 + box.height > innerHeight - 30 ? e.clientY - box.height - 12 : e.clientY + 18}px`;
	}
	bindLabels(app, stage, track);
}

/** What can be done with the rows of a line. */
function rowItems(app, stage, track, line) {
	const c = track.choice(), set = patch => stage.setRows(track.level, { ...c, ...patch }), many = line.count > 1;
	return [
		{ title: many ? `Hide these ${line.count} rows` : "Hide this row", run: () => set({ hidden: [...new Set([...(c.hidden ?? []), ...line.rows])] }) },
		{ title: many ? `Show only these ${line.count} rows` : "Show only this row", run: () => set({ only: line.rows }) },
		{ title: "Show all rows", disabled: !c.hidden?.length && !c.only?.length && !c.filter, run: () => set({ hidden: [], only: [], filter: "" }) },
	];
}

/* Names: groups fold, rows are chosen, the border is dragged. */
function bindLabels(app, stage, track) {
	const labels = track.body.querySelector(".tl-labels");
	const lineOf = e => track.at(0, e.clientY - labels.getBoundingClientRect().top);
	const onEdge = e => Math.abs(e.clientX - labels.getBoundingClientRect().right) < 5;
	let drags = false;
	labels.addEventListener("pointermove", e => {
		if (drags) app.set({ sizes: { ...app.state.sizes, gutter: Math.max(60, Math.min(480, Math.round(e.clientX - labels.getBoundingClientRect().left))) } });
		labels.style.cursor = drags || onEdge(e) ? "col-resize" : lineOf(e)?.line.kind === "group" ? "pointer" : "default";
		const hit = lineOf(e);
		app.hint(hit ? plain(hit.line.label, 200) : "");
	});
	labels.addEventListener("pointerdown", e => {
		if (e.button !== 0) return;
		if (onEdge(e)) { drags = true; labels.setPointerCapture(e.pointerId); return; }
		const hit = lineOf(e);
		if (!hit) return;
		if (hit.line.kind === "group") stage.fold(track, hit.line);
		else app.set({ selection: { row: hit.row, level: track.level, at: Math.max(0, app.state.cursor), track: track.index } });
	});
	labels.addEventListener("pointerup", () => { drags = false; });
	labels.addEventListener("contextmenu", e => {
		e.preventDefault();
		const hit = lineOf(e);
		if (hit) menu({ x: e.clientX, y: e.clientY }, [{ head: true, title: plain(hit.line.label, 60) }, ...rowItems(app, stage, track, hit.line)]);
	});
}
