// SPDX-License-Identifier: Apache-2.0
/*
 * Pictures of pieces of a track: some lines × some hundred pixels each, fetched when they are first wanted, kept while there is room. While a
 * piece comes, what there is of other zooms stands in for it.
 */
import { isAbort } from "../lib/api.js";
import { colorOf } from "../lib/color.js";
import { CODES, paint, pixel, readCells } from "./cells.js";

export const WIDE = 512, TALL = 64;
const KEPT = 500, ASKED_MOST = 5;

/**
 * @param {any} app
 * @param {{draw: () => void, fail: (error: Error) => void}} on
 */
export function createStrips(app, on) {
	const kept = new Map(); // by key, the latest used last
	const asked = new Map(); // by key: {stop, wanted}
	let turn = 0, look = { dim: null, own: {}, safe: false, paraver: false, names: new Map() };

	function imageOf(strip) {
		if (strip.image && strip.drawn === look) return strip.image;
		const c = strip.cells, table = new Uint32Array(c.values.length), codes = Boolean(c.flags & CODES);
		for (let i = 0; i < table.length; i++) {
			const value = c.values[i], name = look.names.get(value)?.name;
			const color = colorOf({ value, color: c.colors[i] & 0xffffff, alpha: c.colors[i] >>> 24 }, { codes, regions: strip.regions, min: c.min, max: c.max, safe: look.safe, dark: look.dark, paraver: look.paraver, name, own: look.own, rank: look.names.get(value)?.rank });
			table[i] = pixel(color, look.dim && !look.dim.has(name) ? 44 : 255);
		}
		const canvas = strip.image ?? document.createElement("canvas");
		canvas.width = c.width;
		canvas.height = c.lines;
		const context = canvas.getContext("2d"), data = context.createImageData(c.width, c.lines);
		paint(c.place, table, new Uint32Array(data.data.buffer));
		context.putImageData(data, 0, 0);
		strip.image = canvas;
		strip.drawn = look;
		return canvas;
	}

	async function fetchOne(key, want) {
		const stop = new AbortController();
		asked.set(key, { stop, turn });
		try {
			const cells = readCells(await app.api.bytes(want.path, want.args, { signal: stop.signal }));
			kept.set(key, { cells, from: want.from, to: want.to, block: want.block, regions: want.regions, image: null, drawn: null });
			while (kept.size > KEPT) kept.delete(kept.keys().next().value);
		} catch (error) {
			if (!isAbort(error)) {
				kept.set(key, { failed: true, from: want.from, to: want.to, block: want.block });
				on.fail(error);
			}
		} finally {
			asked.delete(key);
			pump();
			on.draw();
		}
	}
	let waiting = [];
	function pump() {
		while (waiting.length && asked.size < ASKED_MOST) {
			const want = waiting.shift();
			if (!kept.has(want.key) && !asked.has(want.key)) fetchOne(want.key, want);
		}
	}
	return {
		/** How values look from now on: {dim, own, safe, paraver, names}. */
		set look(next) { look = next; },
		get busy() { return asked.size + waiting.length > 0; },
		/** Pieces that are to be there: what is asked for and no longer wanted is given up. @param {any[]} wants  {key, path, args, from, to, block, regions} */
		want(wants) {
			turn++;
			const keys = new Set(wants.map(w => w.key));
			for (const [key, a] of asked) if (!keys.has(key)) a.stop.abort();
			waiting = wants.filter(w => !kept.has(w.key) && !asked.has(w.key));
			pump();
		},
		/** @param {string} key @returns {{image: HTMLCanvasElement, cells: any, from: number, to: number} | null} */
		get(key) {
			const strip = kept.get(key);
			if (!strip || strip.failed) return null;
			kept.delete(key);
			kept.set(key, strip);
			return { image: imageOf(strip), cells: strip.cells, from: strip.from, to: strip.to };
		},
		/** What there is of a block in [from, to), of any zoom, the latest last. */
		standIns(block, from, to) {
			const list = [];
			for (const strip of kept.values()) if (!strip.failed && strip.block === block && strip.from < to && strip.to > from) list.push(strip);
			return list.slice(-24).map(s => ({ image: imageOf(s), cells: s.cells, from: s.from, to: s.to }));
		},
		clear() {
			for (const a of asked.values()) a.stop.abort();
			waiting = [];
			kept.clear();
		},
	};
}
