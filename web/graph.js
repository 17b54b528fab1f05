// SPDX-License-Identifier: Apache-2.0
/*
 * The page of `weft graph`. The program has placed everything; here boxes and edges become SVG, and what is asked about a box becomes a table.
 * Texts of the trace are set as textContent only.
 *
 * @typedef {{title: string, words: string, folded: string, pitch: number, height: number, layers: number, width: number, editor: string,
 *   kinds: [string, string][], boxes: Box[], edges: Edge[], tasks: Record<string, number[]>, names: string[], name_of: number[], workers: string[],
 *   places: [string, string][], path: number[], chart: {span: number, measured: number[], unlimited: number[]}}} Data
 * @typedef {[kind: number, first: number, count: number, layer: number, x: number, width: number, label: string, words: string,
 *   work: number, least: number, most: number, slack: number, critical: number]} Box
 * @typedef {[from: number, to: number, count: number, critical: number, ...bends: number[]]} Edge
 */
const KIND = 0, FIRST = 1, COUNT = 2, LAYER = 3, X = 4, WIDTH = 5, LABEL = 6, WORDS = 7, WORK = 8, LEAST = 9, MOST = 10, SLACK = 11, CRITICAL = 12;
const ROWS = 200;

/** Three digits and a unit. @param {number} ns */
export function timeText(ns) {
	const units = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
	let at = units[0];
	for (const unit of units) if (Math.abs(ns) >= unit[1]) at = unit;
	const v = ns / at[1];
	return (at[1] === 1 || Math.abs(v) >= 100 ? v.toFixed(0) : v.toFixed(Math.abs(v) >= 10 ? 1 : 2)) + " " + at[0];
}

/** The line of an edge as an SVG path. @param {Data} data @param {Edge} edge */
export function edgePath(data, edge) {
	const [from, to] = [data.boxes[edge[0]], data.boxes[edge[1]]];
	const [upper, lower] = from[LAYER] <= to[LAYER] ? [from, to] : [to, from];
	let layer = upper[LAYER], x = upper[X], y = layer * data.pitch + data.height;
	let path = `M${x} ${y}`;
	const bend = (nx, ny) => {
		const half = (y + ny) / 2;
		path += `C${x} ${half} ${nx} ${half} ${nx} ${ny}`;
		[x, y] = [nx, ny];
	};
	for (const at of edge.slice(4)) {
		layer++;
		bend(at, layer * data.pitch);
		path += `V${(y += data.height)}`;
	}
	bend(lower[X], lower[LAYER] * data.pitch);
	return path;
}

