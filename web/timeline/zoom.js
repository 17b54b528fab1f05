// SPDX-License-Identifier: Apache-2.0
/* Ranges of time: zooming, panning, and how they are cut into strips. Nothing here knows of a page. */

/** Least that can be seen at once, ns. */
export const LEAST = 20;

/**
 * Zooms about a time, by whole steps of a quarter of a doubling of ns per pixel, so that the same levels come again: what was fetched is there.
 * @param {{from: number, to: number}} range @param {number} steps  > 0: closer @param {number} at @param {{width: number, end: number}} of
 */
export function zoom(range, steps, at, { width, end }) {
	const scale = (range.to - range.from) / width;
	const level = Math.round(Math.log2(scale) * 4) - steps;
	const span = Math.max(LEAST, Math.min(end, 2 ** (level / 4) * width));
	const share = (at - range.from) / (range.to - range.from);
	return clamp({ from: at - span * share, to: at + span * (1 - share) }, end);
}

/** By a part of what is seen. @param {{from: number, to: number}} range @param {number} part @param {number} end */
export function pan(range, part, end) {
	const by = (range.to - range.from) * part;
	return clamp({ from: range.from + by, to: range.to + by }, end);
}

/** Keeps its length where it can. @param {{from: number, to: number}} range @param {number} end */
export function clamp({ from, to }, end) {
	const span = Math.min(to - from, end);
	if (from < 0) return { from: 0, to: Math.round(span) };
	if (to > end) return { from: Math.round(end - span), to: end };
	return { from: Math.round(from), to: Math.max(Math.round(to), Math.round(from) + 1) };
}

export const xOf = (t, range, width) => ((t - range.from) * width) / (range.to - range.from);
export const timeOf = (x, range, width) => range.from + (x * (range.to - range.from)) / width;

/**
 * The strips that show a range: each `wide` pixels at `scale` ns a pixel, aligned, so that panning finds those that are there.
 * @param {{from: number, to: number}} range @param {number} scale @param {number} wide @param {number} end @returns {{k: number, from: number, to: number}[]}
 */
export function strips(range, scale, wide, end) {
	const span = scale * wide, list = [];
	const last = Math.ceil(Math.min(range.to, end) / span);
	for (let k = Math.max(0, Math.floor(range.from / span)); k < last; k++) list.push({ k, from: Math.round(k * span), to: Math.max(Math.round((k + 1) * span), Math.round(k * span) + 1) });
	return list;
}
