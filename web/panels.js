// SPDX-License-Identifier: Apache-2.0
/*
 * Which panels there are. Each area has a line here, and its own list in web/AREA/panels.js: a panel is
 *
 * @typedef {object} Panel
 * @property {string} name       in the address
 * @property {string} title      on its tab
 * @property {"main" | "side" | "dock"} place   the stage; beside it; below it
 * @property {(info: object, trace: object | undefined) => boolean} [needs]   shown where this is true; trace: that of the state
 * @property {(host: HTMLElement, app: import("./app.js").App) => PanelView} create   called when it is first shown
 * @property {Key[]} [keys]      of the page, whichever panel has the focus
 *
 * @typedef {object} PanelView
 * @property {(changed: Set<string>) => void} update   the state has changed in these keys; called once after create, with all of them
 * @property {() => void} [destroy]
 * @property {(kind: string) => Promise<Blob | null>} [export]
 *
 * @typedef {{key: string, title: string, group?: string, run: (app: import("./app.js").App, event: KeyboardEvent) => void}} Key
 */
import timeline from "./timeline/panels.js";
import tables from "./tables/panels.js";
import tasks from "./tasks/panels.js";
import live from "./live/panels.js";
import compare from "./compare/panels.js";
import replay from "./replay/panels.js";
import learn from "./learn/panels.js";

/** @type {Panel[]} */
export const panels = [...timeline, ...tables, ...tasks, ...live, ...compare, ...replay, ...learn];
