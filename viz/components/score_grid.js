class ScoreGrid {
  constructor(root) {
    this.root = root;
    root.addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (cell) this.send(cell.place);
    });
  }

  update(data, send) {
    Object.assign(this, { data, send });
    dress(this.root, data.look);
    const colours = colourTable(data.look.scale);
    this.root.querySelector("caption").textContent = data.labels.caption;
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
    const cell = make("button", "cell");
    cell.type = "button";
    cell.place = { layer, head };
    Object.assign(cell.dataset, { place: `${layer}-${head}`, here: score, everywhere: everywhere ?? "" });
    const colour = colourAt(colours, 0.85 * (1 - score / 100) ** 1.4);
    cell.style.setProperty("--hl-fill", css(colour));
    cell.style.setProperty("--hl-ink", inkOn(colour));
    cell.append(make("b", "", score.toFixed(0)));
    if (everywhere !== undefined) cell.append(make("small", "", everywhere.toFixed(0)));
    cell.classList.toggle("chosen", data.chosen[0] === layer && data.chosen[1] === head);
    cell.classList.toggle("best", data.best && data.best[0] === layer && data.best[1] === head);
    const words = { layer, head: head === "all" ? data.labels.all : `H${head}`, here: score, everywhere: everywhere ?? "–" };
    cell.title = fill(data.labels.cell, words);
    cell.setAttribute("aria-label", cell.title);
    cell.setAttribute("aria-pressed", String(cell.classList.contains("chosen")));
    const place = make("td", head === "all" ? "whole" : "");
    place.append(cell);
    return place;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".score-grid");
  root.scoreGrid ??= new ScoreGrid(root);
  root.scoreGrid.update(data, (place) => setTriggerValue("open", place));
}
