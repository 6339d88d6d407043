// The page: its head, the modes, and which engine answers.

import "./style/base.css";
import "./style/board.css";
import "./style/modes.css";
import type { App, Mode } from "./app";
import { linked } from "./game/share";
import { modes } from "./modes";
import type { Game, Hello } from "./zmessages";
import { Client, reasonOf, type Loading, type State } from "./transport/client";
import { chooseEngine, engineBytes } from "./transport/choose";
import { displayDialog } from "./ui/display";
import { button, fill, h } from "./ui/dom";
import { iconButton } from "./ui/icons";
import { keysDialog, letterKeys } from "./ui/keys";
import { announce, regions } from "./ui/live";
import { whenFull } from "./ui/store";
import { themeSwitch } from "./ui/theme";

/** A mode with its tab. */
interface Tab {
	name: string;
	title: string;
	mode: Mode;
	link: HTMLAnchorElement;
}

/** The page as a whole. */
class Page implements App {
	readonly client: Client;
	private greeting: Hello | null = null;
	private readonly tabs: Tab[];
	private readonly engine = h("p", { class: "engine", role: "status" });
	private readonly keys = keysDialog(modes.map((m) => m.title));
	private readonly display = displayDialog(() => {
		this.display.close();
		this.keys.showModal();
	});
	private readonly heading = h("h1", { class: "hidden" });
	private current: Tab | null = null;

	constructor() {
		this.client = new Client(chooseEngine(), (state, reason) => this.connection(state, reason), (loading) => this.loading(loading));
		this.tabs = modes.map(({ name, title, create }) => ({ name, title, mode: create(this), link: h("a", { href: `#${name}`, class: "tab" }, title) }));
		const main = h("main", {}, this.heading, ...this.tabs.map((t) => t.mode.element));
		const help = h("p", { class: "hidden", id: "board-help" }, "Arrow keys go over the squares, Enter takes up a piece and puts it down, Escape puts it back. M goes to the field for typed moves.");
		const notice = h("p", { class: "notice", role: "alert", hidden: true });
		whenFull((lost) => {
			notice.hidden = !lost;
			notice.textContent = lost ? "This browser has no room to keep this game. Download its PGN before you leave or reload the page." : "";
		});
		document.body.append(this.header(), notice, main, help, ...regions, this.keys, this.display);
		addEventListener("hashchange", () => this.route());
		for (const name of ["dragover", "drop"] as const) {
			// A file that misses the boards would be opened in the page's place.
			addEventListener(name, (event) => event.preventDefault());
		}
		document.addEventListener("click", (event) => letGo(event), { capture: true });
		document.addEventListener("keydown", (event) => this.key(event));
		document.addEventListener("paste", (event) => this.pasted(event));
		this.route();
		this.client.connect();
	}

	private header(): HTMLElement {
		return h("header", {}, h("a", { class: "name", href: `#${modes[0]?.name}`, "aria-label": "Tabula" }, "Tabula"),
			h("nav", { "aria-label": "Modes" }, ...this.tabs.map((t) => t.link)), this.engine,
			h("div", { class: "signs-head" }, iconButton("board", "Board and sounds", () => this.display.showModal()),
				h("span", { class: "wide-only" }, iconButton("help", "Keys", () => this.keys.showModal())), h("span", { class: "wide-only" }, themeSwitch())));
	}

	hello(): Hello | null {
		return this.greeting;
	}

	go(name: string, game?: Game, at?: number, review = false): void {
		if (game) {
			this.tabs.find((t) => t.name === name)?.mode.take?.(game, at, review);
		}
		location.hash = name;
	}

	/** Shows the mode that the address names; one with a position or game in it goes to the first. */
	private route(): void {
		const link = linked(location.hash);
		if (link) {
			history.replaceState(null, "", `#${modes[0]?.name}`);
			this.tabs[0]?.mode.paste?.(link.text, link.path);
		}
		const tab = this.tabs.find((t) => `#${t.name}` === location.hash.split("/")[0]) ?? this.tabs[0];
		if (!tab || tab === this.current) {
			return;
		}
		document.querySelectorAll("dialog").forEach((dialog) => dialog.close()); // none stays over another mode
		this.current?.mode.hide();
		this.current = tab;
		for (const { mode, link } of this.tabs) {
			mode.element.hidden = mode !== tab.mode;
			link.ariaCurrent = mode === tab.mode ? "page" : null;
		}
		this.heading.textContent = tab.title;
		document.title = `${tab.title} – Tabula`;
		tab.mode.show();
	}

