// SPDX-License-Identifier: Apache-2.0
/* The page's frame: header, places for panels with their tabs, splitters, status line, help. */
import { fill, h, icon, plain, put, tool } from "./lib/dom.js";
import { keyText } from "./lib/keys.js";
import { dialog, menu } from "./lib/menu.js";
import { count, span } from "./lib/time.js";
import { joinWindows, shareMenu } from "./share/share.js";

const SAY_MS = 9000;
const LEAST = { side: 220, dock: 120 }, USUAL = { side: 320, dock: 280 };

/* A border to drag: the size of what is behind it, kept in the state. */
function splitter(app, name, across) {
	const size = () => app.state.sizes[name] ?? USUAL[name];
	const set = px => {
		const most = (across ? innerWidth : innerHeight) * 0.7;
		app.set({ sizes: { ...app.state.sizes, [name]: Math.round(Math.max(LEAST[name], Math.min(px, most))) } });
		bar.setAttribute("aria-valuenow", String(Math.round(size())));
	};
	const bar = h("div", {
		class: `splitter ${across ? "across" : "along"}`, role: "separator", tabindex: "0", "aria-valuenow": String(size()), "aria-valuemin": String(LEAST[name]), "aria-label": `Size of the ${name}`, "aria-orientation": across ? "vertical" : "horizontal",
		onpointerdown(e) {
			const from = across ? e.clientX : e.clientY, was = size();
			bar.setPointerCapture(e.pointerId);
			bar.onpointermove = m => set(was + from - (across ? m.clientX : m.clientY));
			bar.onpointerup = bar.onpointercancel = () => { bar.onpointermove = null; };
		},
		onkeydown(e) {
			const step = across ? { ArrowLeft: 20, ArrowRight: -20 }[e.key] : { ArrowUp: 20, ArrowDown: -20 }[e.key];
			if (step) { set(size() + step); e.preventDefault(); e.stopPropagation(); }
		},
	});
	return bar;
}

/* A place with tabs: each panel is made when it is first in front. */
function place(app, name, title) {
	const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": title }), body = h("div", { class: "place-body" });
	const box = h("section", { class: `place ${name}`, "aria-label": title }, name === "main" ? null : h("div", { class: "place-head" }, tabs, h("span", { class: "grow" }), tool("close", `Close the ${name}`, () => app.set({ [name]: "" }))), body);
	const made = new Map();
	let offered = [];
	const tab = p => {
		const front = app.state[name] === p.name;
		return h("button", { type: "button", role: "tab", id: `tab-${p.name}`, "aria-controls": `panel-${p.name}`, "aria-selected": String(front), tabindex: front ? "0" : "-1", onclick: () => app.set({ [name]: p.name }) }, p.title);
	};
	tabs.addEventListener("keydown", e => {
		const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		if (!step) return;
		const i = offered.findIndex(p => p.name === app.state[name]);
		const next = offered[(i + step + offered.length) % offered.length];
		if (next) { app.set({ [name]: next.name }); document.getElementById(`tab-${next.name}`)?.focus(); }
		e.preventDefault();
		e.stopPropagation();
	});
	const open = p => {
		const host = h("div", { class: "panel", id: `panel-${p.name}`, ...(name === "main" ? { role: "region", "aria-label": p.title } : { role: "tabpanel", "aria-labelledby": `tab-${p.name}` }) });
		body.append(host);
		let view;
		try {
			view = p.create(host, app);
		} catch (error) {
			console.error(error);
			fill(host, h("p", { class: "note" }, `This panel cannot be shown: ${error.message}`));
			view = { update() {} };
		}
		made.set(p.name, { host, view });
		view.update(new Set(["info", ...Object.keys(app.state)]));
	};
	return {
		box, tabs,
		get offered() { return offered; },
		update(changed) {
			if (changed.has("info") || changed.has("trace") || changed.has(name)) {
				offered = app.panels.filter(p => p.place === name && (!p.needs || p.needs(app.info, app.trace)));
				fill(tabs, offered.map(tab));
				box.hidden = name !== "main" && !offered.some(p => p.name === app.state[name]);
			}
			for (const p of offered) {
				const front = p.name === app.state[name], was = made.get(p.name);
				if (front && !was) { open(p); continue; }
				if (!was) continue;
				was.host.hidden = !front;
				/* What is behind is told when it comes to the front. */
				if (!front) was.missed = new Set([...(was.missed ?? []), ...changed]);
				else { was.view.update(new Set([...(was.missed ?? []), ...changed])); was.missed = null; }
			}
		},
	};
}

