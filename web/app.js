// SPDX-License-Identifier: Apache-2.0
/*
 * The shell: what is open, the state and its address, panels in their places, keys, themes. Panels do the rest (panels.js).
 *
 *   header    what is open, what is shown, tools
 *   stage     the panel of `main`      │ side: tabs
 *   ──────────────────────────────────┤
 *   dock: tabs                         │
 *   status    what is under the cursor, what was said
 *
 * @typedef {ReturnType<typeof createApp>} App
 */
import { createApi, isAbort } from "./lib/api.js";
import { colorOf, css } from "./lib/color.js";
import { h } from "./lib/dom.js";
import { isTyping, keyName } from "./lib/keys.js";
import { createStore, readAddress, writeAddress } from "./lib/store.js";
import { buildShell } from "./shell.js";
import { loadNamed } from "./share/share.js";
import { waitForTraces, watchFiles } from "./session.js";
import { panels } from "./panels.js";

/** What a view of the page consists of: every key is in the address when it is not this. Areas add their keys in `state` of their panels. */
export const DEFAULTS = {
	trace: 0,          // number of the trace that panels show
	from: 0, to: 0,    // what is seen, ns from the trace's begin; to 0: all
	tracks: [],        // what the timeline shows, one below the other: [{kind: "metric", view: "useful", level: "thread", …}]; []: what fits the trace
	rows: {},          // by level: {hidden: [objects], only: [objects], folded: [parents], sort: "name", group: "process", filter: "text"}
	cursor: -1,        // a time, -1: none
	selection: null,   // {from, to} ns, {trace, row, level, at}: what is asked about; null: nothing
	marks: [],         // [{at, to?, note, row?}]
	colors: {},        // by name: "#rrggbb", chosen by the reader
	main: "timeline", side: "details", dock: "", // which panels are in front; "": closed
	sizes: {},         // of parts of the page, pixels
	theme: "auto",     // auto, light, dark
	safe: false,       // colours that differ for every eye
	more: {},          // of panels, by their name
};
/* Moving the cursor or choosing a theme is no step back. */
const STICKY = ["cursor", "main", "side", "dock", "sizes", "theme", "safe", "marks"];

