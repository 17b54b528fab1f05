// SPDX-License-Identifier: Apache-2.0
/* The panels of this area: see web/panels.js. */
import { createCalls } from "../summary/calls.js";
import { createSummary } from "../summary/summary.js";
import { createViews } from "../views/browser.js";
import { createMessages } from "./messages.js";
import { createTable } from "./table.js";

const opens = (key, name, title) => ({ key, title, group: "Tables and summaries", run: app => app.open(name) });

/** @type {import("../panels.js").Panel[]} */
export default [
	{ name: "summary", title: "Summary", place: "side", create: createSummary, keys: [opens("U", "summary", "Where the time in view went")] },
	{ name: "views", title: "Views", place: "side", create: createViews, keys: [opens("V", "views", "Views: search, hints, new metrics")] },
	{ name: "table", title: "Table", place: "dock", create: createTable, keys: [opens("T", "table", "Table of what is in view")] },
	{ name: "calls", title: "Calls", place: "dock", needs: (info, t) => Boolean(t?.has.regions || t?.has.samples), create: createCalls, keys: [opens("C", "calls", "Call tree and flame graph")] },
	{ name: "messages", title: "Messages", place: "dock", needs: (info, t) => Boolean(t?.has.messages), create: createMessages, keys: [opens("M", "messages", "Who sends how much to whom")] },
];
