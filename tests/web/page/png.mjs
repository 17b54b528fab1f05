// SPDX-License-Identifier: Apache-2.0
/* PNG of 8 bits a channel, as browsers' screenshots are, to pixels and back; pictures made smaller, and compared where fonts may differ a little. */
import { deflateSync, inflateSync } from "node:zlib";

const MAGIC = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

const crc32 = bytes => {
	let crc = ~0;
	for (const b of bytes) {
		crc ^= b;
		for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc >>> 0;
};

/** @typedef {{width: number, height: number, at: Uint8Array}} Picture   three bytes a pixel */

/* What a pixel was said to be, from its left, upper, upper left neighbour: the filters of PNG. */
const GUESS = [
	() => 0, a => a, (a, b) => b, (a, b) => (a + b) >> 1,
	(a, b, c) => { const p = a + b - c, x = Math.abs(p - a), y = Math.abs(p - b), z = Math.abs(p - c); return x <= y && x <= z ? a : y <= z ? b : c; },
];

/** @param {Buffer} file @returns {Picture} */
export function decode(file) {
	if (!file.subarray(0, 8).equals(MAGIC)) throw new Error("this is no PNG");
	let head = null;
	const parts = [];
	for (let i = 8; i + 12 <= file.length;) {
		const n = file.readUInt32BE(i), name = file.toString("latin1", i + 4, i + 8);
		if (name === "IHDR") head = file.subarray(i + 8, i + 8 + n);
		if (name === "IDAT") parts.push(file.subarray(i + 8, i + 8 + n));
		i += 12 + n;
	}
	const width = head.readUInt32BE(0), height = head.readUInt32BE(4), channels = { 2: 3, 6: 4 }[head[9]];
	if (head[8] !== 8 || !channels || head[12]) throw new Error("not a PNG of 8 bits, in colour, line by line");
	const raw = inflateSync(Buffer.concat(parts)), line = width * channels, all = new Uint8Array(line * height);
	for (let y = 0; y < height; y++) {
		const guess = GUESS[raw[y * (line + 1)]];
		for (let x = 0; x < line; x++) {
			const i = y * line + x, a = x >= channels ? all[i - channels] : 0, b = y ? all[i - line] : 0, c = x >= channels && y ? all[i - line - channels] : 0;
			all[i] = raw[y * (line + 1) + 1 + x] + guess(a, b, c);
		}
	}
	const at = new Uint8Array(width * height * 3);
	for (let i = 0; i < width * height; i++) for (let k = 0; k < 3; k++) at[3 * i + k] = all[channels * i + k];
	return { width, height, at };
}

/** @param {Picture} p @returns {Buffer} */
export function encode({ width, height, at }) {
	const part = (name, data) => {
		const out = Buffer.alloc(12 + data.length);
		out.writeUInt32BE(data.length, 0);
		out.write(name, 4, "latin1");
		data.copy(out, 8);
		out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
		return out;
	};
	const head = Buffer.alloc(13), line = width * 3, raw = Buffer.alloc((line + 1) * height);
	head.writeUInt32BE(width, 0);
	head.writeUInt32BE(height, 4);
	head.set([8, 2, 0, 0, 0], 8);
	for (let y = 0; y < height; y++) {
		raw[y * (line + 1)] = 2; /* from the pixel above */
		for (let x = 0; x < line; x++) raw[y * (line + 1) + 1 + x] = at[y * line + x] - (y ? at[(y - 1) * line + x] : 0);
	}
	return Buffer.concat([MAGIC, part("IHDR", head), part("IDAT", deflateSync(raw, { level: 9 })), part("IEND", Buffer.alloc(0))]);
}

/** Each square of `by` pixels as one: its mean, in steps of 16, which packs well. @param {Picture} p @param {number} by @returns {Picture} */
export function shrink(p, by) {
	const width = Math.floor(p.width / by), height = Math.floor(p.height / by), at = new Uint8Array(width * height * 3);
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++)
			for (let k = 0; k < 3; k++) {
				let sum = 0;
				for (let j = 0; j < by; j++) for (let i = 0; i < by; i++) sum += p.at[3 * ((y * by + j) * p.width + x * by + i) + k];
				at[3 * (y * width + x) + k] = Math.min(240, Math.round(sum / (by * by) / 16) * 16);
			}
	return { width, height, at };
}

const FAR = 64, MEAN_MOST = 6, SHARE_MOST = 0.03, TILE = 20, TILE_MOST = 0.3;

/**
 * How two small pictures differ: the mean over all channels, the share of pixels that are far from each other, and the tiles that have many of these. Letters
 * of another font make many small differences; a bar that is away, or of another colour, makes a tile of large ones.
 * @param {Picture} a @param {Picture} b @returns {{mean: number, share: number, tiles: {x: number, y: number, share: number}[], same: boolean}}
 */
export function compare(a, b) {
	if (a.width !== b.width || a.height !== b.height) return { mean: 255, share: 1, tiles: [], same: false };
	const across = Math.ceil(a.width / TILE), tile = new Map();
	let sum = 0, far = 0;
	for (let i = 0; i < a.width * a.height; i++) {
		let most = 0;
		for (let k = 0; k < 3; k++) {
			const d = Math.abs(a.at[3 * i + k] - b.at[3 * i + k]);
			sum += d;
			most = Math.max(most, d);
		}
		if (most <= FAR) continue;
		far++;
		const key = Math.floor(Math.floor(i / a.width) / TILE) * across + Math.floor((i % a.width) / TILE);
		tile.set(key, (tile.get(key) ?? 0) + 1 / (TILE * TILE));
	}
	const tiles = [...tile].map(([key, share]) => ({ x: (key % across) * TILE, y: Math.floor(key / across) * TILE, share })).filter(t => t.share > TILE_MOST).sort((p, q) => q.share - p.share);
	const mean = sum / a.at.length, share = far / (a.width * a.height);
	return { mean, share, tiles, same: mean <= MEAN_MOST && share <= SHARE_MOST && !tiles.length };
}