function helpDialog(app) {
	const groups = new Map();
	for (const k of app.keys) {
		const list = groups.get(k.group ?? "Page") ?? groups.set(k.group ?? "Page", new Map()).get(k.group ?? "Page");
		list.set(k.title, [...(list.get(k.title) ?? []), k.key]);
	}
	dialog("Keys", h("div", { class: "keys" }, [...groups].map(([name, list]) => h("section", {}, h("h3", {}, name),
		h("dl", {}, [...list].map(([title, keys]) => [h("dt", {}, keys.map(k => h("kbd", {}, keyText(k)))), h("dd", {}, title)]))))), { wide: true });
}

function traceMenu(app, button) {
	menu(button, app.info.traces.map((t, i) => ({
		title: t.name, checked: i === app.state.trace, disabled: t.state !== "ready", hint: t.state === "ready" ? span(t.end) : t.error ?? t.state,
		run: () => app.set({ trace: i, from: 0, to: 0, selection: null, cursor: -1 }, { step: true }),
	})));
}

function about(app) {
	const t = app.trace;
	const rows = t ? [["file", t.path], ["format", t.format], ["length", span(t.end)], ["events", count(t.events)], ["messages", count(t.messages)],
		...t.levels.map(l => [l.name === "process" ? "processes" : `${l.name}s`, count(l.n)]), ["opened in", span(t.opened_ns)], ...(t.dropped ? [["dropped events", count(t.dropped)]] : [])] : [];
	dialog("What is open", [h("table", { class: "facts" }, rows.map(([k, v]) => h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, plain(v, 400))))),
		t?.n_problems ? [h("h3", {}, `${count(t.n_problems)} problems of the file`), h("ul", {}, t.problems.map(p => h("li", {}, plain(p, 400))))] : null, h("p", { class: "soft" }, `Weft ${app.info.version}`)]);
}

function shareTool(app) {
	const b = tool("share", "Share: link, pictures, files", () => shareMenu(app, b, app.defaults));
	b.setAttribute("aria-haspopup", "menu");
	joinWindows(app);
	return b;
}