function createApp() {
	const data = globalThis.weftPage; // of an exported page: {info, state, source}
	const api = createApi(data);
	const shown = new Set();
	let info = data?.info ?? { traces: [] }, written = "", timer = 0;

	const store = createStore(DEFAULTS, (state, changed) => {
		clearTimeout(timer);
		timer = setTimeout(writeHash, 150);
		if (changed.has("theme") || changed.has("safe")) setTheme(state);
		for (const view of shown) view.update(changed);
	}, { sticky: STICKY });

	function writeHash() {
		const hash = writeAddress(store.state, DEFAULTS);
		if (hash === written) return;
		written = hash;
		history.replaceState(null, "", hash || location.pathname + location.search);
	}

	/* Colours of regions (or states, where there are none), as the timeline has them; by trace. */
	const legends = new Map();
	let colors = { key: [], by: {} };
	async function askColors() {
		const trace = store.state.trace;
		if (legends.has(trace) || !(app.trace?.has.regions || app.trace?.has.states)) return;
		legends.set(trace, []);
		try {
			legends.set(trace, (await api.json("time/legend", { trace })).values);
			for (const view of shown) view.update(new Set(["colors"]));
		} catch (error) { app.fail(error); }
	}

	function namedColors() {
		const { trace, safe, colors: own } = store.state, dark = app.dark(), key = [legends.get(trace), safe, own, dark];
		if (key.some((k, i) => k !== colors.key[i])) {
			const look = v => css(colorOf({ value: v.value, color: v.color & 0xffffff, alpha: 255 }, v));
			colors = { key, by: { ...Object.fromEntries((key[0] ?? []).map((v, rank) => [v.name, look({ ...v, rank, codes: true, regions: true, min: 0, max: 1, safe, dark })])), ...own } };
		}
		return colors.by;
	}

	const app = {
		api,
		/** Colours by name: the reader's, else those that regions have in the timeline, so that a name looks the same everywhere. */
		get colors() { askColors(); return namedColors(); },
		panels,
		defaults: DEFAULTS,
		get info() { return info; },
		set info(next) { info = next; for (const view of shown) view.update(new Set(["info"])); },
		/** The trace that is shown; undefined while none has been read. */
		get trace() { const t = info.traces[store.state.trace]; return t?.state === "ready" ? t : undefined; },
		/** Frozen. */
		get state() { return store.state; },
		/** New state: step: true where the reader would take it back. */
		set: (patch, how) => store.set(patch, how),
		/** A panel's own part of the state: app.own("table") and app.own("table", {sort: 2}). */
		own(name, patch, how) {
			if (patch) store.set({ more: { ...store.state.more, [name]: { ...store.state.more[name], ...patch } } }, how);
			return store.state.more[name] ?? {};
		},
		undo: () => store.undo() || app.say("there is nothing to undo"),
		redo: () => store.redo() || app.say("there is nothing to redo"),
		get canUndo() { return store.canUndo; },
		get canRedo() { return store.canRedo; },
		/** What is seen, with all of it where nothing is said. */
		range() {
			const end = app.trace?.end ?? 1, { from, to } = store.state;
			return to > from ? { from, to } : { from: 0, to: Math.max(1, end) };
		},
		/** Shows a range; a step. @param {number} from @param {number} to */
		show(from, to, { step = true, row = null } = {}) {
			const end = Math.max(1, app.trace?.end ?? 1);
			from = Math.max(0, Math.round(Math.min(from, end - 1)));
			to = Math.min(end, Math.max(Math.round(to), from + 1));
			store.set(from === 0 && to === end ? { from: 0, to: 0, ...(row && { selection: row }) } : { from, to, ...(row && { selection: row }) }, { step });
		},
		/** A line for people, in the status line, and for screen readers. @param {string} text @param {"info" | "error" | "done"} [kind] */
		say: (text, kind = "info") => shell.say(text, kind),
		/** What failed, unless it was given up. */
		fail: error => { if (!isAbort(error)) app.say(error.message ?? String(error), "error"); },
		/** What is under the pointer: the status line's left part. */
		hint: text => shell.hint(text),
		/** Brings a panel to the front; opens its place. */
		open(name) { const p = panels.find(x => x.name === name); if (p) store.set({ [p.place]: name }); },
		/** Called on each change, until the function that it returns is called. */
		watch(update) { const view = { update }; shown.add(view); return () => shown.delete(view); },
		address: () => location.origin + location.pathname + writeAddress(store.state, DEFAULTS),
		/** The state as a file has it, and back. */
		save: () => ({ weft: "page", ...Object.fromEntries(Object.keys(DEFAULTS).filter(k => JSON.stringify(store.state[k]) !== JSON.stringify(DEFAULTS[k])).map(k => [k, store.state[k]])) }),
		load(file) { const { weft, ...state } = file; store.replace(Object.fromEntries(Object.entries(state).filter(([k]) => Object.hasOwn(DEFAULTS, k)))); },
		keys: [],
		dark: () => document.documentElement.dataset.theme === "dark",
	};

	function setTheme(state) {
		const dark = state.theme === "dark" || (state.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
		document.documentElement.dataset.theme = dark ? "dark" : "light";
		document.documentElement.dataset.safe = String(state.safe);
	}
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
		setTheme(store.state);
		for (const view of shown) view.update(new Set(["theme"]));
	});
	/* The address of the event, not of the page: our own may have been written between the change and the event. */
	addEventListener("hashchange", event => {
		const { hash } = new URL(event.newURL);
		clearTimeout(timer);
		if (hash !== written) store.replace(readAddress(hash, DEFAULTS));
	});
	addEventListener("keydown", event => {
		if (event.defaultPrevented || isTyping(event.target)) return;
		const name = keyName(event), key = app.keys.find(k => k.key === name) ?? app.keys.find(k => k.key === name.toLowerCase() && name.length === 1);
		if (!key) return;
		if (/^(Enter|Space|Tab)$/.test(name) && event.target.closest?.("button, a, summary")) return;
		event.preventDefault();
		key.run(app, event);
	});

	const shell = buildShell(app);
	setTheme(store.state);
	app.begin = async () => {
		try {
			if (!data) info = await waitForTraces(app, shell);
			store.replace({ ...(data?.state ?? {}), ...readAddress(location.hash, DEFAULTS) }, { fresh: true });
			written = location.hash;
			if (!info.traces[store.state.trace]) store.replace({ ...store.state, trace: 0 }, { fresh: true });
			setTheme(store.state);
			const mains = panels.filter(p => p.place === "main" && (!p.needs || p.needs(info, app.trace)));
			if (mains.length && !mains.some(p => p.name === store.state.main)) store.replace({ ...store.state, main: mains[0].name }, { fresh: true });
			shell.ready();
			if (info.learn && !location.hash) store.set({ side: "learn" });
			if (info.view && !written) store.set({ tracks: [{ view: info.view }] }); // of a file that was named
			if (info.page && !location.hash) await loadNamed(app, DEFAULTS);
			if (!data) watchFiles(app);
		} catch (error) {
			document.body.append(h("p", { class: "fatal", role: "alert" }, error.message ?? String(error)));
		}
	};
	return app;
}

const app = createApp();
app.begin();
