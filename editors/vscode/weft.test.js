// SPDX-License-Identifier: Apache-2.0
// What the extension asks of weft and makes of its answers; and that the editor gets the five commands that the handbook's Eclipse plug-in has. node --test editors/vscode/*.test.js
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const weft = require("./weft.js");

const row = (codelet, tasks, total_ns, share_percent) => ({ codelet, tasks, total_ns, mean_ns: total_ns / tasks, share_percent });

test("times", () => {
	const cases = [[0, "0 ns"], [999, "999 ns"], [1000, "1.00 us"], [123456, "123 us"], [2.4e6, "2.40 ms"], [99.96e6, "100 ms"], [1.5e9, "1.50 s"], [999.6e6, "1000 ms"]];
	for (const [ns, text] of cases) assert.equal(weft.timeText(ns), text);
});

test("a command line is split as a shell does", () => {
	assert.deepEqual(weft.words(`  ./a  -n 3 "b c" 'd"e' f\\ g "h\\"i" ''`), ["./a", "-n", "3", "b c", 'd"e', "f g", 'h"i', ""]);
	assert.deepEqual(weft.words(" "), []);
	assert.throws(() => weft.words("a 'b"), /quote/);
});

test("a trace's name is never an option", () => {
	for (const args of [weft.commandLines.tasks("--edit"), weft.commandLines.codelets("-v"), weft.commandLines.png("-o", "x.png")])
		assert.ok(args[1].startsWith("./-"));
	assert.deepEqual(weft.commandLines.record("t.weft", ["./p", "-x"]).slice(-3), ["--", "./p", "-x"]);
});

const source = `/* struct starpu_codelet no = {.name = "gemm"}; */
struct starpu_codelet a = {.cpu_funcs = {f}, .name = "gemm"};
// struct starpu_codelet neither = {.name = "gemm"};
static struct starpu_codelet b =
{
	.cpu_funcs = {scale_cpu},
	.dyn = {{1}, {2}},
};
struct starpu_codelet c_cl = {
	.name = "not \\" run" /* .name = "gemm" */ };
struct starpu_codelet lonely = {.where = 1};
`;

test("codelets are found where they are defined", () => {
	assert.deepEqual(weft.findCodelets(source), [
		{ line: 1, names: ["gemm"] }, { line: 3, names: ["scale_cpu", "b"] }, { line: 8, names: ['not \\" run'] }, { line: 10, names: ["lonely"] },
	]);
	assert.deepEqual(weft.findCodelets("struct starpu_codelet open = {{{"), [{ line: 0, names: ["open"] }]);
});

test("what a codelet takes stands beside it", () => {
	const rows = [row("gemm", 120, 14.7e6, 68.14), row("b", 1, 500, 0.01), row("other", 3, 3, 1)];
	assert.deepEqual(weft.besideCodelets(source, rows), [
		{ line: 1, text: "120 tasks, 14.7 ms, 123 us each, 68.1 % of all" }, { line: 3, text: "1 task, 500 ns, 500 ns each, 0.0 % of all" },
	]);
});

test("links lead to files only", () => {
	assert.deepEqual(weft.linkTarget("vscode://file/src/a%20b.c:12"), { file: "/src/a b.c", line: 11 });
	assert.deepEqual(weft.linkTarget("vscode://file/a.c"), { file: "/a.c", line: 0 });
	for (const href of ["https://a/b", "vscode://other/a.c:1", "javascript:x", "vscode://file/%zz:1", "command:x", "null"]) assert.equal(weft.linkTarget(href), null);
});

test("a drawing's page runs its own script only", () => {
	const page = weft.drawingPage("<svg></svg>", "abc");
	assert.match(page, /default-src 'none'/);
	assert.match(page, /script-src 'nonce-abc'"/);
	assert.equal(page.split("<script").length, 2);
});

test("only tasks that say where they were submitted are offered", () => {
	const rows = [{ number: 1, name: "a", duration_ns: 2000, file: "a.c", line: 7 }, { number: 2, name: "b", duration_ns: null, file: null, line: null }];
	assert.deepEqual(weft.taskItems(rows), [{ label: "1 a", description: "2.00 us", detail: "a.c:7", file: "a.c", line: 6 }]);
});

const command = process.env.WEFT_BUILD && path.join(process.env.WEFT_BUILD, "weft");
const tiles = path.join(__dirname, "../../tests/golden/traces/tiles.weft");
test("weft answers what the extension asks", { skip: command && fs.existsSync(command) ? false : "WEFT_BUILD names no build" }, () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), "weft-test-"));
	try {
		const trace = path.join(folder, "tiles.weft");
		fs.cpSync(tiles, trace, { recursive: true });
		fs.writeFileSync(path.join(folder, "tiles.c"), "\n");
		const ask = args => execFileSync(command, args, { cwd: folder, encoding: "utf8", env: { ...process.env, VISUAL: "" } });
		const codelets = JSON.parse(ask(weft.commandLines.codelets(trace)));
		assert.deepEqual(codelets.map(r => [r.codelet, r.tasks]).sort(), [["gemm", 4], ["potrf", 4], ["syrk", 6], ["trsm", 6]]);
		assert.equal(weft.besideText(codelets.find(r => r.codelet === "gemm")), "4 tasks, 1.80 ms, 450 us each, 32.1 % of all");
		assert.equal(weft.taskItems(JSON.parse(ask(weft.commandLines.tasks(trace)))).length, 20);
		ask(weft.commandLines.trace(trace, "trace.svg"));
		ask(weft.commandLines.png(trace, "graph.png"));
		ask(weft.commandLines.svg(trace, "graph.svg", folder));
		const links = [...fs.readFileSync(path.join(folder, "graph.svg"), "utf8").matchAll(/href="([^"]*)"/g)].map(at => weft.linkTarget(at[1]));
		assert.equal(links.length, 20);
		assert.ok(links.every(to => to && to.file === fs.realpathSync(path.join(folder, "tiles.c")) && [20, 23, 26, 29].includes(to.line)));
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
});

/* The editor's module, as far as activate() uses it. */
test("the editor gets the commands that package.json promises", () => {
	const registered = [], nothing = () => ({ dispose() {} });
	const editor = {
		commands: { registerCommand: name => (registered.push(name), nothing()) },
		window: { createOutputChannel: () => ({ appendLine() {}, append() {} }), createTextEditorDecorationType: nothing, onDidChangeActiveTextEditor: nothing, visibleTextEditors: [] },
		workspace: { getConfiguration: () => ({ get: () => "" }), onDidChangeTextDocument: nothing, onDidChangeConfiguration: nothing },
		ThemeColor: class {},
	};
	const load = Module._load;
	Module._load = (name, ...rest) => (name === "vscode" ? editor : load(name, ...rest));
	try {
		require("./extension.js").activate({ subscriptions: [] });
	} finally {
		Module._load = load;
	}
	const promised = JSON.parse(fs.readFileSync(path.join(__dirname, "package.json"), "utf8")).contributes.commands.map(c => c.command);
	assert.equal(promised.length, 5);
	assert.deepEqual(registered.sort(), promised.sort());
});
