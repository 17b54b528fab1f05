// SPDX-License-Identifier: Apache-2.0
/*
 * Which lines a track has: rows in their order, in groups that can be folded, hidden ones left out; or, where there are more rows than pixels,
 * several in a line. Nothing here knows of a page.
 *
 * @typedef {{n: number, names: string[], up: Record<string, number[]>, parents: Record<string, {names: string[]}>, events?: number[], begin?: number[], chosen?: number[]}} Rows
 * @typedef {{hidden?: number[], only?: number[], folded?: number[] | "all", sort?: string, by?: {of?: number, from: number, to: number}, down?: boolean, group?: string, filter?: string}} Choice
 * @typedef {{kind: "row" | "group", rows: number[], label: string, group: number, folded: boolean, count: number}} Line
 */

/** Does "a b" match: all of its words are in the name? @param {string} name @param {string} filter */
export function matches(name, filter) {
	const low = name.toLowerCase();
	return filter.toLowerCase().split(/\s+/).every(word => (word.startsWith("-") && word.length > 1 ? !low.includes(word.slice(1)) : low.includes(word)));
}

/** How rows are grouped when nothing is said: by process, where processes have several threads. @param {Rows} rows */
export function usualGroup(rows) {
	const many = name => rows.parents?.[name]?.names.length ?? 0;
	if (many("process") > 1 && many("process") < rows.n) return "process";
	if (many("node") > 1 && many("node") < rows.n) return "node";
	return "";
}

const byNumber = (a, b) => a - b;
const collator = new Intl.Collator(undefined, { numeric: true });
/** @type {Record<string, (rows: Rows, more: Record<string, number[]>) => (a: number, b: number) => number>} */
export const SORTS = {
	"": () => byNumber,
	name: rows => (a, b) => collator.compare(rows.names[a], rows.names[b]) || a - b,
	events: rows => (a, b) => (rows.events?.[b] ?? 0) - (rows.events?.[a] ?? 0) || a - b,
	begin: rows => (a, b) => (rows.begin?.[a] ?? 0) - (rows.begin?.[b] ?? 0) || a - b,
	value: (rows, more) => (a, b) => (more.value?.[b] ?? 0) - (more.value?.[a] ?? 0) || a - b,
};

/** The rows that are shown, in their order. @param {Rows} rows @param {Choice} choice @param {Record<string, number[]>} [more] */
export function shownRows(rows, choice, more = {}) {
	let list = choice.only?.length ? choice.only.filter(i => i < rows.n) : rows.chosen ?? Array.from({ length: rows.n }, (_, i) => i);
	if (choice.hidden?.length) {
		const hidden = new Set(choice.hidden);
		list = list.filter(i => !hidden.has(i));
	}
	if (choice.filter) list = list.filter(i => matches(rows.names[i], choice.filter));
	const order = SORTS[choice.sort ?? ""] ?? SORTS[""];
	list = [...list].sort(order(rows, more));
	return choice.down ? list.reverse() : list;
}

/** @param {Rows} rows @param {Choice} choice @param {Record<string, number[]>} [more] @returns {Line[]} */
export function linesOf(rows, choice, more = {}) {
	const list = shownRows(rows, choice, more), by = choice.group ?? usualGroup(rows), up = by && rows.up?.[by];
	const row = i => ({ kind: "row", rows: [i], label: rows.names[i], group: up ? up[i] : -1, folded: false, count: 1 });
	if (!up) return list.map(row);
	const groups = new Map();
	for (const i of list) {
		const of = groups.get(up[i]);
		if (of) of.push(i);
		else groups.set(up[i], [i]);
	}
	const folded = choice.folded === "all" ? null : new Set(choice.folded ?? []), lines = [];
	for (const [group, of] of groups) {
		const isFolded = folded === null || folded.has(group);
		/* A group of one needs no line of its own. */
		if (of.length === 1 && !isFolded) { lines.push(row(of[0])); continue; }
		lines.push({ kind: "group", rows: of, label: rows.parents[by]?.names[group] ?? `${by} ${group + 1}`, group, folded: isFolded, count: of.length });
		if (!isFolded) lines.push(...of.map(row));
	}
	return lines;
}

/** A name without the part that its group says already: "heat 0 · main" in "heat 0" is "main". @param {string} name @param {string} group */
export function shortName(name, group) {
	return group && name.startsWith(group) && name.length > group.length ? name.slice(group.length).replace(/^[\s·.:]+/, "") || name : name;
}

/** The rows of a line as the server reads them: "3", "4~6", "4~6_9". @param {number[]} rows */
export function spec(rows) {
	const parts = [];
	for (let i = 0; i < rows.length;) {
		let end = i;
		while (end + 1 < rows.length && rows[end + 1] === rows[end] + 1) end++;
		parts.push(end > i ? `${rows[i]}~${rows[end]}` : String(rows[i]));
		i = end + 1;
	}
	return parts.join("_");
}

/** Several lines: those of a row each that follow each other are a range, "0-3,7,4~6". @param {{rows: number[]}[]} lines */
export function specs(lines) {
	const parts = [];
	for (let i = 0; i < lines.length;) {
		let end = i;
		const single = k => lines[k].rows.length === 1;
		while (single(i) && end + 1 < lines.length && single(end + 1) && lines[end + 1].rows[0] === lines[end].rows[0] + 1) end++;
		parts.push(end > i ? `${lines[i].rows[0]}-${lines[end].rows[0]}` : spec(lines[i].rows));
		i = end + 1;
	}
	return parts.join(",");
}

/** So many lines that each has a pixel at least: rows that share one are fused. @param {Line[]} lines @param {number} most */
export function squeeze(lines, most) {
	const rows = lines.filter(l => l.kind === "row" || l.folded);
	if (rows.length <= most) return rows;
	const out = [];
	for (let i = 0; i < most; i++) {
		const part = rows.slice(Math.floor((i * rows.length) / most), Math.floor(((i + 1) * rows.length) / most));
		const all = part.flatMap(l => l.rows).sort(byNumber);
		out.push({ kind: "row", rows: all, label: part.length === 1 ? part[0].label : `${part[0].label} … ${part[part.length - 1].label}`, group: part[0].group, folded: false, count: all.length });
	}
	return out;
}

/**
 * Where lines stand: tops and heights in CSS pixels. height: of a row; depths: of rows whose regions lie in each other, by row.
 * @param {Line[]} lines @param {{height: number, head: number, depth?: (row: number) => number, step?: number}} how
 */
export function place(lines, { height, head, depth, step = 15 }) {
	const top = new Float64Array(lines.length + 1);
	for (let i = 0; i < lines.length; i++) {
		const l = lines[i];
		const tall = l.kind === "group" && !l.folded ? head : depth && l.kind === "row" ? Math.max(1, depth(l.rows[0])) * step + 3 : height;
		top[i + 1] = top[i] + tall;
	}
	return top;
}

/** The line at y; -1: none. @param {Float64Array} top @param {number} y */
export function lineAt(top, y) {
	let low = 0, high = top.length - 1;
	if (y < 0 || y >= top[high]) return -1;
	while (high - low > 1) {
		const middle = (low + high) >> 1;
		if (top[middle] <= y) low = middle;
		else high = middle;
	}
	return low;
}
