// All runs and workers.

import { h, type Child } from "../ui/dom";
import { fixed, time } from "./api";
import { bar, table } from "./parts";
import type { RunView, View } from "./zfarm";
import { count } from "../game/text";

/** Returns the tables of the queue. */
export function queueView(q: View): Child[] {
	const link = (run: string, name: string): Child => h("a", { href: `#run/${run}` }, name);
	return [
		q.full && h("p", { class: "error" }, q.full),
		table("Runs", ["Name", "Kind", "What", "Owner", "Priority", "Done", "Left", "Stand"], [
			...[...q.runs].sort((a, b) => Number(!!a.ended) - Number(!!b.ended)).map((r) => r.ended ? [
				link(r.run, r.name), r.kind, r.title, r.owner, "–", progress(r), "over",
				r.ended.failed ? h("span", { class: "error" }, r.ended.failed) : r.text,
			] : [
				link(r.run, r.name), r.kind, r.title, r.owner, `${r.priority} / ${r.share}`, r.jobs > 0 ? bar(r.folded, r.jobs) : progress(r), r.left > 0 ? time(r.left) : "–",
				h("span", {}, r.text, r.waits && h("span", { class: "error" }, ` ${r.waits}`)),
			]),
		]),
		table("Workers", ["Worker", "Cores", "Nodes a second", "Jobs", "Failures", "MB", "Doing"], q.workers.map((w) => [
			h("a", { href: `#worker/${w.id}` }, w.name ?? `${w.host} ${w.id.slice(0, 8)}`), String(w.cores), fixed(w.nps, 0), String(w.jobs), String(w.bad), fixed(w.bytes / 1e6),
			w.revoked ? h("span", { class: "error" }, "revoked") : w.away ? "away" : w.running > 0 ? count(w.running, "job") : (w.note ?? ""),
		])),
	];
}

/** Returns how far a run is. */
export function progress(r: RunView): string {
	return r.jobs > 0 ? `${Math.floor(100 * r.folded / r.jobs)} %` : count(r.folded, "job");
}
