// SPDX-License-Identifier: Apache-2.0
/*
 * Times as people read and type them. Within the page a time is a whole number of ns from the trace's begin, below 2^53; only what is printed
 * of the time of day needs more (BigInt).
 */
const UNITS = [["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9]];

/** A length: three or four digits and a unit. @param {number} ns */
export function span(ns) {
	if (!Number.isFinite(ns)) return "–";
	const size = Math.abs(ns);
	if (size >= 3600e9) return `${Math.floor(ns / 3600e9)} h ${String(Math.floor((ns % 3600e9) / 60e9)).padStart(2, "0")} min`;
	if (size >= 600e9) return `${Math.floor(ns / 60e9)} min ${String(Math.round((ns % 60e9) / 1e9)).padStart(2, "0")} s`;
	let unit = UNITS[0];
	for (const u of UNITS) if (size >= u[1]) unit = u;
	const v = ns / unit[1], a = Math.abs(v);
	return `${unit[1] === 1 ? Math.round(v) : a >= 100 ? v.toFixed(1) : a >= 10 ? v.toFixed(2) : v.toFixed(3)} ${unit[0]}`;
}

/** A time with as many digits as it takes to tell it from one `step` away. @param {number} ns @param {number} [step] */
export function at(ns, step = 1) {
	const unit = Math.abs(ns) >= 1e9 || step >= 1e8 ? UNITS[3] : Math.abs(ns) >= 1e6 || step >= 1e5 ? UNITS[2] : Math.abs(ns) >= 1e3 ? UNITS[1] : UNITS[0];
	const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit[1] / Math.max(1, step)) - 1e-9)));
	return `${group((ns / unit[1]).toFixed(digits))} ${unit[0]}`;
}

/** Thin spaces between groups of three digits. @param {string} number */
export function group(number) {
	const [whole, part] = number.split(".");
	const left = whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
	return part ? `${left}.${part.replace(/(\d{3})(?=\d)/g, "$1\u202f")}` : left;
}

/**
 * "12.5 ms", "1.5s", "3 us", "25%", "end", a number without unit in the unit given: ns, or null.
 * @param {string} text @param {{end: number, unit?: number}} of
 */
export function parseTime(text, { end, unit = 1e6 }) {
	const t = text.replace(/[\s\u202f\u00a0]/g, "").replace(",", ".").toLowerCase();
	if (t === "end") return end;
	if (t === "begin" || t === "start") return 0;
	const m = /^(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|min|h|%)?$/.exec(t);
	if (!m) return null;
	const scale = { ns: 1, us: 1e3, "µs": 1e3, "μs": 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9, "%": end / 100 };
	const ns = Math.round(Number(m[1]) * (m[2] ? scale[m[2]] : unit));
	return Number.isSafeInteger(ns) ? ns : null;
}

/** Ticks of an axis: steps of 1, 2, 5 times powers of ten, `room` pixels apart at least. @param {number} from @param {number} to @param {number} width */
export function ticks(from, to, width, room = 110) {
	const most = Math.max(1, Math.floor(width / room)), raw = Math.max(1, (to - from) / most);
	const power = 10 ** Math.floor(Math.log10(raw));
	const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= raw - 1e-9) ?? 10 * power;
	const list = [];
	for (let k = Math.ceil(from / step); k * step <= to; k++) list.push(k * step);
	return { step, list };
}

/** The time of day of a time in the trace; begin: ns since 1970, a decimal text. @param {string} begin @param {number} ns */
export function clock(begin, ns) {
	if (!begin || begin === "0") return "";
	const all = BigInt(begin) + BigInt(Math.round(ns));
	const part = String(all % 1000000000n).padStart(9, "0");
	return new Date(Number(all / 1000000n)).toLocaleTimeString([], { hour12: false }) + "." + part.slice(0, 6);
}

/** 1234567 as "1.23 M". @param {number} n */
export function count(n) {
	for (const [name, size] of [["G", 1e9], ["M", 1e6], ["k", 1e4]]) if (Math.abs(n) >= size) {
		const v = n / (name === "k" ? 1e3 : size);
		return `${v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2)} ${name}`;
	}
	return group(String(n));
}

/** A value of a metric. @param {number} v */
export function number(v) {
	if (v === null || v === undefined || Number.isNaN(v)) return "–";
	if (Number.isInteger(v) && Math.abs(v) < 1e15) return group(String(v));
	const a = Math.abs(v);
	return a >= 1e6 || a < 1e-4 ? v.toExponential(3) : group(String(Number(v.toPrecision(6))));
}

/** Bytes: "1.5 MiB". @param {number} n */
export function bytes(n) {
	let i = 0;
	const names = ["B", "KiB", "MiB", "GiB", "TiB"];
	while (Math.abs(n) >= 1024 && i < names.length - 1) { n /= 1024; i++; }
	return `${i ? n.toFixed(n >= 100 ? 0 : n >= 10 ? 1 : 2) : n} ${names[i]}`;
}
