import { percent } from "../../core/text.js";

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
