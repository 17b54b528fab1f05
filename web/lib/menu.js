// SPDX-License-Identifier: Apache-2.0
/* Menus that open at a button or at the pointer, lists to choose from as one types, and windows over the page. */
import { fill, h, plain, tool } from "./dom.js";

let open = null;
function close(back = true) {
	if (!open) return;
	const { box, from, stop } = open;
	open = null;
	stop();
	box.remove();
	from?.setAttribute?.("aria-expanded", "false");
	if (back) from?.focus?.();
}
export const closeMenu = close;

/**
 * @typedef {{title: string, key?: string, hint?: string, color?: string, checked?: boolean, disabled?: boolean, run?: () => void, line?: boolean, head?: boolean}} Item
 * Opens a menu. @param {HTMLElement | {x: number, y: number}} at @param {Item[]} items
 */
export function menu(at, items) {
	const was = open?.from;
	close(false);
	if (was && was === at) return;
	const list = h("div", { class: "menu", role: "menu" });
	for (const item of items) {
		if (item.line) list.append(h("hr"));
		else if (item.head) list.append(h("div", { class: "menu-head" }, item.title));
		else list.append(h("button", {
			type: "button", role: item.checked === undefined ? "menuitem" : "menuitemcheckbox", "aria-checked": item.checked === undefined ? null : String(item.checked),
			disabled: item.disabled, onclick() { close(); item.run?.(); },
		}, h("span", { class: "tick" }, item.checked ? "✓" : ""), item.color ? h("span", { class: "swatch", style: { background: item.color } }) : null,
		h("span", { class: "grow" }, plain(item.title)), item.hint ? h("span", { class: "soft" }, plain(item.hint)) : null, item.key ? h("kbd", {}, item.key) : null));
	}
	list.addEventListener("keydown", e => {
		const all = [...list.querySelectorAll("button:not(:disabled)")], i = all.indexOf(document.activeElement);
		const to = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: all.length - 1 }[e.key];
		if (to === undefined) return;
		e.preventDefault();
		all[(to + all.length) % all.length]?.focus();
	});
	show(list, at);
	list.querySelector("button:not(:disabled)")?.focus();
}

/**
 * A list to choose from as one types. @param {HTMLElement} at
 * @param {{title: string, items: (text: string) => Item[] | Promise<Item[]>, empty?: string}} how
 */
export function chooser(at, { title, items, empty = "nothing like that" }) {
	const was = open?.from;
	close(false);
	if (was && was === at) return;
	const input = h("input", { type: "search", placeholder: title, "aria-label": title, role: "combobox", "aria-expanded": "true", "aria-controls": "chooser-list", autocomplete: "off", spellcheck: "false" });
	const list = h("div", { class: "chooser-list", role: "listbox", id: "chooser-list", "aria-label": title });
	const box = h("div", { class: "menu chooser" }, input, list);
	let found = [], chosen = 0, turn = 0;
	const mark = () => [...list.querySelectorAll("[role=option]")].forEach((e, i) => {
		e.setAttribute("aria-selected", String(i === chosen));
		if (i !== chosen) return;
		e.scrollIntoView({ block: "nearest" });
		input.setAttribute("aria-activedescendant", e.id);
	});
	const take = i => { const item = found[i]; if (!item) return; close(); item.run?.(); };
	const look = async () => {
		const mine = ++turn;
		const all = await items(input.value.trim());
		if (mine !== turn) return;
		found = all.filter(i => !i.head && !i.line).slice(0, 400);
		chosen = Math.max(0, found.findIndex(i => i.checked && !input.value));
		let k = -1;
		fill(list, all.slice(0, 440).map(item => {
			if (item.head) return h("div", { class: "menu-head" }, item.title);
			const mine = ++k;
			return h("div", { role: "option", id: `choice-${mine}`, "aria-selected": "false", "aria-disabled": item.disabled ? "true" : null, onclick: () => take(mine), onpointermove() { if (chosen !== mine) { chosen = mine; mark(); } } },
				h("span", { class: "tick" }, item.checked ? "✓" : ""), item.color ? h("span", { class: "swatch", style: { background: item.color } }) : null,
				h("span", { class: "grow" }, plain(item.title)), item.hint ? h("span", { class: "soft" }, plain(item.hint, 60)) : null);
		}), found.length ? null : h("div", { class: "menu-head" }, empty));
		mark();
	};
	input.addEventListener("input", look);
	input.addEventListener("keydown", e => {
		const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[e.key];
		if (step) { chosen = Math.max(0, Math.min(found.length - 1, chosen + step)); mark(); e.preventDefault(); }
		else if (e.key === "Enter") { take(chosen); e.preventDefault(); }
	});
	show(box, at);
	input.focus();
	look();
}

/** Shows any box at a place; it goes by Escape and by a click elsewhere. @param {HTMLElement} box @param {HTMLElement | {x: number, y: number}} at */
export function show(box, at) {
	document.body.append(box);
	const rect = at instanceof Element ? at.getBoundingClientRect() : { left: at.x, right: at.x, top: at.y, bottom: at.y };
	const { width, height } = box.getBoundingClientRect();
	box.style.left = `${Math.max(4, Math.min(rect.left, innerWidth - width - 4))}px`;
	const below = rect.bottom + 3;
	box.style.top = `${below + height > innerHeight && rect.top - height - 3 > 0 ? rect.top - height - 3 : Math.min(below, Math.max(4, innerHeight - height - 4))}px`;
	const away = e => { if (!box.contains(e.target) && !(at instanceof Element && at.contains(e.target))) close(false); };
	const escape = e => { if (e.key === "Escape") { e.stopPropagation(); e.preventDefault(); close(); } };
	addEventListener("pointerdown", away, true);
	addEventListener("keydown", escape, true);
	addEventListener("resize", close);
	open = { box, from: at instanceof Element ? at : null, stop() { removeEventListener("pointerdown", away, true); removeEventListener("keydown", escape, true); removeEventListener("resize", close); } };
	open.from?.setAttribute("aria-expanded", "true");
}

/** A window over the page. @param {string} title @param {any[]} content @returns {{close: () => void, body: HTMLElement}} */
export function dialog(title, content, { wide = false, onclose } = {}) {
	const body = h("div", { class: "dialog-body" }, content);
	const box = h("dialog", { class: wide ? "wide" : "", "aria-label": title }, h("header", {}, h("h2", {}, title), h("span", { class: "grow" }), tool("close", "Close", () => box.close(), "Esc")), body);
	document.body.append(box);
	box.addEventListener("close", () => { box.remove(); onclose?.(); });
	box.addEventListener("click", e => { if (e.target === box) box.close(); });
	box.addEventListener("keydown", e => e.stopPropagation());
	box.showModal();
	return { close: () => box.close(), body };
}
