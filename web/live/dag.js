// SPDX-License-Identifier: Apache-2.0
/*
 * The graph of tasks as it grows: each task gets its place when it comes and keeps it, so that what one looks at stays where it is. A layer below all
 * that it waits for; in the layer the free place that is nearest to the middle of those. Tasks that are done and old go when there are too many.
 */
export const TASK_STATES = ["submitted", "ready", "taken", "held", "running", "done"];

/**
 * @typedef {{ref: string, state: string, worker: number, codelet: string, name: string, iteration: number, file: string, line: number, before: string[], more: number, layer: number, x: number}} Task
 */
export function createDag({ most = 600 } = {}) {
	/** @type {Map<string, Task>} */ const tasks = new Map();
	/** @type {Map<number, Set<number>>} */ const places = new Map();
	/** @type {Set<Task>} */ const kept = new Set(); // whose places are in `places`
	let seq = 0, floor = 0;

	function place(task) {
		const before = task.before.map(r => tasks.get(r)).filter(t => t && t !== task);
		task.layer = before.length ? Math.max(...before.map(t => t.layer)) + 1 : floor;
		const near = before.length ? before.filter(t => t.layer === task.layer - 1) : [];
		const wish = near.length ? Math.round(near.reduce((a, t) => a + t.x, 0) / near.length) : 0;
		let line = places.get(task.layer);
		if (!line) places.set(task.layer, (line = new Set()));
		for (let step = 0; ; step++) {
			const x = step % 2 ? wish + (step + 1) / 2 : wish - step / 2;
			if (line.has(x)) continue;
			line.add(x);
			task.x = x;
			break;
		}
		kept.add(task);
	}
	function leave(task) {
		if (!kept.delete(task)) return;
		const line = places.get(task.layer);
		line?.delete(task.x);
		if (line && !line.size) places.delete(task.layer);
	}
	/* The oldest that are done; the map has them as they came. */
	function trim() {
		if (tasks.size <= most) return;
		for (const [ref, task] of tasks) {
			if (tasks.size <= most) break;
			if (task.state !== "done") continue;
			leave(task);
			tasks.delete(ref);
		}
		floor = Math.min(...places.keys(), Infinity);
		if (!Number.isFinite(floor)) floor = 0;
	}
	const lowest = () => { let m = 0; for (const t of tasks.values()) if (t.state !== "done" && t.layer > m) m = t.layer; return m; };

	return {
		tasks,
		get seq() { return seq; },
		get layers() { return [Math.min(...places.keys(), floor), Math.max(...places.keys(), 0)]; },
		/** The layer that is being worked on: the least one with something that is not done. */
		get front() {
			let least = Infinity;
			for (const t of tasks.values()) if (t.state !== "done" && t.layer < least) least = t.layer;
			return Number.isFinite(least) ? least : Math.max(...places.keys(), 0);
		},
		lowest,
		/** What has changed, as the program says it. @param {{seq: number, tasks: any[][]}} told @returns {number} how many rows */
		add(told) {
			if (told.seq < seq) this.clear(); // another run
			seq = told.seq;
			for (const [ref, state, worker, ...rest] of told.tasks) {
				const known = tasks.get(ref);
				if (known && !rest.length) {
					known.state = state;
					known.worker = worker;
					continue;
				}
				if (!rest.length) continue; // it was let go here
				const [codelet, name, iteration, file, line, before, more] = rest;
				if (known) leave(known);
				/* Independent of everything: beside what is at work now, not at the begin of time. */
				const task = known ?? { ref, layer: 0, x: 0 };
				Object.assign(task, { state, worker, codelet, name, iteration, file, line, before, more });
				if (!before.some(r => tasks.has(r))) floor = Math.max(floor, this.tasks.size ? this.front : 0);
				if (!known) tasks.set(ref, task);
				place(task);
			}
			trim();
			return told.tasks.length;
		},
		clear() {
			tasks.clear();
			places.clear();
			kept.clear();
			seq = floor = 0;
		},
		/** How many there are in each state. */
		counts() {
			const n = Object.fromEntries(TASK_STATES.map(s => [s, 0]));
			for (const t of tasks.values()) n[t.state] = (n[t.state] ?? 0) + 1;
			return n;
		},
	};
}
