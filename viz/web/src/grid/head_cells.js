import { Component } from "../ui/component.js";
import { ARROWS, colourTable, make, seize, whenPointed } from "../ui/shared.js";
import "./head_cells.css";

// For every kind of attention a grid with one cell a head, layers down and heads across: pointed at, walked
// with the arrow keys, opened by a click or Enter. What stands in a cell is up to each component: it extends
// build() and point(), and says in said() what the sentence above tells of a cell.
export class HeadCells extends Component {
  constructor(root) {
    super(root);
    this.cursor = null;
    this.kinds = this.part("kinds");
    whenPointed(
      this.kinds,
      (event) => this.cellOf(event),
      (cell) => this.point(cell),
    );
    this.kinds.addEventListener("click", (event) => this.open(this.cellOf(event)));
    this.kinds.addEventListener("keydown", (event) => this.press(event));
  }

  // The ends of the colour scale, and cells: new ones only where layers or heads are others than before.
  lay(kinds, signed) {
    const { look } = this.data;
    this.table = colourTable(signed ? look.diverging : look.scale);
    this.part("ramp").classList.toggle("diverging", signed);
    const shape = kinds.map(({ kind, layers, heads }) => `${kind} ${layers} ${heads}`).join();
    if (shape !== this.shape) this.build(kinds);
    this.shape = shape;
  }

  build(kinds) {
    this.cursor = null;
    this.blocks = kinds.map(({ kind, layers, heads }) => {
      const section = make("section", "kind");
      const title = make("h3", "kind-title");
      const grid = make("div", "grid");
      grid.setAttribute("role", "grid");
      grid.append(this.line("axis", ["", ...Array.from({ length: heads }, (_, head) => `H${head}`)]));
      const cells = Array.from({ length: layers }, (_, layer) => {
        const row = this.line("axis of-row", [`L${layer}`]);
        const made = Array.from({ length: heads }, (_, head) => this.cell(kind, layer, head));
        row.append(...made);
        grid.append(row);
        return made;
      });
      section.append(title, grid);
      return { kind, section, title, grid, cells };
    });
    this.kinds.replaceChildren(...this.blocks.map(({ section }) => section));
    this.rove(this.blocks[0]?.cells[0]?.[0]);
  }

  line(className, texts) {
    const row = make("div", "row");
    row.setAttribute("role", "row");
    for (const text of texts) {
      const header = make("div", className, text);
      header.setAttribute("role", text === "" ? "gridcell" : className === "axis" ? "columnheader" : "rowheader");
      row.append(header);
    }
    return row;
  }

  cell(kind, layer, head) {
    const cell = make("div", "cell");
    cell.setAttribute("role", "gridcell");
    cell.tabIndex = -1;
    Object.assign(cell.dataset, { kind, layer, head });
    return cell;
  }

  cellOf(event) {
    return event.target.closest?.(".cell") ?? null;
  }

  // Marks the cell of the head that is chosen, if any; true where it is this one.
  mark(cell, selected) {
    const { dataset } = cell;
    const { kind, layer, head } = selected ?? {};
    const chosen = dataset.kind === kind && Number(dataset.layer) === layer && Number(dataset.head) === head;
    cell.classList.toggle("selected", chosen);
    cell.setAttribute("aria-selected", String(chosen));
    return chosen;
  }

  point(cell) {
    this.cursor?.classList.remove("cursor");
    this.cursor = cell;
    cell?.classList.add("cursor");
    this.read(cell ? this.said(cell) : this.data.labels.hint, !cell);
  }

  open(cell) {
    if (!cell) return;
    const { kind, layer, head } = cell.dataset;
    this.setTriggerValue("open", { kind, layer: Number(layer), head: Number(head) });
  }

  press(event) {
    const cell = this.cellOf(event);
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") this.open(cell);
    else if (!this.step(cell, event.key)) return;
    seize(event);
  }

  step({ dataset: { kind, layer, head } }, key) {
    const [down, right] = ARROWS[key] ?? [];
    if (down === undefined) return false;
    // Rows run on from one kind to the next.
    const lines = this.blocks.map(({ cells }) => cells[Math.min(Number(layer) + down, cells.length - 1)] ?? []);
    const before = this.blocks.slice(
      0,
      this.blocks.findIndex((block) => block.kind === kind),
    );
    const at = before.reduce((sum, { cells }) => sum + (cells[0]?.length ?? 0), 0) + Number(head) + right;
    const next = lines.flat()[at];
    if (next) {
      this.rove(next);
      next.focus();
    }
    return true;
  }

  // The one cell that Tab reaches.
  rove(cell) {
    if (this.focusable) this.focusable.tabIndex = -1;
    if (cell) cell.tabIndex = 0;
    this.focusable = cell;
  }
}
