// SPDX-License-Identifier: Apache-2.0
/* `weft tune` watched: its tunlets with what they measure, and what was decided, done, refused, undone. */
import { fill, h, plain } from "../lib/dom.js";
import { brief } from "./model.js";
import { liveSource } from "./source.js";

export const KINDS = ["decided", "done", "refused", "failed", "undone", "said"];

/** What has been heard, each entry once, in its order; entries that were missed are counted. */
export function createJournal(most = 2000) {
	const list = [];
	let next = 0, missed = 0, pid = 0;
	return {
		list,
		get missed() { return missed; },
		add(sample) {
			if (sample.pid !== pid) { list.length = 0; next = missed = 0; pid = sample.pid; }
			const log = sample.log ?? [];
			if (log.length && log[0].n > next) missed += log[0].n - next;
			let added = 0;
			for (const e of log) if (e.n >= next) { list.push(e); next = e.n + 1; added++; }
			if (list.length > most) list.splice(0, list.length - most);
			return added;
		},
	};
}

/** @param {HTMLElement} host @param {any} app */
export function createTuning(host, app) {
	const source = liveSource(app), journal = createJournal();
	const tunlets = h("div", { class: "tunlets" }), log = h("ol", { class: "tune-log", "aria-label": "What tuning did" }), counts = h("div", { class: "bar" });
	fill(host, h("div", { class: "tuning" }, h("div", { class: "tuning-side" }, counts, tunlets), log));
	const own = () => app.own("tuning");
	let next = 0;
	const row = e => h("li", { class: `tune-${e.kind}` }, h("span", { class: "n soft" }, `${e.time_s.toFixed(3)} s`), h("span", { class: "tune-kind" }, e.kind), h("span", {}, plain(e.text, 240)));
	function paint() {
		const sample = source.tuner?.model.last;
		if (!sample || sample.log === undefined) return;
		const added = journal.add(sample);
		if (app.state.dock !== "tuning") return;
		if (performance.now() >= next) {
			next = performance.now() + 400;
			fill(counts, h("strong", {}, plain(sample.command, 60)), sample.dry_run ? h("span", { class: "chip" }, "dry run") : null, KINDS.slice(0, 5).map(k => h("button", { type: "button", "aria-pressed": String(own().kind === k), onclick: () => { app.own("tuning", { kind: own().kind === k ? "" : k }); } }, `${sample.counts[k]} ${k}`)));
			fill(tunlets, sample.tunlets.map(t => h("section", {}, h("h3", {}, plain(t.name, 60)), h("p", { class: "soft" }, `iteration ${t.iteration}; ${t.evaluated} evaluated, ${t.incomplete} incomplete, ${t.late} late`),
				h("table", { class: "plain" }, h("tbody", {}, t.values.map(v => h("tr", {}, h("th", { scope: "row" }, plain(v.name, 60)), h("td", { class: "n" }, v.value === null ? "unknown" : brief(v.value)))))))));
		}
		if (!added && log.childElementCount) return;
		draw();
	}
	function draw() {
		const kind = own().kind, stick = log.scrollTop + log.clientHeight > log.scrollHeight - 30;
		const list = journal.list.filter(e => !kind || e.kind === kind).slice(-400);
		fill(log, journal.missed ? h("li", { class: "soft" }, `${journal.missed} earlier ones came too fast to be seen here: weft tune --report has all`) : null, list.map(row));
		if (stick) log.scrollTop = log.scrollHeight;
	}
	const end = source.listen(paint);
	return { update(changed) { if (changed.has("more") || changed.has("dock")) { next = 0; paint(); if (source.tuner) draw(); } }, destroy: end };
}
