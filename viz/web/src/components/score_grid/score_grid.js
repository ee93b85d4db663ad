import { colourAt, tableOf } from "../../core/colours.js";
import { fill } from "../../core/text.js";
import { Component, mounted } from "../../ui/component.js";
import { make, makeButton, within } from "../../ui/dom.js";
import { paint } from "../../ui/theme.js";
import "./score_grid.html";

/** @typedef {number | "all"} Column a head, or all of a layer */
/**
 * @typedef {object} Scores Errors in percent, by layer and column.
 * @property {Column[]} heads
 * @property {number[][]} here of this pair
 * @property {number[][] | null} everywhere of all pairs
 * @property {[unknown, unknown]} chosen
 * @property {[unknown, unknown] | null} best
 */
/** @typedef {import("../../types.js").Dressed<Scores>} Sent */

/** @extends {Component<Sent>} */
class ScoreGrid extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    root.addEventListener("click", (event) => {
      const cell = within(event, ".cell");
      const [layer, head] = cell?.dataset.place?.split("-") ?? [];
      if (cell) this.setTriggerValue("open", { layer: Number(layer), head: head === "all" ? head : Number(head) });
    });
  }

  /** @param {Sent} data */
  update({ look, heads, here, labels }) {
    const colours = tableOf(look.scale);
    const names = heads.map((head) => make("th", "", head === "all" ? labels.all : `H${head}`));
    this.find("thead").replaceChildren(make("tr", "", make("th"), ...names));
    const focused = this.focused?.dataset?.place;
    const rows = here.map((scores, layer) => {
      const cells = scores.map((score, column) => this.cell(layer, column, score, colours));
      return make("tr", "", make("th", "", `L${layer}`), ...cells);
    });
    this.find("tbody").replaceChildren(...rows);
    if (focused) this.find(`.cell[data-place="${focused}"]`)?.focus();
  }

  /**
   * Less error, more colour; the large number is this pair's, the small one that of all pairs.
   * @param {number} layer
   * @param {number} column
   * @param {number} score
   * @param {Uint8ClampedArray} colours
   */
  cell(layer, column, score, colours) {
    const { heads, everywhere: all, chosen, best, labels } = this.data;
    const head = heads[column];
    const everywhere = all?.[layer][column];
    const cell = makeButton("cell");
    Object.assign(cell.dataset, { place: `${layer}-${head}`, here: score, everywhere: everywhere ?? "" });
    paint(cell, colourAt(colours, 0.85 * (1 - score / 100) ** 1.4));
    cell.append(make("b", "", score.toFixed(0)));
    if (everywhere !== undefined) cell.append(make("small", "", everywhere.toFixed(0)));
    cell.classList.toggle("chosen", chosen[0] === layer && chosen[1] === head);
    cell.classList.toggle("best", Boolean(best && best[0] === layer && best[1] === head));
    const name = head === "all" ? labels.all : `H${head}`;
    cell.title = fill(labels.cell, { layer, head: name, here: score, everywhere: everywhere ?? "–" });
    cell.setAttribute("aria-label", cell.title);
    cell.setAttribute("aria-pressed", String(cell.classList.contains("chosen")));
    return make("td", head === "all" ? "whole" : "", cell);
  }
}

export default mounted(ScoreGrid);
