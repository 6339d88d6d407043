// A number of a run over time.

import { h, s } from "../ui/dom";

const [width, height] = [600, 160]; // of the drawing

/** Draws lines over seconds below a title; the first is the strong one. */
export function graph(title: string, seconds: number[], lines: number[][]): HTMLElement {
	const last = lines[0]?.at(-1);
	const all = lines.flat().filter(Number.isFinite);
	const [least, most] = [Math.min(0, ...all), Math.max(0, ...all)];
	const [from, to] = [seconds[0] ?? 0, seconds.at(-1) ?? 1];
	const x = (t: number): string => (((t - from) / (to - from || 1)) * width).toFixed(1);
	const y = (v: number): string => ((1 - (v - least) / (most - least || 1)) * height).toFixed(1);
	const curve = (line: number[], i: number): SVGElement => s("polyline", {
		class: i === 0 ? "graph-strong" : "graph-weak", points: line.flatMap((v, n) => (Number.isFinite(v) ? [`${x(seconds[n] ?? 0)},${y(v)}`] : [])).join(" "),
	});
	const label = (value: number): HTMLElement => h("span", {}, String(Number(value.toPrecision(3))));
	return h("figure", { role: "img", "aria-label": `${title}: ${last === undefined || Number.isNaN(last) ? "nothing yet" : `now ${last.toFixed(2)}`}` }, h("figcaption", {}, title),
		h("div", { class: "graph-axis" }, label(most), label(least)),
		s("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", class: "run-graph" }, s("line", { x2: width, y1: y(0), y2: y(0), class: "graph-middle" }), ...[...lines].reverse().map((line, i) => curve(line, lines.length - 1 - i))),
		h("div", { class: "graph-time" }, h("span", {}, `${Math.round(from / 60)} min`), h("span", {}, `${Math.round(to / 60)} min`)));
}
