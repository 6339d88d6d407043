// The page: its head, the modes, and which engine answers.

import "./style/base.css";
import "./style/board.css";
import "./style/modes.css";
import type { App, Mode, ModeName } from "./app";
import { Analyse } from "./analyse/analyse";
import type { Game, Hello } from "./zmessages";
import { Play } from "./play/play";
import { Review } from "./review/review";
import { chooseEngine } from "./transport/choose";
import { Client, Refusal, type State } from "./transport/client";
import { scriptAddress } from "./transport/script";
import { button, fill, h } from "./ui/dom";
import { keysDialog } from "./ui/keys";
import { announce, speakThrough } from "./ui/live";
import { themeSwitch } from "./ui/theme";

const names: Record<ModeName, string> = { analyse: "Analyse", play: "Play", review: "Review" };

/** The page as a whole. */
class Page implements App {
	readonly client: Client;
	private greeting: Hello | null = null;
	private readonly modes: Record<ModeName, Mode>;
	private readonly tabs = new Map<ModeName, HTMLAnchorElement>();
	private readonly engine = h("p", { class: "engine", role: "status" });
	private readonly keys = keysDialog();
	private readonly heading = h("h1", { class: "hidden" });
	private current: ModeName | null = null;

	constructor() {
		const live = h("p", { class: "hidden", "aria-live": "polite", role: "status" });
		speakThrough(live);
		const theme = themeSwitch(() => this.current === "review" && this.modes.review.show());
		this.client = new Client(chooseEngine(), (state, reason) => this.connection(state, reason));
		this.modes = { analyse: new Analyse(this), play: new Play(this), review: new Review(this) };
		const nav = h("nav", { "aria-label": "Modes" });
		for (const name of Object.keys(names) as ModeName[]) {
			const tab = h("a", { href: `#${name}`, class: "tab" }, names[name]);
			this.tabs.set(name, tab);
			nav.append(tab);
		}
		const main = h("main", {}, this.heading, ...Object.values(this.modes).map((m) => m.element));
		const help = h("p", { class: "hidden", id: "board-help" }, "Arrow keys go over the squares, Enter takes up a piece and puts it down, Escape puts it back. M goes to the field for typed moves.");
		document.body.append(
			h("header", {}, h("a", { class: "name", href: "#analyse", "aria-label": "Tabula" }, "Tabula"), nav, this.engine,
				button("?", () => this.keys.showModal(), { class: "quiet icon", "aria-label": "Keys", title: "Keys (?)" }), theme),
			main, help, live, this.keys);
		addEventListener("hashchange", () => this.route());
		for (const name of ["dragover", "drop"] as const) {
			// A file that misses the boards would be opened in the page's place.
			addEventListener(name, (event) => event.preventDefault());
		}
		document.addEventListener("click", (event) => letGo(event));
		document.addEventListener("keydown", (event) => this.key(event));
		this.route();
	}

	hello(): Hello | null {
		return this.greeting;
	}

	go(mode: ModeName, game?: Game, at?: number): void {
		if (game) {
			this.modes[mode].take?.(game, at);
		}
		location.hash = mode;
	}

	private route(): void {
		const asked = location.hash.slice(1);
		const name = asked in names ? (asked as ModeName) : "analyse";
		if (name === this.current) {
			return;
		}
		if (this.current) {
			this.modes[this.current].hide();
		}
		this.current = name;
		for (const [n, tab] of this.tabs) {
			this.modes[n].element.hidden = n !== name;
			if (n === name) {
				tab.setAttribute("aria-current", "page");
			} else {
				tab.removeAttribute("aria-current");
			}
		}
		this.heading.textContent = names[name];
		document.title = `${names[name]} – Tabula`;
		this.modes[name].show();
	}

	private connection(state: State, reason: string): void {
		document.documentElement.dataset["engine"] = state;
		if (state === "connecting") {
			fill(this.engine, "Engine starts…");
		} else if (state === "lost") {
			this.greeting = null;
			fill(this.engine, h("span", { class: "lost" }, `No engine: ${reason}. `), button("Try again", () => this.client.connect(), { class: "quiet" }));
		} else {
			// Not before the constructor is done, for a worker is there at once.
			queueMicrotask(() => void this.greet());
		}
	}

	private async greet(): Promise<void> {
		try {
			const hello = await this.client.request("hello", {});
			this.greeting = hello;
			const where = hello.transport === "worker" ? "in this browser" : "on the server";
			fill(this.engine, h("span", { class: `dot-engine ${hello.transport}`, "aria-hidden": "true" }), `${hello.name} ${hello.version} ${where}`,
				hello.threads > 1 && `, ${hello.threads} threads`);
			this.engine.title = `Network ${hello.network}, ${hello.hash} MiB hash, endgame tables of ${hello.tables} men`;
			document.documentElement.dataset["transport"] = hello.transport;
			for (const mode of Object.values(this.modes)) {
				mode.ready(hello);
			}
		} catch (error) {
			const reason = error instanceof Refusal ? error.failure.reason : String(error);
			fill(this.engine, h("span", { class: "lost" }, `No engine: ${reason}`));
			announce(`no engine: ${reason}`);
		}
	}

	private key(event: KeyboardEvent): void {
		const target = event.target as HTMLElement;
		const typing = target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, dialog, .promotion");
		const pressing = event.key === " " && target.closest("button, a, summary, input");
		if (typing || pressing || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || !this.current) {
			if (event.key === "Escape" && typing && target instanceof HTMLInputElement) {
				target.blur();
			}
			return;
		}
		if (event.key === "?") {
			this.keys.showModal();
		} else if (["1", "2", "3"].includes(event.key)) {
			location.hash = (Object.keys(names) as ModeName[])[Number(event.key) - 1] ?? "analyse";
		} else if (!this.modes[this.current].key(event)) {
			return;
		}
		event.preventDefault();
	}
}

/** After a click of the mouse, keys are for the page again and not for what was clicked. */
function letGo(event: MouseEvent): void {
	const at = document.activeElement;
	if (event.detail > 0 && at instanceof HTMLElement && at.matches("main button, main a, main summary, main [type=checkbox]") && !at.closest(".promotion")) {
		at.blur();
	}
}

const page = new Page();

// A page on a static host works without the network once it has been loaded.
if (document.querySelector('meta[name="tabula-engine"][content="worker"]') && "serviceWorker" in navigator) {
	// Once the engine is there, so that its file is not fetched twice.
	void page.client.request("hello", {}).then(() => navigator.serviceWorker.register(scriptAddress("service.js") as string)).catch(() => undefined);
}
