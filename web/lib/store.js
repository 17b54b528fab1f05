// SPDX-License-Identifier: Apache-2.0
/*
 * The state: one frozen object of plain JSON values, and the steps that led to it. Nothing here knows of a page.
 */

/** @typedef {Record<string, any>} State */

const same = (a, b) => a === b || (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));

/**
 * @param {State} defaults  all keys that there are, with what they are when nothing is said
 * @param {(state: State, changed: Set<string>) => void} tell   called after each change
 * @param {{most?: number, sticky?: string[]}} [how]   most: steps that are kept; sticky: keys that undo leaves as they are (theme, sizes of panels)
 */
export function createStore(defaults, tell, { most = 200, sticky = [] } = {}) {
	let state = Object.freeze({ ...defaults });
	const before = [], after = [];
	let stepped = state;

	const change = next => {
		const changed = new Set();
		for (const key of new Set([...Object.keys(next), ...Object.keys(state)])) if (!same(next[key], state[key])) changed.add(key);
		if (!changed.size) return changed;
		state = Object.freeze(next);
		tell(state, changed);
		return changed;
	};
	/* What stays when a step is taken back: how the page looks. */
	const back = to => {
		const next = { ...to };
		for (const key of sticky) next[key] = state[key];
		return next;
	};
	return {
		get state() { return state; },
		get canUndo() { return before.length > 0; },
		get canRedo() { return after.length > 0; },
		/**
		 * step: this can be taken back. Changes without a step belong to the next one: a drag is a step at its end.
		 * @param {State} patch @param {{step?: boolean}} [how]
		 */
		set(patch, { step = false } = {}) {
			const next = { ...state, ...patch };
			if (step) {
				const was = back(stepped);
				if (!Object.keys(next).every(key => same(next[key], was[key]))) {
					before.push(stepped);
					if (before.length > most) before.shift();
					after.length = 0;
					stepped = Object.freeze({ ...next });
				}
			}
			return change(next);
		},
		undo() {
			if (!before.length) return false;
			after.push(stepped);
			stepped = before.pop();
			change(back(stepped));
			return true;
		},
		redo() {
			if (!after.length) return false;
			before.push(stepped);
			stepped = after.pop();
			change(back(stepped));
			return true;
		},
		/** From an address or a file: steps begin anew only where `fresh`. */
		replace(next, { fresh = false } = {}) {
			if (fresh) before.length = after.length = 0;
			change({ ...defaults, ...next });
			if (fresh) stepped = state;
		},
	};
}

/** What differs from the defaults, as "#key=value&…"; texts as they are, everything else as JSON. @param {State} state @param {State} defaults */
export function writeAddress(state, defaults) {
	const parts = [];
	for (const key of Object.keys(defaults)) {
		if (same(state[key], defaults[key]) || state[key] === undefined) continue;
		const text = typeof state[key] === "string" && typeof defaults[key] === "string" ? state[key] : JSON.stringify(state[key]);
		parts.push(`${key}=${encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%40/g, "@").replace(/%20/g, "+")}`);
	}
	return parts.length ? "#" + parts.join("&") : "";
}

/** The other way; what is not known, or not of the kind of its default, is left out. @param {string} hash @param {State} defaults */
export function readAddress(hash, defaults) {
	const state = {};
	for (const [key, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
		if (!Object.hasOwn(defaults, key)) continue;
		const value = parse(text, defaults[key]);
		if (value !== undefined) state[key] = value;
	}
	return state;
}

function parse(text, fallback) {
	if (typeof fallback === "string") return text;
	try {
		const value = JSON.parse(text);
		return fits(value, fallback) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** Is this of the kind of its default? @param {any} value @param {any} fallback */
export function fits(value, fallback) {
	if (fallback === null) return true;
	if (Array.isArray(fallback)) return Array.isArray(value);
	if (typeof fallback === "number") return typeof value === "number" && Number.isFinite(value);
	if (typeof fallback === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
	return typeof value === typeof fallback;
}
