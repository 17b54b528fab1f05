// SPDX-License-Identifier: Apache-2.0
/* Views found as one types: all words, in name, title, tables or what the view says of itself; names count most, and their begins most of all. */

/** How well a view answers: 0 not at all. @param {{name: string, title: string, about: string, tables: string[], windows: string[]}} v @param {string[]} words */
export function rank(v, words) {
	const name = v.name.toLowerCase(), title = v.title.toLowerCase(), parts = [...v.tables, ...v.windows].join("\n").toLowerCase(), about = v.about.toLowerCase();
	let sum = 1;
	for (const w of words) {
		const begins = new RegExp(`(^|[-_ ])${w.replace(/[^\w]/g, "\\$&")}`);
		const one = title === w || name === w ? 100 : title.startsWith(w) || name.startsWith(w) ? 40 : begins.test(title) ? 25 : title.includes(w) ? 15 : parts.includes(w) ? 6 : about.includes(w) ? 3 : loose(title, w) ? 1 : 0;
		if (!one) return 0;
		sum += one;
	}
	return sum;
}
/** Are these letters in it, in this order? "mpbw" finds "mpi-bandwidth". @param {string} text @param {string} letters */
export function loose(text, letters) {
	let at = 0;
	for (const c of letters) {
		at = text.indexOf(c, at) + 1;
		if (!at) return false;
	}
	return letters.length > 2;
}
/** @template T @param {T[]} views @param {string} text @returns {T[]} the best first; as they come where nothing is typed */
export function findViews(views, text) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	if (!words.length) return views;
	return views.map((v, i) => ({ v, i, n: rank(/** @type {any} */ (v), words) })).filter(x => x.n).sort((a, b) => b.n - a.n || a.i - b.i).map(x => x.v);
}

const known = new WeakMap(), hinted = new WeakMap();
/** All views, asked for once, and again when one was added. @param {any} app @returns {Promise<any[]>} */
export function allViews(app, again = false) {
	if (again || !known.has(app)) known.set(app, app.api.json("table/views").then(a => a.views).catch(error => { known.delete(app); throw error; }));
	return known.get(app);
}
/** Views that the trace can feed. @param {any} app @returns {Promise<any[]>} */
export function hintsOf(app) {
	if (!hinted.has(app)) hinted.set(app, new Map());
	const of = hinted.get(app), trace = app.state.trace;
	if (!of.has(trace)) of.set(trace, app.api.json("table/hints", { trace }).then(a => a.hints).catch(() => []));
	return of.get(trace);
}

/** For a chooser. @param {any} app @param {string} text @param {(v: any) => void} run @param {string} now */
export async function viewItems(app, text, run, now) {
	const [views, hints] = await Promise.all([allViews(app), hintsOf(app)]), fits = new Set(hints.map(x => x.name));
	const item = v => ({ title: v.title, hint: v.about.split("\n")[0], checked: v.name === now, run: () => run(v) });
	if (text) return findViews(views, text).map(item);
	const own = views.filter(v => v.from === "session"), good = views.filter(v => v.from !== "session" && fits.has(v.name)), other = views.filter(v => v.from !== "session" && !fits.has(v.name));
	return [...(own.length ? [{ head: true, title: "Yours" }, ...own.map(item)] : []), { head: true, title: "This trace can feed" }, ...good.map(item), ...(other.length ? [{ head: true, title: "Others" }, ...other.map(item)] : [])];
}
