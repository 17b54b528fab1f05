// SPDX-License-Identifier: Apache-2.0
/* What the panels of this area share: one stream of samples for each program, one model each, whoever shows them. */
import { createModel } from "./model.js";

const sources = new WeakMap();

/** @param {any} app */
export function liveSource(app) {
	let s = sources.get(app);
	if (!s) sources.set(app, (s = createSource(app)));
	return s;
}

function createSource(app) {
	const listeners = new Set();
	const programs = []; // {id, state, model}: state as the server says it
	let control = Boolean(app.info.control), begun = false, chosen = 0;
	const tell = what => { for (const f of listeners) f(what); };

	async function begin() {
		if (begun) return;
		begun = true;
		try {
			const state = await app.api.json("live/state");
			control = state.control;
			for (const s of state.sources) {
				const p = { id: s.id, state: s, model: createModel() };
				programs.push(p);
				app.api.events("live/events", {
					state(now) { Object.assign(p.state, now); tell("state"); },
					sample(sample) { p.model.add(sample); if (p === source.program || p === source.tuner) tell("sample"); },
					lost() { if (p.state.connected) { p.state.connected = false; p.state.why = "the server does not answer"; tell("state"); } },
				}, { source: s.id });
			}
			tell("state");
		} catch (error) {
			begun = false;
			app.fail(error);
		}
	}

	const source = {
		programs,
		get control() { return control; },
		/** The program that is shown. */
		get program() { return programs.filter(p => p.state.kind !== "tune")[chosen] ?? programs[0]; },
		/** Who tunes it, if somebody does. */
		get tuner() {
			const pid = source.program?.state.pid;
			const tuners = programs.filter(p => p.state.kind === "tune");
			return tuners.find(p => p.model.last?.processes?.includes(pid)) ?? tuners[0];
		},
		choose(i) { chosen = i; tell("state"); },
		/** @param {(what: "state" | "sample") => void} f */
		listen(f) { listeners.add(f); begin(); return () => listeners.delete(f); },
		/** Asks the program for something; says what came of it. @param {string} path @param {object} body @param {string} done */
		async post(path, body = {}, done = "") {
			try {
				const answer = await app.api.post(`live/${path}`, body, { source: source.program?.id ?? 0 });
				if (done) app.say(done, "done");
				return answer;
			} catch (error) {
				app.fail(error);
				return null;
			}
		},
	};
	return source;
}
