// One large map: its title, its picture, and the line that says what is pointed at.
import { litIn, placesOf } from "../core/pointing.js";
import { scalesOf } from "../core/colours.js";
import { pinsSaid, spotSaid, strongest, sumsOf } from "../core/tell.js";
import { asLines } from "../lines/lines.js";
import { asMap, Layers } from "../map/map.js";
import { sized } from "../ui/canvas.js";
import { make } from "../ui/dom.js";
import { PreviewCard } from "../ui/preview.js";

/** @typedef {import("../types.js").Spot} Spot */
/** @typedef {{ below: number[] | null, beside: number[] | null }} Sums */
/** @typedef {{ rows: number[], columns: number[], pinnedRows: number[], pinnedColumns: number[], sums: Sums | null, dim: boolean }} Marked */

/**
 * @template {{ reading: import("../types.js").Reading }} P
 * @typedef {object} Painted What a painter needs.
 * @property {P} panel
 * @property {import("../types.js").Scale} scale
 * @property {Uint8ClampedArray} table
 * @property {Uint32Array} inks its colours as pixels
 * @property {import("../types.js").Look} look
 * @property {number} given tokens of a prompt
 * @property {string} fonts
 * @property {import("../ui/canvas.js").Ruler} ruler
 */
/** @typedef {Painted<import("../types.js").Panel>} Drawing of a head, as it is chosen */
/** @typedef {Painted<{ reading: import("../types.js").Reading }>} Picture of any map */

const STRIP = 24; // room of the sums of what is pinned
const DRAGGED = 4; // px that make a drag of a click
const STEP = 1.25;

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {import("../types.js").Panel} panel
 * @param {import("../types.js").Scale} scale
 * @returns {Drawing}
 */
export function drawingOf({ colours: { tables, inks }, look, fonts, ruler, trace }, panel, scale) {
  const name = panel.signed ? "diverging" : "scale";
  return { panel, scale, table: tables[name], inks: inks[name], look, fonts, ruler, given: trace.header.given };
}

export class PanelView {
  /** @param {import("./viewer.js").Viewer} owner */
  constructor(owner) {
    this.owner = owner;
    this.name = make("b");
    this.shape = make("span");
    this.idle = ""; // what is said while nothing is pointed at
    this.title = make("h2", { className: "panel-title" }, this.name, this.shape);
    this.layers = new Layers();
    this.over = make("canvas", { className: "over" });
    this.stage = make("div", { className: "stage" }, this.layers.under, this.layers.names, this.over);
    this.stage.setAttribute("role", "img");
    this.said = make("p", { className: "said" });
    this.element = make("section", { className: "panel" }, this.title, this.said, this.stage);
    /** @type {Drawing | null} */
    this.drawing = null;
    /** @type {typeof asMap} */
    this.painter = asMap;
    /** @type {import("../core/place.js").Axes} */
    this.labels = { rows: [], columns: [] };
    this.outer = { width: 0, height: 0, ratio: 1 };
    /** @type {import("../core/place.js").Room | null} of the map, without the sums */
    this.room = null;
    /** @type {import("../types.js").Place | null} */
    this.place = null;
    this.fittedFor = "";
    this.marked = false;
    /** @type {{ x: number, y: number, moved: boolean } | null} */
    this.held = null;
    this.listen();
  }

