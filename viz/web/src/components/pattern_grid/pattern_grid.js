import { Component, mounted } from "../../ui/component.js";
import { ARROWS, colourAt, colourTable, css, fill, make, seize } from "../../ui/shared.js";
import "./pattern_grid.css";

const GRID = 8;
const REST = 250; // milliseconds without a further change before a pattern painted by keyboard is reported

class PatternGrid extends Component {
  constructor(root) {
    super(root);
    this.serial = 0; // of the newest change that was reported
    this.values = new Array(GRID * GRID).fill(0);
    this.board = this.part("cells");
    this.build();
    const cell = (event) => this.cells.indexOf(event.target.closest?.(".cell"));
    this.board.addEventListener("pointerdown", (event) => this.press(event, cell(event)));
    // Capture would send every move to the first cell; the pointer's own place says where it is.
    this.board.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel", "pointerleave"])
      this.board.addEventListener(end, () => this.lift());
    this.board.addEventListener("keydown", (event) => this.key(event, cell(event)));
    this.part("clear").addEventListener("click", () => this.clear());
  }

  build() {
    this.cells = [];
    for (let row = 0; row < GRID; row++) {
      const line = make("div", "row");
      line.setAttribute("role", "row");
      for (let column = 0; column < GRID; column++) {
        const cell = make("div", "cell");
        cell.setAttribute("role", "gridcell");
        Object.assign(cell.dataset, { row, column });
        cell.tabIndex = row || column ? -1 : 0;
        this.cells.push(cell);
        line.append(cell);
      }
      this.board.append(line);
    }
  }

  update(data) {
    this.table = colourTable(data.look.scale);
    this.board.setAttribute("aria-label", data.labels.grid);
    // An answer to an older change must not undo a newer one.
    if (data.serial >= this.serial && this.brush === undefined && !this.resting) {
      this.values = [...data.values];
      this.serial = data.serial;
    }
    this.root.dataset.serial = data.serial;
    this.show();
  }

  show() {
    this.cells.forEach((cell, i) => {
      const { row, column } = cell.dataset;
      const name = fill(this.data.labels.cell, { row: Number(row) + 1, column: Number(column) + 1 });
      cell.style.setProperty("--hl-fill", css(colourAt(this.table, 0.8 * this.values[i])));
      cell.dataset.value = this.values[i];
      cell.setAttribute("aria-label", name);
      cell.setAttribute("aria-selected", String(this.values[i] > 0.5));
    });
  }

  // Painting begins on the named pattern's own cells, full or empty.
  set(i, value) {
    this.values = this.values.map((each) => (each > 0.5 ? 1 : 0));
    this.values[i] = value;
    this.changed = true;
    this.show();
  }

  press(event, i) {
    if (i < 0 || event.button) return;
    this.rove(i);
    this.brush = this.values[i] > 0.5 ? 0 : 1;
    this.set(i, this.brush);
  }

  drag(event) {
    if (this.brush === undefined) return;
    const here = this.root.getRootNode().elementFromPoint(event.clientX, event.clientY);
    const i = this.cells.indexOf(here?.closest(".cell"));
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
      code += this.values
        .slice(i, i + 4)
        .reduce((sum, value) => 2 * sum + (value > 0.5 ? 1 : 0), 0)
        .toString(16);
    }
    this.setStateValue("paint", { serial: this.serial, code });
  }

  key(event, i) {
    if (i < 0) return;
    const [row, column] = [Math.floor(i / GRID), i % GRID];
    const [down, right] = ARROWS[event.key] ?? [];
    if (event.key === " " || event.key === "Enter") {
      this.set(i, this.values[i] > 0.5 ? 0 : 1);
      clearTimeout(this.resting);
      this.resting = this.after(REST, () => this.report());
    } else if (down === undefined) return;
    else if (row + down >= 0 && row + down < GRID && column + right >= 0 && column + right < GRID) {
      this.rove(i + down * GRID + right);
      this.cells[i + down * GRID + right].focus();
    }
    seize(event);
  }

  rove(i) {
    this.cells.forEach((cell, at) => (cell.tabIndex = at === i ? 0 : -1));
  }
}

export default mounted(PatternGrid);
