const GUTTER = 26; // room for L0, L1 …
const HEADER = 18; // room for H0, H1 …
const GAP = 3; // between maps
const BETWEEN = 24; // between kinds
const [SMALLEST, LARGEST] = [26, 64]; // side of a map

// For each of `pixels` steps along an axis of `count` tokens: first token, and the one after the last.
function steps(count, pixels) {
  return Array.from({ length: pixels }, (_, i) => {
    const from = Math.floor((i * count) / pixels);
    return [from, Math.max(from + 1, Math.ceil(((i + 1) * count) / pixels))];
  });
}

class HeadGrid {
  constructor(root) {
    this.root = root;
    this.cursor = null;
    this.kinds = root.querySelector(".kinds");
    this.preview = new Preview(root.querySelector(".preview"));
    this.kinds.addEventListener("pointerover", (e) => this.point(this.cellOf(e)));
    this.kinds.addEventListener("pointerleave", () => this.point(null));
    this.kinds.addEventListener("focusin", (e) => e.target.matches(":focus-visible") && this.point(this.cellOf(e)));
    this.kinds.addEventListener("focusout", () => this.point(null));
    this.kinds.addEventListener("click", (e) => this.open(this.cellOf(e)));
    this.kinds.addEventListener("keydown", (e) => this.press(e));
    this.observer = new ResizeObserver(() => this.resize());
  }

  update(data, send) {
    const started = performance.now();
    const signed = data.kinds.some((kind) => kind.signed);
    Object.assign(this, { data, send, signed, table: colourTable(signed ? data.look.diverging : data.look.scale) });
    dress(this.root, data.look);
    this.legend();
    const shape = data.kinds.map(({ kind, layers, heads }) => `${kind} ${layers} ${heads}`).join();
    if (shape !== this.shape) this.build();
    this.shape = shape;
    this.blocks.forEach((block, i) => this.describe(block, data.kinds[i]));
    this.width = 0;
    this.resize();
    this.point(this.cursor);
    this.observer.observe(this.root);
    this.root.dataset.milliseconds = (performance.now() - started).toFixed(1); // decoding and drawing
  }

  // What the ends of the colour scale stand for; kinds have scales of their own, except for weights.
  legend() {
    const { own, kinds, labels } = this.data;
    const plain = kinds.every(({ high }) => high === 1);
    const high = own ? labels.own_maximum : plain ? "1" : kinds.map((kind) => decimals(kind.high)).join(" · ");
    this.root.querySelector(".high").textContent = high;
    this.root.querySelector(".low").textContent = this.signed ? `\u2212 (${high})` : "0";
    this.root.querySelector(".ramp").classList.toggle("diverging", this.signed);
  }

  build() {
    this.cursor = this.focusable = null;
    this.blocks = this.data.kinds.map(({ kind, layers, heads }) => {
      const section = make("section");
      const title = make("h3", "kind-title");
      const grid = make("div", "grid");
      const canvas = make("canvas");
      canvas.setAttribute("aria-hidden", "true");
      grid.setAttribute("role", "grid");
      grid.append(canvas, this.line("axis", ["", ...Array.from({ length: heads }, (_, head) => `H${head}`)]));
      const cells = Array.from({ length: layers }, (_, layer) => {
        const row = this.line("axis of-row", [`L${layer}`]);
        const maps = Array.from({ length: heads }, (_, head) => this.cell(kind, layer, head));
        row.append(...maps);
        grid.append(row);
        return maps;
      });
      section.append(title, grid);
      return { kind, title, grid, canvas, cells };
    });
    this.kinds.replaceChildren(...this.blocks.map(({ title }) => title.parentElement));
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
    Object.assign(cell.dataset, { kind, layer, head });
    return cell;
  }

  // Texts and numbers of one kind's cells.
  describe(block, kind) {
    const { labels, selected } = this.data;
    block.bytes = bytesOf(kind.weights);
    block.of = kind;
    block.title.replaceChildren(`${kind.title} · ${labels.sort}`, make("span", "", `${kind.rows.length} × ${kind.columns.length}`));
    block.grid.setAttribute("aria-label", kind.title);
    const size = kind.rows.length * kind.columns.length;
    block.cells.flat().forEach((cell, i) => {
      const bytes = block.bytes.subarray(i * size, (i + 1) * size);
      const { layer, head } = cell.dataset;
      const chosen = selected.kind === kind.kind && selected.layer === Number(layer) && selected.head === Number(head);
      cell.classList.toggle("selected", chosen);
      cell.setAttribute("aria-selected", String(chosen));
      cell.setAttribute("aria-label", `${this.name(cell)}: ${this.pair(cell)}${chosen ? `, ${labels.selected}` : ""}`);
      cell.dataset.checksum = bytes.reduce((sum, byte) => sum + byte, 0);
      cell.dataset.max = bytes.reduce((most, byte) => Math.max(most, Math.abs(this.part(byte))), 0).toFixed(4);
    });
    this.rove(this.focusable ?? this.blocks[0].cells[0]?.[0]);
  }

  name({ dataset: { kind, layer, head } }) {
    return `${this.data.kinds.find((each) => each.kind === kind).title} L${layer} H${head}`;
  }

  pair({ dataset: { kind, layer, head } }) {
    const { rows, columns, heads, strongest, writes, beside } = this.data.kinds.find((each) => each.kind === kind);
    const found = strongest[layer * heads + Number(head)];
    if (!found) return this.data.labels.nothing;
    const [row, column, weight] = found;
    const query = writes ? fill(this.data.labels[beside], { token: rows[row], next: writes[row] }) : rows[row];
    return `${query} → ${columns[column]} ${decimals(weight)}`;
  }

