// The page's rules against package chess and package pgn: perft suites, positions of random games, games with variations
// and comments. TABULA names a program, whose command board reads and writes PGN. It needs no browser.
//
//	MOST=1000000 POSITIONS=200000 node --test test/rules.test.mjs     # nodes of a perft, positions; 20,000 each

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { openingOf, readOpenings } from "../src/game/openings.ts";
import { gamesOf } from "../src/game/split.ts";
import { gameTitle } from "../src/game/text.ts";
import { FENError, StartFEN, chess960, fen, parseFEN } from "../src/rules/fen.ts";
import { legal } from "../src/rules/movegen.ts";
import { outcome } from "../src/rules/outcome.ts";
import { Unknown, readGame } from "../src/rules/pgn.ts";
import { parseSAN, parseUCI, readMove, san, uci } from "../src/rules/san.ts";
import { writeGames } from "../src/rules/writer.ts";

const { TABULA: program, MOST = "20000", POSITIONS = "20000" } = process.env;
const root = new URL("../../", import.meta.url);
let board = null; // the engine's reader
const waiting = [];

before(() => {
	assert.ok(program, "make web-test names the program");
	board = spawn(program, ["board"], { stdio: ["pipe", "pipe", "inherit"] });
	createInterface({ input: board.stdout }).on("line", (line) => waiting.shift()(JSON.parse(line)));
});
after(() => board?.stdin.end());

/** Asks the engine's reader. */
function ask(word, fields) {
	board.stdin.write(`${JSON.stringify({ id: 1, do: word, ...fields })}\n`);
	return new Promise((done) => waiting.push(done));
}

/** Counts the leaves of the tree of legal moves. */
function perft(p, depth) {
	const moves = legal(p);
	return depth < 2 ? moves.length : moves.reduce((n, m) => n + perft(p.make(m), depth - 1), 0);
}

