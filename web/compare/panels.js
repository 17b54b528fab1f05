// SPDX-License-Identifier: Apache-2.0
/* The panels of this area: see web/panels.js. */
import { createCompare } from "./compare.js";

/** @type {import("../panels.js").Panel[]} */
export default [{ name: "compare", title: "Compare", place: "main", needs: info => info.traces.filter(t => t.state === "ready").length > 1, create: createCompare }];
