import { colourAt, css, tableOf } from "../../core/colours.js";
import { fill } from "../../core/text.js";
import { gridCells, neighbour, Roving } from "../../grid/roving.js";
import { Component, mounted } from "../../ui/component.js";
import { within } from "../../ui/dom.js";
import { seize } from "../../ui/keys.js";
import "./pattern_grid.html";

const GRID = 8;
const SIZE = { rows: GRID, columns: GRID };
const REST = 250; // milliseconds without a further change before a pattern painted by keyboard is reported

/** @typedef {import("../../types.js").Dressed<{ values: number[], serial: number }>} Sent */

/** @extends {Component<Sent>} */
class PatternGrid extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.serial = 0; // of the newest change that was reported
    /** @type {number[]} */
    this.values = new Array(GRID * GRID).fill(0);
    this.table = new Uint8ClampedArray();
    /** @type {number | undefined} what the pointer paints with */
    this.brush = undefined;
    /** @type {number | undefined} */
    this.resting = undefined;
    this.changed = false;
    this.board = this.part("cells");
    this.cells = gridCells(this.board, GRID, GRID);
    this.cells.forEach((cell, i) => Object.assign(cell.dataset, { row: Math.floor(i / GRID), column: i % GRID }));
    this.roving = new Roving();
    this.roving.rest(this.cells[0]);
    this.board.addEventListener("pointerdown", (event) => this.press(event, this.place(within(event, ".cell"))));
    // Capture would send every move to the first cell; the pointer's own place says where it is.
    this.board.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel", "pointerleave"])
      this.board.addEventListener(end, () => this.lift());
    this.board.addEventListener("keydown", (event) => this.key(event, this.place(within(event, ".cell"))));
    this.part("clear").addEventListener("click", () => this.clear());
  }

  /** @param {Element | null | undefined} cell */
  place(cell) {
    return cell ? this.cells.indexOf(/** @type {HTMLDivElement} */ (cell)) : -1;
  }

  /** @param {Sent} data */
  update({ look, labels, serial, values }) {
    this.table = tableOf(look.scale);
    this.board.setAttribute("aria-label", labels.grid);
    // An answer to an older change must not undo a newer one.
    if (serial >= this.serial && this.brush === undefined && !this.resting) {
      this.values = [...values];
      this.serial = serial;
    }
    this.root.dataset.serial = String(serial);
    this.show();
  }

  show() {
    this.cells.forEach((cell, i) => {
      const { row, column } = cell.dataset;
      const name = fill(this.data.labels.cell, { row: Number(row) + 1, column: Number(column) + 1 });
      cell.style.setProperty("--hl-fill", css(colourAt(this.table, 0.8 * this.values[i])));
      cell.dataset.value = String(this.values[i]);
      cell.setAttribute("aria-label", name);
      cell.setAttribute("aria-selected", String(this.values[i] > 0.5));
    });
  }

  /** Painting begins on the named pattern's own cells, full or empty. @param {number} i @param {number} value */
  set(i, value) {
    this.values = this.values.map((each) => (each > 0.5 ? 1 : 0));
    this.values[i] = value;
    this.changed = true;
    this.show();
  }

  /** @param {PointerEvent} event @param {number} i */
  press(event, i) {
    if (i < 0 || event.button) return;
    this.roving.rest(this.cells[i]);
    this.brush = this.values[i] > 0.5 ? 0 : 1;
    this.set(i, this.brush);
  }

  /** @param {PointerEvent} event */
  drag({ clientX, clientY }) {
    if (this.brush === undefined) return;
    const page = /** @type {Document | ShadowRoot} */ (this.root.getRootNode());
    const i = this.place(page.elementFromPoint(clientX, clientY)?.closest(".cell"));
    if (i >= 0 && this.values[i] !== this.brush) this.set(i, this.brush);
  }

  lift() {
    this.brush = undefined;
    if (this.changed) this.report();
  }

  clear() {
    this.values.fill(0);
    this.show();
    this.report();
  }

  report() {
    clearTimeout(this.resting);
    this.resting = undefined;
    this.changed = false;
    this.serial += 1;
    let code = "";
    for (let i = 0; i < this.values.length; i += 4) {
      const four = this.values.slice(i, i + 4);
      code += four.reduce((sum, value) => 2 * sum + (value > 0.5 ? 1 : 0), 0).toString(16);
    }
    this.setStateValue("paint", { serial: this.serial, code });
  }

  /** @param {KeyboardEvent} event @param {number} i */
  key(event, i) {
    if (i < 0) return;
    const next = neighbour(i, event.key, SIZE);
    if (event.key === " " || event.key === "Enter") {
      this.set(i, this.values[i] > 0.5 ? 0 : 1);
      clearTimeout(this.resting);
      this.resting = this.after(REST, () => this.report());
    } else if (next !== null) this.roving.go(this.cells[next]);
    else return;
    seize(event);
  }
}

export default mounted(PatternGrid);
