// SPDX-License-Identifier: Apache-2.0
/* A list of any length, of which only what can be seen is in the page. All rows have one height. */
import { h } from "./dom.js";

/**
 * @param {HTMLElement} host   becomes the scrolled box
 * @param {{height: number, row: (i: number, e: HTMLElement) => void, role?: string}} how   row: fills an empty element with row i
 */
export function virtualList(host, { height, row, role = "row" }) {
	const space = h("div", { class: "list-space" }), held = new Map();
	let n = 0, first = 0, last = -1;
	host.classList.add("list");
	host.append(space);
	const draw = all => {
		const from = Math.max(0, Math.floor(host.scrollTop / height) - 4), to = Math.min(n - 1, Math.ceil((host.scrollTop + host.clientHeight) / height) + 4);
		for (const [i, e] of held) if (all || i < from || i > to) { e.remove(); held.delete(i); }
		for (let i = from; i <= to; i++) {
			if (held.has(i)) continue;
			const e = h("div", { class: "list-row", role, style: { top: `${i * height}px`, height: `${height}px` } });
			row(i, e);
			held.set(i, e);
			space.append(e);
		}
		[first, last] = [from, to];
	};
	host.addEventListener("scroll", () => draw(false), { passive: true });
	const sizes = new ResizeObserver(() => draw(false));
	sizes.observe(host);
	return {
		/** How many rows there are now; all are filled anew. */
		set(count) {
			n = count;
			space.style.height = `${n * height}px`;
			draw(true);
		},
		redraw: () => draw(true),
		reveal(i) {
			if (i * height < host.scrollTop) host.scrollTop = i * height;
			else if ((i + 1) * height > host.scrollTop + host.clientHeight) host.scrollTop = (i + 1) * height - host.clientHeight;
		},
		get shown() { return [first, last]; },
		destroy: () => sizes.disconnect(),
	};
}
