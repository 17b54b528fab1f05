// SPDX-License-Identifier: Apache-2.0
/* Who had which task at an instant: pure, from the rows of task/schedule. */

/* Columns of a row. */
export const TASK = 0, CODELET = 1, SUBMIT = 2, READY = 3, PUSH = 4, POP = 5, START = 6, END = 7, WORKER = 8, PRIORITY = 9;

/** Where a task is at a time: "" (not there), "blocked", "ready", "queued" (with the policy), "taken", "running", "done". @param {number[]} row @param {number} t */
export function stateAt(row, t) {
	const passed = k => row[k] >= 0 && row[k] <= t;
	if (passed(END)) return "done";
	if (passed(START)) return "running";
	if (passed(POP)) return "taken";
	if (passed(PUSH)) return "queued";
	if (passed(READY)) return "ready";
	if (passed(SUBMIT)) return "blocked";
	return "";
}

/**
 * @param {{tasks: number[][], workers: string[], steps: number[][], components: any[][]}} data @param {number} t
 * @returns {{running: (number[] | null)[], taken: number[][][], waiting: number[][], blocked: number, done: number, components: number[][][]}}
 *   running, taken: by worker; waiting: ready or with the policy, most urgent first; components: tasks that each has
 */
export function snapshot(data, t) {
	const running = data.workers.map(() => null), taken = data.workers.map(() => []), waiting = [], components = data.components.map(() => []);
	let blocked = 0, done = 0;
	const inside = new Map();
	for (const [time, task, , to] of data.steps) if (time <= t) inside.set(task, to);
	for (const row of data.tasks) {
		const state = stateAt(row, t);
		if (state === "running" && row[WORKER] >= 0) running[row[WORKER]] = row;
		else if (state === "taken" && row[WORKER] >= 0) taken[row[WORKER]].push(row);
		else if (state === "ready" || state === "queued") {
			const at = inside.get(row[TASK]);
			if (at !== undefined && at >= 0) components[at]?.push(row);
			else waiting.push(row);
		} else if (state === "blocked") blocked++;
		else if (state === "done") done++;
	}
	const urgent = (a, b) => b[PRIORITY] - a[PRIORITY] || (a[PUSH] >= 0 ? a[PUSH] : a[READY]) - (b[PUSH] >= 0 ? b[PUSH] : b[READY]);
	waiting.sort(urgent);
	for (const list of components) list.sort(urgent);
	return { running, taken, waiting, blocked, done, components };
}

/** The instants at which something changes, in order, each once. @param {{tasks: number[][], from: number, to: number}} data */
export function instants(data) {
	const set = new Set();
	for (const row of data.tasks) for (let k = SUBMIT; k <= END; k++) if (row[k] >= data.from && row[k] <= data.to) set.add(row[k]);
	return [...set].sort((a, b) => a - b);
}
