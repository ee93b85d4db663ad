// Every head of a kind as small maps on one canvas.
import { make, sized } from "./dom.js";
import { rgbOf, scalesOf, shareOf } from "../reckon/scale.js";

/** @typedef {import("../types.js").KindPart} KindPart */
/** @typedef {{ layer: number | null, head: number | null }} Cell null: a whole column or row of heads */

const GUTTER = 26; // room for L0, L1 …
const HEADER = 18; // room for H0, H1 …
const GAP = 3;
const TYPE = 13;

/** For each of `pixels` steps along an axis of `count` tokens: first token, and the one after the last. @param {number} count @param {number} pixels */
export function steps(count, pixels) {
  return Array.from({ length: pixels }, (_, i) => {
    const from = Math.floor((i * count) / pixels);
    return [from, Math.max(from + 1, Math.ceil(((i + 1) * count) / pixels))];
  });
}

/**
 * The strongest value by its size in each pixel of a small picture.
 * @param {import("../types.js").Reading} reading
 * @param {number} side
 * @returns {Float32Array}
 */
export function pooled({ values, rows, columns }, side) {
  const [down, across] = [steps(rows.length, side), steps(columns.length, side)];
  const found = new Float32Array(side * side);
  let at = 0;
  for (const [firstRow, rowEnd] of down) {
    for (const [first, end] of across) {
      let most = 0;
      for (let row = firstRow; row < rowEnd; row++) {
        for (let i = row * columns.length + first; i < row * columns.length + end; i++) {
          if (Math.abs(values[i]) > Math.abs(most)) most = values[i];
        }
      }
      found[at++] = most;
    }
  }
  return found;
}

export class Grid {
  /**
   * @param {import("../viewer.js").Viewer} owner
   * @param {KindPart} kind
   */
  constructor(owner, kind) {
    this.owner = owner;
    this.kind = kind;
    this.side = 0;
    this.painted = this.asked = "";
    this.waiting = 0;
    this.canvas = make("canvas");
    this.over = make("canvas", { className: "over" });
    this.canvas.setAttribute("role", "img");
    this.element = make("div", { className: "grid" }, this.canvas, this.over);
    this.element.addEventListener("pointermove", (event) => owner.preview(this, this.cellAt(event)));
    this.element.addEventListener("pointerleave", () => owner.preview(this, null));
    this.element.addEventListener("click", (event) => this.click(event));
  }

  /** The side that fits a room. @param {number} width @param {number} height */
  sideFor(width, height) {
    const { layers, heads } = this.kind;
    return Math.max(8, Math.floor(Math.min((width - GUTTER) / heads, (height - HEADER) / layers) - GAP));
  }

  /**
   * Paints all maps where they have changed: at once, or after the large ones have been shown.
   * @param {number} side
   * @param {boolean} atOnce
   */
  draw(side, atOnce) {
    const { state, look } = this.owner;
    const { drawn, words, special, shift, threshold, log, scale } = state;
    const chosen = [this.kind.kind, drawn, words, special, shift, threshold, log, scale];
    this.asked = [...chosen, look.background, side, window.devicePixelRatio].join();
    if (this.asked === this.painted) this.mark();
    else if (atOnce) this.paint(side, true);
    else if (!this.waiting) this.waiting = requestAnimationFrame(() => setTimeout(() => this.paint(side, false)));
  }

  /**
   * A layer at a time, so that whoever presses the next key need not wait for all of them.
   * @param {number} side
   * @param {boolean} atOnce
   */
  paint(side, atOnce) {
    const { layers, heads } = this.kind;
    const { asked, owner } = this;
    this.side = side;
    this.waiting = 0;
    this.painted = asked;
    const context = sized(this.canvas, GUTTER + heads * (side + GAP), HEADER + layers * (side + GAP));
    this.name(context);
    this.mark();
    this.canvas.setAttribute("aria-label", `${this.kind.title}: ${layers} × ${heads}`);
    const panels = owner.panelsOfKind(this.kind);
    const scales = scalesOf(panels, owner.state);
    const next = (/** @type {number} */ layer) => {
      if (asked !== this.painted) return;
      for (let head = 0; head < heads; head++) {
        const at = layer * heads + head;
        this.put(context, panels[at], scales[at], this.corner(layer, head));
      }
      if (layer + 1 === layers) this.canvas.dataset.painted = asked;
      else if (atOnce) next(layer + 1);
      else setTimeout(() => next(layer + 1));
    };
    next(0);
  }

