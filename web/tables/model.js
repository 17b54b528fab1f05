// SPDX-License-Identifier: Apache-2.0
/*
 * A table as the server sends it (table/view), ready for looking at: sparse rows, orders, what is hidden, totals, CSV. Nothing here knows of a page.
 */

/**
 * @typedef {object} Row
 * @property {string} label
 * @property {number} object        its number at the table's level
 * @property {Uint32Array} column   of the cells that there are, ascending
 * @property {Float64Array} value
 *
 * @typedef {object} Model
 * @property {Row[]} rows
 * @property {{label: string, from: number}[]} columns
 * @property {string} kind          ns, percent, bytes, count, number
 * @property {number} factor        to ns, of times
 * @property {Record<string, number[]>} totals   by name, of each column
 */

/** @param {any} answer of table/view @returns {Model} */
export function tableModel(answer) {
	const rows = answer.rows.map(([label, object, ...flat]) => {
		const n = flat.length / 2, column = new Uint32Array(n), value = new Float64Array(n);
		for (let i = 0; i < n; i++) {
			column[i] = flat[2 * i];
			value[i] = flat[2 * i + 1] ?? NaN;
		}
		return { label, object, column, value };
	});
	return { rows, columns: answer.columns, kind: answer.kind, factor: answer.factor ?? 1, totals: answer.totals ?? {} };
}

/** The value of a cell, or undefined where nothing fell. @param {Row} row @param {number} column */
export function cellOf(row, column) {
	let low = 0, high = row.column.length - 1;
	while (low <= high) {
		const mid = (low + high) >> 1;
		if (row.column[mid] === column) return row.value[mid];
		if (row.column[mid] < column) low = mid + 1;
		else high = mid - 1;
	}
	return undefined;
}

/** "403.3…410.0" of "[403.311..410.012)": with no more digits than tell it from the next. @param {string} label */
export function shortRange(label) {
	const [, low, high] = /^\[(-?[\d.]+)\.\.(-?[\d.]+)[)\]]$/.exec(label) ?? [], a = Number(low), b = Number(high);
	if (!(b > a)) return label;
	const most = Math.max(...[low, high].map(t => t.split(".")[1]?.length ?? 0)), digits = Math.max(0, Math.min(most, 1 - Math.floor(Math.log10(b - a))));
	return `${a.toFixed(digits)}…${b.toFixed(digits)}`;
}

export const TOTALS = ["Total", "Average", "Maximum", "Minimum", "StDev", "Avg/Max"];
/** The six totals of some values. @param {ArrayLike<number>} values @returns {number[]} in the order of TOTALS */
export function totalsOf(values) {
	let sum = 0, squares = 0, most = -Infinity, least = Infinity, n = 0;
	for (let i = 0; i < values.length; i++) {
		const v = values[i];
		if (!Number.isFinite(v)) continue;
		n++;
		sum += v;
		squares += v * v;
		if (v > most) most = v;
		if (v < least) least = v;
	}
	if (!n) return [0, 0, 0, 0, 0, 0];
	const average = sum / n;
	return [sum, average, most, least, Math.sqrt(Math.max(0, squares / n - average * average)), most ? average / most : 0];
}

/** Names in the order of people: "rank 2" before "rank 10". */
const names = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
export const byName = (a, b) => names.compare(a, b);

/**
 * Which rows are shown, in which order. by: "" as they come, "label", "total", or the number of a column; empty cells come last.
 * @param {Model} model @param {{by?: string | number, down?: boolean, filter?: string, hidden?: number[]}} how @returns {number[]}
 */
export function rowOrder(model, { by = "", down = true, filter = "", hidden = [] } = {}) {
	const gone = new Set(hidden), words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	const shown = [];
	model.rows.forEach((row, i) => {
		const label = row.label.toLowerCase();
		if (!gone.has(row.object) && words.every(w => label.includes(w))) shown.push(i);
	});
	if (by === "") return down ? shown : shown.reverse();
	const sign = down ? -1 : 1;
	if (by === "label") return shown.sort((a, b) => sign * byName(model.rows[a].label, model.rows[b].label) || a - b);
	const key = by === "total" ? i => totalsOf(model.rows[i].value)[0] : i => cellOf(model.rows[i], Number(by));
	const keys = new Map(shown.map(i => [i, key(i)]));
	return shown.sort((a, b) => {
		const x = keys.get(a), y = keys.get(b);
		if (x === undefined || y === undefined) return x === y ? a - b : x === undefined ? 1 : -1;
		return x === y ? a - b : sign * (x - y);
	});
}

