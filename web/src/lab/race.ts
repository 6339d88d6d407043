// A race: the generators count the same position, each for the same time.

import { button, fill, h, labelled, select } from "../ui/dom";
import { announce } from "../ui/live";
import type { Race, Runner } from "../zmessages";
import { FenField } from "../ui/checked";
import { Job, about, grouped, handbook, source, type Panel } from "./parts";
import { engineBytes } from "../transport/choose";
import { reasonOf, type Client } from "../transport/client";

const base = "0x88"; // what the ratios are to, as in docs/generators.md

/** The panel of the race. */
export class RacePanel implements Panel {
	readonly element: HTMLElement;
	private readonly job: Job;
	private readonly fen = new FenField("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", () => void this.run());
	private readonly depth = select(["3", "4", "5", "6"].map((d) => [d, d]), "5", () => undefined);
	private readonly answer = h("div", { class: "lab-answer" });

	constructor(client: Client) {
		this.job = new Job(client);
		this.element = h("section", { class: "panel", "aria-label": "Race" }, about("A race of generators",
			"Five generators count the leaves of the same tree. They take turns of 20 ms, so that all have had the same time; a bar is full when the tree is counted, and at the end the bars show the times. The speeds are of this machine and program, WebAssembly or native; beside them are the ratios to 0x88 and the native speeds of ",
			handbook("generators", "Move generators compared"), ", geometric means of six positions. The first three are from the course: ", source("examples/course/mailbox/mailbox.go", "mailbox"), ", ", source("examples/course/x88/x88.go", "0x88"), ", ", source("examples/course/rays/rays.go", "rays"),
			". The last two are the engine's: ", source("movegen/legal.go", "search's lists"), " lists the moves of each position, and ", source("movegen/perft/delta.go", "the last one"), ", named after how it looks attacks up, counts them without a list. Idea: Chess Programming Wiki, “Perft”. This panel: ", source("app/lab/race.go", "lab.Race"), "."),
			this.fen.element,
			h("div", { class: "row bottom" }, labelled("Depth", this.depth), button("Start the race", () => void this.run(), { class: "primary" }), this.job.element), this.answer);
		const bytes = client.state === "idle" ? engineBytes(true) : 0;
		fill(this.answer, h("p", { class: "hint" }, "Depth 6 of the start position has 119 million leaves.",
			bytes > 0 && ` The engine is loaded first, once: ${(bytes / 1e6).toFixed(1)} MB.`));
	}

	show(): void {
		// The race begins when it is started.
	}

	hide(): void {
		this.job.stop();
	}

	private async run(): Promise<void> {
		this.fen.fail(null);
		try {
			const answer = await this.job.run("race", { position: { fen: this.fen.field.value.trim() }, depth: Number(this.depth.value) }, (r: Race) => {
				this.job.tell(r.runners.filter((x) => x.nodes === r.nodes).length, r.runners.length, "at the goal");
				this.draw(r);
			}, (text) => this.fen.fail(text));
			if (answer) {
				this.draw(answer);
				const fastest = [...answer.runners].sort((a, b) => a.micros - b.micros)[0];
				announce(`race over; fastest: ${fastest?.name}`);
			}
		} catch (error) {
			if (!this.fen.refuse(error)) {
				fill(this.answer, h("p", { class: "error", role: "alert" }, reasonOf(error)));
			}
		}
	}

	private draw(r: Race): void {
		const speed = (x: Runner): number => x.nodes / Math.max(1, x.micros); // million a second
		const here = r.runners.find((x) => x.name === base);
		const over = r.runners.every((x) => x.nodes === r.nodes);
		const slowest = Math.max(...r.runners.map((x) => x.micros));
		const bar = (x: Runner): HTMLElement => (over ? h("progress", { max: slowest, value: x.micros, "aria-label": `${x.name}: time` })
			: h("progress", { max: r.nodes || 1, value: x.nodes, "aria-label": `${x.name}: leaves counted` }));
		const times = (n: number): string => `${n.toFixed(n < 10 ? 2 : n < 100 ? 1 : 0)}×`;
		fill(this.answer, h("div", { class: "lab-scroll", tabindex: 0, role: "region", "aria-label": "Results" }, h("table", { class: "lab-race" },
			h("thead", {}, h("tr", {}, ...["Generator", over ? "Time" : "Counted", "Here", "to 0x88", "Native", "to 0x88"].map((t) => h("th", { scope: "col" }, t)))),
			h("tbody", {}, ...r.runners.map((x) => h("tr", {}, h("th", { scope: "row" }, x.name),
				h("td", { class: "lab-bar" }, bar(x), h("small", {}, x.nodes === r.nodes ? timeText(x.micros) : grouped(x.nodes))),
				h("td", {}, `${speed(x).toFixed(1)} M/s`), h("td", {}, here && here.nodes > 0 ? times(speed(x) / speed(here)) : "–"),
				h("td", {}, `${x.native} M/s`), h("td", {}, times(x.ratio))))))),
			h("p", {}, `${grouped(r.nodes)} leaves.`));
	}
}

/** Returns a time as "0.84 ms", "97 ms" or "1.23 s". */
function timeText(micros: number): string {
	const ms = micros / 1000;
	return ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(ms < 1 ? 2 : ms < 10 ? 1 : 0)} ms`;
}