	/** A text pasted anywhere but in a field is a position or a game. */
	private pasted(event: ClipboardEvent): void {
		const text = event.clipboardData?.getData("text/plain") ?? "";
		if (text.trim() === "" || (event.target as Element).closest("input, textarea, dialog")) {
			return;
		}
		event.preventDefault();
		const tab = this.current?.mode.paste ? this.current : this.tabs[0];
		if (tab) {
			tab.mode.paste?.(text);
			location.hash = tab.name;
		}
	}

	private loading({ done, total: told }: Loading): void {
		const total = told || engineBytes();
		const what = "Loading the engine";
		fill(this.engine, `${what}: ${total >= done ? `${Math.floor((done / total) * 100)} %` : `${(done / 1e6).toFixed(1)} MB`} `,
			total >= done && h("progress", { max: total, value: done, "aria-label": what }));
	}

	private connection(state: State, reason: string): void {
		document.documentElement.dataset["engine"] = state;
		if (state === "connecting") {
			fill(this.engine, "Starting the engine…");
		} else if (state === "lost") {
			this.greeting = null;
			fill(this.engine, h("span", { class: "lost" }, `No engine: ${reason}. `), button("Try again", () => this.client.connect(), { class: "quiet" }));
		} else if (state === "open") {
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
			for (const { mode } of this.tabs) {
				mode.ready(hello);
			}
		} catch (error) {
			if (document.documentElement.dataset["engine"] === "lost") {
				return; // and says so, with a button
			}
			fill(this.engine, h("span", { class: "lost" }, `No engine: ${reasonOf(error)}`));
			announce(`no engine: ${reasonOf(error)}`);
		}
	}

	private key(event: KeyboardEvent): void {
		const target = event.target as HTMLElement;
		const typing = target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, dialog, .promotion");
		const again = ({ z: event.shiftKey, y: true } as Record<string, boolean>)[event.key.toLowerCase()];
		if (again !== undefined && event.ctrlKey !== event.metaKey && !event.altKey && !typing && !document.querySelector("dialog:modal")) {
			this.current?.mode.undoing?.(again);
			event.preventDefault();
			return;
		}
		const pressing = event.key === " " && target.closest("button, a, summary, input") || event.key.startsWith("Arrow") && target.closest("[type=radio]");
		const off = event.key.length === 1 && event.key !== " " && !letterKeys();
		if (typing || pressing || off || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || document.querySelector("dialog:modal") || !this.current) {
			if (event.key === "Escape" && typing && (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) {
				target.blur();
			}
			return;
		}
		const tab = this.tabs[Number(event.key) - 1];
		if (event.key === "?") {
			this.keys.showModal();
		} else if (tab) {
			location.hash = tab.name;
		} else if (!this.current.mode.key(event)) {
			return;
		}
		event.preventDefault();
	}
}

/** After a click of the mouse, keys are for the page again and not for what was clicked, nor for what opened a dialog that is closed. */
function letGo(event: MouseEvent): void {
	const at = document.activeElement;
	if (event.detail > 0 && at instanceof HTMLElement && at.matches("button, main a, main summary, main [type=checkbox]") && !at.closest(".promotion")) {
		at.blur();
	}
}

if (new URL(document.baseURI).searchParams.has("panel")) {
	void import("./panel");
} else {
	const page = new Page();
	// A page on a static host works without the network once it has been loaded.
	if (document.querySelector('meta[name="tabula-engine"][content="worker"]') && "serviceWorker" in navigator) {
		// Once the engine is there, so that its file is not fetched twice.
		void page.client.request("hello", {}).then(() => navigator.serviceWorker.register(new URL("service.js", document.baseURI))).catch(() => undefined);
	}
}
