// SPDX-License-Identifier: Apache-2.0
/* Share: a link, files of the state, pictures and values of what is seen, sessions of several windows. */
import { fill, h, plain } from "../lib/dom.js";
import { dialog, menu } from "../lib/menu.js";
import { writeAddress } from "../lib/store.js";
import { saveDialog } from "./page.js";
import { pageFile, pictureOf, readFile, sessionFile } from "./files.js";

const ASK_MS = 300;

/** Saves a file as browsers do. @param {Blob} blob @param {string} name */
export function saveBlob(blob, name) {
	const url = URL.createObjectURL(blob), a = h("a", { href: url, download: name });
	document.body.append(a);
	a.click();
	a.remove();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}
const base = app => plain(app.trace?.name ?? "weft", 80).replace(/\.(weft|prv|trace)$/, "").replace(/[^\w.-]+/g, "_");
const json = value => new Blob([JSON.stringify(value, null, "\t") + "\n"], { type: "application/json" });

/* ---- windows of one server know of each other ---- */

let channel = null;
const me = Math.random().toString(36).slice(2);
/** Windows answer each other from here on. @param {any} app */
export function joinWindows(app) {
	if (channel || typeof BroadcastChannel === "undefined") return;
	channel = new BroadcastChannel(`weft ${location.pathname}`);
	channel.addEventListener("message", e => { if (e.data?.ask && e.data.from !== me) channel.postMessage({ answer: e.data.ask, from: me, state: app.save() }); });
}
/** The states of all windows, this one first. @returns {Promise<any[]>} */
export function windowStates(app) {
	return new Promise(done => {
		const list = [app.save()], ask = `${me}${performance.now()}`, hear = e => { if (e.data?.answer === ask) list.push(e.data.state); };
		if (!channel) return done(list);
		channel.addEventListener("message", hear);
		channel.postMessage({ ask, from: me });
		setTimeout(() => { channel.removeEventListener("message", hear); done(list); }, ASK_MS);
	});
}

/* ---- what the menu does ---- */

export async function copyText(app, text, what) {
	try {
		await navigator.clipboard.writeText(text);
		app.say(`${what} is copied`, "done");
	} catch {
		const field = h("textarea", { class: "mono share-text", readonly: true, rows: "4", "aria-label": what }, text);
		dialog(`Copy ${what}`, [field]);
		field.select();
	}
}

async function savePicture(app, form) {
	try {
		const of = app.trace && pictureOf({ state: app.state, trace: app.trace, form });
		const name = `${base(app)}.${form}`;
		if (of) {
			saveBlob(await app.api.blob(of.path, of.args), name);
			app.say(`${name} is what '${of.command.slice(0, 200)}' writes`, "done");
			return;
		}
		const canvas = form === "png" ? document.querySelector(`#panel-${app.state.main} canvas`) : null;
		if (!canvas) throw new Error(`what is in front cannot be saved as ${form.toUpperCase()}`);
		saveBlob(await new Promise(done => canvas.toBlob(done)), name);
		app.say(`${name} is saved`, "done");
	} catch (error) { app.fail(error); }
}

/** Shows what a file says; other windows of it are offered as links. @param {any} app @param {string} text */
export function loadText(app, text, defaults) {
	const { windows, missing } = readFile(text, app.info);
	app.load({ weft: "page", ...windows[0] });
	if (missing.length) app.say(`not open here: ${missing.map(p => plain(p, 80)).join(", ")}`, "error");
	if (windows.length > 1)
		dialog("The other windows of this session", [h("p", {}, "This window shows the first. Each link opens one more:"), h("ul", {}, windows.slice(1).map((w, i) => h("li", {}, h("a", { href: location.pathname + writeAddress({ ...defaults, ...w }, defaults), target: "_blank" }, `window ${i + 2}: ${plain(w.main ?? "timeline", 40)}`))))]);
	return windows.length;
}

function openFile(app, defaults) {
	const pick = h("input", { type: "file", accept: ".view,application/json", onchange: async () => {
		try {
			const text = await pick.files[0].text();
			loadText(app, text, defaults);
		} catch (error) { app.fail(error); }
	} });
	pick.click();
}

/** @param {any} app @param {HTMLElement} button @param {any} defaults of the state */
export function shareMenu(app, button, defaults) {
	const of = form => app.trace && pictureOf({ state: app.state, trace: app.trace, form }), canvas = document.querySelector(`#panel-${CSS.escape(app.state.main)} canvas`);
	const command = of("svg") ?? of("png");
	menu(button, [
		{ title: "Copy the link", hint: "to exactly this", run: () => copyText(app, app.address(), "the link") },
		{ title: "Copy the command", hint: "that draws this", disabled: !command, run: () => copyText(app, command.command, "the command") },
		{ line: true },
		{ title: "Picture, SVG", disabled: !of("svg"), run: () => savePicture(app, "svg") },
		{ title: "Picture, PNG", disabled: !of("png") && !canvas, run: () => savePicture(app, "png") },
		{ title: "Values, CSV", disabled: !of("csv"), hint: of("csv") ? "" : "of a view", run: () => savePicture(app, "csv") },
		{ line: true },
		{ title: "Save this view", hint: ".view", run: () => saveBlob(json(pageFile(app.save(), app.info)), `${base(app)}.view`) },
		{ title: "Save as a page…", hint: ".html", disabled: app.api.exported || !app.trace, run: () => saveDialog(app, `${base(app)}.html`, saveBlob) },
		{ title: "Save all windows", hint: ".view", run: async () => { const list = await windowStates(app); saveBlob(json(sessionFile(list, app.info)), `${base(app)}-session.view`); app.say(`${list.length} window${list.length === 1 ? "" : "s"} saved`, "done"); } },
		{ title: "Open a view…", run: () => openFile(app, defaults) },
	]);
}

/** What was named on the command line. @param {any} app @param {any} defaults */
export async function loadNamed(app, defaults) {
	const file = await app.api.json("share/state");
	if (file) loadText(app, JSON.stringify(file), defaults);
}