  resize() {
    const width = this.root.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    const heads = this.blocks.map(({ cells }) => cells[0]?.length ?? 0);
    const total = heads.reduce((sum, count) => sum + count, 0);
    const room = width - this.blocks.length * GUTTER - (this.blocks.length - 1) * BETWEEN - 4;
    let side = Math.floor(room / total) - GAP;
    if (side < SMALLEST) side = Math.floor((width - GUTTER - 4) / Math.max(...heads)) - GAP; // one kind under another
    side = Math.min(LARGEST, Math.max(8, side));
    for (const block of this.blocks) this.draw(block, side);
    const most = Math.max(...this.data.kinds.map(({ rows, columns }) => Math.max(rows.length, columns.length)));
    const { legend, legend_pooled } = this.data.labels;
    const pooled = most > side * (window.devicePixelRatio || 1);
    this.root.querySelector(".legend-weight").textContent = pooled ? legend_pooled : legend;
  }

  draw({ grid, canvas, cells, bytes, of }, side) {
    const [layers, heads] = [cells.length, cells[0]?.length ?? 0];
    grid.style.gridTemplate = `${HEADER}px repeat(${layers}, ${side}px) / ${GUTTER}px repeat(${heads}, ${side}px)`;
    grid.style.gap = `${GAP}px`;
    canvas.style.left = `${GUTTER + GAP}px`;
    canvas.style.top = `${HEADER + GAP}px`;
    const pitch = side + GAP;
    const context = sizeCanvas(canvas, heads * pitch, layers * pitch);
    const ratio = window.devicePixelRatio || 1;
    const pixels = Math.round(side * ratio);
    const [high, wide] = [of.rows.length, of.columns.length];
    const [down, across] = [steps(high, pixels), steps(wide, pixels)];
    const image = context.createImageData(pixels, pixels);
    for (let i = 0; i < layers * heads && high && wide; i++) {
      const map = bytes.subarray(i * high * wide, (i + 1) * high * wide);
      this.paint(image.data, map, wide, down, across, this.top(of, i));
      const [layer, head] = [Math.floor(i / heads), i % heads];
      context.putImageData(image, Math.round(head * pitch * ratio), Math.round(layer * pitch * ratio));
    }
  }

  // A byte as a part of the kind's high.
  part(byte) {
    return this.signed ? (byte - 128) / 127 : (byte / 255) ** 2;
  }

  // Part of the kind's high that has the scale's last colour.
  top(kind, i) {
    return this.data.own ? Math.abs(kind.strongest[i]?.[2] ?? kind.high) / kind.high : 1;
  }

  // One map; where several tokens share a pixel, the strongest weight is drawn.
  paint(pixels, map, wide, down, across, top) {
    const share = (byte) => (this.signed ? 0.5 + 0.5 * (this.part(byte) / top) : this.part(byte) / top);
    const shades = Array.from({ length: 256 }, (_, byte) => colourAt(this.table, share(byte)));
    const zero = this.signed ? 128 : 0;
    let at = 0;
    for (const [firstRow, rowEnd] of down) {
      for (const [firstColumn, columnEnd] of across) {
        let most = zero;
        for (let row = firstRow; row < rowEnd; row++) {
          for (let i = row * wide + firstColumn; i < row * wide + columnEnd; i++) {
            if (Math.abs(map[i] - zero) > Math.abs(most - zero)) most = map[i];
          }
        }
        const shade = shades[most];
        pixels[at++] = shade[0];
        pixels[at++] = shade[1];
        pixels[at++] = shade[2];
        pixels[at++] = 255;
      }
    }
  }

  cellOf(event) {
    return event.target.closest?.(".cell") ?? null;
  }

  point(cell) {
    this.cursor?.classList.remove("cursor");
    this.cursor = cell;
    cell?.classList.add("cursor");
    const readout = this.root.querySelector(".readout");
    readout.classList.toggle("idle", !cell);
    readout.textContent = cell ? `${this.name(cell)}: ${this.pair(cell)}` : this.data.labels.hint;
    if (cell) this.magnify(cell);
    else this.preview.hide();
  }

  magnify(cell) {
    const block = this.blocks.find(({ kind }) => kind === cell.dataset.kind);
    const { rows, columns } = block.of;
    const index = block.cells.flat().indexOf(cell);
    const size = rows.length * columns.length;
    const bytes = block.bytes.subarray(index * size, (index + 1) * size);
    const values = Float32Array.from(bytes, (byte) => this.part(byte));
    const high = this.top(block.of, index);
    const map = { rows, columns, values, low: this.signed ? -high : 0, high, table: this.table };
    this.preview.show(map, this.data.look, this.name(cell), this.pair(cell), cell.dataset);
    this.preview.stand(cell, this.root, this.kinds);
  }

  open(cell) {
    if (!cell) return;
    const { kind, layer, head } = cell.dataset;
    this.send({ kind, layer: Number(layer), head: Number(head) });
  }

  press(event) {
    const cell = this.cellOf(event);
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
    const before = this.blocks.slice(0, this.blocks.findIndex((block) => block.kind === kind));
    const at = before.reduce((sum, { cells }) => sum + (cells[0]?.length ?? 0), 0) + Number(head) + right;
    const next = lines.flat()[at];
    if (!next) return true;
    this.rove(next);
    next.focus();
    return true;
  }

  rove(cell) {
    for (const each of this.blocks.flatMap(({ cells }) => cells.flat())) each.tabIndex = each === cell ? 0 : -1;
    this.focusable = cell;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".heads");
  root.heads ??= new HeadGrid(root);
  root.heads.update(data, (head) => setTriggerValue("open", head));
  return () => root.isConnected || root.heads.observer.disconnect();
}
