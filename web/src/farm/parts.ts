// What the views are made of.

import { h, type Child } from "../ui/dom";

/** Returns a table. */
export function table(caption: string, heads: string[], rows: Child[][]): HTMLElement {
	const cells = (row: Child[]): HTMLElement => h("tr", {}, ...row.map((cell) => h("td", {}, cell)));
	return h("div", { class: "wide", tabindex: 0 }, h("table", {},
		h("caption", {}, caption),
		h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
		h("tbody", {}, ...rows.map(cells), rows.length === 0 && h("tr", {}, h("td", { colspan: heads.length, class: "hint" }, "none"))),
	));
}

/** Returns names and what they stand for; those without a text are left out. */
export function facts(all: [name: string, text: string | number | undefined][]): HTMLElement {
	return h("dl", { class: "facts" }, ...all.filter(([, text]) => text !== undefined && text !== "").map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, String(text)))));
}

/** Returns how far something is. */
export function bar(done: number, all: number): HTMLElement {
	return h("progress", { value: done, max: Math.max(1, all), "aria-label": `${Math.floor(100 * done / Math.max(1, all))} %` });
}
