// SPDX-License-Identifier: Apache-2.0
/* The scheduler, played: what is blocked, what waits, where, for whom, what runs; forward, backward, instant by instant, at any speed. */
import { fill, h, plain } from "../lib/dom.js";
import { at, span } from "../lib/time.js";
import { codeletColor } from "../live/colors.js";
import { CODELET, START, END, TASK, instants, snapshot } from "./schedule.js";

const MOST = 90;

/** @param {HTMLElement} host @param {any} app */
export function createScheduler(host, app) {
	const play = h("button", { type: "button", class: "main", title: "Play, or hold  (Space)", onclick: () => setPlaying(!playing) }, "Play");
	const slide = h("input", { type: "range", min: "0", max: "1000", value: "0", class: "grow", "aria-label": "Time", oninput: () => seek(data.from + (Number(slide.value) / 1000) * (data.to - data.from)) });
	const speed = h("select", { "aria-label": "Seconds that playing all of it takes", onchange: () => app.own("scheduler", { seconds: Number(speed.value) }) }, [5, 10, 20, 60, 180].map(s => h("option", { value: String(s) }, `in ${s} s`)));
	const now = h("span", { class: "n" }), stage = h("div", { class: "scheduler", tabindex: "0", "aria-label": "Scheduler at an instant" }), note = h("p", { class: "note", hidden: true });
	const back = h("button", { type: "button", title: "The instant before  (Left)", onclick: () => step(-1) }, "‹"), on = h("button", { type: "button", title: "The next instant  (Right)", onclick: () => step(1) }, "›");
	fill(host, h("div", { class: "live" }, h("div", { class: "bar" }, play, back, on, slide, now, speed), note, stage));
	let data = null, when = [], t = 0, playing = false, last = 0, asked = "", turn = 0, frame = 0;

	async function load() {
		const { from, to } = app.range(), key = JSON.stringify([app.state.trace, from, to]);
		if (key === asked || !app.trace?.has.tasks) return;
		asked = key;
		const mine = ++turn;
		try {
			const answer = await app.api.json("task/schedule", { trace: app.state.trace, from, to });
			if (mine !== turn) return;
			note.hidden = true;
			/* What happens before the first task and behind the last is not played. */
			const first = Math.min(...answer.tasks.map(r => (r[2] >= 0 ? r[2] : r[START])).filter(v => v >= 0)), end = Math.max(...answer.tasks.map(r => r[END]));
			data = { ...answer, from: Math.max(answer.from, Number.isFinite(first) ? first : answer.from), to: Math.min(answer.to, end > 0 ? end : answer.to) };
			when = instants(data);
			seek(data.from);
		} catch (error) {
			if (mine !== turn) return;
			data = null;
			fill(stage);
			note.hidden = false;
			fill(note, plain(error.message, 300));
		}
	}
	const chip = row => h("button", { type: "button", class: `sched-task${row[TASK] === app.own("tasks").task ? " chosen" : ""}`, title: plain(`${data.codelets[row[CODELET]] ?? ""}, task ${row[TASK]}`, 80), style: { background: codeletColor(data.codelets[row[CODELET]] ?? "") }, onclick: () => { app.own("tasks", { task: row[TASK] }); app.set({ side: "task" }); } });
	const pool = (title, rows, more = "") => h("section", { class: "sched-pool" }, h("h3", {}, plain(title, 60), h("span", { class: "soft" }, ` ${rows.length}${more}`)), h("div", {}, rows.slice(0, MOST).map(chip), rows.length > MOST ? h("span", { class: "soft" }, `+ ${rows.length - MOST}`) : null));
	function draw() {
		if (!data) return;
		const s = snapshot(data, t);
		const worker = (name, i) => {
			const row = s.running[i], part = row ? Math.min(1, Math.max(0, (t - row[START]) / Math.max(1, row[END] - row[START]))) : 0;
			return h("div", { class: "sched-worker" }, h("strong", {}, plain(name, 24)), h("div", { class: "sched-run" }, row ? [h("div", { class: "sched-part", style: { width: `${100 * part}%`, background: codeletColor(data.codelets[row[CODELET]] ?? "") } }), h("span", {}, plain(data.codelets[row[CODELET]] ?? "", 30))] : h("span", { class: "soft" }, "idle")), h("div", { class: "sched-taken" }, s.taken[i].slice(0, 20).map(chip)));
		};
		const used = [...new Set(data.tasks.map(r => r[CODELET]))];
		fill(stage, h("div", { class: "sched-counts" }, h("span", {}, h("strong", {}, s.blocked), " wait for other tasks"), h("span", {}, h("strong", {}, s.waiting.length + s.components.reduce((a, c) => a + c.length, 0)), " are ready"), h("span", {}, h("strong", {}, s.running.filter(Boolean).length), " run"), h("span", {}, h("strong", {}, s.done), " are done")),
			data.components.length ? h("div", { class: "sched-components" }, data.components.map(([name], i) => pool(name, s.components[i]))) : null, pool("Ready, most urgent first", s.waiting),
			h("section", { class: "sched-workers" }, data.workers.map(worker)), h("div", { class: "live-legend" }, used.slice(0, 12).map(c => h("span", {}, h("span", { class: "swatch", style: { background: codeletColor(data.codelets[c] ?? "") } }), ` ${plain(data.codelets[c] ?? "", 40)}`))));
		now.textContent = `${at(t, (data.to - data.from) / 1000)} of ${span(data.to - data.from)}`;
		slide.value = String(Math.round((1000 * (t - data.from)) / Math.max(1, data.to - data.from)));
		play.textContent = playing ? "Hold" : t >= data.to ? "Again" : "Play";
	}
	function seek(to) {
		if (!data) return;
		t = Math.max(data.from, Math.min(to, data.to));
		draw();
	}
	function step(by) {
		if (!data) return;
		setPlaying(false);
		const next = by > 0 ? when.find(v => v > t) : when.findLast(v => v < t);
		if (next !== undefined) { seek(next); app.set({ cursor: Math.round(next) }); }
	}
	function setPlaying(run) {
		if (!data) return;
		playing = run;
		if (run && t >= data.to) t = data.from;
		last = performance.now();
		cancelAnimationFrame(frame);
		if (run) frame = requestAnimationFrame(tick);
		draw();
	}
	function tick(at2) {
		if (!playing || app.state.main !== "scheduler") { playing = false; return; }
		t = Math.min(data.to, t + ((data.to - data.from) * Math.max(0, at2 - last)) / 1000 / (app.own("scheduler").seconds ?? 10));
		last = at2;
		if (t >= data.to) playing = false;
		draw();
		if (playing) frame = requestAnimationFrame(tick);
	}
	host.addEventListener("keydown", e => {
		const run = { " ": () => setPlaying(!playing), ArrowRight: () => step(1), ArrowLeft: () => step(-1), Home: () => seek(data?.from), End: () => seek(data?.to) }[e.key];
		if (!run || e.target.matches("input, select") || (e.key === " " && e.target.matches("button"))) return;
		e.preventDefault();
		e.stopPropagation();
		run();
	});
	return {
		update(changed) {
			if (app.state.main !== "scheduler") { playing = false; return; }
			if (["trace", "from", "to", "main", "info"].some(k => changed.has(k))) load();
			speed.value = String(app.own("scheduler").seconds ?? 10);
			if (changed.has("more")) draw();
		},
		destroy() { cancelAnimationFrame(frame); },
	};
}
