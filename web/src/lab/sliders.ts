// What the panels of look-ups and magic numbers compute: the attacks of a slider by five methods, one step at a time, and
// the search for magics, which is that of gen/magic with its seeds. Sets of squares are texts of 16 hexadecimal digits.

import { squareNames } from "../board/squares.ts";
import { NoSquare, fileOf, makeSquare, parseSquare, rankOf, squareName, step } from "../rules/square.ts";
import { magics, type Magic } from "./zmagics.ts";

/** The attacks of a slider, found by several methods. */
export interface Lookup {
	attacks: string;
	methods: Method[];
}

/** One way to find the attacks. */
export interface Method {
	name: string;
	/** The file that implements it. */
	source: string;
	/** What is counted of this look-up, and the bytes of the tables that it reads. */
	work: string;
	bytes: number;
	/** Cells in a row of the board on which the piece walks; 0 where it does not walk. */
	width: number;
	parts: Part[];
	attacks: string;
}

/** A direction of a method, or one of the two sliders that a queen is. */
export interface Part {
	title: string;
	steps?: Step[];
	cells?: Cell[];
	/** The generated file that holds the last step's word, and the line. */
	file?: string;
	line?: number;
}

/** A word of 64 bits, or of fewer where it is an index. */
export interface Step {
	text: string;
	word: string;
	length: number;
	/** How many of the highest bits become the index. */
	top?: number;
	/** The squares of the bits of an index, the lowest first. */
	squares?: string[];
	/** Each bit is a square. */
	set: boolean;
	note?: string;
}

/** A cell of a padded board that a walk visits: its number, the test for the edge, and its square, "" off the board. */
export interface Cell {
	cell: string;
	test: string;
	square: string;
}

/** The result of an index for all occupancies of a square. */
export interface Trial {
	mask: string;
	/** The squares where a piece makes a difference. */
	relevant: string;
	/** "" for PEXT. */
	factor: string;
	/** Factors drawn until this one; 0 for one that was given. */
	tries: number;
	bits: number;
	/** Occupancies of the squares in either set, entries used, and occupancies that meet another set of attacks there. */
	sets: number;
	used: number;
	collisions: number;
	first?: { index: number; a: Occupancy; b: Occupancy };
}

interface Occupancy {
	blockers: string;
	attacks: string;
}

/** The search for all magics: factors drawn for each square, from a1, and the time so far. */
export interface Magics {
	bishop: number[];
	rook: number[];
	micros: number;
}

/** A wrong field of a panel. */
export class Wrong extends Error {}

const entries = 107_648; // of a table of all attack sets
const compass: [name: string, way: [number, number]][] = [["north", [0, 1]], ["north-east", [1, 1]], ["east", [1, 0]], ["south-east", [1, -1]],
	["south", [0, -1]], ["south-west", [-1, -1]], ["west", [-1, 0]], ["north-west", [-1, 1]]];

const bit = (s: number): bigint => 1n << BigInt(s);
const word = (set: bigint): string => set.toString(16).padStart(16, "0");
const has = (set: bigint, s: number): boolean => (set & bit(s)) !== 0n;
const squaresIn = (set: bigint): number[] => squareNames.flatMap((_, s) => (has(set, s) ? [s] : []));
const cut = (n: bigint): bigint => BigInt.asUintN(64, n);

/** Returns the squares from s in a direction up to the first that is occupied, or to the edge. */
function walk(s: number, dir: number, occupied: bigint): bigint {
	let set = 0n;
	for (let at = step(s, compass[dir]![1]); at !== NoSquare; at = has(occupied, at) ? NoSquare : step(at, compass[dir]![1])) {
		set |= bit(at);
	}
	return set;
}

/** Returns the directions of a slider. */
const ways = (piece: string): number[] => [0, 1, 2, 3, 4, 5, 6, 7].filter((dir) => piece === "queen" || (dir % 2 === 1) === (piece === "bishop"));

