// SPDX-License-Identifier: Apache-2.0
/* What is open: waits until traces have been read, showing how far that is; later looks whether files are still what they were. */
import { fill, h, plain } from "./lib/dom.js";
import { bytes, count } from "./lib/time.js";

const LOOK_MS = 5000;

/** How far reading is, in words. @param {{name: string}} trace @param {{state: string, what?: string, done: number, total: number}} p */
export function progressText(trace, p) {
	if (p.state === "failed") return `${plain(trace.name, 60)}: cannot be read`;
	if (p.state !== "reading") return `${plain(trace.name, 60)}: ${p.state === "ready" ? "read" : "waits"}`;
	const many = p.total > 1e5 ? `${bytes(p.done)} of ${bytes(p.total)}` : count(p.done);
	return `${plain(trace.name, 60)}: ${p.what ?? "opening"}${p.done ? `, ${many}` : ""}`;
}

export async function waitForTraces(app, shell) {
	const info = await app.api.json("session/info");
	if (info.traces.every(t => t.state === "ready" || t.state === "failed")) return info;
	const bars = info.traces.map(t => ({ t, text: h("div", {}, plain(t.name, 60)), bar: h("progress", { max: "1", "aria-label": plain(t.name, 60) }) }));
	const box = h("div", { class: "loading", role: "status" }, h("h1", {}, "Reading"), bars.map(b => [b.text, b.bar]));
	shell.cover(box);
	await new Promise(done => {
		const on = data => data.traces.forEach((p, i) => {
			fill(bars[i].text, progressText(bars[i].t, p));
			if (p.state === "ready") bars[i].bar.value = 1;
			else if (p.total) bars[i].bar.value = p.done / p.total;
		});
		const end = app.api.events("session/progress", { progress: on, done: data => { on(data); end(); done(); } });
	});
	shell.cover(null);
	return app.api.json("session/info");
}

/** Says it once when a file has changed or gone, or the server has. */
export function watchFiles(app) {
	const said = new Set();
	const say = (key, text) => { if (!said.has(key)) { said.add(key); app.say(text, "error"); } };
	const look = async () => {
		if (document.hidden) return;
		try {
			const { traces } = await app.api.json("session/changed");
			said.delete("server");
			traces.forEach((state, i) => {
				const name = plain(app.info.traces[i]?.name ?? "", 80);
				if (state === "changed") say(`changed${i}`, `'${name}' has changed since it was opened: what is shown is what it was. Open it again to see it as it is`);
				if (state === "gone") say(`gone${i}`, `'${name}' is gone: what is shown may become incomplete`);
			});
		} catch (error) {
			say("server", error.message);
		}
	};
	setInterval(look, LOOK_MS);
	document.addEventListener("visibilitychange", look);
}
