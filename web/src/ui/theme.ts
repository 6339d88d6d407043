// Dark and light: as the system has it, until the reader says otherwise.

import { button } from "./dom";
import { icon } from "./icons";
import { keep, recall } from "./store";

type Theme = "light" | "dark";

const switches = new Set<() => void>(); // all on the page say the same

function shown(): Theme {
	const chosen = document.documentElement.dataset["theme"];
	return chosen === "light" || chosen === "dark" ? chosen : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Returns the switch, and brings back what was chosen last. */
export function themeSwitch(changed: () => void = () => undefined): HTMLButtonElement {
	const kept = recall<Theme>("theme", "");
	if (kept === "light" || kept === "dark") {
		document.documentElement.dataset["theme"] = kept;
	}
	const name = (): void => {
		const next = shown() === "dark" ? "light" : "dark";
		toggle.replaceChildren(icon(next));
		toggle.setAttribute("aria-label", `Switch to ${next} colours`);
		toggle.title = `Switch to ${next} colours`;
	};
	const toggle = button("", () => {
		const next = shown() === "dark" ? "light" : "dark";
		document.documentElement.dataset["theme"] = next;
		keep("theme", next);
		switches.forEach((tell) => tell());
	}, { class: "quiet icon" });
	name();
	const tell = (): void => {
		name();
		changed();
	};
	switches.add(tell);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
	return toggle;
}
