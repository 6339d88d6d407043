// One worker: what it is, does, and has done of each run.

import { h, type Child } from "../ui/dom";
import { fixed, time } from "./api";
import { facts, table } from "./parts";
import { residual } from "./run";
import type { Worker } from "./zfarm";

/** Returns the view of a worker. */
export function workerView(w: Worker): Child[] {
	return [
		h("h2", {}, `${w.host} ${w.id.split(".")[1] ?? ""}`),
		w.ban && h("p", { class: "error" }, `banned: ${w.ban}`),
		w.failed && h("p", { class: "error" }, `last failure: ${w.failed}`),
		facts([
			["Name", w.name], ["Id", w.id], ["Cores", w.cores], ["Nodes a second of a core", fixed(w.nps, 0)], ["Kernels", w.path], ["Commit", w.commit],
			["Heard", `${time(w.silent)} ago`], ["Jobs done", w.done], ["Under way", w.running?.length ?? 0], ["Waits because", w.note],
		]),
		table("Runs", ["Run", "Kind", "Jobs", "Units a second of a core", "Lost on time", "Crashes", "Residual"], w.runs.map((r) => [
			h("a", { href: `#run/${r.run}` }, r.name), r.kind, String(r.jobs), fixed(r.units / Math.max(r.took, 0.001), 2),
			String(r.scores?.["late"] ?? 0), String(r.scores?.["faults"] ?? 0), residual(r.residual),
		])),
	];
}
