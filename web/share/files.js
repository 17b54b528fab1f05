// SPDX-License-Identifier: Apache-2.0
/* Files of what is seen: the state of a page, or of several windows, with the traces that it is of; and the command that draws the same. No page is needed. */

/** @param {any} state as app.save() has it @param {{traces: {path: string}[]}} info */
export function pageFile(state, info) {
	return { weft: "page", traces: info.traces.map(t => t.path), ...Object.fromEntries(Object.entries(state).filter(([k]) => k !== "weft")) };
}

/** @param {any[]} windows states as app.save() has them */
export function sessionFile(windows, info) {
	return { weft: "session", traces: info.traces.map(t => t.path), windows: windows.map(s => Object.fromEntries(Object.entries(s).filter(([k]) => k !== "weft"))) };
}

const last = path => String(path).replace(/\/+$/, "").replace(/^.*\//, "");

/**
 * A file as states for what is open: numbers of traces become those that they have here. Traces meet by their path, else by the last part of it.
 * @param {string} text @param {{traces: {path: string}[]}} info @returns {{windows: any[], missing: string[]}}
 */
export function readFile(text, info) {
	let file;
	try {
		file = JSON.parse(text);
	} catch {
		throw new Error("this is no view of a page: it is not JSON");
	}
	if (typeof file !== "object" || file === null || !["page", "session"].includes(file.weft)) throw new Error("this is no view of a page");
	const names = Array.isArray(file.traces) ? file.traces.map(String) : [], missing = [];
	const place = names.map(path => {
		let i = info.traces.findIndex(t => t.path === path);
		if (i < 0) i = info.traces.findIndex(t => last(t.path) === last(path));
		if (i < 0) missing.push(path);
		return i;
	});
	const of = state => {
		const { weft, traces, windows, ...rest } = state;
		const trace = typeof rest.trace === "number" ? rest.trace : 0;
		return { ...rest, trace: Math.max(0, place[trace] ?? trace) };
	};
	const windows = file.weft === "session" ? (Array.isArray(file.windows) ? file.windows.filter(w => typeof w === "object" && w !== null) : []) : [file];
	if (!windows.length) throw new Error("the file has no window");
	return { windows: windows.map(of), missing };
}

/** A word for the shell. @param {string} text */
export const quoted = text => (/^[\w./:=+@%,~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The first track of the timeline that a picture can be made of. @param {any} state */
export function pictureTrack(state) {
	return (state.tracks ?? []).find(t => t.view && !t.cells && !String(t.view).startsWith("@")) ?? null;
}

/**
 * What is asked of the server for the picture of what is in front, and the command that writes the same bytes; null: the panel has its own.
 * @param {{state: any, trace: any, form: "svg" | "png" | "csv", width?: number}} of
 */
export function pictureOf({ state, trace, form, width = 1200 }) {
	const main = state.main, more = state.more ?? {}, ranged = state.to > state.from, out = `picture.${form}`;
	const time = ranged ? ["--time", `${state.from}ns..${state.to}ns`] : [], seen = { trace: state.trace, ...(ranged ? { from: state.from, to: state.to } : {}) }, args = { ...seen, form, width };
	const command = words => ["weft", ...words.filter(w => w !== "")].map(quoted).join(" ");
	const size = width === 1200 ? [] : ["--width", String(width)];
	if (main === "gantt" && form !== "csv") {
		const g = more.gantt ?? {}, show = g.show ?? ["curves", "nodes"];
		const whole = ranged ? time : ["--time", `0ns..${trace.end}ns`];
		return { path: "share/picture", args: { ...args, from: ranged ? state.from : 0, to: ranged ? state.to : trace.end, kind: "gantt", show: show.join(","), colors: g.codelets ? "codelets" : "states" }, command: command(["gantt", trace.path, "-o", out, "--show", show.join(",") || "none", ...(g.codelets ? ["--colors"] : []), ...whole, ...size]) };
	}
	if (main === "taskgraph" && form !== "csv") {
		const g = more.taskgraph ?? {};
		return { path: "share/picture", args: { trace: state.trace, form, kind: "graph", by: g.by ?? "auto", filter: g.filter ?? "" }, command: command(["graph", trace.path, "-o", out, ...(g.by && g.by !== "auto" ? ["--by", g.by] : []), ...(g.filter ? ["--filter", g.filter] : [])]) };
	}
	if (main !== "timeline") return null;
	const track = pictureTrack(state), view = track?.view ?? "", window = track?.window ?? "";
	const draw = { ...(track?.draw && track.draw !== "most" ? { draw: track.draw } : {}), ...(track?.fuse && track.fuse !== "most" ? { fuse: track.fuse } : {}) };
	const modes = [...(draw.draw ? ["--draw-mode", draw.draw] : []), ...(draw.fuse ? ["--draw-mode-rows", draw.fuse] : []), ...(window ? ["--window", String(window)] : [])];
	if (form === "csv") return view ? { path: "share/csv", args: { ...seen, view, window, ...draw }, command: command(["timeline", view, trace.path, "-o", out, ...time, ...modes]) } : null;
	return { path: "share/picture", args: { ...args, kind: "timeline", view, window, ...(view ? draw : {}) }, command: command(["timeline", view, trace.path, "-o", out, ...time, ...size, ...(view ? modes : [])]) };
}
