// The page's idea of the messages is that of the program which answers them: the
// names in src/messages.ts are those of the structures in board and review.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

/** Returns the JSON names of each structure of a Go package; embedded ones as theirs. */
function structures(folder) {
	const found = {};
	for (const file of readdirSync(new URL(folder, import.meta.url)).filter((f) => f.endsWith(".go") && !f.endsWith("_test.go"))) {
		for (const [, name, body] of read(folder + file).matchAll(/^(?:type |\t)(\w+) struct \{\n([\s\S]*?)^\t?\}/gm)) {
			const names = [...body.matchAll(/json:"(\w+)[",]/g)].map((m) => m[1]);
			const embedded = [...body.matchAll(/^\s+\*?(?:\w+\.)?(\w+)$/gm)].map((m) => m[1]);
			found[name] = { names, embedded };
		}
	}
	return found;
}

/** Returns the names of each interface of the page. */
function interfaces() {
	const found = {};
	for (const [, name, parent, body] of read("../src/messages.ts").matchAll(/^export interface (\w+)(?: extends (\w+))? \{\n([\s\S]*?)^\}/gm)) {
		found[name] = [...(parent ? found[parent] : []), ...[...body.matchAll(/^\t(\w+)\??:/gm)].map((m) => m[1])];
	}
	return found;
}

test("messages have the fields that the program reads and writes", () => {
	const [board, review] = [structures("../../board/"), structures("../../review/")];
	const all = (from, name) => [...from[name].names, ...from[name].embedded.flatMap((e) => (board[e] || review[e] ? all(board[e] ? board : review, e) : []))];
	const page = interfaces();
	const pairs = [
		...["Place", "Move", "Legal", "Castling", "Played", "Outcome", "Worth", "Position", "Limits", "Clock", "Line", "Info", "Analysis", "Choice",
			"Tablebase", "TableMove", "Option", "Hello", "Span", "Bounds", "Optioned", "Stopped", "Written", "Reply", "Progress"].map((n) => [n, board, n]),
		["Failure", board, "Error"], ["Report", review, "Report"], ["ReviewSide", review, "Side"], ["ReviewMove", review, "Move"],
		["ReviewLine", review, "Line"], ["Puzzle", review, "Puzzle"],
	];
	for (const [name, from, theirs] of pairs) {
		assert.ok(page[name], `messages.ts has no ${name}`);
		assert.ok(from[theirs], `no structure ${theirs}`);
		assert.deepEqual([...page[name]].sort(), all(from, theirs).sort(), name);
	}
});
