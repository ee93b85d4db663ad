import { Component, mounted } from "../../ui/component.js";
import { ARROWS, colourAt, colourTable, css, fill, make, seize, unpackFine } from "../../ui/shared.js";
import "./patch_picture.css";

const FULL = 0.8; // how much of the picture the strongest cell covers

class PatchPicture extends Component {
  constructor(root) {
    super(root);
    this.serial = 0;
    this.board = this.part("cells");
    this.board.addEventListener("click", (event) => this.look(this.place(event)));
    this.board.addEventListener("pointerover", (event) => this.point(this.place(event)));
    this.board.addEventListener("focusin", (event) => this.point(this.place(event)));
    this.board.addEventListener("pointerleave", () => this.point(-1));
    this.board.addEventListener("keydown", (event) => this.key(event, this.place(event)));
  }

  place(event) {
    return this.cells.indexOf(event.target.closest?.(".cell"));
  }

  update(data) {
    this.part("picture").src = data.picture;
    this.board.setAttribute("aria-label", data.labels.grid);
    this.table = colourTable(data.signed ? data.look.diverging : data.look.scale);
    this.values = unpackFine(data.values);
    if (this.cells?.length !== data.rows * data.columns) this.build(data);
    this.cells.forEach((cell, i) => this.show(cell, i));
    this.point(-1);
  }

  build({ rows, columns }) {
    this.board.style.setProperty("--hl-rows", rows);
    this.board.style.setProperty("--hl-columns", columns);
    this.board.replaceChildren();
    this.cells = [];
    for (let row = 0; row < rows; row++) {
      const line = make("div", "row");
      line.setAttribute("role", "row");
      for (let column = 0; column < columns; column++) {
        const cell = make("div", "cell");
        cell.setAttribute("role", "gridcell");
        cell.tabIndex = row || column ? -1 : 0;
        this.cells.push(cell);
        line.append(cell);
      }
      this.board.append(line);
    }
  }

  // A weight's colour is its place on the scale, and the less there is of it, the more of the picture shows.
  show(cell, i) {
    const share = this.values[i];
    const colour = colourAt(this.table, this.data.signed ? (share + 1) / 2 : share);
    cell.style.setProperty("--hl-fill", css(colour));
    cell.style.setProperty("--hl-strength", (FULL * Math.abs(share)).toFixed(3));
    cell.classList.toggle("marked", this.data.marked.includes(i));
    cell.setAttribute("aria-label", this.name(i));
    cell.setAttribute("aria-selected", String(i === this.data.selected));
  }

  name(i) {
    const told = this.data.marked.includes(i) ? this.data.labels.marked : this.data.labels.cell;
    const value = (this.values[i] * this.data.high).toPrecision(2);
    return fill(told, { row: Math.floor(i / this.data.columns), column: i % this.data.columns, value });
  }

  point(i) {
    this.read(i < 0 ? this.data.labels.hint : this.name(i), i < 0);
  }

  look(i) {
    if (i < 0) return;
    this.serial += 1;
    this.setTriggerValue("look", { serial: this.serial, patch: i });
  }

  key(event, i) {
    if (i < 0) return;
    const { rows, columns } = this.data;
    const [down, right] = ARROWS[event.key] ?? [];
    if (event.key === " " || event.key === "Enter") this.look(i);
    else if (down === undefined) return;
    else {
      const [row, column] = [Math.floor(i / columns) + down, (i % columns) + right];
      if (row >= 0 && row < rows && column >= 0 && column < columns) this.rove(row * columns + column);
    }
    seize(event);
  }

  rove(to) {
    this.cells.forEach((cell, i) => (cell.tabIndex = i === to ? 0 : -1));
    this.cells[to].focus();
  }
}

export default mounted(PatchPicture);
