// One run: where it stands, over time, and by worker.

import { h, type Child } from "../ui/dom";
import { fixed, time } from "./api";
import { graph } from "./graph";
import { bar, facts, table } from "./parts";
import type { Run } from "./zfarm";
import { progress } from "./queue";

/** Returns the view of a run. */
export function runView(r: Run): Child[] {
	const numbers = Object.fromEntries(r.numbers?.map((n) => [n.name, n.value]) ?? []);
	const first = Date.parse(r.history[0]?.at ?? "");
	const seconds = r.history.map((p) => (Date.parse(p.at) - first) / 1000);
	const series = (name: string): number[] => r.history.map((p) => p.numbers?.find((n) => n.name === name)?.value ?? NaN);
	const speed = r.history.map((p, i) => (p.units - (r.history[i - 1]?.units ?? p.units)) / ((seconds[i] ?? 0) - (seconds[i - 1] ?? 0) || 1));
	const [elo, margin] = [series("elo"), series("elo_margin")];
	return [
		h("h2", {}, r.name),
		h("p", { class: "hint" }, `${r.kind}: ${r.title}`),
		h("p", {}, r.ended?.failed ? h("span", { class: "error" }, r.ended.failed) : r.text),
		r.waits && h("p", { class: "error" }, r.waits),
		r.jobs > 0 && bar(r.folded, r.jobs),
		facts([
			["Owner", r.owner], ["Done", progress(r)], ["Left", r.left > 0 ? time(r.left) : undefined],
			["Priority and share", r.ended ? undefined : `${r.priority} / ${r.share}`],
		]),
		r.kind === "match" && match(numbers),
		h("div", { class: "graphs" },
			"elo" in numbers && graph("Elo of A, with the bounds of its error", seconds, [elo, elo.map((e, i) => e - (margin[i] ?? 0)), elo.map((e, i) => e + (margin[i] ?? 0))]),
			"llr" in numbers && graph("Log-likelihood ratio, with its bounds", seconds, [series("llr"), series("llr_lower"), series("llr_upper")]),
			seconds.length > 1 && graph(`${r.kind === "match" ? "Games" : "Units"} a second`, seconds, [speed])),
		r.workers && table("Workers", ["Worker", "Jobs", "Failures", "Units a second of a core"], Object.entries(r.workers).map(([id, d]) => [
			h("a", { href: `#worker/${id}` }, `${d.host} ${id.slice(0, 8)}`), String(d.jobs), String(d.failed), fixed(d.units / Math.max(d.took, 0.001), 2),
		])),
	];
}

/** Returns what is known of a match beside its score. */
function match(n: Record<string, number>): HTMLElement {
	const pairs = [0, 1, 2, 3, 4].map((points) => n[`pairs_${points}`] ?? 0);
	return facts([
		["Elo of A", n["elo"] === undefined ? "–" : `${fixed(n["elo"])} ± ${fixed(n["elo_margin"])}`],
		["LLR", n["llr"] === undefined ? undefined : `${fixed(n["llr"], 2)} (${fixed(n["llr_lower"], 2)}, ${fixed(n["llr_upper"], 2)})`],
		["Pentanomial", pairs.join(", ")], ["Games", n["games"]], ["Lost on time", n["late"]], ["Crashes and illegal moves", n["faults"]],
	]);
}
