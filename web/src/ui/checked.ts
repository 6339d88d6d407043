// Fields whose errors are marked.

import { FENError } from "../rules/fen.ts";
import { Refusal, reasonOf } from "../transport/client";
import { fill, freshId, h } from "./dom";

/** A field whose error is shown below it, with the place marked where it is known. */
export class CheckedField<T extends HTMLInputElement | HTMLTextAreaElement> {
	readonly element: HTMLElement;
	readonly field: T;
	private readonly error = h("p", { class: "error", role: "alert", hidden: true, id: freshId("error") });

	constructor(label: string, field: T) {
		this.field = field;
		field.id ||= freshId("field");
		this.element = h("div", { class: "field" }, h("label", { for: field.id }, label), field, this.error);
	}

	/** Shows an error, and marks the text from start to end; null removes the error. */
	fail(error: unknown, start?: number, end = this.field.value.length): void {
		const { field } = this;
		fill(this.error, error === null ? "" : reasonOf(error));
		this.error.hidden = error === null;
		if (error === null) {
			field.removeAttribute("aria-invalid");
			field.removeAttribute("aria-describedby");
			return;
		}
		field.setAttribute("aria-invalid", "true");
		field.setAttribute("aria-describedby", this.error.id);
		if (start !== undefined) {
			field.focus();
			field.setSelectionRange(start, end);
		}
	}
}

/** A field for the position of a panel. */
export class FenField extends CheckedField<HTMLInputElement> {
	constructor(fen: string, changed: () => void) {
		super("Position (FEN)", h("input", { type: "text", class: "fen", spellcheck: "false", autocomplete: "off", value: fen, onchange: changed }));
	}

	/** Shows an error that is the position's, the place in it marked; returns whether it is. */
	refuse(error: unknown): boolean {
		const place = error instanceof FENError ? error : error instanceof Refusal && error.failure.field.startsWith("position") ? error.failure : null;
		if (!place) {
			return false;
		}
		const { at } = place;
		const end = at === undefined ? -1 : this.field.value.indexOf(" ", at + 1);
		this.fail(error, at, end < 0 ? undefined : end);
		return true;
	}
}
