import { percent } from "../../core/text.js";
import { svg } from "../../ui/dom.js";
import { BARS, LEFT, thickness } from "./flow_layout.js";

// The parts of the flow picture as SVG: names of layers, states, edges, the source words with their bars, what was read.

/** @typedef {import("./flow_layout.js").FlowLayout} FlowLayout */
/** @typedef {import("./flow_layout.js").Edge} Edge */
/** @typedef {import("./flow_graph.js").Flow} Flow */

const LEAST = 0.005; // of the flow; less is as good as none
const NUMBERED = 32; // pixels from column to column at which their numbers are written

/** @param {FlowLayout} layout @param {Flow} data @param {Record<string, string>} labels */
export function names(layout, { encoder, decoder }, labels) {
  const side = (/** @type {import("./flow_layout.js").Stack} */ name, /** @type {number} */ levels) => {
    const y = (/** @type {number} */ level) => (layout.y(name, level) + layout.y(name, level + 1)) / 2 + 4;
    const layers = Array.from({ length: levels - 1 }, (_, layer) =>
      svg("text", { class: "quiet", x: LEFT - 8, y: y(layer), "font-size": 12, "text-anchor": "end" }, `L${layer}`),
    );
    const middle = (layout.y(name, 0) + layout.y(name, levels - 1)) / 2;
    const turn = { transform: `translate(14 ${middle}) rotate(-90)`, "text-anchor": "middle", "font-size": 13 };
    return [...layers, svg("text", { class: "quiet", ...turn }, labels[name])];
  };
  return [...side("encoder", encoder.length), ...side("decoder", decoder.length)];
}

/** An edge, and the wider one that feels the pointer. @param {FlowLayout} layout @param {Edge} edge @param {number} index */
export function edgeLines(layout, edge, index) {
  const d = layout.curve(edge);
  const line = svg("path", { d, class: `edge ${edge.kind}`, "stroke-width": thickness(edge.flow).toFixed(2) });
  line.style.opacity = (0.45 + 0.55 * Math.sqrt(edge.flow)).toFixed(3);
  Object.assign(line.dataset, edge);
  const hit = svg("path", { d, class: `hit${edge.head >= 0 ? " opens" : ""}` });
  hit.dataset.edge = String(index);
  return { line, hit };
}

/** @param {FlowLayout} layout @param {Flow} data */
export function nodes(layout, { encoder, decoder, step }) {
  const dot = (/** @type {number} */ cx, /** @type {number} */ cy, /** @type {number} */ flow, goal = false) => {
    const radius = goal ? 7 : flow < LEAST ? 1.25 : 1.5 + 5 * Math.sqrt(flow);
    return svg("circle", {
      cx,
      cy,
      r: radius.toFixed(2),
      class: goal ? "node goal" : flow < LEAST ? "node idle" : "node",
    });
  };
  const last = decoder.length - 1;
  return [
    ...encoder.flatMap((level, l) => level.map((flow, i) => dot(layout.src.x(i), layout.y("encoder", l), flow))),
    ...decoder.flatMap((level, l) =>
      level.map((flow, i) => dot(layout.tgt.x(i), layout.y("decoder", l), flow, l === last && i === step - 1)),
    ),
  ];
}

/** @param {FlowLayout} layout @param {Flow} data */
export function sources(layout, { encoder: [totals], src }) {
  const { font, upright, words, bars } = layout;
  const { pitch, x: xOf } = layout.src;
  const most = Math.max(...totals, 1e-9);
  return totals.flatMap((flow, index) => {
    const [x, high] = [xOf(index), BARS * (flow / most)];
    /** @type {Record<string, string | number>} */
    const place = upright
      ? { transform: `translate(${x + font / 3} ${words}) rotate(-90)`, "text-anchor": "end" }
      : { x, y: words + font - 2, "text-anchor": "middle" };
    const quiet = flow < LEAST ? "quiet" : "";
    const name = svg("text", { "font-size": font, class: quiet, ...place }, layout.cut(src[index], 90));
    name.dataset.source = String(index);
    const wide = Math.min(28, pitch * 0.7);
    const bar = svg("rect", { class: "bar", x: x - wide / 2, y: bars, width: wide, height: high.toFixed(2) });
    Object.assign(bar.dataset, { source: index, flow });
    if (pitch < NUMBERED || flow < LEAST) return [name, bar];
    const number = { x, y: bars + high + 12, "font-size": 12, "text-anchor": "middle" };
    return [name, bar, svg("text", number, percent(flow))];
  });
}

/** @param {FlowLayout} layout @param {Flow} data */
export function inputs(layout, { decoder: [totals], reads }) {
  const { pitch, x: xOf } = layout.tgt;
  const y = layout.y("decoder", 0) + 17;
  const quiet = { "text-anchor": "middle", class: "quiet" };
  return totals.flatMap((flow, index) => {
    const x = xOf(index);
    const size = Math.max(11, Math.min(14, pitch * 0.9));
    const name = svg("text", { x, y, "font-size": size, ...quiet }, layout.cut(reads[index], pitch - 2));
    name.dataset.read = String(index);
    if (pitch < NUMBERED || flow < LEAST) return [name];
    return [name, svg("text", { x, y: y + 13, "font-size": 11, ...quiet }, percent(flow))];
  });
}

/** What the widths of edges stand for. */
export function widths() {
  return [0.01, 0.1, 0.5].flatMap((flow, index) => [
    svg("line", { x1: 10 + 66 * index, x2: 24 + 66 * index, y1: 9, y2: 9, "stroke-width": thickness(flow) }),
    svg("text", { x: 34 + 66 * index, y: 13 }, `${100 * flow}%`),
  ]);
}
