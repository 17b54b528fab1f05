// SPDX-License-Identifier: Apache-2.0
/*
 * Rows ordered by what they show: of codes, how much of the range has one value; of quantities, their mean. Taken from a look at all rows of as many pixels as
 * an answer holds; the range is the one that was in view when it was asked for, so that rows stay where they are while time moves, and the view is that of the
 * track that it was asked for, so that all tracks of these rows have the same order.
 */
import { isAbort } from "../lib/api.js";
import { readCells } from "./cells.js";

const WIDTH = 512, CELLS_MOST = 4000000, NAMES = 8;

/**
 * One number a row. @param {{lines: number, width: number, values: Float64Array, place: Uint8Array | Uint16Array}} cells
 * @param {number | undefined} of   the value whose share it is; undefined: the mean
 */
export function rowValues(cells, of) {
	const out = new Array(cells.lines).fill(0);
	for (let r = 0, i = 0; r < cells.lines; r++) {
		let sum = 0;
		for (let x = 0; x < cells.width; x++, i++) {
			const v = cells.values[cells.place[i]];
			sum += of === undefined ? v : v === of ? 1 : 0;
		}
		out[r] = sum / cells.width;
	}
	return out;
}

/** What the menu of rows offers. @param {any} track @param {any} choice @param {{from: number, to: number}} range @param {(patch: any) => void} set */
export function orderItems(track, choice, range, set) {
	const { view, window, level } = track.args(), by = of => ({ view, window, level, of, from: range.from, to: range.to });
	const is = of => choice.sort === "value" && choice.by?.of === of && choice.by?.view === view;
	if (!track.codes) return [{ title: "By mean in view", checked: is(undefined), run: () => set({ sort: "value", by: by(undefined) }) }];
	return track.values().filter(v => v.name).slice(0, NAMES).map(v => ({ title: `By time in ${v.name}`, checked: is(v.value), run: () => set({ sort: "value", by: by(v.value) }) }));
}

/** Asks when another order is wanted. @param {any} app @param {any} track @param {(error: Error) => void} fail */
export function createOrder(app, track, fail) {
	let key = "", stop = null;
	return {
		look() {
			const c = track.choice(), rows = track.rows, by = c.by;
			if (!rows || c.sort !== "value" || !(by?.to > by?.from)) { key = ""; stop?.abort(); return; }
			const next = JSON.stringify([app.state.trace, rows.n, by]);
			if (next === key) return;
			key = next;
			stop?.abort();
			stop = new AbortController();
			const width = Math.max(8, Math.min(WIDTH, Math.floor(CELLS_MOST / rows.n)));
			const args = { trace: app.state.trace, view: by.view, window: by.window, level: by.level, ...(by.of === undefined && { draw: "average" }), rows: `0-${rows.n - 1}`, from: by.from, to: by.to, width };
			app.api.bytes("time/cells", args, { signal: stop.signal }).then(
				got => { if (next === key) track.setSort(rowValues(readCells(got), by.of)); }, error => { key = ""; if (!isAbort(error)) fail(error); });
		},
	};
}
