// SPDX-License-Identifier: Apache-2.0
/*
 * The live task graph: the latest tasks, coloured by what they are at, as that changes; breaks before a task or a codelet, step, go on. The server asks the
 * program for it while this is shown, and the program keeps it only then.
 */
import { fill, h, plain } from "../lib/dom.js";
import { menu } from "../lib/menu.js";
import { codeletColor, taskColors } from "./colors.js";
import { TASK_STATES, createDag } from "./dag.js";
import { fit, inks } from "./paint.js";
import { liveSource } from "./source.js";

const PITCH_X = 118, PITCH_Y = 54, BOX_W = 104, BOX_H = 30;

/** @param {HTMLElement} host @param {any} app */
export function createGraph(host, app) {
	const source = liveSource(app), dag = createDag();
	const canvas = h("canvas", { tabindex: "0", role: "img" }), box = h("div", { class: "dag" }, canvas);
	const counts = h("span", { class: "soft" }), held = h("span", { class: "dag-held" }), breaks = h("span", { class: "dag-breaks" }), legend = h("div", { class: "live-legend" });
	const button = (text, title, run) => h("button", { type: "button", title, onclick: run }, text);
	const pause = button("Pause", "Each worker stands still before its next task  (Space)", () => source.post("pause", {}, "workers stand still before their next tasks"));
	const step = button("Step", "One task goes on  (n)", () => source.post("step"));
	const go = button("Go on", "All go on; breaks stay  (g)", () => source.post("go", {}, "the program goes on"));
	const follow = h("button", { type: "button", "aria-pressed": "true", title: "Keep what is at work in view  (f)", onclick: () => setFollow(!following) }, "Follow");
	const chosen = h("div", { class: "dag-chosen", hidden: true }), note = h("p", { class: "note", hidden: true });
	fill(host, h("div", { class: "live" }, h("div", { class: "bar" }, pause, step, go, h("span", { class: "gap" }), held, breaks, h("span", { class: "grow" }), counts, follow), note, box, chosen, legend));
	let view = { x: 0, y: 0, scale: 1 }, following = true, end = null, asked = false, picked = null, told = { held: [], breaks: [], paused: false };

	function setFollow(now) { following = now; follow.setAttribute("aria-pressed", String(now)); soon(); }
	const at = t => ({ x: t.x * PITCH_X, y: t.layer * PITCH_Y });

	function open() {
		if (end || app.state.main !== "livegraph") return;
		end = app.api.events("live/graph", {
			graph(data) { note.hidden = true; told = data; dag.add(data); controls(); soon(); },
			refused(data) { note.hidden = false; fill(note, plain(data.error ?? "this program has no graph of tasks", 200)); },
		}, { source: source.program?.id ?? 0 });
	}
	function close() { end?.(); end = null; }

	function controls() {
		for (const b of [pause, step, go]) b.disabled = !source.control;
		step.disabled ||= !told.held.length;
		go.disabled ||= !told.held.length && !told.paused;
		for (const b of [pause, step, go]) if (!source.control) b.title = "'weft open --control' lets the page stop a program";
		const n = dag.counts();
		fill(counts, TASK_STATES.filter(s => n[s]).map(s => `${n[s]} ${s}`).join(" · "));
		fill(held, told.held.length ? [told.paused ? "stands: " : "stands before a break: ", told.held.map(([w, ref]) => {
			const task = dag.tasks.get(ref);
			return h("button", { type: "button", class: "chip", disabled: !source.control, title: "Let this worker do its task", onclick: () => source.post("step", { worker: w }) }, `worker ${w}: ${plain(task?.codelet ?? ref, 30)}`);
		})] : null);
		fill(breaks, told.breaks.map(b => h("span", { class: "chip" }, `break: ${plain(b.codelet ?? `task ${b.task}`, 30)}`)), told.breaks.length ? h("button", { type: "button", disabled: !source.control, onclick: () => source.post("break", {}, "no breaks any more") }, "Clear breaks") : null);
	}

	function about() {
		const t = picked && dag.tasks.get(picked);
		chosen.hidden = !t;
		if (!t) return;
		const breakAt = (body, words) => source.post("break", body, words);
		fill(chosen, h("strong", {}, plain(t.name || t.codelet, 60)), ` ${t.state}${t.worker >= 0 ? ` on worker ${t.worker}` : ""} · codelet ${plain(t.codelet, 60)} · iteration ${t.iteration} · waits for ${t.before.length + t.more} task${t.before.length + t.more === 1 ? "" : "s"}`,
			t.file ? ` · ${plain(t.file, 200)}:${t.line}` : "", " ",
			h("button", { type: "button", disabled: !source.control || ["running", "done"].includes(t.state), onclick: () => breakAt({ task: t.ref }, "breaks before this task") }, "Break before it"), " ",
			h("button", { type: "button", disabled: !source.control, onclick: () => breakAt({ codelet: t.codelet }, `breaks before each ${t.codelet}`) }, "Break before the codelet"));
	}

	function paint() {
		asked = false;
		if (!host.clientWidth || !box.clientHeight) return;
		const { c, width, height } = fit(canvas, box.clientHeight), ink = inks(host), colors = taskColors(app.dark(), app.state.safe), s = view.scale;
		if (following && dag.tasks.size) {
			const front = dag.front, now = [...dag.tasks.values()].filter(t => t.layer === front), mid = now.length ? now.reduce((a, t) => a + t.x, 0) / now.length : 0;
			const goal = { x: mid * PITCH_X - width / s / 2, y: front * PITCH_Y - height / s * 0.4 };
			view = { ...view, x: view.x + (goal.x - view.x) * 0.35, y: view.y + (goal.y - view.y) * 0.35 };
			if (Math.abs(goal.x - view.x) + Math.abs(goal.y - view.y) > 2) soon();
		}
		c.save();
		c.scale(s, s);
		c.translate(-view.x, -view.y);
		const seen = t => { const p = at(t); return p.x > view.x - 400 && p.x < view.x + width / s + 400 && p.y > view.y - 300 && p.y < view.y + height / s + 300; };
		c.lineWidth = 1;
		for (const t of dag.tasks.values()) {
			if (!seen(t)) continue;
			const to = at(t);
			for (const ref of t.before) {
				const b = dag.tasks.get(ref);
				if (!b) continue;
				const from = at(b), lit = picked === t.ref || picked === ref, half = (from.y + BOX_H / 2 + to.y - BOX_H / 2) / 2;
				c.strokeStyle = lit ? ink.accent : b.state === "done" ? ink.lineSoft : ink.line;
				c.lineWidth = lit ? 2 : 1;
				c.beginPath();
				c.moveTo(from.x, from.y + BOX_H / 2);
				c.bezierCurveTo(from.x, half, to.x, half, to.x, to.y - BOX_H / 2);
				c.stroke();
			}
		}
		c.font = `11px ${ink.font}`;
		c.textBaseline = "middle";
		for (const t of dag.tasks.values()) {
			if (!seen(t)) continue;
			const p = at(t), x = p.x - BOX_W / 2, y = p.y - BOX_H / 2, dim = t.state === "done" || t.state === "submitted";
			c.beginPath();
			c.roundRect(x, y, BOX_W, BOX_H, 5);
			c.fillStyle = colors[t.state] ?? ink.track;
			c.fill();
			c.lineWidth = picked === t.ref ? 3 : t.state === "held" ? 2.5 : 1;
			c.strokeStyle = picked === t.ref ? ink.accent : t.state === "held" ? ink.text : ink.line;
			c.stroke();
			c.fillStyle = codeletColor(t.codelet);
			c.fillRect(x + 3, y + 4, 4, BOX_H - 8);
			c.fillStyle = t.state === "done" ? ink.soft : dim ? ink.text : app.dark() && !app.state.safe ? "#0b1420" : "#ffffff";
			c.fillText(plain(t.name || t.codelet, 16), x + 12, p.y - 5, BOX_W - 16);
			c.globalAlpha = 0.85;
			c.fillText(t.worker >= 0 ? `worker ${t.worker}` : t.state, x + 12, p.y + 8, BOX_W - 16);
			c.globalAlpha = 1;
		}
		c.restore();
		const n = dag.counts();
		canvas.setAttribute("aria-label", `Graph of ${dag.tasks.size} tasks: ${TASK_STATES.map(k => `${n[k]} ${k}`).join(", ")}`);
		about();
	}
	const soon = () => { if (!asked) { asked = true; requestAnimationFrame(paint); } };
	function find(e) {
		const x = e.offsetX / view.scale + view.x, y = e.offsetY / view.scale + view.y;
		for (const t of dag.tasks.values()) { const p = at(t); if (Math.abs(p.x - x) < BOX_W / 2 && Math.abs(p.y - y) < BOX_H / 2) return t; }
		return null;
	}
	let drag = null;
	canvas.addEventListener("pointerdown", e => { drag = { x: e.clientX, y: e.clientY, moved: false }; canvas.setPointerCapture(e.pointerId); });
	canvas.addEventListener("pointermove", e => {
		if (!drag) { const t = find(e); app.hint(t ? `${plain(t.name || t.codelet, 60)}: ${t.state}` : ""); return; }
		const dx = e.clientX - drag.x, dy = e.clientY - drag.y;
		if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
		setFollow(false);
		view = { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
		drag = { x: e.clientX, y: e.clientY, moved: true };
		soon();
	});
	canvas.addEventListener("pointerup", e => { if (drag && !drag.moved) { picked = find(e)?.ref ?? null; soon(); } drag = null; });
	canvas.addEventListener("contextmenu", e => {
		const t = find(e);
		if (!t) return;
		e.preventDefault();
		picked = t.ref;
		soon();
		menu({ x: e.clientX, y: e.clientY }, [{ head: true, title: t.name || t.codelet }, { title: "Break before this task", disabled: !source.control || t.state === "done", run: () => source.post("break", { task: t.ref }) }, { title: "Break before its codelet", disabled: !source.control, run: () => source.post("break", { codelet: t.codelet }) }]);
	});
	canvas.addEventListener("wheel", e => {
		e.preventDefault();
		const k = Math.exp(-e.deltaY * 0.0015), s = Math.max(0.15, Math.min(3, view.scale * k));
		view = { scale: s, x: view.x + e.offsetX / view.scale - e.offsetX / s, y: view.y + e.offsetY / view.scale - e.offsetY / s };
		soon();
	}, { passive: false });
	canvas.addEventListener("keydown", e => {
		const go2 = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] }[e.key];
		const run = { " ": () => pause.click(), n: () => step.click(), g: () => go.click(), f: () => setFollow(!following), "+": () => { view = { ...view, scale: Math.min(3, view.scale * 1.25) }; soon(); }, "-": () => { view = { ...view, scale: Math.max(0.15, view.scale / 1.25) }; soon(); } }[e.key];
		if (!go2 && !run) return;
		e.preventDefault();
		e.stopPropagation();
		if (go2) { setFollow(false); view = { ...view, x: view.x + go2[0] / view.scale, y: view.y + go2[1] / view.scale }; soon(); }
		else run();
	});
	const sizes = new ResizeObserver(soon);
	sizes.observe(box);
	const stop = source.listen(what => { if (what === "state") { if (source.program?.state.ended) dag.clear(); controls(); if (source.programs.length) open(); } });
	return {
		update(changed) {
			if (changed.has("main")) { if (app.state.main === "livegraph") open(); else close(); }
			if (changed.has("theme") || changed.has("safe") || changed.has("main")) {
				const colors = taskColors(app.dark(), app.state.safe);
				fill(legend, TASK_STATES.map(s => h("span", {}, h("span", { class: "swatch", style: { background: colors[s] } }), ` ${s}`)));
				soon();
			}
		},
		destroy() { close(); stop(); sizes.disconnect(); },
	};
}
