// SPDX-License-Identifier: Apache-2.0
/* The panels of this area: see web/panels.js. */
import { createGantt } from "./gantt.js";
import { createNodes, createPath } from "./nodes.js";
import { createScheduler } from "./scheduler.js";
import { createTaskGraph } from "./taskgraph.js";
import { createTask } from "./taskpanel.js";

const tasks = (info, trace) => Boolean(trace?.has?.tasks);
/** @type {import("../panels.js").Panel[]} */
export default [
	{ name: "gantt", title: "Gantt", place: "main", needs: tasks, create: createGantt },
	{ name: "taskgraph", title: "Task graph", place: "main", needs: tasks, create: createTaskGraph },
	{ name: "scheduler", title: "Scheduler", place: "main", needs: tasks, create: createScheduler },
	{ name: "task", title: "Task", place: "side", needs: tasks, create: createTask },
	{ name: "path", title: "Critical path", place: "dock", needs: tasks, create: createPath },
	{ name: "nodes", title: "Memory nodes", place: "dock", needs: tasks, create: createNodes },
];
