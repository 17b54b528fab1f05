// SPDX-License-Identifier: Apache-2.0
/* Elements, made without markup: texts become text, whatever they hold. */

/**
 * h("button", {class: "tool", title: "Undo", onclick: f, "aria-label": "Undo", disabled: true}, "text", child…): functions become listeners,
 * true and false set and leave out the attribute, `style` is an object of properties (set one by one, as the page's policy wants it).
 * @param {string} tag @param {Record<string, any>} [props] @param {...(Node | string | number | null | undefined | false | any[])} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
	const svg = tag === "svg" || tag === "path" || tag === "g" || tag === "rect" || tag === "circle" || tag === "line" || tag === "polyline";
	const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
	for (const [name, value] of Object.entries(props ?? {})) {
		if (value === undefined || value === null || value === false) continue;
		if (typeof value === "function") e.addEventListener(name.replace(/^on/, ""), value);
		else if (name === "style") for (const [k, v] of Object.entries(value)) e.style.setProperty(k, String(v));
		else if (name === "value") e.value = value;
		else if (name === "checked") e.checked = value;
		else e.setAttribute(name, value === true ? "" : String(value));
	}
	put(e, children);
	return e;
}

/** Adds children. @param {Node} e @param {any[]} children */
export function put(e, children) {
	for (const child of children.flat(9)) {
		if (child === null || child === undefined || child === false) continue;
		e.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
	}
	return e;
}

/** Replaces all children. @param {Element} e @param {...any} children */
export function fill(e, ...children) {
	e.replaceChildren();
	return put(e, children);
}

/** A text of a trace for one line: no character that turns round or hides what is read; cut in the middle of nothing. @param {string} text */
export function plain(text, most = 200) {
	const clean = String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "\ufffd");
	return clean.length > most ? clean.slice(0, most - 1) + "…" : clean;
}

const ICONS = {
	undo: "M6 4 3 7l3 3M3.5 7H10a3 3 0 0 1 0 6H7", redo: "M10 4l3 3-3 3M12.5 7H6a3 3 0 0 0 0 6h3",
	sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.5 1.5M11.5 11.5 13 13M13 3l-1.5 1.5M4.5 11.5 3 13",
	moon: "M12.5 9.500A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6 6.500z", help: "M6 6a2 2 0 1 1 3 1.700c-.7.4-1 .8-1 1.600M8 12v.6M8 1.500a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13",
	find: "M7 2.500a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3 14 14", fit: "M2 6V2h4M14 6V2h-4M2 10v4h4M14 10v4h-4",
	plus: "M8 3v10M3 8h10", minus: "M3 8h10", close: "M4 4l8 8M12 4l-8 8", down: "M4 6l4 4 4-4", right: "M6 4l4 4-4 4", left: "M10 4 6 8l4 4",
	flag: "M4 14V2.500h8l-2 3 2 3H4", rows: "M2 4h12M2 8h12M2 12h12", share: "M8 10V2M5 4.5 8 2l3 2.500M3 9v5h10V9", more: "M3 8h.01M8 8h.01M13 8h.01",
	side: "M2 3h12v10H2zM10 3v10", dock: "M2 3h12v10H2zM2 9.500h12", layers: "M8 2 2 5l6 3 6-3zM2 8.500l6 3 6-3M2 11.500l6 3 6-3", eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8M8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
	ruler: "M2 10 10 2l4 4-8 8zM5 7l1.5 1.500M7 5l2 2M9 3l1.5 1.5", save: "M8 2v8M5 7.5 8 10.500l3-3M3 12v2h10v-2", gear: "M8 5.500a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M8 1.500v2M8 12.500v2M1.5 8h2M12.5 8h2M3.4 3.400l1.4 1.400M11.2 11.200l1.4 1.400M12.6 3.400l-1.4 1.400M4.8 11.200l-1.4 1.4",
	arrow: "M2 13 13 3M13 3H8.500M13 3v4.5", pin: "M8 10v4.500M5 2.500h6l-1 4 2 3.500H4l2-3.500z",
};
/** A line drawing of 16 pixels. @param {keyof typeof ICONS} name */
export function icon(name) {
	return h("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true", focusable: "false" }, h("path", { d: ICONS[name] ?? ICONS.more }));
}
/** A button with a drawing: its name is read out, and shown with its key when pointed at. */
export function tool(name, label, run, key = "") {
	return h("button", { class: "tool", type: "button", "aria-label": label, title: key ? `${label}  (${key})` : label, onclick: run }, icon(name));
}
