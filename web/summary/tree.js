// SPDX-License-Identifier: Apache-2.0
/* A tree of calls as the server sends it (table/calls), and what is drawn of it: rows of the tree, bars of the flame graph. Nothing here knows of a page. */

/**
 * @typedef {object} Node
 * @property {number} parent   -1: the root
 * @property {string} name @property {string} module @property {string} file @property {number} line
 * @property {number} self @property {number} total @property {number} calls
 * @property {number} depth @property {number[]} children   heaviest first
 * @property {number} begin    weight on its left, of the heavy-left layout
 *
 * @param {any} answer @returns {Node[]} parents first
 */
export function callTree(answer) {
	/** @type {Node[]} */
	const nodes = answer.nodes.map(([parent, name, self, total, calls, line]) => {
		const [called, module, file] = answer.names[name] ?? ["all", "", ""];
		return { parent, name: called, module, file, line, self, total, calls, depth: 0, children: [], begin: 0 };
	});
	const next = nodes.map(n => n.begin);
	nodes.forEach((n, i) => {
		if (n.parent < 0) return;
		const up = nodes[n.parent];
		up.children.push(i);
		n.depth = up.depth + 1;
		n.begin = next[n.parent];
		next[n.parent] += n.total;
		next[i] = n.begin;
	});
	return nodes;
}

/** Nodes in view of a tree with some open. @param {Node[]} nodes @param {Set<string>} open   ways (wayOf) that are open @param {string} [find] only ways to what matches */
export function treeRows(nodes, open, find = "") {
	const words = find.toLowerCase(), keep = words ? matching(nodes, words) : null, list = [], stack = nodes.length ? [0] : [];
	while (stack.length) {
		const i = stack.pop(), n = nodes[i];
		if (keep && !keep[i]) continue;
		if (i || nodes.length === 1) list.push(i);
		if (!i || keep || open.has(wayOf(nodes, i))) for (let k = n.children.length - 1; k >= 0; k--) stack.push(n.children[k]);
	}
	return list;
}
/** 1: it matches, or something below or above does. @param {Node[]} nodes @param {string} words */
export function matching(nodes, words) {
	const keep = new Uint8Array(nodes.length);
	for (let i = 0; i < nodes.length; i++) if (nodes[i].name.toLowerCase().includes(words)) for (let k = i; k >= 0 && !keep[k]; k = nodes[k].parent) keep[k] = 1;
	return keep;
}
/** The names from the root to a node: the same in the tree of another range. @param {Node[]} nodes @param {number} i */
export function wayOf(nodes, i) {
	const way = [];
	for (let k = i; k > 0; k = nodes[k].parent) way.push(nodes[k].name);
	return way.reverse().join("\u0001");
}
/** @param {Node[]} nodes @param {string} way @returns {number} the deepest node of the way that there is */
export function findWay(nodes, way) {
	let at = 0;
	if (!nodes.length || !way) return 0;
	for (const name of way.split("\u0001")) {
		const next = nodes[at].children.find(k => nodes[k].name === name);
		if (next === undefined) break;
		at = next;
	}
	return at;
}
/** Ways that lead to most of the weight: what is open at first. @param {Node[]} nodes @param {number} [share] */
export function hotWays(nodes, share = 0.5) {
	const open = new Set();
	let i = 0;
	while (nodes[i]?.children.length) {
		const heavy = nodes[i].children[0];
		if (i) open.add(wayOf(nodes, i));
		if (nodes[heavy].total < share * nodes[i].total) break;
		i = heavy;
	}
	return open;
}

/**
 * Bars of a flame graph of the part below `root`: [depth, begin, end (shares 0..1), node]; bars narrower than `least` are left out.
 * @param {Node[]} nodes @param {number} root @param {number} [least]
 */
