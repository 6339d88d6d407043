// One panel of Tables, for a page that has it in a frame: ?panel#lookup/rays. The engine is loaded where a panel needs it
// and the reader starts it.

import { panels } from "./lab/panels";
import { chooseEngine } from "./transport/choose";
import { Client } from "./transport/client";
import { displayDialog } from "./ui/display";
import { h } from "./ui/dom";
import { regions } from "./ui/live";

const [name = "", part = ""] = location.hash.slice(1).split("/");
const root = document.documentElement;
const status = h("p", { class: "hint", role: "status" });
const tell = (text: string): void => {
	status.textContent = text;
	status.hidden = text === "";
};
const client = new Client(chooseEngine(), (state, reason) => {
	root.dataset["engine"] = state;
	tell(state === "lost" ? `The engine cannot be loaded: ${reason}.` : "");
}, ({ done }) => tell(`Loading: ${(done / 1e6).toFixed(1)} MB`));
document.title = "Tables – Tabula";
document.head.append(h("base", { target: "_top" })); // links lead out of the frame
document.body.classList.add("framed");
displayDialog(() => undefined); // colours and pieces as they were chosen
const panel = Object.hasOwn(panels, name) ? panels[name]!.create(client) : null;
document.body.append(h("main", { class: "lab" }, status, panel?.element ?? h("p", { class: "error" }, `There is no panel ${name}.`)), ...regions);
panel?.show(part);
document.addEventListener("keydown", (event) => {
	if (!event.defaultPrevented && !(event.target as Element).closest("input[type=text], textarea, select") && panel?.key?.(event)) {
		event.preventDefault();
	}
});

// The frame is as high as the panel, and the colours are those of the page around it.
const frame = window.frameElement as HTMLElement | null;
if (frame) {
	const around = frame.ownerDocument.documentElement;
	const adapt = (): void => {
		root.dataset["theme"] = around.classList.contains("dark") ? "dark" : "light";
	};
	adapt();
	new MutationObserver(adapt).observe(around, { attributes: true, attributeFilter: ["class"] });
	new ResizeObserver(() => {
		frame.style.height = `${Math.ceil(document.body.getBoundingClientRect().height) + frame.offsetHeight - frame.clientHeight}px`;
	}).observe(document.body);
}
