// SPDX-License-Identifier: Apache-2.0
/* A program that runs, as it would be seen the same each time: what the server would stream is said to the page at once. */

const WORKERS = 16, SAMPLES = 90, CODELETS = ["gemm", "trsm", "syrk", "potrf"];

function samples() {
	const workers = Array.from({ length: WORKERS }, (_, i) => ({ id: i, name: `CPU ${i}`, tasks: 0, executing_s: 0, callback_s: 0, sleeping_s: 0, other_s: 0 })), list = [];
	let random = 7, executed = 0;
	const any = n => (random = (Math.imul(random, 1103515245) + 12345) >>> 0, (random >>> 16) % n);
	for (let k = 0; k <= SAMPLES; k++) {
		for (const w of workers) {
			const wave = 0.5 + 0.5 * Math.sin(k / 9 + w.id / 4), busy = Math.min(0.096, 0.1 * (w.id < 12 ? 0.55 + 0.4 * wave : 0.35 * wave));
			w.executing_s += busy;
			w.callback_s += 0.002 * (w.id % 3);
			w.other_s += 0.004;
			w.sleeping_s += Math.max(0, 0.1 - busy - 0.004 - 0.002 * (w.id % 3));
			w.tasks += any(4);
			executed += 2;
			w.codelet = busy > 0.04 ? CODELETS[(w.id + (k >> 3)) % 4] : null;
			w.state = w.codelet ? "executing" : "sleeping";
		}
		const t = 3 + k / 10;
		list.push({ sample: k, time_s: t, at_ns: t * 1e9, left_out: 0, pid: 4711, program: "factorise", tasks: { submitted: 120 + any(40), ready: 6 + any(9), executed }, workers: workers.map(w => ({ ...w })),
			codelets: CODELETS.map((name, i) => ({ name, executed: executed >> (i + 1), time_s: 8 - i, ready: i })), data: [{ name: "residual", value: Math.exp(-k / 25), min: 0, max: 0, active: true }, { name: "iteration", value: k >> 2, min: 0, max: 100, active: true }],
			parameters: [{ name: "tile", type: "integer", value: 512, min: 64, max: 2048 }, { name: "tolerance", type: "float", value: 0.25, min: 0, max: 1 }, { name: "check", type: "boolean", value: true }],
			nodes: [{ name: "RAM", used_bytes: 4e8 + 3e7 * Math.sin(k / 12) }, { name: "OpenCL 0", used_bytes: 1.5e8 + 2e7 * Math.cos(k / 7) }], links: [{ name: "RAM to OpenCL 0", bytes: k * k * 4e5 }],
			now_us: t * 1e6, previsions: k === SAMPLES ? [0, 3, 5, 8, 11].map((worker, i) => ({ task: i, name: CODELETS[i % 4], worker, start_us: t * 1e6 + 2e5 * i, end_us: t * 1e6 + 2e5 * i + 1.1e6 })) : [] });
	}
	return list;
}

/* Tiles of a factorisation: each waits for those of the step before. */
function graph() {
	const state = l => (l < 2 ? "done" : l === 2 ? "running" : l === 3 ? "ready" : "submitted"), tasks = [];
	for (let l = 0; l < 7; l++)
		for (let i = 0; i < 7 - Math.abs(3 - l); i++)
			tasks.push([`${l}.${i}`, i === 1 && l === 3 ? "held" : state(l), l === 2 ? i : -1, CODELETS[(l + i) % 4], "", l >> 1, "factorise.c", 40 + l, l ? [`${l - 1}.${Math.max(0, i - 1)}`, `${l - 1}.${i}`] : [], 0]);
	return { seq: 1, tasks, held: [[1, "3.1"]], breaks: [{ codelet: "trsm" }], paused: false };
}

/** Before a page is opened. @param {any} page */
export async function cannedProgram(page) {
	const state = { id: 0, connected: true, ended: false, pid: 4711, program: "factorise", kind: "starpu", why: "" };
	await page.route(/api\/session\/info/, async route => route.fulfill({ json: { ...(await (await route.fetch()).json()), live: 1, control: true } }));
	await page.route(/api\/live\/state/, route => route.fulfill({ json: { control: true, sources: [state] } }));
	await page.addInitScript(([state, samples, graph]) => {
		globalThis.EventSource = class extends EventTarget {
			constructor(url) {
				super();
				const say = (name, data) => this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
				setTimeout(() => {
					if (/live\/events/.test(url)) { say("state", state); for (const s of samples.slice(0, -1)) say("sample", s); }
					if (/live\/graph/.test(url)) say("graph", graph);
				}, 0);
				/* Facts and tables are shown some times a second only. */
				setTimeout(() => /live\/events/.test(url) && say("sample", samples.at(-1)), 1200);
			}
			close() {}
		};
	}, [state, samples(), graph()]);
}
