// Which games of the database count: the same fields wherever it is asked.

import type { ExploreFields } from "../zmessages";
import { h, labelled, select } from "../ui/dom";
import { keep, recall } from "../ui/store";

const typingTime = 400; // ms after which what was typed counts

type Filter = Required<Pick<ExploreFields, "player" | "color" | "rating" | "since" | "result">>;

const everything: Filter = { player: "", color: "", rating: 0, since: "", result: "" };

/** The fields. All of them on the page say the same. */
export class FilterFields {
	private static readonly filter = recall<Filter>("explore", everything) ?? { ...everything };
	private static readonly all: FilterFields[] = [];
	readonly element = h("div", { class: "filter-fields" });
	/** What is left, in words. */
	readonly narrowed = h("strong", { class: "narrowed" });
	private readonly changed: () => void;
	private timer = 0;

	/** Calls changed when another filter counts. */
	constructor(changed: () => void) {
		this.changed = changed;
		FilterFields.all.push(this);
		this.draw();
	}

	/** The fields of a request. */
	get fields(): Partial<Filter> {
		const { filter } = FilterFields;
		const all = Object.entries({ ...filter, color: filter.player && filter.color });
		return Object.fromEntries(all.filter(([, value]) => value));
	}

	private change(part: Partial<Filter>): void {
		keep("explore", Object.assign(FilterFields.filter, part));
		for (const one of FilterFields.all) {
			one.narrowed.textContent = filterText(FilterFields.filter);
			if (one !== this) {
				one.draw();
			}
			clearTimeout(one.timer);
			one.timer = window.setTimeout(() => one.changed(), typingTime);
		}
	}

	private draw(): void {
		const { filter } = FilterFields;
		const text = (value: string, use: (text: string) => Partial<Filter>, mode = "text"): HTMLInputElement => {
			const field = h("input", { type: "text", value, inputmode: mode, autocomplete: "off", spellcheck: "false", oninput: () => this.change(use(field.value.trim())) });
			return field;
		};
		const choice = (values: [string, string][], value: string, use: (value: string) => Partial<Filter>): HTMLSelectElement =>
			select(values, value, (chosen) => this.change(use(chosen)));
		const digits = (text: string): string => text.replace(/\D/g, "");
		this.narrowed.textContent = filterText(filter);
		this.element.replaceChildren(
			labelled("Player, or your name", text(filter.player, (player) => ({ player }))),
			labelled("Color", choice([["", "Either color"], ["white", "As White"], ["black", "As Black"]], filter.color, (color) => ({ color }))),
			labelled("Both rated at least", text(filter.rating ? String(filter.rating) : "", (rating) => ({ rating: Number(digits(rating).slice(0, 4)) }), "numeric")),
			labelled("Since the year", text(filter.since, (since) => ({ since: digits(since).slice(0, 4) }), "numeric")),
			labelled("Result", choice([["", "Any"], ["1-0", "White won"], ["1/2-1/2", "Draw"], ["0-1", "Black won"]], filter.result, (result) => ({ result }))));
	}
}

/** Returns what a filter leaves, in words; "" where it leaves everything. */
function filterText({ player, color, rating, since, result }: Filter): string {
	const parts = [player && `${player}${color ? ` as ${color === "white" ? "White" : "Black"}` : ""}`, rating > 0 && `rated ${rating} or more`, since && `since ${since}`, result.replace("1/2-1/2", "½–½")];
	return parts.filter(Boolean).join(", ");
}
