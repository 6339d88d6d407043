// One worker: what it is and does.

import { h, type Child } from "../ui/dom";
import { fixed } from "./api";
import { facts } from "./parts";
import type { WorkerView } from "./zfarm";

/** Returns the view of a worker. */
export function workerView(w: WorkerView): Child[] {
	return [
		h("h2", {}, w.name ?? `${w.host} ${w.id.slice(0, 8)}`),
		w.revoked && h("p", { class: "error" }, "revoked"),
		w.failed && h("p", { class: "error" }, `last failure: ${w.failed}`),
		facts([
			["Host", w.host], ["Key", w.id], ["Cores", w.cores], ["Nodes a second of a core", fixed(w.nps, 0)], ["Kernels", w.path], ["Commit", w.commit],
			["State", w.away ? "away" : undefined], ["Jobs", w.jobs], ["Failures", w.bad], ["Jobs under way", w.running], ["Waits because", w.note],
		]),
	];
}
