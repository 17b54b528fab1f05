// SPDX-License-Identifier: Apache-2.0
/* Reading what the server sends of lines × pixels (src/server/server_cells.c has the format), and turning places into colours. */

const CELLS = 0x4c454357, CURVE = 0x56524357;
export const CODES = 2, STEPS = 4;

/**
 * @param {ArrayBuffer} buffer
 * @returns {{lines: number, width: number, flags: number, more: number, from: number, to: number, min: number, max: number,
 *   values: Float64Array, colors: Uint32Array, counts: Uint32Array, place: Uint8Array | Uint16Array}}
 */
export function readCells(buffer) {
	const view = new DataView(buffer);
	const word = i => view.getUint32(4 * i, true);
	if (buffer.byteLength < 64 || word(0) !== CELLS || word(1) !== 1) throw new Error("the server sent something else than cells");
	const [lines, width, n, bytes] = [word(2), word(3), word(4), word(5)], at = 64 + 16 * n;
	if (buffer.byteLength < at + lines * width * bytes) throw new Error("the server sent fewer cells than it said");
	const values = new Float64Array(n), colors = new Uint32Array(n), counts = new Uint32Array(n);
	for (let i = 0; i < n; i++) {
		values[i] = view.getFloat64(64 + 16 * i, true);
		colors[i] = view.getUint32(72 + 16 * i, true);
		counts[i] = view.getUint32(76 + 16 * i, true);
	}
	const place = bytes === 1 ? new Uint8Array(buffer, at, lines * width) : new Uint16Array(buffer.slice(at, at + 2 * lines * width));
	return {
		lines, width, flags: word(6), more: word(7), from: view.getFloat64(32, true), to: view.getFloat64(40, true), min: view.getFloat64(48, true), max: view.getFloat64(56, true),
		values, colors, counts, place,
	};
}

/** Places become pixels: words of an image, 0xAABBGGRR. table: by place. @param {Uint8Array | Uint16Array} place @param {Uint32Array} table @param {Uint32Array} out */
export function paint(place, table, out) {
	for (let i = 0; i < place.length; i++) out[i] = table[place[i]];
}

/** 0xRRGGBB, -1 for nothing, as a word of an image. @param {number} color @param {number} [alpha] */
export const pixel = (color, alpha = 255) => (color < 0 ? 0 : ((alpha << 24) | ((color & 255) << 16) | (color & 0xff00) | (color >> 16)) >>> 0);

/** @param {ArrayBuffer} buffer */
export function readCurve(buffer) {
	const view = new DataView(buffer);
	const word = i => view.getUint32(4 * i, true);
	if (buffer.byteLength < 48 || word(0) !== CURVE || word(1) !== 1) throw new Error("the server sent something else than a curve");
	const [lines, width] = [word(2), word(3)], n = lines * width;
	if (buffer.byteLength < 48 + 16 * n) throw new Error("the server sent a shorter curve than it said");
	const doubles = from => new Float64Array(buffer.slice(from, from + 8 * n));
	return { lines, width, from: view.getFloat64(16, true), to: view.getFloat64(24, true), min: view.getFloat64(32, true), max: view.getFloat64(40, true), average: doubles(48), most: doubles(48 + 8 * n) };
}
