// A map on two canvases: its cells change from head to head, its labels rarely do.
import { sized } from "../ui/canvas.js";
import { make } from "../ui/dom.js";

/** @typedef {import("../types.js").Place} Place */
/** @typedef {import("../viewer/panel.js").Picture} Drawing */

export class Layers {
  constructor() {
    this.under = make("canvas", { className: "under" });
    this.names = make("canvas", { className: "over" });
    this.named = "";
    /** @type {unknown[]} whose names stand there */
    this.whose = [];
  }

  /**
   * @param {typeof import("./map.js").asMap} painter
   * @param {Place} place
   * @param {Drawing} drawing
   * @param {{ width: number, height: number }} size
   */
  paint(painter, place, drawing, { width, height }) {
    painter.paint(sized(this.under, width, height), place, drawing);
    const { rows, columns } = drawing.panel.reading;
    const [named, whose] = [JSON.stringify([place, width, height]), [painter, rows, columns, drawing.look]];
    if (named === this.named && whose.every((each, i) => each === this.whose[i])) return;
    [this.named, this.whose] = [named, whose];
    painter.name(sized(this.names, width, height), place, drawing);
  }
}
