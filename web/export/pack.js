// SPDX-License-Identifier: Apache-2.0
/*
 * What a saved page has of a trace, unpacked (src/server/server_export.c packs it): intervals of each row, as numbers of seven bits a byte. Nothing
 * here knows of a page.
 *
 *   row: how many; then of each interval  begin, from the one before it | length | depth | place of its value     in steps of the page's time
 */

/** @typedef {{begin: Float64Array, end: Float64Array, depth: Uint8Array, place: Uint32Array}} Spans   by begin, the outer ones first */

/** Reads one number after the other. @param {Uint8Array} at @returns {() => number} */
export function numbers(at) {
	let i = 0;
	return () => {
		let v = 0, scale = 1, b;
		do {
			if (i >= at.length) throw new Error("the page is cut short");
			b = at[i++];
			v += (b & 127) * scale;
			scale *= 128;
		} while (b & 128);
		return v;
	};
}

/** @param {Uint8Array} at @param {number} rows @param {{from: number, step: number}} time @returns {Spans[]} */
export function unpackRows(at, rows, { from, step }) {
	const number = numbers(at), list = [];
	for (let r = 0; r < rows; r++) {
		const n = number(), s = { begin: new Float64Array(n), end: new Float64Array(n), depth: new Uint8Array(n), place: new Uint32Array(n) };
		let last = 0;
		for (let k = 0; k < n; k++) {
			last += number();
			s.begin[k] = from + last * step;
			s.end[k] = s.begin[k] + number() * step;
			s.depth[k] = number();
			s.place[k] = number();
		}
		list.push(s);
	}
	return list;
}

/** Arrows by their begins (src/saved/server_export_arrow.c packs them). @param {Uint8Array} at @param {number} count */
export function unpackArrows(at, count) {
	const number = numbers(at), list = [];
	for (let k = 0, begin = 0; k < count; k++) {
		begin += number();
		const length = number(), end = length % 2 ? begin - (length - 1) / 2 : begin + length / 2;
		list.push({ begin, end, from: number(), to: number() });
	}
	return list;
}

/** The innermost of intervals that lie in each other, as intervals beside each other. @param {Spans} s @returns {Spans} */
export function innermost(s) {
	const begin = [], end = [], place = [], open = [];
	let at = 0;
	const put = (from, to, p) => {
		if (to <= from) return;
		const n = begin.length;
		if (n && place[n - 1] === p && end[n - 1] === from) end[n - 1] = to;
		else { begin.push(from); end.push(to); place.push(p); }
	};
	const close = until => {
		while (open.length && s.end[open.at(-1)] <= until) {
			const i = open.pop();
			put(Math.max(at, s.begin[i]), s.end[i], s.place[i]);
			at = Math.max(at, s.end[i]);
		}
	};
	for (let i = 0; i < s.begin.length; i++) {
		close(s.begin[i]);
		if (open.length) put(Math.max(at, s.begin[open.at(-1)]), s.begin[i], s.place[open.at(-1)]);
		at = s.begin[i];
		open.push(i);
	}
	close(Infinity);
	return { begin: Float64Array.from(begin), end: Float64Array.from(end), depth: new Uint8Array(begin.length), place: Uint32Array.from(place) };
}

/** The first interval that ends behind a time, of intervals beside each other. @param {Spans} s @param {number} time */
export function firstBehind(s, time) {
	let low = 0, high = s.end.length;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (s.end[mid] <= time) low = mid + 1;
		else high = mid;
	}
	return low;
}

/** Lines of rows: "0-2,7,4~6_9". @param {string | undefined} text @param {number} n rows that there are @returns {number[][]} */
export function readLines(text, n) {
	if (!text) return Array.from({ length: n }, (_, i) => [i]);
	const lines = [], seq = (a, b) => Array.from({ length: Math.max(0, b - a + 1) }, (_, i) => a + i);
	for (const part of String(text).split(",")) {
		const range = /^(\d+)-(\d+)$/.exec(part);
		if (range) lines.push(...seq(Number(range[1]), Number(range[2])).map(r => [r]));
		else lines.push(part.split("_").flatMap(p => { const m = /^(\d+)(?:~(\d+))?$/.exec(p); return m ? seq(Number(m[1]), Number(m[2] ?? m[1])) : []; }));
	}
	return lines.map(l => l.filter(r => r < n));
}

/* Of the pixel at hand: how much each value has (all 0 between calls), and which have some. */
let held = new Float64Array(256);
const met = [];
function grown(old, p) {
	const more = new Float64Array(2 * p + 2);
	more.set(old);
	return more;
}

/**
 * Which value has most of each pixel's time, of some rows together; `none` where nothing is.
 * @param {Spans[]} rows   intervals beside each other @param {{from: number, to: number, width: number}} how @param {number} none @param {Uint16Array} out
 */
