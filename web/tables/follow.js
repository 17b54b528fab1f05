// SPDX-License-Identifier: Apache-2.0
/*
 * What a panel shows of a range follows the zoom: it is asked for a moment after the last change, and what was asked before is given up. The last
 * answer stays until the next is there.
 */
import { isAbort } from "../lib/api.js";

const WAIT_MS = 120;

/** The range that tables and summaries are of: what is selected where something is, else what is seen. @param {import("../app.js").App} app */
export function rangeOf(app) {
	const s = app.state.selection;
	/* A range that was drawn; an interval that was clicked at is no range to sum up. */
	if (s && s.row === undefined && Number.isFinite(s.from) && Number.isFinite(s.to) && s.to > s.from && (s.trace ?? app.state.trace) === app.state.trace) return { from: s.from, to: s.to, of: "selected" };
	const { from, to } = app.range();
	return { from, to, of: app.state.to > app.state.from ? "seen" : "whole" };
}

/** The arguments of a range: none for the whole, so that the server answers what it has. @param {{from: number, to: number, of: string}} range */
export const rangeArgs = range => (range.of === "whole" ? {} : { from: range.from, to: range.to });

/**
 * @param {HTMLElement} host   gets aria-busy while it waits
 * @param {(signal: AbortSignal) => Promise<any>} load
 * @param {(answer: any) => void} show
 * @param {(error: Error) => void} fail
 */
export function follower(host, load, show, fail) {
	let timer = 0, control = null, key = null;
	const run = async () => {
		control?.abort();
		const mine = (control = new AbortController());
		host.setAttribute("aria-busy", "true");
		try {
			const answer = await load(mine.signal);
			if (mine === control) show(answer);
		} catch (error) {
			if (mine === control && !isAbort(error)) fail(error);
		} finally {
			if (mine === control) host.removeAttribute("aria-busy");
		}
	};
	return {
		/** Asks when what is asked about is another one than before. @param {any} about */
		ask(about, { now = false } = {}) {
			const next = JSON.stringify(about);
			if (next === key) return;
			const first = key === null;
			key = next;
			clearTimeout(timer);
			timer = setTimeout(run, first || now ? 0 : WAIT_MS);
		},
		again() { key = null; },
		stop() { clearTimeout(timer); control?.abort(); control = null; },
	};
}

/** Saves a text under a name. @param {string} name @param {string} text @param {string} [type] */
export function saveText(name, text, type = "text/csv") {
	const address = URL.createObjectURL(new Blob([text], { type }));
	const a = document.createElement("a");
	a.href = address;
	a.download = name;
	a.click();
	setTimeout(() => URL.revokeObjectURL(address), 10000);
}