for (const suite of ["published", "random", "chess960"]) {
	test(`perft of ${suite}.epd`, () => {
		const lines = readFileSync(new URL(`movegen/testdata/${suite}.epd`, root), "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
		assert.ok(lines.length > 20);
		for (const line of lines) {
			const [position, ...counts] = line.split(";").map((part) => part.trim());
			const p = parseFEN(position);
			for (const [depth, count] of counts.map((text) => text.slice(1).split(" ").map(Number)).filter(([, n]) => n <= Number(MOST))) {
				assert.equal(perft(p, depth), count, `${position} at depth ${depth}`);
			}
		}
	});
}

test("positions of random games: moves, notation, FEN and outcome; texts that may be FENs", () => {
	const lines = execFileSync("go", ["run", "./web/test/twin", POSITIONS], { cwd: root, maxBuffer: 2 ** 30 }).toString().trim().split("\n");
	let [positions, shuffled] = [0, 0];
	const seen = new Set();
	const openings = readOpenings(readFileSync(new URL("openings/zopenings.txt", root), "utf8"));
	for (const game of lines.map((line) => JSON.parse(line))) {
		if (game.text !== undefined) {
			assert.deepEqual(read(game.text), game);
			continue;
		}
		let p = parseFEN(game.start);
		shuffled += p.chess960 ? game.positions.length : 0;
		for (const { opening, move, legal: moves, ...want } of game.positions) {
			positions++;
			const { reason, result } = outcome(p);
			seen.add(reason);
			const named = openingOf(p, openings);
			assert.equal(named ? `${named.eco} ${named.name}` : "", opening, want.fen);
			assert.deepEqual({ fen: fen(p), check: p.inCheck, chess960: p.chess960, outcome: reason, result }, want);
			assert.deepEqual(legal(p).map((m) => [uci(p, m), san(p, m)]).sort(), moves.sort(), want.fen);
			for (const [byUCI, bySAN] of moves) {
				assert.equal(parseSAN(p, bySAN), parseUCI(p, byUCI), `${bySAN} in ${want.fen}`);
				assert.notEqual(parseSAN(p, bySAN), null, `${bySAN} in ${want.fen}`);
			}
			const m = move ? readMove(p, move) : 0;
			p = m ? p.make(m) : p.makeNull();
		}
	}
	assert.equal(positions, Number(POSITIONS));
	assert.ok(shuffled > positions / 8, `${shuffled} of Chess960`);
	assert.equal(seen.size, 8, [...seen].join()); // every outcome
});

/** Reads a text as the other program does. */
function read(text) {
	try {
		return { text, fen: fen(parseFEN(text)), at: 0 };
	} catch (error) {
		assert.ok(error instanceof FENError, error.stack);
		return { text, field: error.field, reason: error.reason, at: error.at };
	}
}

test("the starts of Chess960", async () => {
	for (let n = 0; n < 960; n++) {
		const { result } = await ask("position", { position: { chess960: n } });
		assert.equal(fen(chess960(n)), result.fen);
	}
});

/** Returns numbers below n, the same ones for the same seed. Source: Mulberry32 of T. Ettinger. */
function random(seed) {
	let state = seed;
	return (n) => {
		state = state + 0x6d2b79f5 | 0;
		let t = Math.imul(state ^ state >>> 15, 1 | state);
		t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
		return ((t ^ t >>> 14) >>> 0) % n;
	};
}

const remarks = ["good", "better is Nf3", "White – who else? – wins", "[%clk 1:02:03] [%eval 0.35,18]", "[%csl Ga1,Rh8][%cal Ge2e4] see", "[%eval #-3] [%emt 0:00:07.5] time trouble",
	"  two   blanks and\na line ", "[%clk 01:59] short", "[%clk 90:00.1239] [%emt 7:60]", "[%clk 1:02:03:04]", "[%clk 000000000100:59:59.] [%emt 1048576]", "[%foo bar] [%eval x] [%clk 0:00:01] [%clk 0:00:02]", "Ünïcode ♞ “quotes” …", "a".repeat(90), "1. e4 e5 (not a move)", "100 % sure; really",
	"[%csl Gz9] [%cal Ra1a2,Ba1h8]", "lots of words that go on and on beyond the eighty columns of a line, so that it has to be broken somewhere"];
const values = ["A", 'Müller, \\"Hans\\"', "?", "2024.01.??", "x\\\\y", ""]; // of tags
const starts = [StartFEN, StartFEN, "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R b KQkq - 4 8", "4k3/P6p/8/8/8/8/p6P/4K3 w - - 0 40", "8/8/8/8/8/8/8/K1k5 b - - 3 99"];

/** What people write that no standard has, between two words of a game. */
const odd = ["-- Game 2 --", "---", "\n-----\n", "--", "pass", "+-", "±", "!!", "?", "=", "N", "D", "e4!e5", "Sf3", "Ke9", "e4e5", "g1f3", "g1-f3", "1-0", "0-1", "1/2", "½-½", "--", "Z0", "null", "<>", "[Event \"x\"]", "[oops]", "(", ")", "()", "{ open", "}", "; to the end", "\n% escaped\n",
	"$1", "$300", "$", "$99999", "0-0", "0-0-0", "O-O", "0-0 - 0", "O–O", "1.", "1", "12.", "1...", "...", "1)", "17:32", "+0.25/12", "ch", "mate", "e.p.", "resigns", "Resigns here", "&nbsp;", "<b>", "\u00a0", "\ufeff", "“", "\"text\"",
	"!?!", "□", "∞", "@@@@", "0000", "*", "\n\n1. e4", "e8=Q", "a1=Q+", "axb8(Q)", "exd6 e.p.", "Qxh8#", "x", "-", "*\n\n[White \"B\"]\n\n1. d4", "1:0", "{a {b} c}", "{}", "( {only} )", "(1. e4", "Nbd2", "Ngf3", "P-K4", "♘f3", "~", "|", "e4.", "e4,", "2 Nf3"];
const oddTags = ['[White "A \\"B\\" C\\\\"]', '[White "A "B" C"]', "[White Anna]", '[white "lower"]', '[Result "½-½"]', '[Result "1-0"]', '[Result "?"]', '[Variant "Chess960"]', '[Variant "Atomic"]', '[Variant "From Position"]', '[Variant "Rapid"]',
	'[FEN "?"]', '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]', '[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1"]', '[FEN "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1"]', '[FEN "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"]',
	'[FEN "r3k3/8/8/8/8/8/8/R3K2R w KQkq - 0 1"]', '[Event "x"] [Site "y"]', '[ Event  "x" ]', "[Event \"x\n\"]", '[Player Name "x"]', '["x"]', "[]", "{before the tags}", "; a line", "words first", '[Event "x"', '[Event "tab\there"]', '[Elo+ "1"]', '[Ünï "x"]'];

/** Writes random games: with tags, comments, signs and variations. */
class Author {
	constructor(seed) {
		this.below = random(seed);
	}

	one(list) {
		return list[this.below(list.length)];
	}

	game(strange) {
		const { below } = this;
		const start = below(8) === 0 ? fen(chess960(below(960))) : this.one(starts);
		const p = parseFEN(start);
		const result = this.one(["1-0", "0-1", "1/2-1/2", "*"]);
		const tags = ["Event", "Site", "Date", "White", "Black"].filter(() => below(3)).map((name) => `[${name} "${this.one(values)}"]`);
		tags.push(...(below(2) ? [`[Result "${result}"]`] : []), ...(start === StartFEN ? [] : [`[FEN "${start}"]`, '[SetUp "1"]']), ...(p.chess960 ? ['[Variant "Chess960"]'] : []));
		if (strange) {
			tags.splice(below(tags.length + 1), 0, ...(below(3) ? [] : [this.one(oddTags)]));
		}
		const words = this.line(p, 2 + below(30), 0);
		for (let n = strange ? below(3) : 0; n > 0; n--) {
			words.splice(below(words.length + 1), 0, this.one(odd));
		}
		const text = [...words, ...(below(8) ? [result] : []), ...(below(8) ? [] : [this.remark()])].join(this.one([" ", " ", "\n", "\r\n"]));
		return `${tags.join("\n")}${tags.length ? "\n\n" : ""}${text}\n`;
	}

	remark() {
		return this.below(6) ? `{${this.one(["", " "])}${this.one(remarks)}}` : `; ${this.one(remarks).replaceAll("\n", " ")}\n`;
	}

	/** Returns the words of a line of moves. */
	line(start, count, depth) {
		const { below } = this;
		const words = below(6) ? [] : [this.remark()];
		let told = false;
		for (let p = start, i = 0; i < count; i++) {
			const moves = legal(p);
			if (moves.length === 0) {
				break;
			}
			const m = this.one(moves);
			const number = p.side === 0 || !told ? `${p.fullmove}.${p.side ? ".." : ""}` : "";
			const text = below(12) ? san(p, m) : this.one([uci(p, m), san(p, m).replace(/[+#x=]/g, ""), san(p, m).replaceAll("O", "0")]);
			words.push(...(below(3) ? [number, text] : [number + text]).filter(Boolean));
			words[words.length - 1] += below(10) ? "" : this.one(["!", "?", "!!", "??", "!?", "?!"]);
			words.push(...Array.from({ length: Math.max(0, below(12) - 9) }, () => `$${below(140)}`), ...Array.from({ length: Math.max(0, below(9) - 6) }, () => this.remark()));
			for (let n = depth < 3 ? Math.max(0, below(14) - 11) : 0; n > 0; n--) {
				const [first, ...rest] = this.line(p, 1 + below(6), depth + 1);
				words.push(`(${first ?? ""}`, ...rest, ")");
			}
			told = p.side === 0 && !/[)}\n]$/.test(words.at(-1));
			p = p.make(m);
		}
		return words;
	}
}

const count = 1000;

test("clean games with variations and comments are read and written alike", async () => {
	const author = new Author(1);
	for (let n = 0; n < count; n++) {
		const text = author.game(false);
		const { result } = await ask("pgn", { text, count: 1 });
		assert.deepEqual({ errors: result.errors, warning: result.games[0]?.warning }, { errors: [], warning: undefined }, text);
		const game = readGame(text);
		assert.deepEqual(game, result.games[0], text);
		assert.equal(writeGames([game, game]), (await ask("write", { games: [game, game] })).result.text, text);
	}
});

test("a file's list names its games as they are read", async () => {
	const author = new Author(3);
	const tags = ['[White "Robert "Bobby" Fischer"]', '[White "Joe \\"Ace\\""]', '[White "C:\\"]', '[White "a\\\\b \\c"] [Black "B [x]"]', '[White "Joe]', '[White "Joe"', '[White ""]', "[White Joe Doe]", '[White"Joe"]', "[Event x]",
		'[White "Simul [board "1"] final"]', '[White "a "1"] and [board "2"] c" ] [Black "x "y"] z"]', '[White "w"] hello [Black "b"]', '[White "w"] [Black "b"]'];
	const texts = [...tags.map((tag) => `${tag}\n\n1. e4 *\n`), ...Array.from({ length: count / 4 }, () => author.game(false))];
	for (const text of texts) {
		const { result } = await ask("pgn", { text, count: 1 });
		const { parts } = await gamesOf(new Blob([text]), 2);
		assert.deepEqual(parts.map((part) => part.title), result.games.map((game) => gameTitle(game.tags, game.result)), text);
	}
});

test("a file's list parts games as they are read", async () => {
	const one = '[White "a"]\n\n1. e4 e5 1-0';
	const next = '\n\n[White "b"]\n\n1. d4 *\n';
	const between = ["", " Black resigns in view of Nf3 and mate", " in view of Qxf7 mate", "\n\n--- Game 2 ---", "\n-----", "\n\nd4 d5 *", "\n1. c4 *", "\nGame 2"];
	const texts = [...between.map((text) => one + text + next), `-- My games --\n\n${one}${next}`, `Dear all\n${one}${next}`,
		`[Event "e"]\n[White "a"]\n[Event "f"]\n${next}`, `[White "a"]\n\n[White "c"]\n${next}`, `[White "a"]\n[White "c"]\n${next}`, `[White "a"]\n\n[Black "c"]\n${next}`,
		...["3", "12.05.2024", "Round 3", "-----", "<br>", "Anna - Ben", "Nf3", "e4 e5 is what they played", "1-0", "d4 Round", "1. e4", "1. e4 e5", "e4 e5", "--"].flatMap((line) => [
			`[Event "e"]\n${line}\n${one}${next}`, `[Event "e"]\n\n${line}\n\n${one}${next}`, `${one}${next}\n[Event "e"]\n${line}\n[Event "f"]\n${line}\n${one}${next}`,
		])];
	for (const text of texts) {
		const { result } = await ask("pgn", { text, count: 9 });
		const { parts } = await gamesOf(new Blob([text]), 9);
		assert.deepEqual(parts.map((part) => part.title), result.games.map((game) => gameTitle(game.tags, game.result)), text);
	}
});

test("odd games are read alike or left to the engine's reader", async () => {
	const author = new Author(2);
	let own = 0;
	for (let n = 0; n < count; n++) {
		const text = author.game(true);
		const { result } = await ask("pgn", { text, count: 1 });
		try {
			const game = readGame(text);
			own++;
			assert.deepEqual({ errors: result.errors, game }, { errors: [], game: result.games[0] }, text);
		} catch (error) {
			assert.ok(error instanceof Unknown, `${error.stack}\n${text}`);
		}
	}
	assert.ok(own > count / 10 && own < count * 0.9, `${own} of ${count} are read by the page`);
});
