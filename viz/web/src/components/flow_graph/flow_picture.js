// The parts of the flow picture as SVG: names of layers, states, edges, the source words with their bars, what was read.
import { percent } from "../../core/text.js";
import { svg } from "../../ui/dom.js";

/** @typedef {import("./flow_graph.js").Flow} Flow */

const LEAST = 0.005; // of the flow; less is as good as none
const NUMBERED = 32; // pixels from column to column at which their numbers are written

/** @param {FlowLayout} layout @param {Flow} data @param {Record<string, string>} labels */
export function names(layout, { encoder, decoder }, labels) {
  const side = (/** @type {Stack} */ name, /** @type {number} */ levels) => {
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

// Where everything stands in the flow picture: columns are tokens, levels are the states between layers.
export const LEFT = 66; // room for the names of layers
const OUT = 42; // the row of output tokens
const HEIGHT = [238, 430]; // limits of the pixels that the levels share
const AROUND = 482; // pixels of the page above and below them
const LEVEL = [18, 46]; // limits of one level in the decoder; the encoder's are lower
const LOWER = 0.8;
const READS = 40; // between the decoder's lowest level and the encoder's highest: the tokens read
export const BARS = 30; // the longest bar of a source word
const LONGEST = 90; // pixels of a label
const PITCH = [13, 110]; // pixels from column to column
const THICK = 15; // pixels of an edge that carries everything

/** @typedef {"encoder" | "decoder"} Stack */
/** @typedef {"encoder_self" | "cross" | "decoder_self"} EdgeKind */
/** @typedef {{ kind: EdgeKind, layer: number, start: number, end: number, flow: number, head: number }} Edge */

/** @param {number} flow */
export const thickness = (flow) => Math.max(0.75, THICK * Math.sqrt(flow));
/** @param {number} flow */
export const share = (flow) => percent(flow, flow >= 0.0995 ? 0 : 1);

export class FlowLayout {
  /** @param {{ src: string[], writes: string[], encoder: number[][], decoder: number[][] }} data @param {number} width @param {string} family */
  constructor({ src, writes, encoder, decoder }, width, family) {
    this.pencil = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
    this.levels = { encoder: encoder.length, decoder: decoder.length };
    const rooms = [src, writes].map((tokens) => Math.max(width - LEFT - 4, PITCH[0] * tokens.length));
    this.src = columnsOf(src.length, rooms[0]);
    this.tgt = columnsOf(writes.length, rooms[1]);
    const levels = decoder.length - 1 + LOWER * (encoder.length - 1);
    const height = Math.max(HEIGHT[0], Math.min(HEIGHT[1], window.innerHeight - AROUND));
    this.pitch = Math.max(LEVEL[0], Math.min(LEVEL[1], height / levels));
    this.bottom = OUT + this.pitch * (decoder.length - 1);
    this.font = Math.max(11, Math.min(15, this.src.pitch * 0.9));
    this.pencil.font = `${this.font}px ${family}`;
    const widest = Math.max(...src.map((token) => this.pencil.measureText(token).width));
    this.upright = widest + 4 > this.src.pitch;
    this.words = this.y("encoder", 0) + 8;
    this.bars = this.words + (this.upright ? Math.min(widest, LONGEST) + 6 : this.font + 6);
    this.size = { width: LEFT + Math.max(...rooms) + 4, height: this.bars + BARS + 16 };
  }

  /** @param {Stack} side @param {number} level @returns {number} */
  y(side, level) {
    if (side === "decoder") return this.bottom - this.pitch * level;
    return this.bottom + READS + LOWER * this.pitch * (this.levels.encoder - 1 - level);
  }

  /** x and y of the two ends of an edge. @param {Edge} edge */
  ends({ kind, layer, start, end }) {
    const side = kind === "encoder_self" ? "encoder" : "decoder";
    const from = kind === "decoder_self" ? this.tgt : this.src;
    const to = kind === "encoder_self" ? this.src : this.tgt;
    const below = kind === "cross" ? this.y("encoder", this.levels.encoder - 1) : this.y(side, layer);
    return [from.x(start), below, to.x(end), this.y(side, layer + 1)];
  }

  /** @param {Edge} edge */
  curve(edge) {
    const [x, y, right, up] = this.ends(edge);
    const bend = Math.min(26, (y - up) / 2);
    return `M${x} ${y} C${x} ${y - bend} ${right} ${up + (edge.kind === "cross" ? 6 : bend)} ${right} ${up}`;
  }

  /** @param {string} text @param {number} room */
  cut(text, room) {
    const wide = (/** @type {string} */ part) => this.pencil.measureText(part).width > room;
    if (!wide(text)) return text;
    let length = text.length;
    while (length > 1 && wide(`${text.slice(0, length)}…`)) length -= 1;
    return length > 1 ? `${text.slice(0, length)}…` : text.slice(0, 1);
  }
}

/** @param {number} count @param {number} room */
function columnsOf(count, room) {
  const pitch = Math.min(PITCH[1], room / count);
  const x = (/** @type {number} */ index) => LEFT + (room - pitch * count) / 2 + (index + 0.5) * pitch;
  return { pitch, x };
}
