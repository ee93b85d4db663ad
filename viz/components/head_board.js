class HeadBoard {
  constructor(root) {
    this.root = root;
    this.kinds = root.querySelector(".kinds");
    const cell = (event) => event.target.closest?.(".cell") ?? null;
    this.kinds.addEventListener("click", (event) => cell(event) && this.open(cell(event)));
    this.kinds.addEventListener("pointerover", (event) => this.point(cell(event)));
    this.kinds.addEventListener("pointerleave", () => this.point(null));
    this.kinds.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && this.point(cell(event)));
    this.kinds.addEventListener("focusout", () => this.point(null));
    this.kinds.addEventListener("keydown", (event) => this.press(event));
  }

  update(data, send) {
    Object.assign(this, { data, send, table: colourTable(data.signed ? data.look.diverging : data.look.scale) });
    dress(this.root, data.look);
    const shape = data.kinds.map(({ kind, values }) => `${kind} ${values.length} ${values[0]?.length}`).join();
    if (shape !== this.shape) this.build();
    this.shape = shape;
    this.root.querySelector(".low").textContent = data.low;
    this.root.querySelector(".high").textContent = data.high;
    this.root.querySelector(".legend-text").textContent = data.labels.legend;
    this.root.querySelector(".ramp").classList.toggle("diverging", data.signed);
    this.blocks.forEach((block, i) => this.describe(block, data.kinds[i]));
    this.point(null);
  }

  build() {
    this.blocks = this.data.kinds.map(({ kind, values }) => {
      const heads = values[0]?.length ?? 0;
      const section = make("section", "kind");
      const title = make("h3");
      const grid = make("div", "grid");
      grid.setAttribute("role", "grid");
      grid.style.gridTemplateColumns = `1.75rem repeat(${heads}, minmax(0, 1fr))`;
      grid.append(this.line("axis", ["", ...Array.from({ length: heads }, (_, head) => `H${head}`)]));
      const cells = values.map((row, layer) => {
        const line = this.line("axis of-row", [`L${layer}`]);
        const made = row.map((_, head) => this.cell(kind, layer, head));
        line.append(...made);
        grid.append(line);
        return made;
      });
      section.append(title, grid);
      return { section, title, grid, cells };
    });
    this.kinds.replaceChildren(...this.blocks.map(({ section }) => section));
    this.rove(this.blocks[0]?.cells[0]?.[0]);
  }

  line(className, texts) {
    const row = make("div", "row");
    row.setAttribute("role", "row");
    for (const text of texts) {
      const header = make("div", className, text);
      header.setAttribute("role", className === "axis" ? "columnheader" : "rowheader");
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

  // Colours and numbers of one kind's cells.
  describe({ title, grid, cells }, { kind, title: name, values, texts, long }) {
    title.textContent = name;
    grid.setAttribute("aria-label", name);
    const { selected, top, signed } = this.data;
    cells.forEach((row, layer) => row.forEach((cell, head) => {
      const value = values[layer][head];
      const part = value === null ? 0 : value / (top || 1);
      const colour = colourAt(this.table, signed ? 0.5 + 0.5 * part : part);
      cell.style.setProperty("--hl-fill", css(colour));
      cell.style.setProperty("--hl-ink", inkOn(colour));
      cell.classList.toggle("nothing", value === null);
      cell.textContent = texts[layer][head];
      cell.dataset.value = value ?? "";
      cell.said = `${name} L${layer} H${head}: ${long[layer][head]}`;
      const chosen = selected.kind === kind && selected.layer === layer && selected.head === head;
      cell.classList.toggle("selected", chosen);
      cell.setAttribute("aria-selected", String(chosen));
      cell.setAttribute("aria-label", cell.said);
    }));
  }

  point(cell) {
    this.cursor?.classList.remove("cursor");
    this.cursor = cell;
    cell?.classList.add("cursor");
    const readout = this.root.querySelector(".readout");
    readout.classList.toggle("idle", !cell);
    readout.textContent = cell ? cell.said : this.data.labels.hint;
  }

  open({ dataset: { kind, layer, head } }) {
    this.send({ kind, layer: Number(layer), head: Number(head) });
  }

  press(event) {
    const cell = event.target.closest?.(".cell");
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") this.open(cell);
    else if (!this.step(cell, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  step({ dataset: { kind, layer, head } }, key) {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key] ?? [];
    if (down === undefined) return false;
    // Rows run on from one kind to the next.
    const lines = this.blocks.map(({ cells }) => cells[Math.min(Number(layer) + down, cells.length - 1)] ?? []);
    const before = this.blocks.slice(0, this.data.kinds.findIndex((each) => each.kind === kind));
    const at = before.reduce((sum, { cells }) => sum + (cells[0]?.length ?? 0), 0) + Number(head) + right;
    const next = lines.flat()[at];
    if (next) {
      this.rove(next);
      next.focus();
    }
    return true;
  }

  rove(cell) {
    if (this.focusable) this.focusable.tabIndex = -1;
    if (cell) cell.tabIndex = 0;
    this.focusable = cell;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".head-board");
  root.headBoard ??= new HeadBoard(root);
  root.headBoard.update(data, (place) => setTriggerValue("open", place));
}
