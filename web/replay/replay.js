// SPDX-License-Identifier: Apache-2.0
/*
 * The trace's program on another machine: sliders for the network and the processors, what it would take there, where each rank's time would go, and
 * what better parts would bring.
 */
import { isAbort } from "../lib/api.js";
import { fill, h, plain, tool } from "../lib/dom.js";
import { virtualList } from "../lib/list.js";
import { bytes, count, span } from "../lib/time.js";
import { asObjects } from "../summary/summary.js";
import { follower, saveText } from "../tables/follow.js";
import { plainCsv } from "../tables/model.js";
import { createLines, rangeOfBoth } from "./lines.js";
import { PARTS, SLIDERS, change, partsOf, placeOf, valueAt } from "./model.js";

const ROW = 20, TOPOLOGIES = [["none", "no topology"], ["fat-tree", "fat tree"], ["torus", "torus"], ["dragonfly", "dragonfly"]];

/** @param {HTMLElement} host @param {import("../app.js").App} app @returns {import("../panels.js").PanelView} */
export function createReplay(host, app) {
	const own = patch => app.own("replay", patch);
	const knobs = h("div", { class: "replay-knobs" }), said = h("div", { class: "replay-said", role: "status" }), hinted = h("div", { class: "replay-hints" }), list = h("div", { class: "replay-ranks", tabindex: "0", "aria-label": "Ranks" }), legend = h("div", { class: "replay-legend" });
	host.classList.add("replay");
	const canvas = h("canvas", { role: "img", tabindex: "0" }), both = h("div", { class: "replay-both", hidden: true }, canvas), drawn = createLines(canvas, app);
	const kinds = [["ranks", "Ranks"], ["time", "Over time"]].map(([kind, title]) => h("button", { type: "button", onclick: () => own({ show: kind === "ranks" ? undefined : kind }) }, title));
	const keys = h("span", { class: "replay-keys" });
	fill(legend, h("span", { class: "segments", role: "group", "aria-label": "Shown as" }, kinds), keys);
	host.append(h("div", { class: "replay-side" }, knobs, said, hinted), h("div", { class: "replay-main" }, legend, list, both));
	let answer = null, rows = [], most = 1, error = "", hints = null;
	const virtual = virtualList(list, { height: ROW, row: drawRow, role: "listitem" });
	list.setAttribute("role", "list");

	const args = () => {
		const o = own();
		return { trace: app.state.trace, latency_ns: o.ideal ? undefined : o.latency_ns, bandwidth: o.ideal ? undefined : o.bandwidth, cpu: o.cpu, ideal: o.ideal ? 1 : undefined, topology: o.ideal ? undefined : o.topology };
	};
	const loading = follower(host, signal => app.api.json("replay/run", args(), { signal }), next => {
		answer = next;
		error = "";
		hints = null;
		draw();
		hinting.again();
		hinting.ask(args(), { now: true });
	}, e => { answer = hints = null; error = e.message; draw(); });
	const hinting = follower(hinted, async signal => ({ of: answer, list: (await app.api.json("replay/hints", args(), { signal })).hints }), next => {
		if (next.of !== answer) return;
		hints = next.list;
		drawHints();
	}, () => { hints = null; drawHints(); });

	/* ---- both over time ---- */

	const inTime = () => own().show === "time";
	const aboutLines = () => ({ ...args(), ...rangeOfBoth(app.range(), !(app.state.to > app.state.from), answer.time_ns), width: drawn.width() });
	const painting = follower(both, async signal => { const about = aboutLines(); return [await app.api.json("replay/lines", about, { signal }), about]; }, ([lines, about]) => drawn.show(lines, about).catch(e => { if (!isAbort(e)) app.fail(e); }), app.fail);
	function drawBoth() {
		kinds.forEach((b, i) => b.setAttribute("aria-pressed", String((i === 1) === inTime())));
		list.hidden = inTime();
		both.hidden = !inTime() || !answer;
		if (!both.hidden && both.clientWidth) painting.ask(aboutLines());
	}
	const sizes = new ResizeObserver(() => { if (inTime()) { drawn.draw(); drawBoth(); } });
	sizes.observe(host);

	/* ---- the machine ---- */

	const sliders = SLIDERS.map(s => {
		const words = h("output", { class: "n" });
		const input = h("input", { type: "range", min: 0, max: s.most, step: 1, "aria-label": s.title, oninput: () => own({ [s.key]: valueAt(s, Number(input.value)) }) });
		return { s, input, words, line: h("label", { class: "replay-knob" }, h("span", {}, s.title), input, words) };
	});
	const ideal = h("input", { type: "checkbox", onchange: () => own({ ideal: ideal.checked || undefined }) });
	const topology = h("select", { "aria-label": "Topology", onchange: () => own({ topology: topology.value === "none" ? undefined : topology.value }) }, TOPOLOGIES.map(([value, title]) => h("option", { value }, title)));
	fill(knobs, sliders.map(x => x.line), h("div", { class: "bar-line" }, h("label", { class: "row" }, ideal, " ideal network"), topology, h("span", { class: "grow" }),
		h("button", { type: "button", onclick: () => own({ latency_ns: undefined, bandwidth: undefined, cpu: undefined, ideal: undefined, topology: undefined }) }, "Reset"),
		tool("save", "Save as CSV", () => answer && saveText("replay.csv", plainCsv(answer)))));

	function drawKnobs() {
		const o = own();
		for (const { s, input, words } of sliders) {
			const value = o[s.key] ?? s.usual, place = String(placeOf(s, value));
			if (input.value !== place) input.value = place;
			input.disabled = Boolean(o.ideal) && s.key !== "cpu";
			words.textContent = input.disabled ? "–" : s.words(value);
			input.setAttribute("aria-valuetext", words.textContent);
		}
		ideal.checked = Boolean(o.ideal);
		topology.value = TOPOLOGIES.some(([value]) => value === o.topology) ? o.topology : "none";
		topology.disabled = Boolean(o.ideal);
	}

	/* ---- what it would take ---- */

	const timeRow = (name, time, top, kind) => h("div", { class: "bar-row wide" }, h("span", { class: "bar-name" }, name), h("span", { class: "bar-box" }, h("span", { class: `bar-fill ${kind}`, style: { width: `${(100 * time) / top}%` } })), h("span", { class: "n" }, span(time)));
	function draw() {
		const a = answer;
		rows = a ? asObjects(a) : [];
		most = Math.max(1, ...rows.map(r => partsOf(r).reduce((x, y) => x + y, 0)));
		virtual.set(rows.length);
		fill(keys, a ? PARTS.map(([name, kind]) => h("span", { class: "replay-key" }, h("span", { class: `swatch is-${kind}` }), name)) : null, a && a.ranks > rows.length ? h("span", { class: "soft" }, `the first ${count(rows.length)} of ${count(a.ranks)} ranks`) : null);
		if (!a) fill(said, error ? h("p", { class: "note" }, plain(error, 300)) : null);
		else {
			const measured = a.measured_ns, top = Math.max(1, a.time_ns, measured ?? 0);
			fill(said, timeRow("predicted", a.time_ns, top, ""), measured ? timeRow("measured", measured, top, "soft-fill") : null,
				measured ? h("div", { class: "soft small" }, `${change(a.time_ns, measured)} against what was measured${a.topology ? `; ${plain(a.topology, 60)}` : ""}`) : null,
				a.stuck ? h("div", { class: "bad small" }, `it gets stuck: ${count(a.stuck)} threads do not go on`, a.why.map(line => h("div", {}, plain(line, 300)))) : null);
		}
		drawHints();
		drawBoth();
	}
	function drawHints() {
		fill(hinted, hints?.length ? [h("div", { class: "soft small" }, "What would help from here"), h("table", { class: "facts" }, h("tbody", {}, hints.map(x => h("tr", {}, h("th", { scope: "row" }, plain(x.name, 60)), h("td", { class: "n" }, span(x.time_ns)), h("td", { class: "n" }, change(x.time_ns, answer.time_ns))))))] : null);
	}
	function drawRow(i, e) {
		const r = rows[i], parts = partsOf(r);
		fill(e, h("span", { class: "replay-rank n" }, String(r.rank)), h("span", { class: "replay-bar" }, parts.map((v, k) => (v > 0 ? h("span", { class: `is-${PARTS[k][1]}`, style: { width: `${(100 * v) / most}%` } }) : null))), h("span", { class: "n soft replay-end" }, span(r.end_ns)));
		e.title = `rank ${r.rank}: ends at ${span(r.end_ns)}\n${PARTS.map(([name], k) => `${name} ${span(parts[k])}`).join("\n")}\nsent ${count(r.sent)} messages of ${bytes(r.bytes_sent)}, received ${count(r.received)}, ${count(r.collectives)} collective operations`;
	}
	return {
		update(changed) {
			if (!app.trace) return;
			drawKnobs();
			loading.ask(args());
			if (["theme", "safe"].some(k => changed.has(k))) drawn.recolor();
			drawBoth();
		},
		destroy() { sizes.disconnect(); drawn.destroy(); painting.stop(); loading.stop(); hinting.stop(); virtual.destroy(); },
		async export(kind) { return kind === "csv" && answer ? new Blob([plainCsv(answer)], { type: "text/csv" }) : null; },
	};
}
