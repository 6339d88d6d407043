// The farm's page: queue, run and worker, by the address behind the #.

import "../style/base.css";
import "./farm.css";
import { button, fill, h, labelled, sureButton, type Child } from "../ui/dom";
import { regions } from "../ui/live";
import { themeSwitch } from "../ui/theme";
import { ask, send } from "./api";
import { queueView } from "./queue";
import { runView } from "./run";
import { workerView } from "./worker";
import type { Run, View, WorkerView } from "./zfarm";

const every = 3000; // milliseconds between two looks

const view = h("div", { class: "view" });
const actions = [h("div", { class: "row" }), h("div", { class: "row" })];
const problem = h("p", { class: "error", role: "alert" });
const who = h("div", { class: "row" });
let operator = false;
let last = "none"; // the address that is shown
const shown = ["", ""]; // what each row of actions was made for

/** Does what an operator wants and looks at what came of it. */
async function operate(...words: string[]): Promise<void> {
	await attempt(() => send("operate", words), "operator");
	await look();
}

let wrong: "" | "operator" | "look" = ""; // whose problem is shown

/** Does something and shows what went wrong, until the same succeeds. */
async function attempt(what: () => Promise<unknown>, whose: "operator" | "look"): Promise<void> {
	try {
		await what();
		if (wrong === whose) {
			[problem.textContent, wrong] = ["", ""];
		}
	} catch (error) {
		[problem.textContent, wrong] = [(error as Error).message, whose];
	}
}

/** Things that an operator can do, and what they depend on: they are made anew only when that changes. */
interface Actions { depends: string; make: () => Child[] }

/** Returns what an operator can do with a run. */
function runActions(r: Run): Actions[] {
	if (r.ended) {
		return [{ depends: "ended", make: () => [sureButton("Forget", () => void operate("forget", r.run), { class: "quiet" })] }];
	}
	return [
		{
			depends: String(r.paused), make: () => [
				r.paused ? button("Resume", () => void operate("resume", r.run), { class: "quiet" }) : button("Pause", () => void operate("pause", r.run), { class: "quiet" }),
				sureButton("Cancel", () => void operate("cancel", r.run), { class: "quiet" }),
			],
		},
		{
			depends: `${r.priority} ${r.share}`, make: () => {
				const priority = h("input", { type: "number", value: r.priority });
				const share = h("input", { type: "number", value: r.share, min: 0.01, step: "any" });
				return [
					labelled("Priority", priority), labelled("Share", share),
					button("Set", () => void operate("priority", r.run, priority.value, share.value), { class: "quiet" }),
				];
			},
		},
	];
}

/** Returns what an operator can do with a worker. */
function workerActions(w: WorkerView): Actions[] {
	return [{
		depends: String(w.revoked !== undefined), make: () => [
			sureButton("Drain", () => void operate("drain", w.id), { class: "quiet" }),
			!w.revoked && sureButton("Revoke", () => void operate("revoke", w.id), { class: "quiet" }),
		],
	}];
}

/** Asks for what the address names and shows it. */
async function look(): Promise<void> {
	const at = location.hash;
	const [kind = "", id = ""] = at.slice(1).split("/");
	await attempt(async () => {
		let content: Child[];
		let can: Actions[];
		if (kind === "run") {
			const r = await ask<Run>(`run/${encodeURIComponent(id)}`);
			content = runView(r);
			can = runActions(r);
		} else if (kind === "worker") {
			const w = (await ask<View>("queue")).workers.find((one) => one.id === id);
			if (!w) {
				throw new Error("the farm has not heard from this worker for a while");
			}
			content = workerView(w);
			can = workerActions(w);
		} else {
			content = queueView(await ask<View>("queue"));
			can = [];
		}
		if (at !== location.hash) {
			return; // the reader has gone on
		}
		// Who is at a link there keeps it until the address changes.
		if (at !== last || !view.contains(document.activeElement)) {
			last = at;
			fill(view, ...content);
		}
		actions.forEach((row, i) => {
			const now = operator ? can[i] : undefined;
			const state = now ? `${at} ${now.depends}` : "";
			if (state !== shown[i]) { // what is typed there stays
				shown[i] = state;
				fill(row, ...(now?.make() ?? []));
			}
		});
	}, "look");
}

/** Shows who is logged in, or the field for the token. */
function identify(known = operator): void {
	const token = h("input", { type: "password", autocomplete: "current-password" });
	const enter = async (): Promise<void> => {
		await attempt(async () => {
			operator = (await send<{ operator: boolean }>("session", token.value)).operator;
			identify();
			await look();
		}, "operator");
	};
	fill(who, ...(known ? [h("span", { class: "hint" }, "operator")] : [
		h("form", { class: "row", onsubmit: (event: Event) => { event.preventDefault(); void enter(); } }, labelled("Operator's token", token), button("Log in", () => void enter(), { class: "quiet" })),
	]));
}

document.body.append(
	h("header", {}, h("a", { class: "name", href: "#queue" }, "Tabula farm"), who, themeSwitch(() => void look())),
	h("main", {}, problem, ...actions, view, regions[0]));
addEventListener("hashchange", () => void look());
addEventListener("stranger", () => !who.querySelector("form") && identify(false)); // what an operator has typed elsewhere stays
void (async () => {
	await attempt(async () => { operator = (await ask<{ operator: boolean }>("session")).operator; }, "look");
	identify();
	await look();
	document.documentElement.dataset["ready"] = "";
	setInterval(() => void look(), every);
})();