/**
 * Which columns. by: "" as the view has them, "label", "total", "row N" of a row's values.
 * @param {Model} model @param {{by?: string, down?: boolean, filter?: string, hidden?: string[]}} how @returns {number[]}
 */
export function columnOrder(model, { by = "", down = true, filter = "", hidden = [] } = {}) {
	const gone = new Set(hidden), words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	const shown = [];
	model.columns.forEach((c, i) => {
		const label = c.label.toLowerCase();
		if (!gone.has(c.label) && words.every(w => label.includes(w))) shown.push(i);
	});
	const sign = down ? -1 : 1;
	if (by === "label") return shown.sort((a, b) => sign * byName(model.columns[a].label, model.columns[b].label) || a - b);
	const row = /^row (\d+)$/.exec(by);
	const key = by === "total" ? i => model.totals.Total?.[i] ?? 0 : row ? i => cellOf(model.rows[Number(row[1])], i) ?? -Infinity : null;
	return key ? shown.sort((a, b) => (key(a) === key(b) ? a - b : sign * (key(a) - key(b)))) : shown;
}

/** The least and the greatest of the cells that are shown; what is 0 counts only for the least. @param {Model} model @param {number[]} rows @param {number[]} columns */
export function scaleOf(model, rows, columns) {
	const on = new Uint8Array(model.columns.length);
	for (const c of columns) on[c] = 1;
	let least = Infinity, most = -Infinity, positive = Infinity;
	for (const r of rows) {
		const row = model.rows[r];
		for (let i = 0; i < row.column.length; i++) {
			const v = row.value[i];
			if (!on[row.column[i]] || !Number.isFinite(v)) continue;
			if (v < least) least = v;
			if (v > most) most = v;
			if (v > 0 && v < positive) positive = v;
		}
	}
	return least > most ? { least: 0, most: 0, positive: 0 } : { least, most, positive: positive === Infinity ? 0 : positive };
}

/** 0..1 on the scale; NaN: no colour. @param {number | undefined} v @param {{least: number, most: number, positive: number}} s @param {boolean} [log] */
export function shareOf(v, s, log = false) {
	if (v === undefined || !Number.isFinite(v)) return NaN;
	if (log && s.positive > 0) {
		if (v <= 0) return 0;
		return s.most > s.positive ? Math.log(v / s.positive) / Math.log(s.most / s.positive) : 1;
	}
	const low = Math.min(0, s.least);
	return s.most > low ? (v - low) / (s.most - low) : v ? 1 : 0;
}

/** A field of CSV; what a spreadsheet would take for a formula gets an apostrophe, as in all of Weft's CSV. @param {string} z */
export function csvField(z) {
	const safe = /^[=+\-@\t\r]/.test(z) && !/^[+-]?(\d|\.\d)/.test(z) ? "'" + z : z;
	return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What is shown as CSV: plain numbers. @param {Model} model @param {number[]} rows @param {number[]} columns */
export function tableCsv(model, rows, columns) {
	const lines = [["row", ...columns.map(c => csvField(model.columns[c].label))].join(",")];
	for (const r of rows) lines.push([csvField(model.rows[r].label), ...columns.map(c => {
		const v = cellOf(model.rows[r], c);
		return v === undefined || !Number.isFinite(v) ? "" : String(v);
	})].join(","));
	return lines.join("\n") + "\n";
}

/** A plain table (columns of kinds, rows of values) as CSV. @param {{columns: {key: string}[], rows: any[][]}} t */
export function plainCsv({ columns, rows }) {
	return [columns.map(c => csvField(c.key)).join(","), ...rows.map(row => row.map(v => (v === null ? "" : typeof v === "string" ? csvField(v) : String(v))).join(","))].join("\n") + "\n";
}

/** The number of the active cell after a key; null: the key moves nothing. @param {{r: number, c: number}} at @param {string} key @param {{rows: number, columns: number, page: number}} n */
export function moveCell(at, key, n) {
	const clamp = (v, most) => Math.max(0, Math.min(most, v));
	const moves = {
		ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-n.page, 0], PageDown: [n.page, 0],
		Home: [0, -Infinity], End: [0, Infinity], "Ctrl+Home": [-Infinity, -Infinity], "Ctrl+End": [Infinity, Infinity],
	};
	const m = moves[key];
	return m ? { r: clamp(at.r + m[0], n.rows - 1), c: clamp(at.c + m[1], n.columns - 1) } : null;
}
