// SPDX-License-Identifier: Apache-2.0
/* Colours of values, and values as texts. One hue from the ground to its strongest: told apart by any eye, and printed in grey. */
import { bytes, count, group, number, span } from "../lib/time.js";

const STOPS = {
	light: [[246, 249, 253], [214, 230, 246], [160, 202, 234], [94, 160, 212], [40, 112, 182], [8, 63, 130]],
	dark: [[24, 32, 42], [27, 54, 84], [33, 84, 134], [48, 122, 184], [96, 168, 224], [188, 224, 252]],
};

/** RGB of a share 0..1. @param {number} share @param {boolean} dark @returns {[number, number, number]} */
export function heatRgb(share, dark) {
	const stops = dark ? STOPS.dark : STOPS.light, at = Math.max(0, Math.min(1, share)) * (stops.length - 1);
	const i = Math.min(stops.length - 2, Math.floor(at)), part = at - i;
	return /** @type {any} */ (stops[i].map((v, k) => Math.round(v + (stops[i + 1][k] - v) * part)));
}
export const css = ([r, g, b]) => `rgb(${r},${g},${b})`;

/** Black or white, whichever reads better on the colour. @param {number[]} rgb */
export function inkOn([r, g, b]) {
	const lin = v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
	const light = 0.2126 * lin(r) + 0.7152 * lin(g) + 0.0722 * lin(b);
	return light > 0.19 ? "#10151b" : "#ffffff";
}

/** A value as people read it. @param {number | null | undefined} v @param {string} kind @param {number} [factor] to ns */
export function valueText(v, kind, factor = 1) {
	if (v === null || v === undefined || !Number.isFinite(v)) return "";
	if (kind === "ns") return span(v * factor);
	if (kind === "percent") return `${v.toFixed(v >= 99.995 ? 1 : 2)} %`;
	if (kind === "bytes") return v >= 0 ? bytes(Math.round(v * 100) / 100) : number(v);
	if (kind === "count") return Number.isInteger(v) ? (Math.abs(v) < 1e6 ? group(String(v)) : count(v)) : number(v);
	return number(v);
}

/** A colour by name, always the same: an angle of the hue from the name's hash. For regions, functions, groups without a colour of their own. */
export function hashName(name) {
	let h = 2166136261;
	for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 16777619);
	h ^= h >>> 15;
	return (Math.imul(h, 2246822519) ^ (h >>> 13)) >>> 0;
}
/** Eight hues that are told apart by colour-blind people as well (after Okabe and Ito), each in three lights. */
const HUES = [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [0, 114, 178], [213, 94, 0], [150, 140, 220], [176, 164, 60]];
/** @param {string} name @param {boolean} dark @param {Record<string, string>} [chosen] by the reader @returns {string} */
export function nameColor(name, dark, chosen = {}) {
	if (Object.hasOwn(chosen, name) && /^#[0-9a-f]{6}$/i.test(chosen[name])) return chosen[name];
	const h = hashName(name), [r, g, b] = HUES[h % HUES.length], mix = ((h >>> 8) % 5) * 0.11 + (dark ? 0.02 : 0.06), to = dark ? 20 : 255;
	return "#" + [r, g, b].map(v => Math.round(v + (to - v) * mix).toString(16).padStart(2, "0")).join("");
}
/** "#rrggbb" as numbers. @param {string} hex */
export const rgbOf = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