export function flameBars(nodes, root = 0, least = 0) {
	const base = nodes[root], all = base?.total ?? 0, bars = [];
	if (!all) return bars;
	const up = [];
	for (let k = base.parent; k >= 0; k = nodes[k].parent) up.push(k);
	up.reverse().forEach((k, depth) => bars.push({ depth, begin: 0, end: 1, node: k, outer: true }));
	const stack = [root];
	while (stack.length) {
		const i = stack.pop(), n = nodes[i], begin = (n.begin - base.begin) / all, end = begin + n.total / all;
		if (end - begin < least) continue;
		bars.push({ depth: n.depth, begin, end, node: i, outer: false });
		for (const k of n.children) stack.push(k);
	}
	return bars;
}

/** Bars of table/flame: of one thread over time. @param {any} answer */
export function timeBars(answer) {
	const bars = [], all = Math.max(1, answer.to - answer.from), flat = answer.bars;
	for (let i = 0; i + 4 < flat.length; i += 5) {
		const [name, module, file] = answer.names[flat[i + 3]] ?? ["?", "", ""];
		bars.push({ depth: flat[i], begin: (flat[i + 1] - answer.from) / all, end: (flat[i + 1] + flat[i + 2] - answer.from) / all, name, module, file, n: flat[i + 4], from: flat[i + 1], to: flat[i + 1] + flat[i + 2] });
	}
	return bars.sort((a, b) => a.depth - b.depth || a.begin - b.begin);
}

/** The share of all weight that is in what matches: a way counts once. @param {Node[]} nodes @param {string} words */
export function foundShare(nodes, words) {
	let sum = 0;
	const w = words.toLowerCase(), inside = new Uint8Array(nodes.length);
	if (!w || !nodes[0]?.total) return 0;
	nodes.forEach((n, i) => {
		const above = n.parent >= 0 && inside[n.parent], match = i > 0 && n.name.toLowerCase().includes(w);
		inside[i] = above || match ? 1 : 0;
		if (match && !above) sum += n.total;
	});
	return sum / nodes[0].total;
}

/** By function: self, and total with each way counted once. @param {Node[]} nodes */
export function byFunction(nodes) {
	const rows = new Map(), on = new Map();
	/* Depth first, so that a function that is on the way already is known. */
	const stack = nodes.length ? [[0, false]] : [];
	while (stack.length) {
		const [i, done] = /** @type {[number, boolean]} */ (stack.pop()), n = nodes[i], key = n.name + "\u0001" + n.module;
		if (done) { on.set(key, on.get(key) - 1); continue; }
		if (i) {
			const row = rows.get(key) ?? { name: n.name, module: n.module, file: n.file, self: 0, total: 0, calls: 0 };
			row.self += n.self;
			row.calls += n.calls;
			if (!on.get(key)) row.total += n.total;
			rows.set(key, row);
		}
		on.set(key, (on.get(key) ?? 0) + 1);
		stack.push([i, true]);
		for (const k of n.children) stack.push([k, false]);
	}
	return [...rows.values()].sort((a, b) => b.self - a.self || (a.name < b.name ? -1 : 1));
}

/** The bar that a key leads to from bar `at`; -1: none. Bars are sorted by depth, then begin. @param {{depth: number, begin: number, end: number}[]} bars @param {number} at @param {string} key */
export function nextBar(bars, at, key) {
	const b = bars[at];
	if (!b) return bars.length ? 0 : -1;
	const mid = (b.begin + b.end) / 2;
	const near = depth => {
		let best = -1;
		bars.forEach((x, i) => { if (x.depth === depth && x.end > b.begin && x.begin < b.end && (best < 0 || x.end - x.begin > bars[best].end - bars[best].begin)) best = i; });
		return best;
	};
	if (key === "up") { const i = bars.findIndex(x => x.depth === b.depth - 1 && x.begin <= mid && x.end >= mid); return i; }
	if (key === "down") return near(b.depth + 1);
	let best = -1;
	bars.forEach((x, i) => {
		if (x.depth !== b.depth || i === at) return;
		if (key === "right" ? x.begin >= b.end - 1e-12 && (best < 0 || x.begin < bars[best].begin) : x.end <= b.begin + 1e-12 && (best < 0 || x.end > bars[best].end)) best = i;
	});
	return best;
}
