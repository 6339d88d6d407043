// Comments of a PGN: the commands in brackets that programs write, as values, and the text around them. The twin of
// pgn/comment.go.

import type { Comment, Eval, Shape } from "../zmessages.ts";

/** A command: its name, and its value behind a space. */
const command = /\[%([^\] ]*)\s*([^\]]*?)\s*\]/;
const circle = /^([A-Z])([a-h][1-8])$/;
const arrow = /^([A-Z])([a-h][1-8])([a-h][1-8])$/;

/** Returns a comment as values. A command that is wrong, or comes a second time, stays in the text. */
export function parseComment(text: string): Comment {
	const values: Partial<Comment> = {};
	const squares: Shape[] = [];
	const arrows: Shape[] = [];
	const kept: string[] = [];
	let words = "";
	let rest = text;
	for (let found = command.exec(rest); found; found = command.exec(rest)) {
		const [whole, name = "", value = ""] = found;
		words += `${rest.slice(0, found.index)} `;
		rest = rest.slice(found.index + whole.length);
		const shapes = name === "csl" ? shapesOf(value, circle) : name === "cal" ? shapesOf(value, arrow) : null;
		const one = valueOf(name, value);
		if (shapes) {
			(name === "csl" ? squares : arrows).push(...shapes);
		} else if (one && !Object.keys(one).some((key) => key in values)) {
			Object.assign(values, one);
		} else {
			kept.push(`${`[%${name} ${value}`.trim()}]`);
		}
	}
	const shapes = [...squares, ...arrows];
	const said = [...kept, ...(words + rest).split(/\s+/)].filter(Boolean).join(" ");
	return { text: said, ...values, ...(shapes.length ? { shapes } : {}) };
}

/** Returns the value of a command, null where it is none. */
function valueOf(name: string, value: string): Partial<Comment> | null {
	if (name === "eval") {
		const score = parseEval(value);
		return score && { eval: score };
	}
	const clock = name === "emt" || name === "clk" && value.includes(":") ? parseClock(value) : null;
	return clock === null ? null : name === "emt" ? { elapsed: clock } : { clock };
}

/** Reads a list of squares or arrows with commas; null where one of them is none. */
function shapesOf(value: string, shape: RegExp): Shape[] | null {
	const found = value.split(",").map((text) => shape.exec(text.trim()));
	return found.some((m) => m === null) ? null
		: found.map((m) => ({ from: m?.[2] ?? "", to: m?.[3] ?? m?.[2] ?? "", color: m?.[1] ?? "" }));
}

/** Reads h:mm:ss, m:ss or seconds as ms; null for what is none. */
function parseClock(text: string): number | null {
	const [, whole = "", fraction = ""] = /^((?:\d+:){0,2}\d+)(?:\.(\d*))?$/.exec(text) ?? [];
	const parts = whole.split(":").map(Number);
	if (whole === "" || parts.some((n, i) => n >= (i > 0 ? 60 : 2 ** 20))) {
		return null;
	}
	return parts.reduce((all, n) => all * 60 + n, 0) * 1000 + Number(`${fraction}000`.slice(0, 3));
}

/** Reads pawns (0.17, -1.5) or moves to mate (#3, #-2), and the depth behind a comma; null for what is none. */
function parseEval(text: string): Eval | null {
	const found = /^(?:#([+-]?\d+)|([+-]?(?:\d+\.?\d*|\.\d+)))(?:,\s*\+?(\d+))?$/.exec(text);
	const [mate, pawns, depth] = (found?.slice(1) ?? []).map((part) => Number(part ?? 0));
	const cp = (pawns ?? 0) * 100;
	if (!found || found[1] !== undefined && !mate || Math.abs(cp) > 1e8) {
		return null;
	}
	return { cp: Math.trunc(cp + (cp < 0 ? -0.5 : 0.5)), ...(mate ? { mate } : {}), ...(depth ? { depth } : {}) };
}

/** Returns a comment as text, commands first, as lichess writes them. */
export function commentText({ text, eval: value, clock, elapsed, shapes = [] }: Comment): string {
	const list = (circles: boolean): string => shapes.filter((s) => (s.from === s.to) === circles)
		.map((s) => s.color + s.from + (circles ? "" : s.to)).join(",");
	const times = { clk: clockText(clock), emt: clockText(elapsed) };
	const all = { eval: value && evalText(value), ...times, csl: list(true), cal: list(false) };
	const commands = Object.entries(all).filter(([, said]) => said).map(([name, said]) => `[%${name} ${said}]`);
	return [...commands, ...(text ? [text] : [])].join(" ");
}

function evalText({ cp, mate, depth }: Eval): string {
	return (mate ? `#${mate}` : (cp / 100).toFixed(2)) + (depth ? `,${depth}` : "");
}

/** Returns a time as h:mm:ss, with milliseconds where it has any. */
function clockText(ms: number | undefined): string {
	const two = (seconds: number): string => String(Math.floor(seconds) % 60).padStart(2, "0");
	const [seconds, rest] = [(ms ?? 0) / 1000, (ms ?? 0) % 1000];
	const fraction = rest ? `.${String(rest).padStart(3, "0").replace(/0+$/, "")}` : "";
	return ms === undefined ? "" : `${Math.floor(seconds / 3600)}:${two(seconds / 60)}:${two(seconds)}${fraction}`;
}
