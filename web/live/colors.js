// SPDX-License-Identifier: Apache-2.0
/* The handbook's colours (4.1.1) of what workers do, those of tasks' states, and of codelets by their names; lighter on a dark ground, and a set that all eyes tell apart. */
const WORKER = {
	light: { executing: "#2f9e44", callback: "#1b3a93", sleeping: "#e03131", other: "#9aa3ad" },
	dark: { executing: "#40b85a", callback: "#6f8ff0", sleeping: "#f0605c", other: "#5d6773" },
	safe: { executing: "#009e73", callback: "#0072b2", sleeping: "#d55e00", other: "#999999" },
};
const TASK = {
	light: { submitted: "#c3c9d0", ready: "#1c7ed6", taken: "#7048e8", held: "#e8590c", running: "#2f9e44", done: "#e9ecef" },
	dark: { submitted: "#4b5563", ready: "#4aa3f0", taken: "#9d7cf5", held: "#ff9d5c", running: "#40b85a", done: "#262d36" },
	safe: { submitted: "#bbbbbb", ready: "#56b4e9", taken: "#cc79a7", held: "#d55e00", running: "#009e73", done: "#e5e5e5" },
};
/* Sets of Tol that colour-blind people tell apart, then lighter ones of the same: as `weft gantt --colors`. */
const CODELETS = ["#4477aa", "#cc6677", "#ddaa33", "#117733", "#88ccee", "#aa4499", "#999933", "#6655cc", "#ee7733", "#44aa99", "#bb4477"];

const set = (of, dark, safe) => (safe ? { ...of.safe, ...(dark && of.safe.done ? { done: of.dark.done, submitted: of.dark.submitted } : {}) } : dark ? of.dark : of.light);
export const workerColors = (dark, safe) => set(WORKER, dark, safe);
export const taskColors = (dark, safe) => set(TASK, dark, safe);

const chosen = new Map();
/** The same name has the same colour everywhere; of two with one place the later one takes the next that is free. @param {string} name */
export function codeletColor(name) {
	const known = chosen.get(name);
	if (known) return known;
	let hash = 2166136261;
	for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
	const used = new Set([...chosen.values()].slice(-(CODELETS.length - 1)));
	while (used.has(CODELETS[hash % CODELETS.length])) hash++;
	chosen.set(name, CODELETS[hash % CODELETS.length]);
	return chosen.get(name);
}
