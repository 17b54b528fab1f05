// SPDX-License-Identifier: Apache-2.0
/*
 * What the page asks the server. In an exported page the same calls are answered from what is in the page (`source`).
 */

/** An answer that was no: `status`, and the server's line as the message. */
export class Refused extends Error {
	constructor(status, message) {
		super(message);
		this.status = status;
	}
}
export const isAbort = error => error?.name === "AbortError";

/** "api/time/rows?trace=0&view=useful"; what is undefined, null or "" is left out, lists are joined by commas. */
export function address(path, args = {}) {
	const of = new URLSearchParams();
	for (const [key, value] of Object.entries(args))
		if (value !== undefined && value !== null && value !== "") of.set(key, Array.isArray(value) ? value.join(",") : String(value));
	const query = of.toString();
	return "api/" + path + (query ? "?" + query : "");
}

/** Rows in their order as the server reads them: [0,1,2,5] is "0-2,5". @param {number[]} list */
export function ranges(list) {
	const parts = [];
	for (let i = 0; i < list.length;) {
		let end = i;
		while (end + 1 < list.length && list[end + 1] === list[end] + 1) end++;
		parts.push(end > i ? `${list[i]}-${list[end]}` : String(list[i]));
		i = end + 1;
	}
	return parts.join(",");
}

/** @param {{source?: (path: string, args: object) => Promise<any>}} [how] */
export function createApi({ source } = {}) {
	async function ask(path, args, { signal, method = "GET", body } = {}) {
		let answer;
		try {
			answer = await fetch(address(path, args), { signal, method, body, credentials: "omit", cache: "default" });
		} catch (error) {
			if (isAbort(error)) throw error;
			throw new Refused(0, "the server does not answer: has 'weft open' ended?");
		}
		if (answer.ok) return answer;
		let words = `${answer.status} ${answer.statusText}`;
		try {
			words = (await answer.json()).error ?? words;
		} catch { /* no line came with it */ }
		throw new Refused(answer.status, words);
	}
	return {
		exported: Boolean(source),
		/** @param {string} path @param {object} [args] @param {{signal?: AbortSignal}} [how] @returns {Promise<any>} */
		async json(path, args = {}, how = {}) {
			return source ? source(path, args) : (await ask(path, args, how)).json();
		},
		/** @returns {Promise<ArrayBuffer>} */
		async bytes(path, args = {}, how = {}) {
			return source ? source(path, args) : (await ask(path, args, how)).arrayBuffer();
		},
		/** @returns {Promise<Blob>} */
		async blob(path, args = {}, how = {}) {
			return source ? source(path, args) : (await ask(path, args, how)).blob();
		},
		/** What changes a program: refused unless the server was started with --control. */
		async post(path, body = {}, args = {}) {
			if (source) throw new Refused(403, "a saved page cannot change anything");
			return (await ask(path, args, { method: "POST", body: JSON.stringify(body) })).json();
		},
		/**
		 * Server-sent events, while the page can be seen: browsers hold but six connections to a server, for all tabs together.
		 * @param {string} path @param {Record<string, (data: any) => void>} on   by name of event; "lost": the connection went
		 * @param {object} [args] @returns {() => void} ends it
		 */
		events(path, on, args = {}) {
			let stream = null, ended = false;
			const close = () => { stream?.close(); stream = null; };
			const open = () => {
				if (stream || ended || document.hidden || source) return;
				stream = new EventSource(address(path, args));
				for (const name of Object.keys(on)) if (name !== "lost") stream.addEventListener(name, e => on[name](JSON.parse(e.data)));
				stream.onerror = () => on.lost?.(null);
			};
			const look = () => (document.hidden ? close() : open());
			document.addEventListener("visibilitychange", look);
			open();
			return () => { ended = true; close(); document.removeEventListener("visibilitychange", look); };
		},
	};
}
