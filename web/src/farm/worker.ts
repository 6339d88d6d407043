// One worker: what it is and does.

import { h, type Child } from "../ui/dom";
import { fixed, time } from "./api";
import { facts } from "./parts";
import type { WorkerView } from "./zfarm";

/** Returns the view of a worker. */
export function workerView(w: WorkerView): Child[] {
	return [
		h("h2", {}, w.name ?? `${w.host} ${w.id.slice(0, 8)}`),
		w.ban && h("p", { class: "error" }, `banned: ${w.ban}`),
		w.failed && h("p", { class: "error" }, `last failure: ${w.failed}`),
		facts([
			["Host", w.host], ["Key", w.id], ["Cores", w.cores], ["Nodes a second of a core", fixed(w.nps, 0)], ["Kernels", w.path], ["Commit", w.commit],
			["Heard", `${time(w.silent)} ago`], ["Jobs done", w.done], ["Jobs under way", w.running], ["Waits because", w.note],
		]),
	];
}
