// SPDX-License-Identifier: Apache-2.0
/* Keys: "f", "Ctrl+z", "Shift+ArrowLeft", "?" as events name them. */

/** @param {{key: string, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean, shiftKey?: boolean}} e */
export function keyName(e) {
	const key = e.key === " " ? "Space" : e.key.length === 1 && (e.ctrlKey || e.metaKey) ? e.key.toLowerCase() : e.key;
	const shift = e.shiftKey && (key.length > 1 || e.ctrlKey || e.metaKey);
	return `${e.ctrlKey || e.metaKey ? "Ctrl+" : ""}${e.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${key}`;
}

/** Is one typing, so that letters are letters? @param {Element | null} e */
export function isTyping(e) {
	return Boolean(e && (e.matches?.("input:not([type=checkbox]):not([type=range]), textarea, select, [contenteditable]") || e.closest?.("dialog, .menu")));
}

const WORDS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Space: "space", Escape: "Esc" };
/** As it is shown: "Ctrl+Z", "Shift+←". @param {string} key */
export function keyText(key) {
	return key.split(/\+(?=.)/).map(part => WORDS[part] ?? part).join("+");
}
