// SPDX-License-Identifier: Apache-2.0
/* The chart of a program of tasks as the server sends it: a head of JSON, cells of rows, values of curves. Nothing here knows of a page. */

/**
 * @typedef {{from: number, to: number, width: number, first_worker: number, paints: {name: string, color: string, ns: number}[],
 *   rows: {label: string, kind: "node" | "worker" | "thread", thread?: number, busy: number}[],
 *   curves: {label: string, unit: string, color: string, most: number, row: number, values: Float32Array}[], points: any[][], arrows: any[][], left_out: number,
 *   exact: boolean, missing?: boolean, tasks: [task: number, row: number, start: number, end: number, name: string][], cells: Uint16Array}} Chart
 */

/** @param {ArrayBuffer} bytes @returns {Chart} */
export function readChart(bytes) {
	const n = new DataView(bytes).getUint32(0, true);
	const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, n)));
	const cells = head.rows.length * head.width, at = 4 + n;
	head.cells = new Uint16Array(bytes, at, cells);
	let next = at + 2 * cells;
	next += (4 - (next % 4)) % 4;
	for (const curve of head.curves) {
		curve.values = new Float32Array(bytes, next, head.width);
		next += 4 * head.width;
	}
	return head;
}

/** "#rrggbb" as a word of an image's pixels. @param {string} color */
export function pixel(color) {
	const v = parseInt(color.slice(1), 16);
	return (0xff000000 | ((v & 0xff) << 16) | (v & 0xff00) | (v >> 16)) >>> 0;
}

/** The paint at a pixel of a row. @param {Chart} chart */
export const paintAt = (chart, row, x) => chart.cells[row * chart.width + Math.max(0, Math.min(chart.width - 1, Math.floor(x)))];

/** The task under a time of a row; of several the one that began last. @param {Chart} chart */
export function taskAt(chart, row, time) {
	let best = null;
	for (const t of chart.tasks) if (t[1] === row && t[2] <= time && time < t[3] && (!best || t[2] >= best[2])) best = t;
	return best;
}

/** The next task of the row behind (or before) one. @param {Chart} chart @param {number} step 1 or -1 */
export function neighbour(chart, task, step) {
	const of = chart.tasks.find(t => t[0] === task);
	if (!of) return null;
	const row = chart.tasks.filter(t => t[1] === of[1]).sort((a, b) => a[2] - b[2]);
	return row[row.indexOf(of) + step] ?? null;
}

/** Round steps of a time axis: ns. @param {number} span @param {number} most */
export function timeStep(span, most) {
	const least = span / Math.max(1, most), power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
	return Math.max(1, [1, 2, 5, 10].map(k => k * power).find(step => step >= least) ?? 10 * power);
}
