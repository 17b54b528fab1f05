// SPDX-License-Identifier: Apache-2.0
/*
 * What the extension does without the editor: which arguments weft gets, what its answers mean, where codelets are defined. Tested by
 * weft.test.js with node.
 */
"use strict";

/** Arguments of weft for each thing to be done. A trace's name never becomes an option. @param {string} trace */
const operand = trace => (trace.startsWith("-") ? "./" + trace : trace);
const commandLines = {
	record: (trace, program) => ["record", "--on", "starpu_detail", "-o", operand(trace), "--", ...program],
	trace: (trace, out) => ["timeline", operand(trace), "-o", out, "--force"],
	png: (trace, out) => ["graph", operand(trace), "-o", out, "--force"],
	svg: (trace, out, source) => ["graph", operand(trace), "-o", out, "--force", "--editor", "vscode", "--source", source],
	tasks: trace => ["tasks", operand(trace), "--json", "-n", "0", "-c", "number,name,codelet,duration,file,line"],
	codelets: trace => ["tasks", operand(trace), "--json", "--by", "codelet"],
};

/** A command line as a shell splits it, as far as blanks, quotes and backslashes go. @param {string} text @returns {string[]} */
function words(text) {
	const out = [];
	let word = null, quote = "";
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (quote) {
			if (c === quote) quote = "";
			else word += c === "\\" && quote === '"' && i + 1 < text.length ? text[++i] : c;
		} else if (c === '"' || c === "'") {
			quote = c;
			word ??= "";
		} else if (/\s/.test(c)) {
			if (word !== null) out.push(word);
			word = null;
		} else word = (word ?? "") + (c === "\\" && i + 1 < text.length ? text[++i] : c);
	}
	if (quote) throw new Error("a quote is not closed");
	return word === null ? out : [...out, word];
}

/** @param {number} ns */
function timeText(ns) {
	for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]])
		if (ns >= size) return (ns / size).toFixed(ns / size < 9.995 ? 2 : ns / size < 99.95 ? 1 : 0) + " " + unit;
	return `${Math.round(ns)} ns`;
}

/** What stands beside a definition. @param {{tasks: number, total_ns: number, mean_ns: number | null, share_percent: number | null}} row */
function besideText(row) {
	const share = row.share_percent === null ? "" : `, ${row.share_percent.toFixed(1)} % of all`;
	return `${row.tasks} task${row.tasks === 1 ? "" : "s"}, ${timeText(row.total_ns)}${row.mean_ns === null ? "" : `, ${timeText(row.mean_ns)} each`}${share}`;
}

/** Comments become blanks, lines stay; texts in quotes stay as they are. @param {string} text */
const withoutComments = text => text.replace(/"(?:\\.|[^"\\\n])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, at => (at[0] === '"' ? at : at.replace(/[^\n]/g, " ")));

/**
 * Where codelets are defined: `struct starpu_codelet NAME = {...}`. A codelet is called as its .name says, else as its first function, else as the
 * variable. @param {string} text @returns {{line: number, names: string[]}[]}
 */
function findCodelets(text) {
	const code = withoutComments(text), found = [];
	for (const at of code.matchAll(/\bstruct\s+starpu_codelet\s+(\w+)\s*=\s*\{/g)) {
		let depth = 1, end = at.index + at[0].length;
		for (; end < code.length && depth; end++) depth += code[end] === "{" ? 1 : code[end] === "}" ? -1 : 0;
		const body = code.slice(at.index, end), name = /\.name\s*=\s*"((?:\\.|[^"\\])*)"/.exec(body), of = /\.\w+_funcs?\s*=\s*\{?\s*(\w+)/.exec(body);
		found.push({ line: code.slice(0, at.index).split("\n").length - 1, names: name ? [name[1]] : [of?.[1], at[1]].filter(Boolean) });
	}
	return found;
}

/** Lines and their texts. @param {string} text @param {{codelet: string}[]} rows */
function besideCodelets(text, rows) {
	const row = new Map(rows.map(r => [r.codelet, r]));
	return findCodelets(text).flatMap(({ line, names }) => {
		const name = names.find(n => row.has(n));
		return name === undefined ? [] : [{ line, text: besideText(row.get(name)) }];
	});
}

/** The file and the line (from 0) of a link of ours, or null. @param {string} href */
function linkTarget(href) {
	const at = /^vscode:\/\/file(\/[^?#]*?)(?::(\d{1,9}))?$/.exec(href);
	if (!at) return null;
	try {
		return { file: decodeURIComponent(at[1]), line: Math.max(0, Number(at[2] ?? 1) - 1) };
	} catch {
		return null;
	}
}

/**
 * The page around a drawing: it may run the one script, which tells the editor which link was clicked, and nothing else. @param {string} svg
 * @param {string} nonce
 */
function drawingPage(svg, nonce) {
	const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'nonce-${nonce}'`;
	const script = `const to = acquireVsCodeApi();
addEventListener("click", e => {
	const link = e.target.closest("a");
	if (!link) return;
	e.preventDefault();
	to.postMessage({ link: link.getAttribute("href") });
});`;
	return `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"></head>` +
		`<body style="background:#fff">${svg}<script nonce="${nonce}">${script}</script></body></html>`;
}

/** What is offered to choose from. @param {{number: number, name: string, duration_ns: number | null, file: string | null, line: number | null}[]} rows */
const taskItems = rows => rows.filter(r => r.file).map(r => ({
	label: `${r.number} ${r.name}`, description: r.duration_ns === null ? "did not run" : timeText(r.duration_ns), detail: `${r.file}:${r.line}`, file: r.file, line: Math.max(0, (r.line ?? 1) - 1),
}));

module.exports = { commandLines, words, timeText, besideText, findCodelets, besideCodelets, linkTarget, drawingPage, taskItems };
