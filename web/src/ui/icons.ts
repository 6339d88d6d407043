// The signs on buttons, drawn, for not every system has them as letters.

import { button, s } from "./dom";

const shapes = {
	first: "M5 5v14M19 5l-9 7 9 7z",
	back: "M16 5l-9 7 9 7z",
	forward: "M8 5l9 7-9 7z",
	last: "M19 5v14M5 5l9 7-9 7z",
	turn: "M8 4v14M4.5 7.5L8 4l3.5 3.5M16 20V6M12.5 16.5L16 20l3.5-3.5",
	dark: "M19 14.5A8 8 0 1 1 9.5 5a6.5 6.5 0 0 0 9.5 9.5z",
	light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4",
	board: "M4 4h16v16H4zM12 4v16M4 12h16M8 4v16M16 4v16M4 8h16M4 16h16",
	help: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.3 9.4a2.8 2.8 0 1 1 4 2.6c-.9.5-1.3 1-1.3 2M12 16.9v.1",
	graph: "M3 20.5h18M3.5 15l5-5.5 4 3.5 8-9M17 4h3.5v3.5",
	piece: "M12 3.5a3.3 3.3 0 0 0-1.8 6.1H8.5v2h1.8c0 3.4-.9 5.2-3 6.7-.6.5-.8 1.2-.8 2.2h11c0-1-.2-1.7-.8-2.2-2.1-1.5-3-3.3-3-6.7h1.8v-2h-1.7A3.3 3.3 0 0 0 12 3.5z",
	find: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.3 15.3l5.2 5.2",
	again: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3l2.2 2.1M19.5 4v4.8h-4.8",
	undo: "M8.5 4.5l-4.5 4.5 4.5 4.5M4 9h10a5.5 5.5 0 0 1 0 11h-4",
	settings: "M4 7h9M17 7h3M15 4.8v4.4M4 17h3M11 17h9M9 14.8v4.4M4 12h13M20 12h0M18.5 9.8v4.4",
};

/** Returns a sign; the button it is on says what it means. */
export function icon(name: keyof typeof shapes): SVGElement {
	const filled = ["first", "back", "forward", "last"].includes(name);
	return s("svg", { viewBox: "0 0 24 24", class: `icon-sign${filled ? " filled" : ""}`, "aria-hidden": "true" }, s("path", { d: shapes[name] }));
}

/** Returns a button with a sign. */
export function iconButton(name: keyof typeof shapes, title: string, press: () => void): HTMLButtonElement {
	const element = button("", press, { class: "quiet icon", "aria-label": title, title });
	element.append(icon(name));
	return element;
}