/** What the address says: "#box=3&task=17&view=0,0,800,600". @param {string} hash */
export function readState(hash) {
	const of = new URLSearchParams(hash.replace(/^#/, ""));
	const whole = name => (/^\d{1,9}$/.test(of.get(name) ?? "") ? Number(of.get(name)) : -1);
	const view = (of.get("view") ?? "").split(",").map(Number);
	const good = view.length === 4 && view.every(Number.isFinite) && view[2] > 0 && view[3] > 0;
	return { box: whole("box"), view: good ? view : null, find: of.get("find") ?? "" };
}

/** @param {{box: number, view: number[] | null, find: string}} state */
export function writeState(state) {
	const of = new URLSearchParams();
	if (state.box >= 0) of.set("box", String(state.box));
	if (state.view) of.set("view", state.view.map(v => Math.round(v * 10) / 10).join(","));
	if (state.find) of.set("find", state.find);
	return "#" + of;
}

/** A steps' line of values over a width. @param {number[]} values @param {number} most @param {number} width @param {number} height */
export function stepsPath(values, most, width, height) {
	let path = "";
	values.forEach((v, k) => {
		const y = (height - (v / (most || 1)) * height).toFixed(1);
		path += `${k ? "V" : "M0 "}${y}H${(((k + 1) * width) / values.length).toFixed(1)}`;
	});
	return path;
}

/** Boxes whose words have the text. @param {Data} data @param {string} text */
export function findBoxes(data, text) {
	const wanted = text.trim().toLowerCase();
	if (!wanted) return [];
	return data.boxes.flatMap((box, i) => (`${box[LABEL]} ${box[WORDS]} ${data.kinds[box[KIND]][0]}`.toLowerCase().includes(wanted) ? [i] : []));
}

/** The tasks of a box as indices, by slack, the critical ones first. @param {Data} data @param {number} i */
export function tasksOf(data, i) {
	const box = data.boxes[i], slack = data.tasks.slack;
	const all = Array.from({ length: box[COUNT] }, (_, k) => box[FIRST] + k);
	return all.sort((a, b) => slack[a] - slack[b] || a - b);
}

/* ---- the document ---- */

const svg = (name, attributes = {}, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
function fill(element, attributes, children) {
	for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
	element.append(...children.filter(child => child !== null && child !== undefined));
	return element;
}

/** @param {Data} data */
function start(data) {
	const state = readState(location.hash);
	const map = document.getElementById("map"), side = document.getElementById("side"), find = document.getElementById("find");
	const drawn = draw(data);
	let found = [], foundAt = -1;
	map.replaceChildren(drawn.root);
	const whole = () => {
		const r = map.getBoundingClientRect(), w = Math.max(data.width + 60, r.width), h = (w * r.height) / Math.max(r.width, 1);
		return [-(w - data.width) / 2, -30, w, h];
	};
	const look = () => drawn.root.setAttribute("viewBox", (state.view ?? whole()).join(" "));
	/* At first so large that it can be read, the begin of the critical path in the middle. */
	const begin = () => {
		const r = map.getBoundingClientRect(), [, , w, h] = whole(), seen = Math.min(w, 1.5 * r.width);
		const first = data.path.length ? data.boxes[data.tasks.box[data.path[0]]] : null;
		if (first && seen < w) state.view = [first[X] - seen / 2, -30, seen, (h * seen) / w];
	};
	let later = 0;
	const keep = () => {
		clearTimeout(later);
		later = setTimeout(() => history.replaceState(null, "", writeState(state)), 150);
	};
	const see = box => {
		const at = data.boxes[box], [, , w, h] = state.view ?? whole();
		state.view = [at[X] - w / 2, at[LAYER] * data.pitch - h / 2, w, h];
		look();
	};
	const choose = (box, center) => {
		state.box = box;
		drawn.light(box);
		side.replaceChildren(...(box >= 0 && box < data.boxes.length ? aboutBox(data, box, choose) : aboutAll(data, choose)));
		if (center && box >= 0) see(box);
		keep();
	};
	const zoom = (factor, x, y) => {
		const v = state.view ?? whole(), r = map.getBoundingClientRect();
		const px = v[0] + (v[2] * (x - r.left)) / r.width, py = v[1] + (v[3] * (y - r.top)) / r.height;
		if (v[2] * factor < 60 || v[2] * factor > 1e7) return;
		state.view = [px - (px - v[0]) * factor, py - (py - v[1]) * factor, v[2] * factor, v[3] * factor];
		look();
		keep();
	};
	const move = (dx, dy) => {
		const v = state.view ?? whole();
		state.view = [v[0] + dx, v[1] + dy, v[2], v[3]];
		look();
		keep();
	};
	const search = (text, go) => {
		state.find = text;
		found = findBoxes(data, text);
		drawn.mark(found);
		document.getElementById("found").textContent = text.trim() ? `${found.length} of ${data.boxes.length} boxes` : "";
		if (go && found.length) choose(found[(foundAt = (foundAt + go + found.length) % found.length)], true);
		keep();
	};

	drawn.root.addEventListener("wheel", e => (e.preventDefault(), zoom(Math.exp(e.deltaY * 0.0015), e.clientX, e.clientY)), { passive: false });
	let held = null;
	drawn.root.addEventListener("pointerdown", e => (held = { x: e.clientX, y: e.clientY, moved: false }));
	addEventListener("pointermove", e => {
		if (!held) return;
		const v = state.view ?? whole(), r = map.getBoundingClientRect();
		held.moved ||= Math.abs(e.clientX - held.x) + Math.abs(e.clientY - held.y) > 4;
		if (!held.moved) return;
		drawn.root.classList.add("held");
		move(((held.x - e.clientX) * v[2]) / r.width, ((held.y - e.clientY) * v[3]) / r.height);
		[held.x, held.y] = [e.clientX, e.clientY];
	});
	addEventListener("pointerup", e => {
		const at = held && !held.moved ? e.target.closest?.(".box") : null;
		if (held && !held.moved && map.contains(e.target)) choose(at ? Number(at.dataset.box) : -1, false);
		held = null;
		drawn.root.classList.remove("held");
	});
	find.value = state.find;
	find.addEventListener("input", () => ((foundAt = -1), search(find.value, 0)));
	find.addEventListener("keydown", e => {
		if (e.key === "Enter") search(find.value, e.shiftKey ? -1 : 1);
		if (e.key === "Escape") find.blur();
		e.stopPropagation();
	});
	const fit = () => ((state.view = null), look(), keep());
	const middle = factor => {
		const r = map.getBoundingClientRect();
		zoom(factor, r.left + r.width / 2, r.top + r.height / 2);
	};
	const step = () => (state.view ?? whole())[2] / 10;
	const keys = {
		"+": () => middle(0.8), "=": () => middle(0.8), "-": () => middle(1.25), 0: fit, "/": () => find.focus(), Escape: () => choose(-1, false),
		n: () => search(find.value, 1), N: () => search(find.value, -1), c: () => data.path.length && choose(data.tasks.box[data.path[0]], true),
		a: () => move(-step(), 0), d: () => move(step(), 0), w: () => move(0, -step()), s: () => move(0, step()),
		ArrowLeft: () => move(-step(), 0), ArrowRight: () => move(step(), 0), ArrowUp: () => move(0, -step()), ArrowDown: () => move(0, step()),
	};
	addEventListener("keydown", e => {
		if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
		e.preventDefault();
		keys[e.key]();
	});
	document.getElementById("fit").addEventListener("click", fit);
	document.getElementById("all").addEventListener("click", () => choose(-1, false));
	addEventListener("resize", look);
	addEventListener("hashchange", () => Object.assign(state, readState(location.hash)) && (look(), choose(state.box, false)));
	if (!state.view && state.box < 0) begin();
	look();
	search(state.find, 0);
	choose(state.box, state.box >= 0 && !state.view);
	document.documentElement.dataset.boxes = String(data.boxes.length);
	requestAnimationFrame(() => setTimeout(() => (document.documentElement.dataset.readyMs = performance.now().toFixed(0))));
}

/** Boxes and edges as elements. @param {Data} data */
export function draw(data) {
	const root = svg("svg", { role: "img", "aria-label": data.title });
	const edges = data.edges.map(edge => {
		const upward = data.boxes[edge[0]][LAYER] > data.boxes[edge[1]][LAYER];
		return svg("path", { d: edgePath(data, edge), class: "edge" + (edge[3] ? " critical" : upward ? " upward" : "") });
	});
	const boxes = data.boxes.map((box, i) => {
		const left = box[X] - box[WIDTH] / 2, top = box[LAYER] * data.pitch;
		const title = svg("title");
		title.textContent = `${box[LABEL]}\n${box[WORDS]}\nslack ${timeText(box[SLACK])}`;
		const label = svg("text", { x: left + 13, y: top + 14 }), words = svg("text", { x: left + 13, y: top + 28, class: "soft" });
		label.textContent = box[LABEL].length > 26 ? box[LABEL].slice(0, 25) + "\u2026" : box[LABEL];
		words.textContent = box[WORDS];
		return svg("g", { class: "box" + (box[CRITICAL] ? " critical" : ""), "data-box": i }, title,
			svg("rect", { class: "body", x: left, y: top, width: box[WIDTH], height: data.height, rx: 5 }),
			svg("rect", { x: left + 2, y: top + 3, width: 5, height: data.height - 6, rx: 2, fill: data.kinds[box[KIND]][1] }), label, words);
	});
	root.append(svg("g", {}, ...edges), svg("g", {}, ...boxes));
	return {
		root,
		light(box) {
			edges.forEach((path, e) => path.classList.toggle("lit", data.edges[e][0] === box || data.edges[e][1] === box));
			boxes.forEach((g, i) => g.classList.toggle("chosen", i === box));
		},
		mark(found) {
			const set = new Set(found);
			boxes.forEach((g, i) => g.classList.toggle("found", set.has(i)));
		},
	};
}

/* ---- beside the graph ---- */

const cell = (name, value, kind) => {
	const at = html(name, kind ? { class: kind } : {});
	at.append(value);
	return at;
};
const rowOf = (name, values, kinds, attributes = {}) => html("tr", attributes, ...values.map((v, k) => cell(name, v, kinds[k])));

/** Where a task was submitted: a link, or what copies the path. @param {Data} data @param {number} task */
function placeOf(data, task) {
	const place = data.places[data.tasks.place[task]];
	if (!place) return "";
	const [path, link] = place, short = path.replace(/^.*\//, "");
	if (link) return html("a", { href: link, title: path }, short);
	const button = html("button", { class: "as-link", title: `${path} (a click copies it)` }, short);
	button.addEventListener("click", () => navigator.clipboard?.writeText(path).then(() => (button.textContent = "copied"), () => (button.textContent = path)) ?? (button.textContent = path));
	return button;
}

/** @param {Data} data @param {number[]} tasks @param {(box: number, center: boolean) => void} choose */
function taskTable(data, tasks, choose) {
	const kinds = ["", "w", "n", "n", "w"], t = data.tasks;
	const rows = tasks.slice(0, ROWS).map(i => {
		const name = html("button", { class: "as-link", title: data.workers[t.worker[i]] ?? "" }, data.names[data.name_of[i]]);
		name.addEventListener("click", () => choose(t.box[i], true));
		return rowOf("td", [String(t.number[i]), name, timeText(t.duration[i]), timeText(t.slack[i]), placeOf(data, i)], kinds, t.slack[i] === 0 ? { class: "critical" } : {});
	});
	const parts = [html("table", {}, rowOf("th", ["task", "name", "takes", "slack", "submitted at"], kinds), ...rows)];
	if (tasks.length > ROWS) parts.push(html("p", { class: "soft" }, `and ${tasks.length - ROWS} more`));
	return parts;
}

/** @param {Data} data @param {number} i */
function aboutBox(data, i, choose) {
	const box = data.boxes[i];
	const others = (text, at, of) => {
		const list = data.edges.filter(edge => edge[at] === i).map(edge => {
			const button = html("button", { class: "as-link" }, data.boxes[edge[of]][LABEL]);
			button.addEventListener("click", () => choose(edge[of], true));
			return html("div", {}, button, html("span", { class: "soft" }, ` ${data.boxes[edge[of]][WORDS]}`));
		});
		return list.length ? [html("h2", {}, text), ...list.slice(0, 40)] : [];
	};
	const facts = [["tasks", String(box[COUNT])], ["time in all", timeText(box[WORK])], ["of one", `${timeText(box[LEAST])} to ${timeText(box[MOST])}`],
		["least slack", timeText(box[SLACK])], ["on the critical path", String(box[CRITICAL])]];
	return [html("h2", {}, box[LABEL]), html("div", { class: "soft" }, box[WORDS]), html("table", {}, ...facts.map(f => rowOf("td", f, ["", "n"]))),
		...others("waits for", 1, 0), ...others("is waited for by", 0, 1), html("h2", {}, "Its tasks, least slack first"), ...taskTable(data, tasksOf(data, i), choose)];
}

function chart(data) {
	const { span, measured, unlimited } = data.chart, most = Math.max(1, ...measured, ...unlimited), w = 330, h = 80;
	const text = (x, y, z, anchor) => {
		const t = svg("text", { x, y, class: "soft", "text-anchor": anchor });
		t.textContent = z;
		return t;
	};
	return svg("svg", { class: "chart", width: w + 30, height: h + 24, viewBox: `-28 -6 ${w + 30} ${h + 24}` },
		svg("path", { class: "axis", d: `M0 0H${w}M0 ${h}H${w}` }), text(-4, 6, String(Number(most.toPrecision(3))), "end"), text(-4, h, "0", "end"), text(0, h + 15, "0", "start"),
		text(w, h + 15, timeText(span), "end"), svg("path", { class: "unlimited", d: stepsPath(unlimited, most, w, h) }), svg("path", { class: "measured", d: stepsPath(measured, most, w, h) }));
}

/** @param {Data} data */
function aboutAll(data, choose) {
	const used = new Set(data.boxes.map(box => box[KIND]));
	const legend = data.kinds.flatMap(([name, colour], k) => {
		if (!used.has(k)) return [];
		const swatch = html("span", { class: "swatch" });
		swatch.style.background = colour;
		return [html("div", {}, swatch, name)];
	});
	const keys = [["/", "find"], ["n", "next"], ["c", "critical path"], ["+ -", "zoom"], ["w a s d", "move"], ["0", "all"], ["Esc", "nothing chosen"]]
		.flatMap(([key, what]) => [html("kbd", {}, key), ` ${what}  `]);
	const swatch = (name, words) => {
		const s = html("span", { class: "swatch" });
		s.style.background = `var(--${name})`;
		return html("span", {}, s, words + "  ");
	};
	return [html("h2", {}, "Tasks side by side over time"), chart(data), html("div", { class: "soft" }, swatch("measured", "as it ran"), swatch("unlimited", "with as many workers as wanted")),
		html("h2", {}, "Codelets"), ...legend, html("p", { class: "soft" }, data.folded), html("p", { class: "soft" }, ...keys),
		html("h2", {}, `Critical path: ${data.path.length} tasks`), ...taskTable(data, data.path, choose)];
}

if (typeof document !== "undefined" && document.getElementById("data")) start(JSON.parse(document.getElementById("data").textContent));
