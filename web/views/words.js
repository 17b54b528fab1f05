// SPDX-License-Identifier: Apache-2.0
/* Completion in the language of views (docs/views.md): what can stand at a place in a text. Nothing here knows of a page. */

/** @typedef {{name: string, kind: string, note?: string, insert?: string}} Word */
const KEYS = {
	window: ["unit", "colour", "y", "draw", "begin", "end", "rows", "zoom", "join_labels", "lines", "flags"], table: ["scale", "sort", "time", "vertical", "show_empty", "long_labels", "only_totals", "plane_scale", "plane"],
	unit: ["ns", "us", "ms", "s", "min", "hours", "days"], colour: ["code", "gradient", "not_null", "alternative", "punctual", "fused"],
	draw: ["last", "max", "min_not_zero", "random", "random_not_zero", "average", "average_not_zero", "mode", "abs_max", "abs_min"],
	level: ["thread", "task", "appl", "workload", "cpu", "node", "system"], filter: ["from", "to", "tag", "size", "bandwidth", "type", "value", "logical", "physical", "intra", "inter"],
};

/** The metrics that a text defines above a place. @param {string} text @param {number} at */
export function definedIn(text, at = text.length) {
	const names = new Set();
	for (const m of text.slice(0, at).matchAll(/(?:^|\n|;)[ \t]*([A-Za-z_]\w*)(?:[ \t]+"[^"\n]*")?[ \t]*=(?!=)/g)) names.add(m[1]);
	names.delete("table");
	return [...names];
}

/** What surrounds a place: what is open, what stands before. @param {string} text @param {number} at */
export function placeOf(text, at) {
	let begin = at, open = [];
	const before = text.slice(0, at), quote = lastQuote(before);
	if (quote >= 0) return { word: before.slice(quote + 1), from: quote + 1, quoted: true, ...around(before.slice(0, quote)) };
	while (begin > 0 && /[\w.]/.test(before[begin - 1])) begin--;
	return { word: before.slice(begin), from: begin, quoted: false, ...around(before.slice(0, begin)) };

	function around(head) {
		open = [];
		const clean = head.replace(/"(?:\\.|[^"\\\n])*"/g, m => " ".repeat(m.length)).replace(/#[^\n]*/g, m => " ".repeat(m.length));
		for (let i = 0; i < clean.length; i++) {
			if ("([{".includes(clean[i])) open.push({ sign: clean[i], name: /([A-Za-z_]\w*)\s*$/.exec(clean.slice(0, i))?.[1] ?? "", at: i });
			else if (")]}".includes(clean[i])) open.pop();
		}
		const inner = open.at(-1), from = inner ? inner.at + 1 : Math.max(clean.lastIndexOf("\n"), clean.lastIndexOf(";")) + 1;
		return { inner, statement: head.slice(from), clean: clean.slice(from) };
	}
}
/* Where a string that is not closed yet begins, on its line; -1: none is open. */
function lastQuote(before) {
	const line = before.lastIndexOf("\n") + 1;
	let at = -1;
	for (let i = line; i < before.length; i++) {
		if (before[i] === "\\" && at >= 0) i++;
		else if (before[i] === '"') at = at >= 0 ? -1 : i;
		else if (before[i] === "#" && at < 0) return -1;
	}
	return at;
}

const words = (list, kind, note = "") => list.map(name => ({ name, kind, note }));
const functions = (list, kind) => list.map(f => ({ name: f.name, kind, note: f.paraver, insert: f.args === "types" || f.params.length ? `${f.name}(` : f.name }));
const types = all => all.map(t => ({ name: t.label, kind: "type", note: String(t.number), insert: /^PAPI_\w+$/.test(t.label) ? t.label : `"${t.label}"` }));

/**
 * What can stand here, the likeliest first. @param {string} text @param {number} at @param {any} known   answer of table/words
 * @returns {{from: number, items: Word[]}}   from: where the word begins that is being typed
 */
export function complete(text, at, known) {
	const place = placeOf(text, at), before = place.clean.trimEnd(), last = /(\S+)\s*$/.exec(place.clean)?.[1] ?? "";
	let list;
	if (place.quoted) list = [...known.types.map(t => ({ name: t.label, kind: "type", note: String(t.number) })), ...labelsNear(place, known)];
	else if (place.inner?.sign === "{") list = block(place, known, text);
	else if (place.inner?.sign === "[") list = words(KEYS.filter, "filter");
	else if (/^\s*table\b/.test(place.clean)) list = ofTable(place.clean, known, text, at);
	else if (/^\s*$/.test(place.clean) && !place.inner) list = [...words(["table", "about"], "statement")];
	else if (/\|$/.test(before)) list = [...functions(known.stages, "stage"), ...words(KEYS.level, "level").map(w => ({ ...w, insert: w.name + ": " }))];
	else if (/:$/.test(before)) list = [...functions(known.levels, "level function"), ...functions(known.cpus, "of cpus")];
	else if (place.inner?.sign === "(" && argumentsOf(place, known)) list = argumentsOf(place, known);
	else if (/state\s*(==|!=|in\s*\()/.test(before) && /(==|!=|\(|,)$/.test(before)) list = words(known.states, "state");
	else if (/[)\w"\]]$/.test(before) && /\s$/.test(place.clean) && !/\b(where|and|or|not|in)$/.test(before)) list = words(["where", "and", "or", "in"], "word");
	else if (!/=/.test(place.clean) && !place.inner && last) list = [];
	else list = [...words(definedIn(text, at), "metric"), ...functions(known.sources, "source"), ...functions(known.operations, "operation").map(w => ({ ...w, insert: w.name + "(" })), ...words(["not", "shift"], "word")];
	return { from: place.from, items: narrow(list, place.word) };
}
function argumentsOf(place, known) {
	const source = known.sources.find(f => f.name === place.inner.name);
	if (place.inner.name === "" && /state\s+in\s*$/.test(place.statement ?? "")) return words(known.states, "state");
	if (!source) return null;
	const params = source.params.map(name => ({ name, kind: "parameter", insert: `${name} = ` }));
	return source.args === "types" ? [...types(known.types), ...params] : source.args === "states" ? [...words(known.states, "state"), ...params] : params;
}
/* Values of the types that stand in the same brackets. */
function labelsNear(place, known) {
	const named = known.types.filter(t => place.statement?.includes(t.label) || place.statement?.includes(String(t.number)));
	return named.flatMap(t => t.values.map(name => ({ name, kind: "value", note: t.label })));
}
function block(place, known, text) {
	const key = /(?:^|[;\n{])\s*(\w+)\s*[^;\n]*$/.exec(place.clean)?.[1], line = /[^;\n{]*$/.exec(place.clean)?.[0] ?? "";
	if (key && /\s/.test(line.trimStart()) && KEYS[key]) return words(KEYS[key], key);
	const head = text.slice(0, place.inner.at), table = /(^|[\n;])\s*table[^\n;]*$/.test(head);
	return words(table ? KEYS.table : KEYS.window, "key");
}
function ofTable(clean, known, text, at) {
	if (/=\s*$/.test(clean)) return words(known.statistics, "statistic");
	if (/\b(of|by|planes)\s*$/.test(clean)) return words(definedIn(text, at), "metric");
	if (/=\s*\w+\s*$/.test(clean) && /\s$/.test(clean)) return words(["of", "by"], "word");
	if (/\bof\s+\w+\s+$/.test(clean)) return words(["by"], "word");
	if (/\bby\s+\w+\s+$/.test(clean)) return words(["planes"], "word");
	return /=\s*$/.test(clean.replace(/\w*$/, "")) ? words(known.statistics, "statistic") : [];
}
/* Those that begin like it, then those that have it in them; each once. */
function narrow(list, word) {
	const w = word.toLowerCase(), seen = new Set();
	const once = list.filter(x => !seen.has(x.kind + x.name) && seen.add(x.kind + x.name));
	if (!w) return once.slice(0, 200);
	const begins = once.filter(x => x.name.toLowerCase().startsWith(w)), has = once.filter(x => !x.name.toLowerCase().startsWith(w) && (x.name + " " + (x.note ?? "")).toLowerCase().includes(w));
	return [...begins, ...has].slice(0, 200);
}
/** The text with a word put in, and where the cursor stands then. @param {string} text @param {number} at @param {number} from @param {Word} item @param {boolean} quoted */
export function insertWord(text, at, from, item, quoted = false) {
	const put = quoted ? item.name : item.insert ?? item.name;
	return { text: text.slice(0, from) + put + text.slice(at), at: from + put.length };
}
/** Offset of line and column (from 1) in a text. @param {string} text @param {number} line @param {number} column */
export function offsetOf(text, line, column) {
	const lines = text.split("\n");
	let at = 0;
	for (let i = 0; i + 1 < line && i < lines.length; i++) at += lines[i].length + 1;
	return Math.min(text.length, at + Math.max(0, column - 1));
}
