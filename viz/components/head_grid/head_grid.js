import { mounted } from "../shared/component.js";
import { HeadCells } from "../shared/head_cells.js";
import { sizeCanvas } from "../shared/heatmap.js";
import { Preview } from "../shared/preview.js";
import { bytesOf, colourAt, decimals, fill, make } from "../shared/shared.js";
import { smallPainter } from "../shared/small_map.js";

const GUTTER = 26; // room for L0, L1 …
const HEADER = 18; // room for H0, H1 …
const GAP = 3; // between maps
const BETWEEN = 24; // between kinds
const [SMALLEST, LARGEST] = [26, 64]; // side of a map

class HeadGrid extends HeadCells {
  constructor(root) {
    super(root);
    this.preview = new Preview(root);
    this.whenResized(() => this.resize());
  }

  update(data) {
    this.signed = data.kinds.some((kind) => kind.signed);
    this.lay(data.kinds, this.signed);
    this.legend();
    this.blocks.forEach((block, i) => this.describe(block, data.kinds[i]));
    this.width = 0;
    this.resize();
    this.point(this.cursor);
  }

  // What the ends of the colour scale stand for; kinds have scales of their own, except for weights.
  legend() {
    const { own, kinds, labels } = this.data;
    const plain = kinds.every(({ high }) => high === 1);
    const high = own ? labels.own_maximum : plain ? "1" : kinds.map((kind) => decimals(kind.high)).join(" · ");
    this.part("high").textContent = high;
    this.part("low").textContent = this.signed ? `\u2212 (${high})` : "0";
  }

  build(kinds) {
    super.build(kinds);
    for (const block of this.blocks) {
      block.canvas = make("canvas");
      block.canvas.setAttribute("aria-hidden", "true");
      block.grid.prepend(block.canvas);
    }
  }

  // Texts and numbers of one kind's cells.
  describe(block, kind) {
    const { labels, selected } = this.data;
    block.bytes = bytesOf(kind.weights);
    block.of = kind;
    block.title.replaceChildren(`${kind.title} · ${labels.sort}`, make("span", "", `${kind.rows.length} × ${kind.columns.length}`));
    block.grid.setAttribute("aria-label", kind.title);
    for (const cell of block.cells.flat()) {
      const chosen = this.mark(cell, selected);
      cell.setAttribute("aria-label", `${this.said(cell)}${chosen ? `, ${labels.selected}` : ""}`);
    }
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

  said(cell) {
    return `${this.name(cell)}: ${this.pair(cell)}`;
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
    this.part("legend-weight").textContent = pooled ? legend_pooled : legend;
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
    const image = context.createImageData(pixels, pixels);
    const paint = smallPainter(image, [high, wide], this.signed ? 128 : 0);
    for (let i = 0; i < layers * heads && high && wide; i++) {
      paint(bytes.subarray(i * high * wide, (i + 1) * high * wide), this.shades(of, i));
      const [layer, head] = [Math.floor(i / heads), i % heads];
      context.putImageData(image, Math.round(head * pitch * ratio), Math.round(layer * pitch * ratio));
    }
  }

  // A byte as a part of the kind's high.
  share(byte) {
    return this.signed ? (byte - 128) / 127 : (byte / 255) ** 2;
  }

  // Part of the kind's high that has the scale's last colour.
  top(kind, i) {
    return this.data.own ? Math.abs(kind.strongest[i]?.[2] ?? kind.high) / kind.high : 1;
  }

  // The colour of every byte in the map with this number.
  shades(kind, i) {
    const top = this.top(kind, i);
    const place = (byte) => (this.signed ? 0.5 + 0.5 * (this.share(byte) / top) : this.share(byte) / top);
    return Array.from({ length: 256 }, (_, byte) => colourAt(this.table, place(byte)));
  }

  point(cell) {
    super.point(cell);
    if (cell) this.magnify(cell);
    else this.preview.hide();
  }

  magnify(cell) {
    const block = this.blocks.find(({ kind }) => kind === cell.dataset.kind);
    const { rows, columns } = block.of;
    const index = block.cells.flat().indexOf(cell);
    const size = rows.length * columns.length;
    const bytes = block.bytes.subarray(index * size, (index + 1) * size);
    const values = Float32Array.from(bytes, (byte) => this.share(byte));
    const high = this.top(block.of, index);
    const map = { rows, columns, values, low: this.signed ? -high : 0, high, table: this.table };
    this.preview.show(map, this.data.look, this.name(cell), this.pair(cell), cell.dataset);
    this.preview.stand(cell, this.kinds);
  }
}

export default mounted(HeadGrid);
