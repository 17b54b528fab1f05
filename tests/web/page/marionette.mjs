// SPDX-License-Identifier: Apache-2.0
/* Firefox without a window, driven by what it has built in: commands as JSON over a socket, each with its length before it. Nothing is installed. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const START_MS = 60000;
/* Nothing is asked of the network, no page of its own opens. */
const PREFS = { "marionette.port": 0, "browser.shell.checkDefaultBrowser": false, "datareporting.policy.dataSubmissionEnabled": false, "app.update.enabled": false, "browser.startup.page": 0, "browser.aboutwelcome.enabled": false, "network.captive-portal-service.enabled": false, "network.connectivity-service.enabled": false, "browser.safebrowsing.malware.enabled": false, "browser.safebrowsing.phishing.enabled": false, "toolkit.telemetry.enabled": false, "services.settings.server": "http://127.0.0.1:9/", "extensions.getAddons.cache.enabled": false, "media.gmp-manager.updateEnabled": false, "browser.region.update.enabled": false };

/** Where Firefox is; null: nowhere. */
export const firefoxPath = () => [process.env.WEFT_FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"].find(p => p && existsSync(p)) ?? null;

/** @param {(child: any) => any} keep   told of the process */
export async function startFirefox(keep, { width = 1400, height = 850 } = {}) {
	const profile = mkdtempSync(join(tmpdir(), "firefox-"));
	writeFileSync(join(profile, "user.js"), Object.entries(PREFS).map(([k, v]) => `user_pref(${JSON.stringify(k)}, ${JSON.stringify(v)});\n`).join(""));
	const child = spawn(firefoxPath(), ["--headless", "--no-remote", "--marionette", "--profile", profile, `--width=${width}`, `--height=${height}`], { env: { ...process.env, HOME: profile, MOZ_REMOTE_SETTINGS_DEVTOOLS: "1" }, stdio: "ignore" });
	keep(child);
	const file = join(profile, "MarionetteActivePort"), begun = Date.now();
	let port = 0;
	while (!port) {
		if (child.exitCode !== null || Date.now() - begun > START_MS) throw new Error(`firefox does not start (${child.exitCode})`);
		await sleep(100);
		if (existsSync(file)) port = Number(readFileSync(file, "utf8"));
	}
	const socket = createConnection(port, "127.0.0.1"), waiting = new Map();
	let data = Buffer.alloc(0), last = 0;
	socket.on("data", part => {
		data = Buffer.concat([data, part]);
		for (;;) {
			const colon = data.indexOf(58), n = colon < 0 ? NaN : Number(data.toString("latin1", 0, colon));
			if (!(data.length >= colon + 1 + n)) return;
			const message = JSON.parse(data.toString("utf8", colon + 1, colon + 1 + n));
			data = data.subarray(colon + 1 + n);
			if (!Array.isArray(message)) continue; /* its greeting */
			const [, id, error, result] = message, { done, fail } = waiting.get(id) ?? {};
			waiting.delete(id);
			if (error) fail?.(new Error(`${error.error}: ${error.message}`));
			else done?.(result);
		}
	});
	socket.on("close", () => { for (const { fail } of waiting.values()) fail(new Error("firefox has gone")); });
	const ask = (name, params = {}) => new Promise((done, fail) => {
		const text = JSON.stringify([0, ++last, name, params]);
		waiting.set(last, { done, fail });
		socket.write(`${Buffer.byteLength(text)}:${text}`);
	});
	await ask("WebDriver:NewSession", { capabilities: { alwaysMatch: { acceptInsecureCerts: false } } });
	const page = {
		version: () => ask("WebDriver:GetCapabilities").then(c => c.capabilities?.browserVersion),
		go: url => ask("WebDriver:Navigate", { url }),
		/** What a function gives in the page. @param {Function} what @param {...any} args */
		run: async (what, ...args) => (await ask("WebDriver:ExecuteScript", { script: `return (${what}).apply(null, arguments);`, args, sandbox: null, newSandbox: false })).value,
		async until(what, ...args) {
			for (const end = Date.now() + START_MS / 2; ; await sleep(50)) {
				const value = await page.run(what, ...args);
				if (value) return value;
				if (Date.now() > end) throw new Error(`never true: ${what}`);
			}
		},
		async find(selector) { return (await ask("WebDriver:FindElement", { using: "css selector", value: selector })).value; },
		async click(selector) { return ask("WebDriver:ElementClick", { id: Object.values(await page.find(selector))[0] }); },
		actions: list => ask("WebDriver:PerformActions", { actions: list }),
		keys: text => page.actions([{ type: "key", id: "k", actions: [...text].flatMap(value => [{ type: "keyDown", value }, { type: "keyUp", value }]) }]),
		wheel: (x, y, deltaY) => page.actions([{ type: "wheel", id: "w", actions: [{ type: "scroll", x: Math.round(x), y: Math.round(y), deltaX: 0, deltaY, duration: 0, origin: "viewport" }] }]),
		shot: async () => Buffer.from((await ask("WebDriver:TakeScreenshot", { full: false })).value, "base64"),
		async stop() {
			const gone = new Promise(done => child.on("exit", done));
			await ask("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
			await Promise.race([gone, sleep(5000)]);
			child.kill("SIGKILL");
			socket.destroy();
			rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
		},
	};
	return page;
}
