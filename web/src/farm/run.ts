// One run: where it stands, over time, and by worker.

import { h, type Child } from "../ui/dom";
import { fixed, time } from "./api";
import { graph } from "./graph";
import { bar, facts, table } from "./parts";
import type { Run } from "./zfarm";

/** Returns the view of a run. */
export function runView(r: Run): Child[] {
	const numbers = Object.fromEntries(r.numbers?.map((n) => [n.name, n.value]) ?? []);
	const { seconds, speed, numbers: series } = r.series;
	return [
		h("h2", {}, r.name),
		h("p", { class: "hint" }, `${r.kind}: ${r.title}`),
		h("p", {}, r.ended?.failed ? h("span", { class: "error" }, r.ended.failed) : r.text),
		r.waits && h("p", { class: "error" }, r.waits),
		bar(r.folded, r.jobs),
		facts([
			["Owner", r.owner], ["Jobs", `${r.folded} of ${r.jobs}, ${r.results} results`], ["Left", r.left > 0 ? time(r.left) : undefined],
			["Priority and share", r.ended ? undefined : `${r.priority} / ${r.share}`],
		]),
		r.kind === "match" && match(numbers),
		h("div", { class: "graphs" },
			series["elo"] && graph("Elo of A", seconds, [series["elo"], ...margins(series)]),
			series["llr"] && graph("Log-likelihood ratio, with its bounds", seconds, [series["llr"], series["llr_lower"] ?? [], series["llr_upper"] ?? []]),
			seconds?.length > 1 && graph(`${r.kind === "match" ? "Games" : "Units"} a second`, seconds, [speed])),
		r.workers && table("Workers", ["Worker", "Jobs", "Units a second of a core", "Lost on time", "Crashes", "Residual"], Object.entries(r.workers).map(([id, d]) => [
			h("a", { href: `#worker/${id}` }, `${d.host} ${id.split(".")[1] ?? ""}`), String(d.jobs), fixed(d.units / Math.max(d.took, 0.001), 2),
			String(d.scores?.["late"] ?? 0), String(d.scores?.["faults"] ?? 0), residual(r.residuals?.[id]),
		])),
	];
}

/** Returns the lines by which Elo may be off. */
function margins(series: Record<string, number[]>): number[][] {
	const elo = series["elo"] ?? [];
	const margin = series["elo_margin"] ?? [];
	return [elo.map((e, i) => e - (margin[i] ?? 0)), elo.map((e, i) => e + (margin[i] ?? 0))];
}

/** Returns what is known of a match beside its score. */
function match(n: Record<string, number>): HTMLElement {
	const pairs = [0, 1, 2, 3, 4].map((points) => n[`pairs_${points}`] ?? 0);
	return facts([
		["Elo of A", n["elo"] === undefined ? "–" : `${fixed(n["elo"])} ± ${fixed(n["elo_margin"])}`],
		["LLR", n["llr"] === undefined ? undefined : `${fixed(n["llr"], 2)} (${fixed(n["llr_lower"], 2)}, ${fixed(n["llr_upper"], 2)})`],
		["Pentanomial", pairs.join(", ")], ["Games", n["games"]], ["Lost on time", n["late"]], ["Broken off", n["faults"]],
	]);
}

/** Returns by how many standard errors a worker's score differs from the others'. */
export function residual(z: number | undefined): Child {
	return z === undefined ? "–" : h("span", { class: Math.abs(z) > 3 ? "error" : "" }, fixed(z, 1));
}
