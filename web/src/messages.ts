// The messages between page and engine: docs/web.md says what each means, and
// package board is where they are answered. A test compares the names here with
// those of its structures.

export type Side = "white" | "black";

export interface Place {
	fen?: string;
	chess960?: number;
	moves?: string[];
}

export interface Move {
	uci: string;
	san: string;
}

export interface Castling {
	king: string;
	rookFrom: string;
	rook: string;
}

export interface Legal extends Move {
	from: string;
	to: string;
	promotion?: string;
	capture?: string;
	castling?: Castling;
}

export interface Played extends Move {
	fen: string;
}

export interface Outcome {
	over: boolean;
	claimable: boolean;
	result: string;
	reason: string;
}

export interface Worth {
	square: string;
	piece: string;
	cp: number;
}

export interface Position {
	fen: string;
	start: string;
	chess960: boolean;
	turn: Side;
	check: boolean;
	checkers: string[];
	halfmove: number;
	fullmove: number;
	repetitions: number;
	legal: Legal[];
	played: Played[];
	outcome: Outcome;
	eval?: number;
	worth?: Worth[];
}

export interface Limits {
	depth?: number;
	nodes?: number;
	movetime?: number;
	infinite?: boolean;
}

export interface Clock {
	white: number;
	black: number;
	winc?: number;
	binc?: number;
	movestogo?: number;
}

export interface Score {
	cp?: number;
	mate?: number;
}

export type Wdl = [number, number, number];

export interface Line {
	rank: number;
	depth: number;
	score: Score;
	bound?: "lower" | "upper";
	wdl?: Wdl;
	uci: string[];
	san: string[];
}

export interface Info {
	depth: number;
	seldepth: number;
	nodes: number;
	nps: number;
	time: number;
	hashfull: number;
	tbhits: number;
	lines: Line[];
}

export interface Analysis {
	best: Move | null;
	ponder: Move | null;
	reason: "limit" | "stop" | "over";
	info: Info | null;
}

export interface Choice {
	move: Move;
	ponder: Move | null;
	time: number;
	info: Info | null;
	position: Position;
}

export interface TableMove extends Move {
	wdl: number;
	dtz?: number;
}

export interface Tablebase {
	known: boolean;
	wdl?: number;
	dtz?: number;
	moves?: TableMove[];
}

export interface Option {
	name: string;
	type: "check" | "spin" | "button";
	value: string;
	default: string;
	min: number;
	max: number;
	doc: string;
	fixed: boolean;
}

export interface Span {
	min: number;
	max: number;
}

export interface Bounds {
	message: number;
	moves: number;
	multipv: number;
	requests: number;
	search: number;
	games: number;
}

export interface Hello {
	name: string;
	version: string;
	protocol: number;
	transport: "server" | "worker" | "stream";
	requests: string[];
	threads: number;
	hash: number;
	network: string;
	tables: number;
	elo: Span;
	options: Option[];
	limits: Bounds;
}

export interface Optioned {
	options: Option[];
}

export interface Stopped {
	stopped: boolean;
}

export interface Written {
	text: string;
}

export interface Tag {
	name: string;
	value: string;
}

export interface Comment {
	text: string;
	eval?: Score;
	clock?: number;
	squares?: { square: string; color: string }[];
	arrows?: { from: string; to: string; color: string }[];
}

export interface Variation {
	comments?: Comment[];
	moves: GameMove[];
}

export interface GameMove extends Move {
	fen?: string;
	nags?: number[];
	comments?: Comment[];
	variations?: Variation[];
}

export interface Game {
	number?: number;
	tags: Tag[];
	result: string;
	start?: string;
	chess960?: boolean;
	comments?: Comment[];
	moves?: GameMove[];
}

export interface GameError {
	game: number;
	line: number;
	column: number;
	at: number;
	reason: string;
}

export interface Games {
	games: Game[];
	errors: GameError[];
	next: number;
}

export interface Failure {
	field: string;
	reason: string;
	at?: number;
	line?: number;
	column?: number;
}

export type Judgment = "inaccuracy" | "mistake" | "blunder";

export interface ReviewLine {
	score: Score;
	uci: string[];
	san: string[];
	text: string;
}

export interface ReviewMove extends Move {
	ply: number;
	number: number;
	side: Side;
	fen: string;
	before: Score;
	after: Score;
	chance: number;
	loss: number;
	accuracy: number;
	judgment?: Judgment;
	forced?: boolean;
	null?: boolean;
	missedMate?: number;
	allowsMate?: number;
	best?: ReviewLine;
	refutation?: ReviewLine;
}

export interface ReviewSide {
	accuracy: number | null;
	moves: number;
	inaccuracies: number;
	mistakes: number;
	blunders: number;
	meanLoss: number;
}

export interface Puzzle {
	ply: number;
	side: Side;
	fen: string;
	found: boolean;
	line: ReviewLine;
	second: Score;
}

export interface Report {
	start: string;
	chess960: boolean;
	result: string;
	limits: { nodes: number };
	white: ReviewSide;
	black: ReviewSide;
	moves: ReviewMove[];
	puzzles: Puzzle[];
}

export interface Reviewed extends Report {
	pgn: string;
}

export interface Progress {
	done: number;
	total: number;
	left: number;
	move?: ReviewMove;
}

/** What each word of `do` takes, and what its result is. */
export interface Requests {
	hello: [object, Hello];
	position: [{ position: Place; worth?: boolean }, Position];
	make: [{ position: Place; move: string }, Position];
	analyse: [{ position: Place; limits?: Limits; multipv?: number; moves?: string[] }, Analysis];
	play: [{ position: Place; elo?: number; clock?: Clock; limits?: Limits }, Choice];
	hint: [{ position: Place; limits?: Limits }, Choice];
	review: [{ pgn: string; game?: number; limits?: { nodes: number } }, Reviewed];
	pgn: [{ text: string; first?: number; count?: number; tags?: boolean }, Games];
	write: [{ games: Game[] }, Written];
	tablebase: [{ position: Place }, Tablebase];
	option: [{ name: string; value: string }, Optioned];
	stop: [{ target: number }, Stopped];
}

export type Word = keyof Requests;

export interface Reply {
	id: number | string | null;
	info?: Info;
	progress?: Progress;
	result?: unknown;
	error?: Failure;
}