  listen() {
    const { stage, owner } = this;
    stage.addEventListener("pointermove", (event) => this.move(event));
    stage.addEventListener("pointerleave", () => owner.point(null, null));
    stage.addEventListener("pointerdown", (event) => this.hold(event));
    stage.addEventListener("pointerup", (event) => this.release(event));
    stage.addEventListener("pointercancel", () => (this.held = null));
    stage.addEventListener("dblclick", () => this.fit());
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /**
   * @param {Drawing} drawing
   * @param {import("../core/place.js").Room} room
   * @param {"map" | "lines"} view
   */
  take(drawing, room, view) {
    const { rows, columns } = drawing.panel.reading;
    const axes = { rows: drawing.ruler.widths(rows), columns: drawing.ruler.widths(columns) };
    const summed = this.summedOf(drawing.panel);
    const strips =
      view === "map"
        ? { width: summed.columns.length && STRIP, height: summed.rows.length && STRIP }
        : { width: 0, height: 0 };
    this.outer = room;
    this.room = { ...room, width: room.width - strips.width, height: room.height - strips.height };
    this.drawing = drawing;
    this.labels = axes;
    this.painter = view === "map" ? asMap : asLines;
    const same = [
      view,
      room.width,
      room.height,
      strips.width,
      strips.height,
      rows.length,
      columns.length,
      axes.rows[0],
      axes.columns[0],
    ].join();
    if (same !== this.fittedFor) this.place = this.painter.opening(this.room, axes);
    this.fittedFor = same;
    [this.name.textContent, this.shape.textContent] = [drawing.panel.title, `${rows.length} × ${columns.length}`];
    this.idle = strongest(drawing.panel.reading, this.owner.words);
    this.stage.setAttribute("aria-label", `${drawing.panel.title}. ${this.idle}`);
    this.paint();
  }

  paint() {
    if (!this.drawing || !this.place || !this.room) return;
    this.layers.paint(this.painter, this.place, this.drawing, this.outer);
    this.mark();
  }

  /** Which rows and columns of a panel are pinned. @param {import("../types.js").Panel} panel */
  pinsOf({ reading }) {
    const { rows, columns } = this.owner.state;
    return { pinnedRows: placesOf(reading.rows, rows), pinnedColumns: placesOf(reading.columns, columns) };
  }

  /** Pinned rows and columns whose sums stand beside the map; in a hall the light already shows a single one. @param {import("../types.js").Panel} panel */
  summedOf(panel) {
    const { pinnedRows, pinnedColumns } = this.pinsOf(panel);
    const least = this.owner.state.present ? 2 : 1;
    const some = (/** @type {number[]} */ pinned) => (pinned.length < least ? [] : pinned);
    return { rows: some(pinnedRows), columns: some(pinnedColumns) };
  }

  /** What is pointed at anywhere lights up here. */
  mark() {
    const { drawing, place, room } = this;
    if (!drawing || !place || !room) return;
    const lit = litIn(drawing.panel, this.owner.lit);
    const pins = this.pinsOf(drawing.panel);
    const { reading } = drawing.panel;
    const some = pins.pinnedRows.length + pins.pinnedColumns.length > 0;
    const summed = this.summedOf(drawing.panel);
    const sums = some ? sumsOf(reading, summed.rows, summed.columns) : null;
    const any = Boolean(some || lit.rows.length || lit.columns.length);
    this.stage.classList.toggle("focused", any && this.painter === asLines);
    const context = any || this.marked ? sized(this.over, this.outer.width, this.outer.height) : null;
    this.marked = any;
    if (any && context)
      this.painter.mark(context, place, drawing, { ...lit, ...pins, sums, dim: this.owner.state.present });
    this.tell(lit, pins);
  }

  /**
   * @param {{ rows: number[], columns: number[] }} lit
   * @param {{ pinnedRows: number[], pinnedColumns: number[] }} pins
   */
  tell(lit, { pinnedRows, pinnedColumns }) {
    const { reading, kind } = /** @type {Drawing} */ (this.drawing).panel;
    const { words, state } = this.owner;
    const spot = { row: lit.rows[0] ?? null, column: lit.columns[0] ?? null };
    const shifted = kind.shifts && state.shift === "written";
    const pinned = pinsSaid(reading, words, pinnedRows, pinnedColumns);
    const pointed = spot.row !== null || spot.column !== null;
    this.said.textContent = pointed ? spotSaid(reading, words, spot, shifted) : pinned || this.idle;
    this.said.classList.toggle("idle", !pointed && !pinned);
  }

  /** @param {MouseEvent} event */
  spot({ offsetX, offsetY }) {
    const spot = this.place ? this.painter.spotAt(this.place, offsetX, offsetY) : null;
    const { rows, columns } = this.labels;
    return spot && (spot.row ?? 0) < rows.length && (spot.column ?? 0) < columns.length ? spot : null;
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { held } = this;
    if (!this.drawing || !this.place || !this.room) return;
    if (!held) return this.owner.point(this.drawing.panel, this.spot(event));
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.moved && Math.abs(dx) + Math.abs(dy) < DRAGGED) return;
    this.held = { x: event.clientX, y: event.clientY, moved: true };
    this.show(this.painter.panned(this.place, dx, dy, { room: this.room, axes: this.labels }));
  }

  /** @param {PointerEvent} event */
  hold(event) {
    if (event.button !== 0) return;
    this.held = { x: event.clientX, y: event.clientY, moved: false };
    this.stage.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const { held } = this;
    this.held = null;
    if (held && !held.moved && this.drawing) this.owner.pin(this.drawing.panel, this.spot(event), event.shiftKey);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!this.place || !this.room) return;
    event.preventDefault();
    const within = { room: this.room, axes: this.labels };
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (sideways) this.show(this.painter.panned(this.place, -(event.deltaX || event.deltaY), 0, within));
    else this.zoom(event.deltaY < 0 ? STEP : 1 / STEP, { x: event.offsetX, y: event.offsetY });
  }

  /** @param {number} factor @param {{ x: number, y: number }} [about] */
  zoom(factor, about) {
    if (!this.place || !this.room) return;
    const { left, top, width, height } = this.place;
    const least = this.painter.fitted(this.room, this.labels).cell;
    const point = about ?? { x: left + width / 2, y: top + height / 2 };
    this.show(this.painter.zoomed(this.place, point, factor, { room: this.room, axes: this.labels, least }));
  }

  fit() {
    if (this.room) this.show(this.painter.fitted(this.room, this.labels));
  }

  /** Maps of equal size move together. @param {import("../types.js").Place} place */
  show(place) {
    for (const panel of this.owner.panels.filter(({ fittedFor }) => fittedFor === this.fittedFor)) {
      panel.place = place;
      panel.paint();
    }
  }
}

// The card of a head that is only pointed at.

const SIDE = 400;

export class Preview extends PreviewCard {
  /** @param {import("./viewer.js").Viewer} owner */
  constructor(owner) {
    super(SIDE, null);
    this.owner = owner;
    this.shown = "";
    this.again = () => {}; // shows the same head anew
  }

  hide() {
    super.hide();
    this.shown = "";
    this.again = () => {};
  }

  /** @param {import("../types.js").Head} head @param {DOMRect} beside */
  point(head, beside) {
    const { owner } = this;
    if (this.shown === head.code) return;
    this.shown = head.code;
    this.again = () => {
      this.shown = "";
      this.point(head, beside);
    };
    const panel = owner.reader.panel(head, owner.state);
    const drawing = drawingOf(owner, panel, scalesOf([panel], owner.state)[0]);
    this.show(panel.title, strongest(panel.reading, owner.words), drawing, beside);
  }
}
