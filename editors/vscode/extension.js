// SPDX-License-Identifier: Apache-2.0
/* The extension's five commands, and the times beside codelets. What they ask of weft and make of its answers is in weft.js. */
"use strict";
const vscode = require("vscode");
const { execFile } = require("node:child_process");
const { randomBytes } = require("node:crypto");
const fs = require("node:fs/promises");
const os = require("node:os");
const path = require("node:path");
const weft = require("./weft.js");

let lastTrace = "", beside, output, folderOfDrawings;

const setting = name => vscode.workspace.getConfiguration("weft").get(name);
const workspaceFolder = () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? os.homedir();
const sourceFolder = () => path.resolve(workspaceFolder(), setting("sourceFolder") || ".");

/** Runs weft; its output. A failure is its one line. */
function run(args) {
	output.appendLine(`weft ${args.join(" ")}`);
	return new Promise((resolve, reject) =>
		execFile(setting("command") || "weft", args, { cwd: workspaceFolder(), maxBuffer: 1 << 30 }, (error, out, err) => {
			if (err) output.append(err);
			if (error) reject(new Error(err.trim().split("\n")[0] || error.message));
			else resolve(out);
		}));
}

/** The trace to look at: the setting's, the last recorded one, or one that is chosen. */
async function chooseTrace() {
	const known = setting("trace") || lastTrace;
	if (known) return path.resolve(workspaceFolder(), known);
	const chosen = await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: true, canSelectMany: false, openLabel: "Look at this trace" });
	lastTrace = chosen?.[0]?.fsPath ?? "";
	return lastTrace;
}

async function drawing(name) {
	folderOfDrawings ??= await fs.mkdtemp(path.join(os.tmpdir(), "weft-"));
	return path.join(folderOfDrawings, name);
}

async function openAt(file, line) {
	const document = await vscode.workspace.openTextDocument(path.resolve(sourceFolder(), file));
	const editor = await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One });
	const at = new vscode.Position(Math.min(line, document.lineCount - 1), 0);
	editor.selection = new vscode.Selection(at, at);
	editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
}

/** An SVG beside the source; a click on a link goes there. */
async function showSvg(title, file) {
	const panel = vscode.window.createWebviewPanel("weft", title, vscode.ViewColumn.Beside, { enableScripts: true, localResourceRoots: [] });
	panel.webview.onDidReceiveMessage(message => {
		const to = weft.linkTarget(String(message?.link));
		if (to) return openAt(to.file, to.line).catch(say);
	});
	panel.webview.html = weft.drawingPage(await fs.readFile(file, "utf8"), randomBytes(16).toString("hex"));
}

const say = error => vscode.window.showErrorMessage(`Weft: ${error.message}`);

const commands = {
	async "weft.record"() {
		const line = await vscode.window.showInputBox({ prompt: "The program and its arguments", placeHolder: "./cholesky -n 960", ignoreFocusOut: true });
		const program = line ? weft.words(line) : [];
		if (!program.length) return;
		const trace = path.join(workspaceFolder(), path.basename(program[0]) + ".weft");
		await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Weft records ${program[0]}` }, () =>
			fs.rm(trace, { recursive: true, force: true }).then(() => run(weft.commandLines.record(trace, program))));
		lastTrace = trace;
		vscode.window.showInformationMessage(`Weft: recorded ${trace}`);
		await refresh();
	},
	async "weft.showTrace"() {
		const trace = await chooseTrace();
		if (!trace) return;
		const out = await drawing("trace.svg");
		await run(weft.commandLines.trace(trace, out));
		await showSvg(path.basename(trace), out);
	},
	async "weft.graphPng"() {
		const trace = await chooseTrace();
		if (!trace) return;
		const out = await drawing("graph.png");
		await run(weft.commandLines.png(trace, out));
		await vscode.commands.executeCommand("vscode.open", vscode.Uri.file(out), vscode.ViewColumn.Beside);
	},
	async "weft.graphSvg"() {
		const trace = await chooseTrace();
		if (!trace) return;
		const out = await drawing("graph.svg");
		await run(weft.commandLines.svg(trace, out, sourceFolder()));
		await showSvg(`Tasks of ${path.basename(trace)}`, out);
	},
	async "weft.openTask"() {
		const trace = await chooseTrace();
		if (!trace) return;
		const items = weft.taskItems(JSON.parse(await run(weft.commandLines.tasks(trace))));
		if (!items.length) throw new Error("this trace does not say where tasks were submitted (record with --on starpu_detail)");
		const chosen = await vscode.window.showQuickPick(items, { matchOnDetail: true, placeHolder: "Go where this task was submitted" });
		if (chosen) await openAt(chosen.file, chosen.line);
	},
};

/* ---- times beside codelets ---- */

let rows = [];

function decorate(editor) {
	if (!editor) return;
	const on = setting("timesBesideCodelets") && /^c(pp)?$/.test(editor.document.languageId);
	const all = on ? weft.besideCodelets(editor.document.getText(), rows) : [];
	editor.setDecorations(beside, all.map(({ line, text }) => {
		const end = editor.document.lineAt(line).range.end;
		return { range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } };
	}));
}

/** Asks weft again, when there is a trace. */
async function refresh() {
	const known = setting("trace") || lastTrace;
	rows = known && setting("timesBesideCodelets") ? JSON.parse(await run(weft.commandLines.codelets(path.resolve(workspaceFolder(), known)))) : [];
	vscode.window.visibleTextEditors.forEach(decorate);
}

function activate(context) {
	output = vscode.window.createOutputChannel("Weft");
	beside = vscode.window.createTextEditorDecorationType({ after: { margin: "0 0 0 3em", color: new vscode.ThemeColor("editorCodeLens.foreground") } });
	context.subscriptions.push(output, beside,
		...Object.entries(commands).map(([name, action]) => vscode.commands.registerCommand(name, () => action().catch(say))),
		vscode.window.onDidChangeActiveTextEditor(decorate),
		vscode.workspace.onDidChangeTextDocument(e => vscode.window.visibleTextEditors.filter(v => v.document === e.document).forEach(decorate)),
		vscode.workspace.onDidChangeConfiguration(e => e.affectsConfiguration("weft") && refresh().catch(say)));
	refresh().catch(error => output.appendLine(error.message));
}

function deactivate() {
	return folderOfDrawings && fs.rm(folderOfDrawings, { recursive: true, force: true });
}

module.exports = { activate, deactivate };
