// Building what the reader sees. Texts are set as texts: nothing is read as HTML.

import { announce } from "./live";

export type Child = Node | string | null | undefined | false;

interface Attributes {
	[name: string]: string | number | boolean | null | undefined | ((event: never) => void);
}

/** Makes an element. An attribute that begins with "on" is a listener; false and null leave it out. */
export function h<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (typeof value === "function") {
			element.addEventListener(key.slice(2), value as EventListener);
		} else if (value === true) {
			element.setAttribute(key, "");
		} else if (value !== false && value !== null && value !== undefined) {
			element.setAttribute(key, String(value));
		}
	}
	element.append(...kept(children));
	return element;
}

function kept(children: Child[]): (Node | string)[] {
	return children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false);
}

/** Puts children in the place of those that an element has. The focus goes to the control of the same name. */
export function fill(element: Element, ...children: Child[]): void {
	const name = (e: Element): string => `${e.tagName} ${e.ariaLabel ?? e.textContent}`;
	const at = document.activeElement;
	const focused = at && at !== element && element.contains(at) ? name(at) : "";
	element.replaceChildren(...kept(children));
	if (focused) {
		[...element.querySelectorAll<HTMLElement>("button, a, select, input, summary")].find((e) => name(e) === focused)?.focus({ preventScroll: true });
	}
}

const svgSpace = "http://www.w3.org/2000/svg";

/** Makes an element of a drawing. */
export function s(name: string, attributes: Record<string, string | number> = {}, ...children: Node[]): SVGElement {
	const element = document.createElementNS(svgSpace, name);
	for (const [key, value] of Object.entries(attributes)) {
		element.setAttribute(key, String(value));
	}
	element.append(...children);
	return element;
}

/** Whether the reader works with the keyboard: the focus is to be seen. */
export function byKeyboard(): boolean {
	return document.activeElement?.matches(":focus-visible") ?? false;
}

let ids = 0;

/** Returns an id that no other element has. */
export function freshId(stem: string): string {
	ids++;
	return `${stem}-${ids}`;
}

/** Returns a control with its label. */
export function labelled(text: string, control: HTMLElement, hint = ""): HTMLElement {
	control.id ||= freshId("field");
	const label = h("label", { for: control.id }, text);
	if (!hint) {
		return h("div", { class: "field" }, label, control);
	}
	const id = freshId("hint");
	control.setAttribute("aria-describedby", id);
	return h("div", { class: "field" }, label, control, h("small", { id }, hint));
}

/** Returns a choice among values. */
export function select(values: [value: string, text: string][], chosen: string, change: (value: string) => void): HTMLSelectElement {
	const element = h("select", { onchange: () => change(element.value) });
	for (const [value, text] of values) {
		element.append(h("option", { value, selected: value === chosen }, text));
	}
	if (element.value !== chosen) {
		change(element.value); // there is no such value, or no longer
	}
	return element;
}

/** Returns a box to tick, with its label. */
export function tick(text: string, on: boolean, change: (on: boolean) => void): HTMLLabelElement {
	const box = h("input", { type: "checkbox", checked: on, onchange: () => change(box.checked) });
	return h("label", { class: "tick" }, box, text);
}

/** Returns a button. */
export function button(text: Child, press: () => void, attributes: Attributes = {}): HTMLButtonElement {
	return h("button", { type: "button", onclick: press, ...attributes }, text);
}

/** Returns a text whose first words are for the eye only where there is room. */
export function shortened(words: string, rest: Child): HTMLElement {
	return h("span", {}, h("span", { class: "more-word" }, words), rest);
}

/** Returns a button that opens a file, and the field behind it. */
export function fileButton(text: string, accept: string, take: (file: File | undefined) => void, attributes: Attributes = {}): [HTMLButtonElement, HTMLInputElement] {
	const field = h("input", { type: "file", accept, class: "hidden", tabindex: -1, "aria-hidden": "true", onchange: () => {
		take(field.files?.[0]);
		field.value = "";
	} });
	return [button(text, () => field.click(), attributes), field];
}

/** Returns a button that does what it says when it is pressed twice within four seconds; at once while there is no question. */
export function sureButton(text: string, press: () => void, attributes: Attributes = {}, question = (): string => `Really ${text.toLowerCase()}?`): HTMLButtonElement {
	let sure = 0; // a timer
	const ask = (asked: string): void => {
		clearTimeout(sure);
		element.textContent = asked || text;
		sure = asked ? window.setTimeout(() => ask(""), 4000) : 0;
	};
	const element = button(text, () => {
		const asked = sure ? "" : question();
		ask(asked);
		if (asked) {
			announce(`press again: ${text.toLowerCase()}`);
		} else {
			press();
		}
	}, attributes);
	return element;
}
