// SPDX-License-Identifier: Apache-2.0
/* The panels of this area: see web/panels.js. */
import { createLearn } from "./learn.js";

/** @type {import("../panels.js").Panel[]} */
export default [{ name: "learn", title: "Learn", place: "side", needs: info => Boolean(info.learn), create: createLearn }];
