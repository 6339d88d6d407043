// A number of a run over time.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h } from "../ui/dom";

/** Draws lines over seconds below a title; the first is the strong one. */
export function graph(title: string, seconds: number[], lines: number[][]): HTMLElement {
	const last = lines[0]?.at(-1);
	const element = h("figure", { role: "img", "aria-label": `${title}: ${last === undefined ? "nothing yet" : `now ${last.toFixed(2)}`}` }, h("figcaption", {}, title));
	// It is drawn when it has its place, and with it its size and colours.
	requestAnimationFrame(() => {
		const style = getComputedStyle(element);
		const colour = (name: string): string => style.getPropertyValue(name).trim();
		const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
		new uPlot({
			width: Math.max(200, element.clientWidth), height: 160, legend: { show: false }, cursor: { show: false },
			scales: { x: { time: false } },
			axes: [{ ...axis, values: (_, ticks) => ticks.map((t) => `${Math.round(t / 60)} min`) }, { ...axis, size: 50 }],
			series: [{}, ...lines.map((_, i) => ({ stroke: colour(i === 0 ? "--accent" : "--muted"), width: i === 0 ? 2 : 1, points: { show: false } }))],
		}, [seconds, ...lines], element);
	});
	return element;
}
