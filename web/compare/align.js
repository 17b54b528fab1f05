// SPDX-License-Identifier: Apache-2.0
/* Times of one trace as times of another: by the instants at which both do the same for the n-th time; between them in proportion, outside of them as far away. */

/**
 * @param {number[]} a instants of the one, growing @param {number[]} b of the other; as many as both have count
 * @returns {{toB: (t: number) => number, toA: (t: number) => number, n: number}}
 */
export function createMapping(a, b) {
	const n = Math.min(a.length, b.length);
	const map = (from, to) => t => {
		if (!n) return t;
		if (t <= from[0]) return to[0] + (t - from[0]);
		if (t >= from[n - 1]) return to[n - 1] + (t - from[n - 1]);
		let low = 0, high = n - 1;
		while (high - low > 1) {
			const mid = (low + high) >> 1;
			if (from[mid] <= t) low = mid;
			else high = mid;
		}
		const length = from[high] - from[low];
		return to[low] + (length > 0 ? ((t - from[low]) / length) * (to[high] - to[low]) : 0);
	};
	return { toB: map(a, b), toA: map(b, a), n };
}

/**
 * A range of a as the pieces that lie between marks: each piece of a, and what of b lies there. At most `most` pieces; else one.
 * @returns {{a0: number, a1: number, b0: number, b1: number}[]}
 */
export function pieces(a, mapping, from, to, most = 300) {
	const inside = a.slice(0, mapping.n).filter(t => t > from && t < to), cuts = inside.length > most ? [] : inside, list = [];
	let last = from;
	for (const t of [...cuts, to]) {
		list.push({ a0: last, a1: t, b0: mapping.toB(last), b1: mapping.toB(t) });
		last = t;
	}
	return list;
}

/** How much more or less: "+12 %", "gone", "new", "–". @param {number | null} a @param {number | null} b */
export function changeText(a, b) {
	if (a === null || a === undefined) return b ? "new" : "–";
	if (b === null || b === undefined) return a ? "gone" : "–";
	if (a === 0) return b === 0 ? "–" : "new";
	const part = (100 * (b - a)) / Math.abs(a);
	return `${part > 0 ? "+" : ""}${Math.abs(part) >= 100 ? part.toFixed(0) : part.toFixed(1)} %`;
}

/** A colour from blue (less) to orange (more) by how many times as much, grey where it is alike. @param {number} a @param {number} b @param {boolean} dark */
export function changeColor(a, b, dark) {
	const times = a <= 0 ? (b > 0 ? 2 : 0) : b <= 0 ? -2 : Math.log2(b / a), part = Math.max(-1, Math.min(1, times / 1.5)), size = Math.abs(part);
	const base = dark ? [58, 66, 77] : [214, 219, 226], goal = part > 0 ? (dark ? [230, 126, 60] : [222, 96, 32]) : dark ? [74, 144, 217] : [36, 110, 190];
	return `rgb(${base.map((v, k) => Math.round(v + (goal[k] - v) * size)).join(", ")})`;
}

/** Rows fused into at most `most` lines, as the server reads them: "0~3,4~7". @param {number} n @param {number} most */
export function fusedRows(n, most) {
	if (n <= most) return n > 1 ? `0-${n - 1}` : "0";
	const each = Math.ceil(n / most), parts = [];
	for (let i = 0; i < n; i += each) parts.push(i + 1 < n ? `${i}~${Math.min(n, i + each) - 1}` : String(i));
	return parts.join(",");
}

/**
 * The bars of a difference flame graph: widths are what both took together, so that what calls is as wide as what is called and itself.
 * @param {{names: string[], nodes: number[][]}} data @returns {{depth: number, x: number, w: number, name: string, a: number, b: number, node: number}[]}
 */
export function flameBars(data, { share = false, root = 0 } = {}) {
	const n = data.nodes, whole = [Math.max(1, n[0]?.[2] ?? 0), Math.max(1, n[0]?.[3] ?? 0)];
	const scale = share ? [1 / whole[0], 1 / whole[1]] : [1, 1], of = i => [n[i][2] * scale[0], n[i][3] * scale[1]];
	const bars = [], place = new Map(), all = root < n.length ? of(root)[0] + of(root)[1] : 1;
	for (let i = root; i < n.length; i++) {
		const [parent, name] = n[i], [a, b] = of(i);
		if (i === root) {
			place.set(i, { x: 0, next: 0, depth: 0 });
			bars.push({ depth: 0, x: 0, w: 1, name: name < 0 ? "all" : data.names[name], a, b, node: i });
			continue;
		}
		const up = place.get(parent);
		if (!up) continue;
		const w = (a + b) / (all || 1), x = up.next;
		up.next += w;
		place.set(i, { x, next: x, depth: up.depth + 1 });
		bars.push({ depth: up.depth + 1, x, w, name: name < 0 ? "all" : data.names[name], a, b, node: i });
	}
	return bars;
}
