// SPDX-License-Identifier: Apache-2.0
/*
 * The tutorials: steps, each with what to do, and a check of what the reader did or sees. A check gets what the page is at, and is pure; what a reader
 * answers is in `answers`. The traces are written by dev/make-learn, which says what each has in it.
 *
 * @typedef {{state: any, trace: any, answers: Record<string, string>, seen: Set<string>}} Now
 * @typedef {object} Step
 * @property {string} title
 * @property {string[]} text        paragraphs
 * @property {any} [show]           state to begin from (the trace by its name)
 * @property {{id: string, question: string, options: string[], right: number, why: string}} [ask]
 * @property {(now: Now) => boolean} [done]   without it and without a question: "Next" is enough
 * @property {string} [hint]
 * @typedef {{name: string, title: string, about: string, minutes: number, steps: Step[]}} Tutorial
 */

/** How much of the trace is seen. @param {Now} now */
export const shareSeen = ({ state, trace }) => (trace && state.to > state.from ? (state.to - state.from) / trace.end : 1);
const inFront = name => ({ state }) => state.main === name || state.side === name || state.dock === name;
const isTrace = name => ({ trace }) => trace?.name === `${name}.weft`;
const both = (...checks) => now => checks.every(c => c(now));

/** @type {Tutorial[]} */
export const TUTORIALS = [
	{
		name: "first", title: "First look at a profile", minutes: 5, about: "What a program did: over time, and in sums.",
		steps: [
			{ title: "A row for each thread", show: { trace: "first", main: "timeline", side: "summary", from: 0, to: 0 }, text: ["This is a program of four processes that computes how heat spreads in a plate. Time goes from left to right; each row is a thread, each colour a region of the code that it was in.", "Point at a colour: the line at the bottom says what it is."] },
			{ title: "Zoom in", text: ["Turn the wheel over the picture, or press + and w, until you see no more than a quarter of the run."], done: now => isTrace("first")(now) && shareSeen(now) <= 0.25, hint: "The arrows and a, d move; 0 shows all again." },
			{ title: "Sums of what is in view", text: ["Beside the timeline the summary says where the time in view went. It follows the zoom: sums are always of what you see.", "Bring the summary to the front (the button for panels beside, or Shift+U)."], done: inFront("summary") },
			{ title: "What takes most", show: { from: 0, to: 0 }, text: ["Show all of the run again, and look at the largest part."], ask: { id: "most", question: "In which region is most of the time spent?", options: ["MPI_Recv", "update points", "read input", "exchange borders"], right: 1, why: "'update points' computes: about four fifths of all time. A program that mostly computes is what one wants; the rest is worth a look when it grows." } },
			{ title: "What waits", text: ["Some time is in MPI_Recv: there a process waits for rows of its neighbours. It is little here. In the next tutorial it is not."] },
		],
	},
	{
		name: "imbalance", title: "Load imbalance", minutes: 7, about: "One has more to do, and all wait for it.",
		steps: [
			{ title: "A pattern", show: { trace: "imbalance", main: "timeline", from: 0, to: 0 }, text: ["The same program on six processes. Rows are no longer full of computing: most have gaps at the end of each step."] },
			{ title: "Look at a few steps", text: ["Zoom until at most a tenth of the run is in view, and look at which row has no gaps."], done: now => isTrace("imbalance")(now) && shareSeen(now) <= 0.1, ask: { id: "who", question: "Which process computes nearly all the time?", options: ["rank 0", "rank 2", "rank 5", "none"], right: 1, why: "Rank 2 has nearly twice the points of the others. Its neighbours wait for its rows, their neighbours for theirs: in the end all wait." } },
			{ title: "It is not the one that waits", text: ["MPI_Recv takes a third of all time, on every process but one. The cure is not in MPI_Recv: who waits is not at fault. Look for the one that does not wait."], ask: { id: "cure", question: "What would make this program faster?", options: ["A faster network", "Sharing the points out so that all have the same", "More processes"], right: 1, why: "The longest share decides. With equal shares the same work takes two thirds of the time." } },
			{ title: "Compare with equal shares", text: ["'balanced' is the same program with equal shares. Open Compare: both are laid beside each other, step by step."], done: inFront("compare"), hint: "Compare is one of the areas in the header." },
			{ title: "What differs", show: { main: "compare", more: { compare: { a: "imbalance", b: "balanced", mark: "step", iteration: false, tab: "table" } } }, text: ["The table below says what changed most. Blue: less in the other run."], ask: { id: "less", question: "What became less, and by how much?", options: ["update points, by half", "MPI_Recv, by nine tenths", "MPI_Send, by a third"], right: 1, why: "Computing is the same in both; what went is waiting." } },
		],
	},
	{
		name: "late-sender", title: "A late sender", minutes: 6, about: "Who waits, for whom, and why.",
		steps: [
			{ title: "Now and then", show: { trace: "late-sender", main: "timeline", from: 0, to: 0 }, text: ["Four processes again. Most steps are fine. Now and then all of them stop."] },
			{ title: "Find one", text: ["Zoom to one of the places where several rows wait at once, at most a fifth of the run."], done: now => isTrace("late-sender")(now) && shareSeen(now) <= 0.2 },
			{ title: "Who is late", text: ["A message begins when its sender sends it. Look at which row is still busy while the others wait; choose a stretch of waiting to see the message that ends it."], ask: { id: "late", question: "What does the late process do instead of sending?", options: ["It waits, too", "It computes more points", "It writes a checkpoint"], right: 2, why: "Every fourth step rank 1 writes a checkpoint before it sends. Its neighbours wait for it, and theirs for them: a wave." } },
			{ title: "A small change", text: ["The message does not depend on the checkpoint. Sent first, it would be there in time, and the checkpoint would cost one process a millisecond, and no other anything."], ask: { id: "order", question: "What is the cheapest cure?", options: ["Sending before the checkpoint is written", "Fewer processes", "Smaller messages"], right: 0, why: "The order of two lines. What a late sender does before it sends is where to look." } },
		],
	},
	{
		name: "too-fine", title: "Tasks too fine", minutes: 6, about: "When tasks cost more than they do.",
		steps: [
			{ title: "Three workers", show: { trace: "too-fine", main: "gantt", from: 0, to: 0 }, text: ["A program of tasks. Green is work; brown is scheduling; chestnut is the runtime's overhead; red is sleep. Curves above say how many tasks are submitted and ready."] },
			{ title: "Between the tasks", text: ["Zoom until single tasks can be told apart: at most 1 % of the run."], done: now => isTrace("too-fine")(now) && now.state.main === "gantt" && shareSeen(now) <= 0.012, hint: "Press + some times, or turn the wheel with Ctrl." },
			{ title: "How long is a task", text: ["Click a task: the panel beside says all about it. Or look at the legend below the chart, which has shares of all workers' time."], ask: { id: "long", question: "How does a task compare with what surrounds it?", options: ["It takes much longer", "It takes less than scheduling and overhead together", "There is nothing between tasks"], right: 1, why: "A task takes 7 µs, and the runtime 9 µs for it. More than half of the workers' time is not work." } },
			{ title: "The same work in larger tasks", show: { trace: "coarse", main: "gantt", from: 0, to: 0 }, text: ["'coarse' does the same with a hundredth of the tasks, each a hundred times as long."], ask: { id: "faster", question: "What happened to the run?", options: ["It takes as long as before", "It takes less than half as long", "It takes longer, as there is less parallelism"], right: 1, why: "Twelve tasks are enough for three workers here. Tasks of some hundred microseconds are a good begin; too few of them leave workers idle at the end." } },
		],
	},
	{
		name: "tuned", title: "Tuning a program", minutes: 6, about: "A number that is tried, measured and chosen while the program runs.",
		steps: [
			{ title: "A program and its tuner", show: { trace: "tuned", main: "timeline", from: 0, to: 0 }, text: ["The first row is a program that sweeps over a plate again and again, in panels of `block` columns. Nobody knows which width is best. The second row is what `weft tune` did: what it measured, decided, and did."] },
			{ title: "Sweeps get shorter", text: ["Each width is used for three sweeps. Zoom to the time in which widths are tried: at most half of the run."], done: now => isTrace("tuned")(now) && shareSeen(now) <= 0.5 },
			{ title: "The decision", text: ["The counter 'block' has the width, 'measured: sweep' how long a sweep took with it. Add them to the timeline, or look at the details of the second row's events."], ask: { id: "best", question: "Which width was kept in the end?", options: ["2, the guess", "64", "256, the largest"], right: 1, why: "At 64 a sweep took 1.8 ms; at the guess 5.2 ms. Wider ones were slower again, so they were tried and left." } },
			{ title: "What it was worth", text: ["Trying cost two dozen sweeps, most of them faster than the guess. All that follow take a third of the time that they would have taken.", "To watch that live: weft tune -o run.weft -t relax.tsl -- ./relax, and beside it weft open relax."] },
		],
	},
];

/** Whether a step is done. @param {Step} step @param {Now} now */
export function stepDone(step, now) {
	const did = !step.done || step.done(now) || now.seen.has(step.title);
	return did && (!step.ask || now.answers[step.ask.id] === String(step.ask.right));
}

/** What a step begins from, as a change of the state: traces by number. @param {Step} step @param {{traces: {name: string}[]}} info */
export function stepState(step, info) {
	if (!step.show) return null;
	const number = name => (typeof name === "string" ? Math.max(0, info.traces.findIndex(t => t.name === `${name}.weft`)) : name);
	const { trace, more, ...rest } = step.show, patch = { ...rest };
	if (trace !== undefined) patch.trace = number(trace);
	if (more?.compare) patch.more = { compare: { ...more.compare, a: number(more.compare.a), b: number(more.compare.b), from: 0, to: 0 } };
	return patch;
}
