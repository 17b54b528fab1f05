// SPDX-License-Identifier: Apache-2.0
/* Colours of values: as the server says, as the reader chose, or such as every eye can tell apart. Numbers are 0xRRGGBB. */

/** Of codes in views: twenty-four that stand apart on light and dark ground, neighbours most. */
export const CODES = [0x4c8ed9, 0xe8743b, 0x2fa37c, 0xd9517c, 0xb8a12b, 0x8f6fd1, 0x38a9b8, 0xc1504b, 0x6fae46, 0xc774c2, 0x9c7a52, 0x5c7fa8, 0xe39b2d, 0x4aa5a0, 0xa3567f, 0x7f9c3a,
	0x6a6fd6, 0xd98a6a, 0x3f9160, 0xb06fae, 0xc9b357, 0x4f9bd0, 0xad6a3e, 0x7a8794];
/** Okabe and Ito's, which differ for every eye, and three lighter rounds of them. */
export const SAFE = [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442, 0x999999];
/** From low to high, even in lightness, and the same for every eye (after Nuñez, Anderton and Renslow's cividis). */
const EVEN = [0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838];

export const red = c => (c >> 16) & 255, green = c => (c >> 8) & 255, blue = c => c & 255;
const join = (r, g, b) => (Math.round(r) << 16) | (Math.round(g) << 8) | Math.round(b);
export const mix = (a, b, t) => join(red(a) + (red(b) - red(a)) * t, green(a) + (green(b) - green(a)) * t, blue(a) + (blue(b) - blue(a)) * t);
export const css = c => `#${(c & 0xffffff).toString(16).padStart(6, "0")}`;
/** "#rrggbb" as a number; -1: it is none. @param {string} text */
export const parse = text => (/^#[0-9a-f]{6}$/i.test(text ?? "") ? parseInt(text.slice(1), 16) : -1);

/** How light it is, 0 to 1, as eyes see it (WCAG). @param {number} c */
export function lightness(c) {
	const linear = v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
	return 0.2126 * linear(red(c)) + 0.7152 * linear(green(c)) + 0.0722 * linear(blue(c));
}
/** Black or white: what can be read on it. @param {number} c */
export const textOn = c => (lightness(c) > 0.3 ? "#14181d" : "#ffffff");

/* Nearly white, and grey. */
function isPale(c) {
	const most = Math.max(red(c), green(c), blue(c)), least = Math.min(red(c), green(c), blue(c));
	return least > 190 && most - least < 24;
}

/** A colour of a scale. @param {number} t 0 to 1 */
export function even(t) {
	const at = Math.max(0, Math.min(1, t)) * (EVEN.length - 1), i = Math.min(EVEN.length - 2, Math.floor(at));
	return mix(EVEN[i], EVEN[i + 1], at - i);
}

/** Number i of the safe ones: rounds behind the first are lighter. @param {number} i */
export function safe(i) {
	const base = SAFE[i % SAFE.length], round = Math.floor(i / SAFE.length) % 4;
	return mix(base, 0xffffff, round * 0.22);
}

/** A number that is the same for the same name, everywhere. @param {string} name */
export function hash(name) {
	let h = 2166136261;
	for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 16777619);
	return h >>> 0;
}

/**
 * What an entry of a palette looks like; -1: nothing is there. own: colours that the reader chose, by name.
 * @param {{value: number, color: number, alpha: number}} entry
 * dark: the ground is: greys that are nearly white would be the brightest thing on it, and mean least.
 * @param {{codes: boolean, regions: boolean, dark?: boolean, min: number, max: number, safe: boolean, paraver?: boolean, name?: string, own?: Record<string, string>, rank?: number}} how
 */
export function colorOf(entry, how) {
	if (!entry.alpha) return -1;
	const chosen = how.name === undefined ? -1 : parse(how.own?.[how.name]);
	if (chosen >= 0) return chosen;
	if (!how.codes) return how.safe ? even((entry.value - how.min) / (how.max - how.min || 1)) : entry.color;
	if (how.safe) return safe(how.rank ?? Math.max(0, Math.round(entry.value) - 1));
	if (how.regions || how.paraver) return how.dark && isPale(entry.color) ? mix(entry.color, 0x1a2027, 0.72) : entry.color;
	const i = Math.round(entry.value);
	return CODES[(((i - 1) % CODES.length) + CODES.length) % CODES.length];
}
