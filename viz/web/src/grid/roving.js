// Grids of cells: arrow keys walk them, and Tab reaches the one where they came to.
import { make } from "../ui/dom.js";
import { ARROWS } from "../ui/keys.js";

/** The one cell of many that Tab reaches. */
export class Roving {
  constructor() {
    /** @type {HTMLElement | null} */
    this.cell = null;
  }

  /** @param {HTMLElement | null | undefined} cell */
  rest(cell) {
    if (this.cell) this.cell.tabIndex = -1;
    if (cell) cell.tabIndex = 0;
    this.cell = cell ?? null;
  }

  /** Moves the keyboard to a cell, where there is one. @param {HTMLElement | null | undefined} cell */
  go(cell) {
    if (!cell) return;
    this.rest(cell);
    cell.focus();
  }
}

/** A cell that a grid may rove to. */
export function gridCell() {
  const cell = make("div", "cell");
  cell.setAttribute("role", "gridcell");
  cell.tabIndex = -1;
  return cell;
}

/** @param {...HTMLElement} cells */
export function gridRow(...cells) {
  const row = make("div", "row", ...cells);
  row.setAttribute("role", "row");
  return row;
}

/** Rows of cells in a board; all of them, row by row. @param {HTMLElement} board @param {number} rows @param {number} columns */
export function gridCells(board, rows, columns) {
  const cells = Array.from({ length: rows * columns }, gridCell);
  const lines = Array.from({ length: rows }, (_, row) => gridRow(...cells.slice(row * columns, (row + 1) * columns)));
  board.replaceChildren(...lines);
  return cells;
}

/**
 * The cell that an arrow key leads to; the same one at an edge, and null where the key is no arrow.
 * @param {number} index row by row
 * @param {string} key
 * @param {{ rows: number, columns: number }} size
 */
export function neighbour(index, key, { rows, columns }) {
  if (!(key in ARROWS)) return null;
  const [down, right] = ARROWS[key];
  const [row, column] = [Math.floor(index / columns) + down, (index % columns) + right];
  return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : index;
}
