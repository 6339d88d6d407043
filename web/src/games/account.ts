// The games of the reader's account at lichess or chess.com. The server fetches them, once the reader has allowed it.

import type { App } from "../app";
import type { Fetching, GamesSite, Sites, SitesFields } from "../zmessages";
import { ending, tellChange } from "./library";
import { gamesText } from "../game/text";
import { reasonOf } from "../transport/client";
import { button, fill, h, labelled, select } from "../ui/dom";
import { announce } from "../ui/live";
import { keep, recall } from "../ui/store";

/** The part of My games about an account. */
export class Accounts {
	readonly element: HTMLDetailsElement;
	private readonly app: App;
	private readonly form = h("div", {});
	private readonly said = h("p", { class: "hint", role: "status" });
	private answer: Sites = { sites: [], leaves: "" };
	private key = recall<string>("account-site", "") ?? "";
	private name = recall<string>("account-name", "") ?? "";
	private since = "";
	private search: AbortController | null = null;

	constructor(app: App) {
		this.app = app;
		this.element = h("details", { class: "only-server", ontoggle: () => void (this.element.open && this.ask()) },
			h("summary", {}, "Your name on lichess or chess.com"), this.form, this.said);
	}

	/** Asks which sites are allowed, or changes that. To take a permission back ends a fetch. */
	private async ask(fields: SitesFields = {}): Promise<void> {
		try {
			this.answer = await this.app.client.request("sites", fields);
			if (!this.search) {
				this.said.textContent = fields.allow === false ? "Permission withdrawn." : "";
			}
		} catch (error) {
			this.said.textContent = reasonOf(error);
		}
		this.draw();
	}

	private draw(): void {
		const { sites, leaves } = this.answer;
		const chosen = sites.find((s) => s.key === this.key) ?? sites[0];
		if (!chosen) {
			return;
		}
		const choice = select(sites.map((s) => [s.key, s.name]), chosen.key, (key) => {
			this.key = key;
			keep("account-site", key);
			this.draw();
		});
		choice.disabled = this.search !== null;
		const learns = h("strong", {}, `${chosen.host} learns ${leaves}.`);
		if (!chosen.allowed) {
			fill(this.form, h("div", { class: "row" }, labelled("Site", choice), button(`Allow ${chosen.host}`, () => void this.ask({ site: chosen.key, allow: true }), { class: "primary small" })),
				h("p", { class: "hint" }, `Tabula can fetch the public games of your account. Nothing is sent before you allow it. When you then fetch games, `, learns,
					" No game, review or exercise of yours is sent, and no other host is asked. You can take this back."));
			return;
		}
		const name = h("input", { type: "text", value: this.name, autocomplete: "off", spellcheck: "false", maxlength: 30, oninput: () => { this.name = name.value.trim(); } });
		const since = h("input", { type: "date", value: this.since, onchange: () => { this.since = since.value; } });
		fill(this.form, h("div", { class: "row" }, labelled("Site", choice), labelled("Name of the account", name), labelled("Games since", since),
			this.search ? button("Cancel", () => this.search?.abort(), { class: "quiet small" })
				: button("Fetch games", () => void this.fetch(chosen), { class: "primary small" }),
			button(`Withdraw permission for ${chosen.host}`, () => void this.ask({ site: chosen.key, allow: false }), { class: "quiet small" })),
		h("p", { class: "hint" }, "When you fetch games, ", learns, " Without a date all games come and, the next time, the new ones."));
	}

	private async fetch({ key, host }: GamesSite): Promise<void> {
		keep("account-name", this.name);
		this.search = new AbortController();
		const { signal } = this.search;
		this.said.textContent = `Asking ${host}…`;
		this.draw();
		let drawn = 0; // games, when others were last told of them
		try {
			const told = await this.app.client.request("fetch", { account: `${key}:${this.name}`, since: this.since }, {
				signal,
				progress: ({ games, repeated, until, wait }: Fetching) => {
					const count = `${gamesText(games)} added, ${repeated} were there already`;
					this.said.textContent = wait > 0 ? `${count}. ${host} limits requests: it goes on in ${wait / 1000} seconds.` : `${count}, until ${until}`;
					if (games > drawn && wait === 0) {
						drawn = games;
						tellChange();
					}
				},
			});
			this.said.textContent = `${signal.aborted ? "Cancelled, and what came is kept: " : ""}${ending(told)}`;
		} catch (error) {
			this.said.textContent = reasonOf(error);
		}
		this.search = null;
		announce(this.said.textContent);
		this.draw();
		tellChange();
	}
}
