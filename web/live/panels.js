// SPDX-License-Identifier: Apache-2.0
/* The panels of this area: see web/panels.js. */
import { createGraph } from "./graph.js";
import { createKnobs, createTables } from "./knobs.js";
import { createLive } from "./live.js";
import { createTuning } from "./tuning.js";

const runs = info => info.live > 0;
/** @type {import("../panels.js").Panel[]} */
export default [
	{ name: "live", title: "Live", place: "main", needs: runs, create: createLive },
	{ name: "livegraph", title: "Live graph", place: "main", needs: runs, create: createGraph },
	{ name: "knobs", title: "To turn", place: "side", needs: runs, create: createKnobs },
	{ name: "livetables", title: "Workers and codelets", place: "dock", needs: runs, create: createTables },
	{ name: "tuning", title: "Tuning", place: "dock", needs: runs, create: createTuning },
];