/** @param {any} app */
export function buildShell(app) {
	const name = h("button", { type: "button", class: "trace-name", "aria-haspopup": "menu", onclick: () => (app.info.traces.length > 1 ? traceMenu(app, name) : about(app)) });
	const mains = h("nav", { class: "mains", "aria-label": "Areas" }), middle = h("div", { class: "head-middle" });
	const undo = tool("undo", "Undo", () => app.undo(), "Ctrl+Z"), redo = tool("redo", "Redo", () => app.redo(), "Ctrl+Y");
	const themeButton = h("button", { class: "tool", type: "button", "aria-label": "Theme", title: "Theme" });
	themeButton.append(icon("moon"));
	themeButton.addEventListener("click", () => menu(themeButton, [
		...["auto", "light", "dark"].map(t => ({ title: { auto: "As the system", light: "Light", dark: "Dark" }[t], checked: app.state.theme === t, run: () => app.set({ theme: t }) })), { line: true },
		{ title: "Colours that differ for every eye", checked: app.state.safe, run: () => app.set({ safe: !app.state.safe }) }]));
	const header = h("header", { class: "head" }, name, mains, middle, h("span", { class: "grow" }), undo, redo, h("span", { class: "gap" }),
		h("span", { class: "places" }), shareTool(app), tool("help", "Keys and help", () => helpDialog(app), "?"), themeButton);
	const parts = { main: place(app, "main", "Stage"), side: place(app, "side", "Side"), dock: place(app, "dock", "Dock") };
	const sideBar = splitter(app, "side", true), dockBar = splitter(app, "dock", false);
	const said = h("div", { class: "said", role: "status", "aria-live": "polite" }), hinted = h("div", { class: "hinted" });
	const frame = h("div", { class: "frame", hidden: true }, header, h("div", { class: "work" }, h("div", { class: "left" }, parts.main.box, dockBar, parts.dock.box), sideBar, parts.side.box),
		h("footer", { class: "status" }, hinted, h("span", { class: "grow" }), said));
	document.body.append(frame);
	let timer = 0, covered = null;

	const update = changed => {
		const t = app.info.traces[app.state.trace];
		if (changed.has("info") || changed.has("trace")) {
			fill(name, plain(t?.name ?? (app.info.live ? "live" : "no trace"), 60), app.info.traces.length > 1 ? icon("down") : null);
			name.title = t ? `${plain(t.path, 300)}\nwhat is open` : "";
			document.title = t ? `${plain(t.name, 60)} – Weft` : "Weft";
			fill(middle, t?.state === "failed" ? h("span", { class: "bad" }, plain(t.error, 300)) : null);
		}
		for (const p of Object.values(parts)) p.update(changed);
		if (changed.has("info") || changed.has("trace") || changed.has("main"))
			fill(mains, parts.main.offered.length > 1 || !parts.main.offered.some(p => p.name === app.state.main) ? parts.main.offered.map(p => h("button", { type: "button", "aria-pressed": String(p.name === app.state.main), onclick: () => app.set({ main: p.name }) }, p.title)) : null);
		if (changed.has("info") || changed.has("trace") || changed.has("side") || changed.has("dock"))
			fill(header.querySelector(".places"), ["side", "dock"].map(where => parts[where].offered.length ? placeButton(where) : null));
		sideBar.hidden = parts.side.box.hidden;
		dockBar.hidden = parts.dock.box.hidden;
		for (const [where, key] of [["side", "width"], ["dock", "height"]]) parts[where].box.style[key] = `${Math.min(app.state.sizes[where] ?? (where === "side" && innerWidth < 1200 ? 288 : USUAL[where]), (key === "width" ? innerWidth : innerHeight) * 0.7)}px`;
		undo.disabled = !app.canUndo;
		redo.disabled = !app.canRedo;
	};
	function placeButton(where) {
		const b = h("button", { class: "tool", type: "button", "aria-haspopup": "menu", "aria-label": where === "side" ? "Panels beside" : "Panels below", title: where === "side" ? "Panels beside" : "Panels below" }, icon(where));
		b.addEventListener("click", () => menu(b, [...parts[where].offered.map(p => ({ title: p.title, checked: app.state[where] === p.name, run: () => app.set({ [where]: app.state[where] === p.name ? "" : p.name }) }))]));
		return b;
	}
	return {
		say(text, kind) {
			clearTimeout(timer);
			fill(said, h("span", { class: kind === "error" ? "bad" : "" }, plain(text, 400)));
			timer = setTimeout(() => fill(said), kind === "error" ? 3 * SAY_MS : SAY_MS);
		},
		hint(text) { if (hinted.textContent !== text) hinted.textContent = text; },
		cover(box) { covered?.remove(); covered = box; if (box) document.body.append(box); },
		ready() {
			frame.hidden = false;
			app.keys.push({ key: "?", title: "Keys and help", group: "Page", run: () => helpDialog(app) },
				{ key: "Ctrl+z", title: "Undo", group: "Page", run: () => app.undo() }, { key: "Ctrl+y", title: "Redo", group: "Page", run: () => app.redo() },
				{ key: "Ctrl+Shift+z", title: "Redo", group: "Page", run: () => app.redo() },
				{ key: "i", title: "What is open", group: "Page", run: () => about(app) },
				{ key: "Backspace", title: "Undo", group: "Page", run: () => app.undo() });
			for (const p of app.panels) app.keys.push(...(p.keys ?? []).map(k => ({ group: p.title, ...k })));
			app.watch(update);
			update(new Set(["info", ...Object.keys(app.state)]));
			addEventListener("resize", () => update(new Set(["sizes"])));
		},
		put: (...nodes) => put(middle, nodes),
	};
}