  /** @param {CanvasRenderingContext2D} context @param {import("../types.js").Panel} panel @param {import("../types.js").Scale} scale @param {number[]} corner */
  put(context, panel, scale, [x, y]) {
    const ratio = window.devicePixelRatio || 1;
    const pixels = Math.round(this.side * ratio);
    const image = context.createImageData(pixels, pixels);
    this.fill(image, panel, scale, pixels);
    context.putImageData(image, Math.round(x * ratio), Math.round(y * ratio));
  }

  /** @param {ImageData} image @param {import("../types.js").Panel} panel @param {import("../types.js").Scale} scale @param {number} side */
  fill({ data }, panel, scale, side) {
    const { look, tables } = this.owner;
    const table = panel.signed ? tables.diverging : tables.scale;
    const blank = rgbOf(look.surface);
    const found = pooled(panel.reading, side);
    for (let i = 0; i < found.length; i++) {
      const share = shareOf(found[i], scale);
      const from = share === null ? -1 : 3 * Math.round(255 * Math.min(1, Math.max(0, share)));
      for (let c = 0; c < 3; c++) data[4 * i + c] = from < 0 ? blank[c] : table[from + c];
      data[4 * i + 3] = 255;
    }
  }

  /** @param {CanvasRenderingContext2D} context */
  name(context) {
    context.font = `${TYPE}px ${this.owner.fonts}`;
    context.fillStyle = this.owner.look.muted;
    context.textBaseline = "middle";
    const { layers, heads } = this.kind;
    context.textAlign = "right";
    for (let layer = 0; layer < layers; layer++)
      context.fillText(`L${layer}`, GUTTER - 5, this.corner(layer, 0)[1] + this.side / 2);
    context.textAlign = "center";
    for (let head = 0; head < heads; head++)
      context.fillText(`H${head}`, this.corner(0, head)[0] + this.side / 2, HEADER / 2);
  }

  /** @param {number} layer @param {number} head */
  corner(layer, head) {
    return [GUTTER + head * (this.side + GAP), HEADER + layer * (this.side + GAP)];
  }

  /** The chosen heads, the first one thick, and the one that is pointed at. */
  mark() {
    const context = sized(this.over, this.canvas.clientWidth, this.canvas.clientHeight);
    const { owner, side } = this;
    context.strokeStyle = owner.look.accent;
    owner.chosen
      .filter(({ kind }) => kind === this.kind)
      .forEach((head, i) => {
        const [x, y] = this.corner(head.layer, head.head);
        context.lineWidth = head === owner.chosen[0] || i === 0 ? 3 : 2;
        context.strokeRect(x - 1, y - 1, side + 2, side + 2);
      });
  }

  /** @param {MouseEvent} event @returns {Cell | null} */
  cellAt({ offsetX, offsetY }) {
    const [head, layer] = [(offsetX - GUTTER) / (this.side + GAP), (offsetY - HEADER) / (this.side + GAP)].map(
      Math.floor,
    );
    if (head >= this.kind.heads || layer >= this.kind.layers || (head < 0 && layer < 0)) return null;
    return { layer: layer < 0 ? null : layer, head: head < 0 ? null : head };
  }

  /** @param {MouseEvent} event */
  click(event) {
    const cell = this.cellAt(event);
    if (cell) this.owner.open(this.kind, cell, event.shiftKey || event.ctrlKey || event.metaKey);
  }
}
