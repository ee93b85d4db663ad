// Every head of a kind as small maps on one canvas.
import { sized } from "../ui/canvas.js";
import { make } from "../ui/dom.js";
import { pooled, stretched } from "../map/pooling.js";
import { hallTimes } from "../viewer/keys.js";
import { pixelsOf, scalesOf } from "../core/colours.js";

/** @typedef {import("../types.js").KindPart} KindPart */
/** @typedef {{ layer: number | null, head: number | null }} Cell null: a whole column or row of heads */

const GUTTER = 26; // room for L0, L1 … on a desk
const HEADER = 22; // room for H0, H1 …
const GAP = 3;
const TYPE = { desk: 14, hall: 18 };
const SLICE = 4; // ms of painting between two looks at what the visitor does
const AFTER = 30; // ms from what is large to what is small beside it, so that its frame is drawn first

/** @typedef {import("../map/pooling.js").Tile} Tile */

export class Grid {
  /**
   * @param {import("../viewer/viewer.js").Viewer} owner
   * @param {KindPart} kind
   */
  constructor(owner, kind) {
    this.owner = owner;
    this.kind = kind;
    this.tile = this.wanted = { wide: 0, high: 0 };
    this.painted = this.asked = "";
    this.waiting = 0;
    /** @type {ImageData | null} */
    this.image = null;
    this.size = { width: 0, height: 0 };
    this.edge = { left: GUTTER, top: HEADER };
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
   * @param {Tile} tile
   * @param {boolean} atOnce
   */
  draw(tile, atOnce) {
    const { state, look } = this.owner;
    const { method, words, hide_special, shift, threshold, log, scale, present } = state;
    const chosen = [this.kind.kind, method, words, hide_special, shift, threshold, log, scale];
    this.asked = [...chosen, look.background, tile.wide, tile.high, present, window.devicePixelRatio].join();
    if (this.asked === this.painted) this.mark();
    else if (atOnce) this.paint(tile, true);
    else if (!this.waiting)
      this.waiting = requestAnimationFrame(() => setTimeout(() => this.paint(this.wanted, false), AFTER));
    this.wanted = tile;
  }

  /**
   * A few maps at a time, so that whoever presses the next key need not wait for all of them.
   * @param {Tile} tile
   * @param {boolean} atOnce
   */
  paint(tile, atOnce) {
    const { layers, heads } = this.kind;
    const { asked, owner } = this;
    this.waiting = 0;
    if (!atOnce && !this.element.isConnected) return; // another grid, or viewer, stands in its place
    this.tile = tile;
    this.painted = asked;
    const times = owner.state.present ? hallTimes() : 1;
    const { left, top } = (this.edge = { left: GUTTER * times, top: HEADER * times });
    this.size = { width: left + heads * (tile.wide + GAP), height: top + layers * (tile.high + GAP) };
    const context = sized(this.canvas, this.size.width, this.size.height);
    this.name(context);
    this.mark();
    this.canvas.setAttribute("aria-label", `${this.kind.title}: ${layers} × ${heads}`);
    const panel = (/** @type {number} */ i) => owner.smallOf(this.kind, Math.floor(i / heads), i % heads);
    const every = owner.state.scale === "common" ? Array.from({ length: layers * heads }, (_, i) => panel(i)) : [];
    const common = scalesOf(every, owner.state);
    const next = (/** @type {number} */ at) => {
      const begun = performance.now();
      for (let i = at; i < layers * heads; i++) {
        if (asked !== this.painted) return;
        if (asked !== this.asked) return void (this.painted = "");
        if (!atOnce && performance.now() - begun > SLICE) return void setTimeout(() => next(i));
        const one = panel(i);
        const corner = this.corner(Math.floor(i / heads), i % heads);
        this.put(context, one, common[i] ?? scalesOf([one], owner.state)[0], corner);
      }
      this.canvas.dataset.painted = asked;
    };
    next(0);
  }

  /** @param {CanvasRenderingContext2D} context @param {import("../types.js").Panel} panel @param {import("../types.js").Scale} scale @param {number[]} corner */
  put(context, { reading, signed }, scale, [x, y]) {
    const ratio = window.devicePixelRatio || 1;
    const tile = { wide: Math.round(this.tile.wide * ratio), high: Math.round(this.tile.high * ratio) };
    const { inks } = this.owner.colours;
    if (this.image?.width !== tile.wide || this.image.height !== tile.high)
      this.image = context.createImageData(tile.wide, tile.high);
    const into = new Uint32Array(this.image.data.buffer);
    if (reading.values.length) {
      const small = pooled(reading, tile);
      stretched(pixelsOf(small.values, scale, signed ? inks.diverging : inks.scale), small, tile, into);
    } else into.fill(inks.scale[256]);
    context.putImageData(this.image, Math.round(x * ratio), Math.round(y * ratio));
  }

  /** @param {CanvasRenderingContext2D} context */
  name(context) {
    const { fonts, look, state } = this.owner;
    context.font = `${state.present ? TYPE.hall * hallTimes() : TYPE.desk}px ${fonts}`;
    context.fillStyle = look.muted;
    context.textBaseline = "middle";
    const { layers, heads } = this.kind;
    context.textAlign = "right";
    for (let layer = 0; layer < layers; layer++)
      context.fillText(`L${layer}`, this.edge.left - 5, this.corner(layer, 0)[1] + this.tile.high / 2);
    context.textAlign = "center";
    for (let head = 0; head < heads; head++)
      context.fillText(`H${head}`, this.corner(0, head)[0] + this.tile.wide / 2, this.edge.top / 2);
  }

  /** @param {number} layer @param {number} head */
  corner(layer, head) {
    return [this.edge.left + head * (this.tile.wide + GAP), this.edge.top + layer * (this.tile.high + GAP)];
  }

  /** The chosen heads, the first one thick, and the one that is pointed at. */
  mark() {
    const context = sized(this.over, this.size.width, this.size.height);
    const { owner, tile } = this;
    context.strokeStyle = owner.look.accent;
    owner.chosen
      .filter(({ kind }) => kind === this.kind)
      .forEach((head, i) => {
        const [x, y] = this.corner(head.layer, head.head);
        context.lineWidth = head === owner.chosen[0] || i === 0 ? 3 : 2;
        context.strokeRect(x - 1, y - 1, tile.wide + 2, tile.high + 2);
      });
  }

  /** @param {MouseEvent} event @returns {Cell | null} */
  cellAt({ offsetX, offsetY }) {
    const { tile, edge } = this;
    const [across, down] = [(offsetX - edge.left) / (tile.wide + GAP), (offsetY - edge.top) / (tile.high + GAP)];
    const [head, layer] = [Math.floor(across), Math.floor(down)];
    if (head >= this.kind.heads || layer >= this.kind.layers || (head < 0 && layer < 0)) return null;
    return { layer: layer < 0 ? null : layer, head: head < 0 ? null : head };
  }

  /** @param {MouseEvent} event */
  click(event) {
    const cell = this.cellAt(event);
    if (cell) this.owner.open(this.kind, cell, event.shiftKey || event.ctrlKey || event.metaKey);
  }
}