/** Returns the attacks of a slider. */
function slider(piece: string, s: number, occupied: bigint): bigint {
	return ways(piece).reduce((set, dir) => set | walk(s, dir, occupied), 0n);
}

/** Returns all subsets of a mask, the empty one first. Source: the Carry-Rippler, CPW "Traversing Subsets of a Set". */
function* subsets(mask: bigint): Generator<bigint> {
	let set = 0n;
	do {
		yield set;
		set = cut(set - mask) & mask;
	} while (set !== 0n);
}

/** Gathers the bits of x on the squares of a mask, as the instruction PEXT does. */
function extract(x: bigint, mask: number[]): number {
	return mask.reduce((sum, s, i) => sum + (has(x, s) ? 2 ** i : 0), 0);
}

/** Returns the magic of a square, and its number among all, bishops first. */
function magicOf(piece: string, s: number): { m: Magic; number: number } {
	return { m: magics[piece === "bishop" ? "bishop" : "rook"][s]!, number: (piece === "bishop" ? 0 : 64) + s };
}

const sets = (text: string, set: bigint): Step => ({ text, word: word(set), length: 64, set: true });

/** Looks up the attacks of a slider on a board with blockers. */
export function look(piece: string, square: string, set: string): Lookup {
	const s = parseSquare(square);
	const occupied = BigInt(`0x${set}`) & ~bit(s);
	const sliders = piece === "queen" ? ["bishop", "rook"] : [piece];
	const table = (part: typeof byMagic): Part[] => sliders.map((one) => part(one, s, occupied));
	const attacks = word(slider(piece, s, occupied));
	const method = (name: string, source: string, work: string, bytes: number, width: number, parts: Part[]): Method =>
		({ name, source, work, bytes, width, parts, attacks });
	const wide = walked(piece, s, occupied, 16);
	const bordered = walked(piece, s, occupied, 10);
	const rays = ways(piece).map((dir) => byRay(s, dir, occupied));
	const cells = (parts: Part[]): number => parts.reduce((n, p) => n + (p.cells?.length ?? 0), 0);
	return { attacks, methods: [
		method("Rays", "examples/course/rays/rays.go", `bit scans: ${rays.filter((r) => r.scanned).length}`, 8 * 64 * 8, 0, rays.map((r) => r.part)),
		method("Magic", "tables/sliders.go", `multiplications: ${sliders.length}`, 8 * entries, 0, table(byMagic)),
		method("PEXT", "gen/kernel/moves.go", `extractions: ${sliders.length}`, 8 * entries, 0, table(byPext)),
		method("0x88", "examples/course/x88/x88.go", `tests of cells: ${cells(wide)}`, 0, 16, wide),
		method("10×12", "examples/course/mailbox/mailbox.go", `tests of cells: ${cells(bordered)}`, 0, 10, bordered),
	] };
}

/** Cuts a ray behind its nearest blocker. */
function byRay(s: number, dir: number, occupied: bigint): { part: Part; scanned: boolean } {
	const [name] = compass[dir]!;
	const ray = walk(s, dir, 0n);
	const met = squaresIn(ray & occupied);
	const down = dir > 2 && dir < 7; // to lower bits
	const nearest = squareName((down ? met.at(-1) : met[0]) ?? NoSquare);
	const scan = met.length === 0 ? "" : `, ${down ? "last" : "first"} set bit: ${nearest}`;
	const last = met.length === 0 ? "no blocker: the ray" : `ray ^ ray(${name}, ${nearest})`;
	const steps = [sets(`ray(${name}, ${squareName(s)})`, ray), sets(`ray & occupied${scan}`, ray & occupied), sets(last, walk(s, dir, occupied))];
	return { part: { title: name, steps }, scanned: met.length > 0 };
}

// Where the tables of all attack sets begin in their files. Of each square they have a line with its name, and lines of
// four entries.
const slidersLine = 8; // of tables/zsliders.go
const pextLine = 76; // of tables/zpext.go

