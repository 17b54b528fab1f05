// SPDX-License-Identifier: Apache-2.0
/* What sliders of machines stand for, and what a prediction's row is made of: pure. */
import { number, span } from "../lib/time.js";

/** Two digits are enough for what a slider says. @param {number} v */
const round = v => Number(v.toPrecision(2));
const rate = v => { for (const [unit, size] of [["TB/s", 1e12], ["GB/s", 1e9], ["MB/s", 1e6]]) if (v >= size || unit === "MB/s") return `${number(round(v / size))} ${unit}`; };

/**
 * Sliders: places 0 to `most`, even in the logarithm of the value; `special` is the place of 0, which is no latency, or no limit.
 * @type {{key: string, title: string, most: number, special: number, usual: number, least: number, steps: number, words: (v: number) => string}[]}
 */
export const SLIDERS = [
	{ key: "latency_ns", title: "Latency", most: 61, special: 0, usual: 1000, least: 10, steps: 12, words: v => (v ? span(v) : "none") },
	{ key: "bandwidth", title: "Bandwidth", most: 49, special: 49, usual: 1e10, least: 1e8, steps: 12, words: v => (v ? rate(v) : "no limit") },
	{ key: "cpu", title: "CPU speed", most: 24, special: -1, usual: 1, least: 0.25, steps: 4 / Math.log10(2), words: v => `× ${number(v)}` },
];
const first = s => (s.special === 0 ? 1 : 0);

/** @param {typeof SLIDERS[0]} s @param {number} place */
export const valueAt = (s, place) => (place === s.special ? 0 : round(s.least * 10 ** ((place - first(s)) / s.steps)));
/** The place of a value, or the nearest. @param {typeof SLIDERS[0]} s @param {number} value */
export function placeOf(s, value) {
	if (!(value > 0)) return Math.max(0, s.special);
	const last = s.special === s.most ? s.most - 1 : s.most;
	return Math.max(first(s), Math.min(last, Math.round(Math.log10(value / s.least) * s.steps) + first(s)));
}

/* What a rank's time is shown as: name, class, columns that it sums. */
export const PARTS = [
	["computes", "computes", ["computation_ns"]], ["other calls", "fixed", ["fixed_ns"]], ["waits", "waits", ["receiving_ns", "sending_ns", "waiting_ns", "cpu_wait_ns"]],
	["collective", "collective", ["collective_ns"]], ["latency", "latency", ["latency_ns"]],
];
/** Times of a row by PARTS. @param {Record<string, number>} row */
export const partsOf = row => PARTS.map(([, , keys]) => keys.reduce((sum, k) => sum + (row[k] ?? 0), 0));

/** "−12.3 %" of one time against another. @param {number} time @param {number} than */
export function change(time, than) {
	const percent = 100 * (time / than - 1);
	return `${percent < -0.05 ? "−" : percent > 0.05 ? "+" : "±"}${Math.abs(percent).toFixed(1)} %`;
}
