// SPDX-License-Identifier: Apache-2.0
/* The panels of this area, and the keys that move in time: see web/panels.js. */
import { plain } from "../lib/dom.js";
import { at as timeText, number, span } from "../lib/time.js";
import { createDetails } from "./details.js";
import { createMarks } from "./marks.js";
import { createStage } from "./stage.js";

let made = null;
const GROUP = "Timeline";
const on = (keys, title, run) => keys.map(key => ({ key, title, group: GROUP, run: (app, e) => { if (made && app.state.main === "timeline") run(made.stage, app, e); } }));

/* The next or previous interval of the selected row; the row above or below. Both say where that leads. */
function step(stage, app, back) {
	const s = app.state.selection, track = stage.view(s?.track ?? 0), spans = track?.exact && !track.exact.many ? track.exact.by.get(s?.row) : null;
	if (!s || !spans) { stage.panBy(back ? -0.25 : 0.25); return; }
	const list = [];
	for (let k = 0; k < spans.length; k += 4) if (spans[k] === (s.depth ?? 0)) list.push([spans[k + 1], spans[k + 2], spans[k + 3]]);
	const next = back ? list.filter(([, end]) => end <= s.at).pop() : list.find(([begin]) => begin > s.at);
	if (next) {
		app.set({ cursor: next[0], selection: { ...s, at: next[0], from: next[0], to: next[1] } });
		app.say(`${plain(track.names.get(next[2])?.name ?? number(next[2]), 80)}, ${span(next[1] - next[0])} from ${timeText(next[0], 1e3)}`);
	} else stage.panBy(back ? -0.25 : 0.25);
}
function rowStep(stage, app, by) {
	const s = app.state.selection, track = stage.view(s?.track ?? 0);
	if (!track?.rows) return;
	const rows = track.lines.filter(l => l.kind === "row"), i = rows.findIndex(l => l.rows.includes(s?.row)), next = rows[Math.max(0, Math.min(rows.length - 1, i + by))];
	if (!next) return;
	const r = app.range(), at = s?.at >= 0 ? s.at : app.state.cursor >= 0 ? app.state.cursor : (r.from + r.to) / 2;
	app.set({ selection: { row: next.rows[0], level: track.level, at: Math.round(at), track: track.index } });
	track.reveal(next.rows[0]);
	app.say(plain(next.label, 120));
}
function escape(stage, app) {
	if (stage.band) stage.setBand(null);
	else app.set({ selection: null, cursor: -1 });
}

/** @type {import("../panels.js").Panel[]} */
export default [
	{
		name: "timeline", title: "Timeline", place: "main", needs: (info, trace) => Boolean(trace),
		create(host, app) {
			made = createStage(host, app);
			return { update: made.update, destroy() { made.destroy(); made = null; } };
		},
		keys: [
			...on(["w", "+", "=", "ArrowUp"], "Closer", stage => stage.zoomBy(2)), ...on(["s", "-", "ArrowDown"], "Wider", stage => stage.zoomBy(-2)),
			...on(["a", "ArrowLeft"], "Earlier", stage => stage.panBy(-0.15)), ...on(["d", "ArrowRight"], "Later", stage => stage.panBy(0.15)),
			...on(["Shift+ArrowLeft", "A"], "A page earlier", stage => stage.panBy(-0.9)), ...on(["Shift+ArrowRight", "D"], "A page later", stage => stage.panBy(0.9)),
			...on(["f", "Home"], "All of it", stage => stage.fit()),
			...on(["z"], "Zoom to what is selected", (stage, app) => { const s = app.state.selection; if (s?.to > s?.from) stage.zoomTo(s.from, s.to, s.row === undefined ? 0 : 0.15); }),
			...on([".", "Ctrl+ArrowRight"], "Next interval of the row", (stage, app) => step(stage, app, false)), ...on([",", "Ctrl+ArrowLeft"], "Interval before", (stage, app) => step(stage, app, true)),
			...on(["j", "Ctrl+ArrowDown"], "Row below", (stage, app) => rowStep(stage, app, 1)), ...on(["k", "Ctrl+ArrowUp"], "Row above", (stage, app) => rowStep(stage, app, -1)),
			...on(["m"], "Mark the cursor's time", (stage, app) => { const s = app.state; if (s.cursor >= 0) stage.mark(s.cursor); else app.say("click on the timeline first: the mark stands at the cursor"); }),
			...on(["r"], "Rows: all in view, or of a height that can be read", (stage, app) => app.own("timeline", { fit: !app.own("timeline").fit })),
			...on(["x"], "Regions: innermost, or nested", (stage, app) => { const t = stage.tracks()[0]; stage.setTrack(0, { style: t.style === "nest" ? "" : "nest" }); }),
			...on(["/", "Ctrl+f"], "Find", () => made.find.focus()), ...on(["n"], "Next that was found", () => made.find.next()), ...on(["N"], "The one before", () => made.find.previous()),
			...on(["Escape"], "Let go of what is selected", escape),
		],
	},
	{ name: "details", title: "Details", place: "side", needs: (info, trace) => Boolean(trace), create: createDetails, keys: [{ key: "e", title: "Details of what is selected", group: GROUP, run: app => app.open("details") }] },
	{ name: "marks", title: "Marks", place: "side", needs: (info, trace) => Boolean(trace), create: createMarks },
];
