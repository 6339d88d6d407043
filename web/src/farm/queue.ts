// All runs and workers, and the form for new ones.

import { fill, h, labelled, select, type Child } from "../ui/dom";
import { fixed, send, time } from "./api";
import { bar, table } from "./parts";
import type { Queue } from "./zfarm";
import { count } from "../game/text";

/** Returns the tables of the queue. */
export function queueView(q: Queue): Child[] {
	const files = (name: string): Child => {
		const found = q.files.filter((file) => file === `${name}.pgn` || file === `${name}.tbg`);
		return h("span", {}, ...found.map((file) => h("a", { href: `./api/file/${encodeURIComponent(file)}`, download: file }, file)));
	};
	const link = (run: string, name: string): Child => h("a", { href: `#run/${run}` }, name);
	return [
		q.full && h("p", { class: "error" }, q.full),
		table("Runs", ["Name", "Kind", "What", "Owner", "Priority", "Jobs", "Left", "Stand", "Games"], [
			...[...q.runs].sort((a, b) => Number(!!a.ended) - Number(!!b.ended)).map((r) => r.ended ? [
				link(r.run, r.name), r.kind, r.title, r.owner, "–", `${r.folded} of ${r.jobs}`, "over",
				r.ended.failed ? h("span", { class: "error" }, r.ended.failed) : r.text, files(r.name),
			] : [
				link(r.run, r.name), r.kind, r.title, r.owner, `${r.priority} / ${r.share}`, bar(r.folded, r.jobs), r.left > 0 ? time(r.left) : "–",
				h("span", {}, r.text, r.waits && h("span", { class: "error" }, ` ${r.waits}`)), files(r.name),
			]),
		]),
		table("Workers", ["Worker", "Cores", "Nodes a second", "Jobs done", "Doing"], q.workers.map((w) => [
			h("a", { href: `#worker/${w.id}` }, w.name ?? `${w.host} ${w.id.slice(0, 8)}`), String(w.cores), fixed(w.nps, 0), String(w.done),
			w.ban ? h("span", { class: "error" }, `banned: ${w.ban}`) : w.silent > 30 ? h("span", { class: "error" }, `silent for ${time(w.silent)}`) : w.running > 0 ? count(w.running, "job") : (w.note ?? ""),
		])),
	];
}

/** A run that is to be started, as farm/tabula-farm/kinds.go reads it. */
interface Order { kind: string; name: string; a: string; b: string; pairs: number; tc: string; sprt: string; nodes: number; games: number }

const defaults: Order = { kind: "match", name: "", a: "HEAD~1", b: "HEAD", pairs: 200, tc: "", sprt: "", nodes: 20000, games: 10000 };

/** Returns the form by which an operator starts a run; done is told its name. */
export function submitForm(done: (name: string) => void): HTMLElement {
	const s = { ...defaults };
	const problem = h("p", { class: "error", role: "alert" });
	const rest = h("div", { class: "fields" });
	const text = (label: string, key: "name" | "a" | "b" | "tc" | "sprt", hint = ""): HTMLElement => {
		const field = h("input", { type: "text", value: s[key], autocomplete: "off", oninput: () => { s[key] = field.value.trim(); } });
		return labelled(label, field, hint);
	};
	const number = (label: string, key: "pairs" | "nodes" | "games"): HTMLElement => {
		const field = h("input", { type: "number", min: 1, value: s[key], oninput: () => { s[key] = field.valueAsNumber || 0; } });
		return labelled(label, field);
	};
	const show = (kind: string): void => {
		s.kind = kind;
		if (kind === "match") {
			fill(rest, text("Engine A", "a", "a commit, or exec:PROGRAM"), text("Engine B", "b"), number("Pairs at most", "pairs"), number("Nodes a move", "nodes"),
				text("Or by the clock", "tc", "seconds+increment, as in 3+0.03"), text("SPRT", "sprt", "bounds of Elo, as in 0,5"));
		} else {
			fill(rest, number("Games", "games"), number("Nodes a move", "nodes"));
		}
	};
	show(s.kind);
	const submit = async (): Promise<void> => {
		start.disabled = true; // engines may have to be built
		problem.textContent = "";
		status.textContent = "The run is prepared …";
		try {
			await send("submit", s);
			done(s.name);
		} catch (error) {
			problem.textContent = (error as Error).message;
		}
		status.textContent = "";
		start.disabled = false;
	};
	const start = h("button", { type: "submit", class: "primary" }, "Start");
	const status = h("p", { role: "status" });
	return h("details", { class: "panel" }, h("summary", {}, "New run"),
		h("form", { onsubmit: (event: Event) => { event.preventDefault(); void submit(); } },
			h("div", { class: "fields" }, labelled("Kind", select([["match", "Match"], ["datagen", "Training games"]], s.kind, show)), text("Name", "name")),
			rest, problem, status, start));
}
