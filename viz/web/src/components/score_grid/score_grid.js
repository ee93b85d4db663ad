import { Component, mounted } from "../../ui/component.js";
import { colourAt, colourTable, fill, make, makeButton, paint } from "../../ui/shared.js";
import "./score_grid.css";

class ScoreGrid extends Component {
  constructor(root) {
    super(root);
    root.addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (cell) this.setTriggerValue("open", cell.place);
    });
  }

  update(data) {
    const colours = colourTable(data.look.scale);
    const top = make("tr");
    top.append(make("th"), ...data.heads.map((head) => make("th", "", head === "all" ? data.labels.all : `H${head}`)));
    this.root.querySelector("thead").replaceChildren(top);
    const focused = this.root.getRootNode().activeElement?.dataset?.place;
    const rows = data.here.map((scores, layer) => {
      const row = make("tr");
      row.append(make("th", "", `L${layer}`));
      scores.forEach((score, column) => row.append(this.cell(layer, column, score, colours)));
      return row;
    });
    this.root.querySelector("tbody").replaceChildren(...rows);
    if (focused) this.root.querySelector(`.cell[data-place="${focused}"]`)?.focus();
  }

  // Less error, more colour; the large number is this pair's, the small one that of all pairs.
  cell(layer, column, score, colours) {
    const { data } = this;
    const head = data.heads[column];
    const everywhere = data.everywhere?.[layer][column];
    const cell = makeButton("cell");
    cell.place = { layer, head };
    Object.assign(cell.dataset, { place: `${layer}-${head}`, here: score, everywhere: everywhere ?? "" });
    paint(cell, colourAt(colours, 0.85 * (1 - score / 100) ** 1.4));
    cell.append(make("b", "", score.toFixed(0)));
    if (everywhere !== undefined) cell.append(make("small", "", everywhere.toFixed(0)));
    cell.classList.toggle("chosen", data.chosen[0] === layer && data.chosen[1] === head);
    cell.classList.toggle("best", data.best && data.best[0] === layer && data.best[1] === head);
    const words = {
      layer,
      head: head === "all" ? data.labels.all : `H${head}`,
      here: score,
      everywhere: everywhere ?? "–",
    };
    cell.title = fill(data.labels.cell, words);
    cell.setAttribute("aria-label", cell.title);
    cell.setAttribute("aria-pressed", String(cell.classList.contains("chosen")));
    const place = make("td", head === "all" ? "whole" : "");
    place.append(cell);
    return place;
  }
}

export default mounted(ScoreGrid);
