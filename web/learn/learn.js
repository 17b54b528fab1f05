// SPDX-License-Identifier: Apache-2.0
/* The tutorials in the page: a panel beside what they are about. Steps are checked by what the reader has done and sees. */
import { fill, h, icon } from "../lib/dom.js";
import { TUTORIALS, stepDone, stepState } from "./tutorials.js";

/** @param {HTMLElement} host @param {any} app */
export function createLearn(host, app) {
	const own = () => app.own("learn"), box = h("div", { class: "learn" });
	host.append(box);
	let seen = new Set(), shown = "", wasDone = false;
	const tutorial = () => TUTORIALS.find(t => t.name === own().tutorial), at = () => own().step ?? 0;
	const now = () => ({ state: app.state, trace: app.trace, answers: own().answers?.[own().tutorial] ?? {}, seen });

	function go(name, step) {
		seen = new Set();
		const t = TUTORIALS.find(x => x.name === name), patch = t ? stepState(t.steps[step], app.info) : null;
		app.own("learn", { tutorial: name, step });
		if (patch) {
			const { more, ...rest } = patch;
			app.set({ ...rest, ...(more ? { more: { ...app.state.more, ...more } } : {}), side: "learn" }, { step: true });
		}
	}
	function answer(step, i) {
		const name = own().tutorial, all = own().answers ?? {};
		app.own("learn", { answers: { ...all, [name]: { ...all[name], [step.ask.id]: String(i) } } });
		app.say(i === step.ask.right ? "right" : "not this one: look again", i === step.ask.right ? "done" : "info");
	}
	const finished = t => (own().finished ?? []).includes(t.name);

	function list() {
		fill(box, h("h2", {}, "Tutorials"), h("p", { class: "soft" }, "Small traces of programs that have something to learn from. Each step is checked by what you do."),
			h("ol", { class: "learn-list" }, TUTORIALS.map(t => h("li", {}, h("button", { type: "button", onclick: () => go(t.name, 0) }, h("strong", {}, t.title), h("span", {}, t.about), h("span", { class: "soft" }, `${t.steps.length} steps, ${t.minutes} minutes${finished(t) ? " · done" : ""}`))))));
	}
	function step() {
		const t = tutorial(), k = Math.min(at(), t.steps.length - 1), s = t.steps[k], n = now(), done = stepDone(s, n), last = k + 1 === t.steps.length, given = s.ask ? n.answers[s.ask.id] : undefined;
		const did = !s.done || s.done(n) || seen.has(s.title);
		fill(box, h("div", { class: "learn-head" }, h("button", { type: "button", class: "tool", "aria-label": "All tutorials", title: "All tutorials", onclick: () => app.own("learn", { tutorial: "", step: 0 }) }, icon("left")), h("h2", {}, t.title), h("span", { class: "grow" }), h("span", { class: "soft" }, `${k + 1} of ${t.steps.length}`)),
			h("progress", { max: String(t.steps.length), value: String(k + (done ? 1 : 0)), "aria-label": "Steps that are done" }), h("h3", {}, s.title), s.text.map(p => h("p", {}, p)),
			s.done ? h("p", { class: did ? "good" : "soft", role: "status" }, did ? "✓ done" : `○ not yet${s.hint ? `. ${s.hint}` : ""}`) : null,
			s.ask ? h("fieldset", { class: "learn-ask" }, h("legend", {}, s.ask.question), s.ask.options.map((o, i) => h("label", { class: given === String(i) ? (i === s.ask.right ? "right" : "wrong") : "" }, h("input", { type: "radio", name: `learn-${s.ask.id}`, checked: given === String(i), onchange: () => answer(s, i) }), ` ${o}`)), given !== undefined ? h("p", { role: "status", class: given === String(s.ask.right) ? "good" : "bad" }, given === String(s.ask.right) ? s.ask.why : "Not this one: look again.") : null) : null,
			h("div", { class: "learn-nav" }, h("button", { type: "button", disabled: !k, onclick: () => go(t.name, k - 1) }, "Back"), s.show ? h("button", { type: "button", onclick: () => go(t.name, k), title: "Shows what this step begins from" }, "Show it again") : null, h("span", { class: "grow" }),
				h("button", { type: "button", class: done ? "main" : "", disabled: !done, onclick: () => (last ? app.own("learn", { tutorial: "", step: 0, finished: [...new Set([...(own().finished ?? []), t.name])] }) : go(t.name, k + 1)) }, last ? "Finish" : "Next")));
	}
	/* What was done once stays done; also what brings another panel in front of this one, which hears of it only when it is seen again. */
	function look() {
		const t = tutorial(), s = t?.steps[Math.min(at(), t.steps.length - 1)];
		if (s?.done?.(now())) seen.add(s.title);
	}
	function update() {
		const t = tutorial();
		look();
		const done = Boolean(t) && stepDone(t.steps[Math.min(at(), t.steps.length - 1)], now()), key = JSON.stringify([own(), done, t ? [...seen] : 0]);
		if (key === shown && done === wasDone) return;
		shown = key;
		wasDone = done;
		const focus = document.activeElement, name = box.contains(focus) ? focus.getAttribute("name") ?? "" : null, order = name !== null ? [...box.querySelectorAll("button, input")].indexOf(focus) : -1;
		if (t) step();
		else list();
		if (name !== null) box.querySelectorAll("button, input")[order]?.focus();
	}
	return { update, destroy: app.watch(look) };
}
