// SPDX-License-Identifier: Apache-2.0
/* The panels of this area: see web/panels.js. */
import { createReplay } from "./replay.js";

/** @type {import("../panels.js").Panel[]} */
export default [{ name: "replay", title: "Replay", place: "dock", needs: (info, t) => Boolean(t?.has?.replay), create: createReplay }];