/** Looks a slider up as tables.BishopAttacks and RookAttacks do. */
function byMagic(piece: string, s: number, occupied: bigint): Part {
	const { m, number } = magicOf(piece, s);
	const product = cut((occupied & m.mask) * m.factor);
	const [at, n] = [Number(product >> BigInt(m.shift)), 64 - m.shift];
	const steps: Step[] = [
		sets(`mask(${squareName(s)})`, m.mask), sets("occupied & mask", occupied & m.mask),
		{ text: `× 0x${word(m.factor)}`, word: word(product), length: 64, top: n, set: false },
		{ text: `>> ${m.shift} = ${at}`, word: word(BigInt(at)), length: n, set: false,
			note: `The mask has ${n} squares, so ${n} bits number all its subsets: the shift by 64 − ${n} = ${m.shift} leaves the top ${n}.` },
		sets(`sliders[${m.offset} + ${at}]`, slider(piece, s, occupied)),
	];
	return { title: `as a ${piece}`, steps, file: "tables/zsliders.go", line: slidersLine + 2 + number + Math.floor((m.offset + at) / 4) };
}

/** Looks a slider up as the kernels do. */
function byPext(piece: string, s: number, occupied: bigint): Part {
	const { m, number } = magicOf(piece, s);
	const at = extract(occupied, squaresIn(m.mask)); // both tables have the same layout
	const squares = squaresIn(m.mask).map(squareName);
	const steps: Step[] = [
		sets(`mask(${squareName(s)})`, m.mask), sets("occupied & mask", occupied & m.mask),
		{ text: `pext(occupied, mask) = ${at}`, word: word(BigInt(at)), length: squares.length, squares, set: false },
		sets(`pextSets[${m.offset} + ${at}]`, slider(piece, s, occupied)),
	];
	return { title: `as a ${piece}`, steps, file: "tables/zpext.go", line: pextLine + 2 + number + Math.floor((m.offset + at) / 4) };
}

/** Visits the cells that a slider looks at on a board with rows of a width: up to the first piece, or the first cell outside. */
function walked(piece: string, from: number, occupied: bigint, width: number): Part[] {
	const parts: Part[] = [];
	for (const [ranks, files] of [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]] as const) {
		const cells: Cell[] = [];
		for (let at = from; at !== NoSquare && (files !== 0 && ranks !== 0 ? piece !== "rook" : piece !== "bishop");) {
			const [file, rank] = [fileOf(at) + files, rankOf(at) + ranks];
			at = step(at, [files, ranks]);
			const number = width === 16 ? 16 * rank + file : 21 + file + 10 * rank;
			const hex = (n: number): string => n.toString(16).padStart(2, "0");
			const test = width === 16 ? `${hex(number & 0xff)} & 88 = ${hex(number & 0x88)}` : at === NoSquare ? "border" : "on the board";
			cells.push({ cell: width === 16 ? hex(number & 0xff) : String(number), test, square: at === NoSquare ? "" : squareName(at) });
			at = at !== NoSquare && has(occupied, at) ? NoSquare : at;
		}
		if (cells.length > 0) {
			const by = width * ranks + files;
			parts.push({ title: `step ${by > 0 ? "+" : ""}${by}`, cells });
		}
	}
	return parts;
}

const maxTried = 16; // squares whose occupancies are tried: four more than a rook's mask may have

/**
 * Tries an index of a bishop or a rook: by a factor, by one that it searches for where that is "", or by PEXT. The mask of
 * the tables stands in for "". Throws Wrong.
 */
