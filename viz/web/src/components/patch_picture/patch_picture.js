import { unpackFine } from "../../core/codes.js";
import { colourAt, css, tableOf } from "../../core/colours.js";
import { fill } from "../../core/text.js";
import { gridCells, neighbour, Roving } from "../../grid/roving.js";
import { Component, mounted } from "../../ui/component.js";
import { within } from "../../ui/dom.js";
import { seize } from "../../ui/keys.js";
import "./patch_picture.html";

const FULL = 0.8; // how much of the picture the strongest cell covers

/**
 * @typedef {object} Patches
 * @property {string} picture
 * @property {number} rows
 * @property {number} columns
 * @property {string} values as parts of the largest, packed
 * @property {number} high
 * @property {string[]} names
 * @property {number} selected -1 for none
 * @property {boolean} signed
 * @property {number[]} marked
 */
/** @typedef {import("../../types.js").Dressed<Patches>} Sent */

/** @extends {Component<Sent>} */
class PatchPicture extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.serial = 0;
    /** @type {HTMLElement[]} */
    this.cells = [];
    this.values = new Float32Array();
    this.table = new Uint8ClampedArray();
    this.roving = new Roving();
    this.board = this.part("cells");
    this.board.addEventListener("click", (event) => this.look(this.place(event)));
    this.board.addEventListener("pointerover", (event) => this.point(this.place(event)));
    this.board.addEventListener("focusin", (event) => this.point(this.place(event)));
    this.board.addEventListener("pointerleave", () => this.point(-1));
    this.board.addEventListener("keydown", (event) => this.key(event, this.place(event)));
  }

  /** @param {Event} event */
  place(event) {
    const cell = within(event, ".cell");
    return cell ? this.cells.indexOf(cell) : -1;
  }

  /** @param {Sent} data */
  update({ picture, labels, look, signed, values, rows, columns }) {
    /** @type {HTMLImageElement} */ (this.part("picture")).src = picture;
    this.board.setAttribute("aria-label", labels.grid);
    this.table = tableOf(signed ? look.diverging : look.scale);
    this.values = unpackFine(values);
    if (this.cells.length !== rows * columns) this.build(rows, columns);
    this.cells.forEach((cell, i) => this.show(cell, i));
    this.point(-1);
  }

  /** @param {number} rows @param {number} columns */
  build(rows, columns) {
    this.board.style.setProperty("--hl-rows", String(rows));
    this.board.style.setProperty("--hl-columns", String(columns));
    this.cells = gridCells(this.board, rows, columns);
    this.roving.rest(this.cells[0]);
  }

  /** A weight's colour is its place on the scale, and the less there is of it, the more of the picture shows. @param {HTMLElement} cell @param {number} i */
  show(cell, i) {
    const share = this.values[i];
    const { signed, marked, selected } = this.data;
    cell.style.setProperty("--hl-fill", css(colourAt(this.table, signed ? (share + 1) / 2 : share)));
    cell.style.setProperty("--hl-strength", (FULL * Math.abs(share)).toFixed(3));
    cell.classList.toggle("marked", marked.includes(i));
    cell.setAttribute("aria-label", this.name(i));
    cell.setAttribute("aria-selected", String(i === selected));
  }

  /** @param {number} i */
  name(i) {
    const { marked, labels, high, names } = this.data;
    const value = (this.values[i] * high).toPrecision(2);
    return fill(marked.includes(i) ? labels.marked : labels.cell, { patch: names[i], value });
  }

  /** @param {number} i */
  point(i) {
    this.read(i < 0 ? this.data.labels.hint : this.name(i), i < 0);
  }

  /** @param {number} i */
  look(i) {
    if (i < 0) return;
    this.serial += 1;
    this.setTriggerValue("look", { serial: this.serial, patch: i });
  }

  /** @param {KeyboardEvent} event @param {number} i */
  key(event, i) {
    if (i < 0) return;
    const next = neighbour(i, event.key, this.data);
    if (event.key === " " || event.key === "Enter") this.look(i);
    else if (next !== null) this.roving.go(this.cells[next]);
    else return;
    seize(event);
  }
}

export default mounted(PatchPicture);