export function pixels(rows, { from, to, width }, none, out) {
	const scale = width / (to - from);
	out.fill(none);
	const best = new Float32Array(width), sums = rows.length > 1 ? new Map() : null;
	for (const s of rows) {
		let here = -1, n = 0;
		const put = (p, part) => {
			if (p >= held.length) held = grown(held, p);
			if (held[p] === 0) met[n++] = p;
			held[p] += part;
		};
		const flush = () => {
			for (let i = 0; i < n; i++) {
				const p = met[i], part = held[p];
				held[p] = 0;
				add(here, p, part);
			}
			n = 0;
			here = -1;
		};
		const add = (x, p, part) => {
			if (sums) {
				const key = x * 65536 + p, sum = (sums.get(key) ?? 0) + part;
				sums.set(key, sum);
				part = sum;
			}
			if (part > best[x]) { best[x] = part; out[x] = p; }
		};
		for (let i = firstBehind(s, from); i < s.begin.length && s.begin[i] < to; i++) {
			const x0 = Math.max(0, (s.begin[i] - from) * scale), x1 = Math.min(width, (s.end[i] - from) * scale);
			const first = Math.floor(x0), last = Math.min(width - 1, Math.ceil(x1) - 1), p = s.place[i];
			if (first >= width) break;
			if (here >= 0 && here !== first) flush();
			if (last <= first) {
				here = first;
				put(p, Math.max(1e-6, x1 - x0));
				continue;
			}
			here = first;
			put(p, first + 1 - x0);
			flush();
			for (let x = first + 1; x < last; x++) add(x, p, 1);
			here = last;
			put(p, x1 - last);
		}
		flush();
	}
}

/**
 * The average and the greatest of the values that each pixel meets, of rows together; where no interval is, the value is 0.
 * @param {Spans[]} rows   intervals beside each other @param {{from: number, to: number, width: number}} how @param {(place: number) => number} value
 * @returns {{average: Float64Array, most: Float64Array}}
 */
export function curveOf(rows, { from, to, width }, value) {
	const scale = width / (to - from), sum = new Float64Array(width), met = new Uint32Array(width), most = new Float64Array(width).fill(-Infinity);
	const add = (begin, end, v) => {
		const first = Math.max(0, Math.floor((begin - from) * scale)), last = Math.min(width, Math.max(first + 1, Math.ceil((end - from) * scale)));
		for (let x = first; x < last; x++) { sum[x] += v; met[x]++; if (v > most[x]) most[x] = v; }
	};
	for (const s of rows) {
		let at = from, i = firstBehind(s, from);
		for (; i < s.begin.length && s.begin[i] < to; at = s.end[i++]) {
			if (s.begin[i] > at) add(at, s.begin[i], 0);
			add(s.begin[i], s.end[i], value(s.place[i]));
		}
		if (at < to) add(at, to, 0);
	}
	return { average: sum.map((v, x) => (met[x] ? v / met[x] : 0)), most: most.map(v => (v === -Infinity ? 0 : v)) };
}

/** As the server writes them: "WCRV" (src/server/area/server_marks.c). @param {{from: number, to: number, width: number}} how @param {{average: Float64Array, most: Float64Array}[]} lines */
export function writeCurves({ from, to, width }, lines) {
	const bytes = 8 * width * lines.length, buffer = new ArrayBuffer(48 + 2 * bytes), view = new DataView(buffer);
	const least = Math.min(...lines.map(l => l.average.reduce((a, v) => Math.min(a, v), Infinity))), most = Math.max(...lines.map(l => l.most.reduce((a, v) => Math.max(a, v), -Infinity)));
	[0x56524357, 1, lines.length, width].forEach((w, i) => view.setUint32(4 * i, w, true));
	[from, to, lines.length ? least : 0, lines.length ? most : 0].forEach((v, i) => view.setFloat64(16 + 8 * i, v, true));
	lines.forEach((l, i) => {
		new Float64Array(buffer, 48 + 8 * width * i, width).set(l.average);
		new Float64Array(buffer, 48 + bytes + 8 * width * i, width).set(l.most);
	});
	return buffer;
}

/** As the server writes them: "WCEL" (src/server/server_cells.c). @param {{lines: number, width: number, flags: number, more?: number, from: number, to: number, min: number, max: number}} head @param {{value: number, color: number}[]} palette @param {Uint16Array} place */
export function writeCells(head, palette, place) {
	const bytes = palette.length > 256 ? 2 : 1, at = 64 + 16 * palette.length, buffer = new ArrayBuffer(at + head.lines * head.width * bytes), view = new DataView(buffer);
	[0x4c454357, 1, head.lines, head.width, palette.length, bytes, head.flags, head.more ?? 0].forEach((w, i) => view.setUint32(4 * i, w, true));
	[head.from, head.to, head.min, head.max].forEach((v, i) => view.setFloat64(32 + 8 * i, v, true));
	const counts = new Uint32Array(palette.length);
	for (const p of place) counts[p]++;
	palette.forEach((p, i) => {
		view.setFloat64(64 + 16 * i, p.value, true);
		view.setUint32(72 + 16 * i, p.color, true);
		view.setUint32(76 + 16 * i, counts[i], true);
	});
	if (bytes === 1) new Uint8Array(buffer, at).set(place);
	else place.forEach((p, i) => view.setUint16(at + 2 * i, p, true));
	return buffer;
}