export function tryMagic(piece: string, square: string, factor: string, mask: string, pext: boolean): Trial {
	const s = parseSquare(square);
	const relevant = magicOf(piece, s).m.mask;
	const tried = mask === "" ? relevant : BigInt(`0x${mask}`);
	const all = tried | relevant;
	const squares = squaresIn(all).length;
	if (squares > maxTried) {
		throw new Wrong(`${squares} squares with those of the right mask: want at most ${maxTried}`);
	}
	const found = !pext && factor === "" ? search(piece, s, new Candidates(BigInt(Math.floor(Math.random() * 2 ** 52)))) : null;
	const m = found?.factor ?? BigInt(`0x${factor || "0"}`);
	const gathered = squaresIn(tried);
	const bits = gathered.length;
	const out: Trial = { mask: word(tried), relevant: word(relevant), factor: pext ? "" : word(m), tries: found?.tries ?? 0, bits, sets: 0, used: 0, collisions: 0 };
	const first = new Map<number, { occ: bigint; attacks: bigint }>(); // by entry
	for (const occ of subsets(all)) {
		out.sets++;
		const index = pext ? extract(occ, gathered) : bits === 0 ? 0 : Number(cut((occ & tried) * m) >> BigInt(64 - bits));
		const [before, attacks] = [first.get(index), slider(piece, s, occ)];
		if (!before) {
			first.set(index, { occ, attacks });
			out.used++;
		} else if (before.attacks !== attacks) {
			out.collisions++;
			const of = (o: bigint, a: bigint): Occupancy => ({ blockers: word(o), attacks: word(a) });
			out.first ??= { index, a: of(before.occ, before.attacks), b: of(occ, attacks) };
		}
	}
	return out;
}

// The seed of the random numbers for each rank, bishops first, as in gen/magic.
const seeds = { bishop: [297, 932, 751, 227, 422, 314, 285, 695], rook: [544, 456, 25, 47, 972, 446, 294, 803] };
const minTopBits = 6; // that the product of a candidate and the mask must have in its top byte

/** Sparse random numbers: three draws of SplitMix64 and-ed, of which neighbours share two. */
class Candidates {
	private state: bigint;
	private a: bigint;
	private b: bigint;
	count = 0;

	constructor(seed: bigint) {
		this.state = seed;
		this.a = this.draw();
		this.b = this.draw();
	}

	private draw(): bigint {
		this.state = cut(this.state + 0x9e3779b97f4a7c15n);
		let z = this.state;
		z = cut((z ^ z >> 30n) * 0xbf58476d1ce4e5b9n);
		z = cut((z ^ z >> 27n) * 0x94d049bb133111ebn);
		return z ^ z >> 31n;
	}

	next(): bigint {
		const x = this.draw();
		const factor = x & this.a & this.b;
		[this.a, this.b] = [x, this.a];
		this.count++;
		return factor;
	}
}

/** Tries candidates until one is a magic of a square. Occupancies of few squares come first: they collide soonest. */
function search(piece: string, s: number, from: Candidates): { factor: bigint; tries: number } {
	const { mask } = magicOf(piece, s).m;
	const shift = BigInt(64 - squaresIn(mask).length);
	const before = from.count;
	const all = [...subsets(mask)].map((occ) => ({ occ, size: squaresIn(occ).length, attacks: slider(piece, s, occ) })).sort((a, b) => a.size - b.size);
	for (;;) {
		const factor = from.next();
		if ((cut(mask * factor) >> 56n).toString(2).replaceAll("0", "").length < minTopBits) {
			continue;
		}
		const entry = new Map<bigint, bigint>();
		const fits = all.every(({ occ, attacks }) => {
			const index = cut(occ * factor) >> shift;
			const there = entry.get(index) ?? attacks;
			entry.set(index, there);
			return there === attacks;
		});
		if (fits) {
			return { factor, tries: from.count - before };
		}
	}
}

/** Finds the magics of all squares, as the generator of the tables does; each square is a step. */
export function* searchAll(): Generator<Magics> {
	const out: Magics = { bishop: [], rook: [], micros: 0 };
	for (const piece of ["bishop", "rook"] as const) {
		for (const [rank, seed] of seeds[piece].entries()) {
			const candidates = new Candidates(BigInt(seed));
			for (let file = 0; file < 8; file++) {
				const begun = performance.now();
				out[piece].push(search(piece, makeSquare(file, rank), candidates).tries);
				out.micros += (performance.now() - begun) * 1000;
				yield out;
			}
		}
	}
}
