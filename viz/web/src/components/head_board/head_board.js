import { colourAt, tableOf } from "../../core/colours.js";
import { gridCell, gridRow, Roving } from "../../grid/roving.js";
import { Component, mounted } from "../../ui/component.js";
import { make, whenPointed, within } from "../../ui/dom.js";
import { ARROWS, seize } from "../../ui/keys.js";
import { paint } from "../../ui/theme.js";
import "./head_board.html";

/**
 * @typedef {object} BoardKind The numbers of one kind's heads, by layer and head.
 * @property {string} kind
 * @property {string} title
 * @property {(number | null)[][]} values
 * @property {string[][]} texts
 * @property {string[][]} long
 */
/** @typedef {{ kinds: BoardKind[], top: number, low: string, high: string, signed: boolean, muted: [string, number, number][] }} Board */
/** @typedef {import("../../types.js").HeadPlace} HeadPlace */
/** @typedef {import("../../types.js").Dressed<Board & { selected: HeadPlace | null }>} Sent */
/** @typedef {{ kind: string, layers: number, heads: number }} Shape */
/** @typedef {{ kind: string, section: HTMLElement, title: HTMLElement, grid: HTMLElement, cells: HTMLElement[][] }} Block */

/**
 * For every kind of attention a grid with one cell a head, layers down and heads across: pointed at, walked with the
 * arrow keys, opened by a click or Enter.
 * @extends {Component<Sent>}
 */
export class HeadBoard extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    /** @type {HTMLElement | null} */
    this.cursor = null;
    this.shape = "";
    this.roving = new Roving();
    /** @type {Block[]} */
    this.blocks = [];
    /** @type {WeakMap<Element, string>} */
    this.said = new WeakMap();
    /** Told which head is pointed at, or reached by keyboard. @type {(place: HeadPlace | null) => void} */
    this.whenPointed = () => {};
    this.kinds = make("div", "kinds");
    this.root.classList.add("head-board");
    this.root.append(boardTop(), this.kinds);
    whenPointed(this.kinds, cellOf, (cell) => this.point(cell));
    this.kinds.addEventListener("click", (event) => this.open(cellOf(event)));
    this.kinds.addEventListener("keydown", (event) => this.press(event));
  }

  /** @param {Sent} data */
  update({ kinds, signed, low, high }) {
    this.part("ramp").classList.toggle("diverging", signed);
    const shapes = kinds.map(({ kind, values }) => ({ kind, layers: values.length, heads: values[0]?.length ?? 0 }));
    const shape = shapes.map(({ kind, layers, heads }) => `${kind} ${layers} ${heads}`).join();
    if (shape !== this.shape) this.build(shapes);
    this.shape = shape;
    this.part("low").textContent = low;
    this.part("high").textContent = high;
    this.blocks.forEach((block, i) => this.describe(block, kinds[i]));
    this.point(null);
  }

  /** New cells, where layers or heads are others than before. @param {Shape[]} shapes */
  build(shapes) {
    this.cursor = null;
    this.blocks = shapes.map(({ kind, layers, heads }) => {
      const grid = make("div", "grid");
      grid.setAttribute("role", "grid");
      grid.style.gridTemplateColumns = `1.75rem repeat(${heads}, minmax(0, 1fr))`;
      const names = Array.from({ length: heads }, (_, head) => header("axis", `H${head}`, "columnheader"));
      grid.append(gridRow(header("axis", "", "gridcell"), ...names));
      const cells = Array.from({ length: layers }, (_, layer) => {
        const made = Array.from({ length: heads }, (_, head) => {
          const cell = gridCell();
          Object.assign(cell.dataset, { kind, layer, head });
          return cell;
        });
        grid.append(gridRow(header("axis of-row", `L${layer}`, "rowheader"), ...made));
        return made;
      });
      const title = make("h3", "kind-title");
      return { kind, section: make("section", "kind", title, grid), title, grid, cells };
    });
    this.kinds.replaceChildren(...this.blocks.map(({ section }) => section));
    this.roving.rest(this.blocks[0]?.cells[0]?.[0]);
  }

  /** Colours and numbers of one kind's cells. @param {Block} block @param {BoardKind} kind */
  describe({ title, grid, cells }, { title: name, values, texts, long }) {
    title.textContent = name;
    grid.setAttribute("aria-label", name);
    const { look, top, signed } = this.data;
    const table = tableOf(signed ? look.diverging : look.scale);
    cells.forEach((row, layer) =>
      row.forEach((cell, head) => {
        const value = values[layer][head];
        const part = value === null ? 0 : value / (top || 1);
        paint(cell, colourAt(table, signed ? 0.5 + 0.5 * part : part));
        cell.classList.toggle("nothing", value === null);
        cell.textContent = texts[layer][head];
        cell.dataset.value = String(value ?? "");
        const said = `${name} L${layer} H${head}: ${long[layer][head]}`;
        this.said.set(cell, said);
        this.mark(cell);
        cell.setAttribute("aria-label", said);
      }),
    );
  }

  /** Marks the cell of the head that is chosen, if any. @param {HTMLElement} cell */
  mark(cell) {
    const { selected } = this.data;
    const { kind, layer, head } = headOf(cell);
    const chosen = selected?.kind === kind && selected.layer === layer && selected.head === head;
    cell.classList.toggle("selected", chosen);
    const { muted } = this.data;
    cell.classList.toggle(
      "muted",
      muted.some(([a, b, c]) => a === kind && b === layer && c === head),
    );
    cell.setAttribute("aria-selected", String(chosen));
  }

  /** @param {HTMLElement | null} cell */
  point(cell) {
    this.cursor?.classList.remove("cursor");
    this.cursor = cell;
    cell?.classList.add("cursor");
    this.read(cell ? (this.said.get(cell) ?? "") : this.data.labels.hint, !cell);
    this.whenPointed(cell && headOf(cell));
  }

  /** @param {HTMLElement | null} cell */
  open(cell) {
    if (cell) this.setTriggerValue("open", headOf(cell));
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const cell = cellOf(event);
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") this.open(cell);
    else if (event.key in ARROWS) this.step(cell, ARROWS[event.key]);
    else return;
    seize(event);
  }

  /** Rows run on from one kind to the next. @param {HTMLElement} from @param {[number, number]} by */
  step(from, [down, right]) {
    const { kind, layer, head } = headOf(from);
    const lines = this.blocks.map(({ cells }) => cells[Math.min(layer + down, cells.length - 1)] ?? []);
    const before = this.blocks.slice(
      0,
      this.blocks.findIndex((block) => block.kind === kind),
    );
    const at = before.reduce((sum, { cells }) => sum + (cells[0]?.length ?? 0), 0) + head + right;
    this.roving.go(lines.flat()[at]);
  }
}

/** @param {Event} event */
const cellOf = (event) => within(event, ".cell");

/** @param {HTMLElement} cell @returns {HeadPlace} */
function headOf({ dataset: { kind = "", layer, head } }) {
  return { kind, layer: Number(layer), head: Number(head) };
}

/** What is pointed at, and what the colours mean. */
function boardTop() {
  const readout = make("p", "readout");
  readout.setAttribute("aria-live", "polite");
  const text = make("span", "legend-text");
  text.dataset.label = "legend";
  const scale = make("span", "", make("b", "low"), make("i", "ramp"), make("b", "high"), text);
  return make("div", "top", readout, make("div", "legend", scale));
}

/** @param {string} className @param {string} text @param {string} role */
function header(className, text, role) {
  const made = make("div", className, text);
  made.setAttribute("role", role);
  return made;
}

export default mounted(HeadBoard);
