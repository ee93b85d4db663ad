import { drawMap, placeMap, sizeCanvas } from "../shared/heatmap.js";
import { ARROWS, colourTable, decimals, fill, make, seize, unpackFine } from "../shared/shared.js";
import { Marks } from "./marks.js";

// Which sentence the rows and the columns of a kind belong to.
const ROW_SIDE = { encoder_self: "src", decoder_self: "tgt", cross: "tgt" };
const COLUMN_SIDE = { encoder_self: "src", decoder_self: "tgt", cross: "src" };

// One map among linked ones. A place is { kind, row, column }; row or column is null on an axis label.
export class MapPanel {
  constructor(owner) {
    this.owner = owner;
    this.element = make("section", "map");
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "group");
    this.title = make("h3", "map-title");
    this.layers = make("div", "layers");
    this.canvas = make("canvas", "under");
    this.over = make("canvas", "over");
    this.caption = make("p", "map-caption");
    for (const canvas of [this.canvas, this.over]) canvas.setAttribute("aria-hidden", "true");
    this.layers.append(this.canvas, this.over);
    this.element.append(this.title, this.layers, this.caption);
    owner.box.append(this.element);
    this.layers.addEventListener("pointermove", (e) => owner.point(this.placeAt(e)));
    this.layers.addEventListener("pointerleave", () => owner.point(null));
    this.layers.addEventListener("click", (e) => owner.pin(this.placeAt(e)));
    this.element.addEventListener("keydown", (e) => this.press(e));
    this.element.addEventListener("blur", () => owner.point(null));
  }

  take(map, { high, difference_high: most, unit, signed, look, labels }) {
    const end = map.difference ? most : high;
    const diverging = map.difference || signed;
    const table = colourTable(diverging ? look.diverging : look.scale);
    const values = unpackFine(map.values).map((part) => part * unit);
    this.map = { ...map, low: diverging ? -end : 0, high: end, table, values };
    Object.assign(this, { look, labels });
    this.title.replaceChildren(map.title, make("span", "", `${map.rows.length} × ${map.columns.length}`));
    this.element.setAttribute("aria-label", `${map.title}. ${this.strongest()}`);
    const { kind, layer, head, difference } = map;
    Object.assign(this.canvas.dataset, { kind, layer, head, difference, high: end });
  }

  draw(cell) {
    const { rows, columns } = this.map;
    this.place = placeMap(this.canvas, rows, columns, cell);
    drawMap(this.canvas, this.map, this.place, this.look);
    sizeCanvas(this.over, this.place.width, this.place.height);
    this.layers.style.width = this.canvas.style.width;
    Object.assign(this.canvas.dataset, { cell, left: this.place.left, top: this.place.top });
  }

  value(row, column) {
    return this.map.values[row * this.map.columns.length + column];
  }

  pair(row, column) {
    return `${this.map.rows[row]} → ${this.map.columns[column]}  ${decimals(this.value(row, column))}`;
  }

  strongest() {
    const { values, columns } = this.map;
    if (!values.length) return this.labels.nothing;
    const at = values.reduce((best, value, i) => (Math.abs(value) > Math.abs(values[best]) ? i : best), 0);
    return fill(this.labels.strongest, { pair: this.pair(Math.floor(at / columns.length), at % columns.length) });
  }

  placeAt({ offsetX, offsetY }) {
    const { left, top, cell } = this.place;
    const { kind, rows, columns } = this.map;
    const row = Math.floor((offsetY - top) / cell);
    const column = Math.floor((offsetX - left) / cell);
    if (row >= rows.length || column >= columns.length || (row < 0 && column < 0)) return null;
    return { kind, row: row < 0 ? null : row, column: column < 0 ? null : column };
  }

  press(event) {
    const { owner, map } = this;
    const step = ARROWS[event.key];
    if (event.key === "Escape") owner.pin(null);
    if (event.key === "Escape") owner.point(null);
    else if (event.key === "Enter") owner.pin(owner.pointed);
    else if (step && map.rows.length && map.columns.length) {
      const from = owner.pointed ?? owner.pinned;
      const here = from?.kind === map.kind ? from : { row: 0, column: 0 };
      const within = (at, by, count) => Math.min(count - 1, Math.max(0, (at ?? 0) + (from ? by : 0)));
      const row = within(here.row, step[0], map.rows.length);
      owner.point({ kind: map.kind, row, column: within(here.column, step[1], map.columns.length) });
    } else return;
    seize(event);
  }

  // Rows and columns of this map that belong to the tokens in question.
  lit(place) {
    if (!place) return { rows: [], columns: [] };
    if (place.kind === this.map.kind && place.row !== null && place.column !== null) {
      return { rows: [place.row], columns: [place.column] };
    }
    const tokens = [];
    if (place.row !== null) tokens.push([ROW_SIDE[place.kind], place.row]);
    if (place.column !== null) tokens.push([COLUMN_SIDE[place.kind], place.column]);
    const of = (side) => [...new Set(tokens.filter(([own]) => own === side).map(([, index]) => index))];
    return { rows: of(ROW_SIDE[this.map.kind]), columns: of(COLUMN_SIDE[this.map.kind]) };
  }

  mark(place) {
    if (!this.place) return;
    const context = this.over.getContext("2d");
    context.clearRect(0, 0, this.place.width + 1, this.place.height + 1);
    const lit = this.lit(place);
    this.over.dataset.rows = lit.rows.join();
    this.over.dataset.columns = lit.columns.join();
    this.caption.classList.toggle("idle", !place);
    this.caption.textContent = place ? this.tell(place, lit) : this.strongest();
    if (this.map.rows.length && this.map.columns.length) new Marks(this, context).draw(lit);
  }

  tell(place, { rows, columns }) {
    if (!this.map.values.length) return this.labels.nothing;
    if (rows.length === 1 && columns.length === 1 && place.kind === this.map.kind && place.column !== null) {
      if (place.row !== null) return this.pair(rows[0], columns[0]);
    }
    const best = (count, at) => Array.from({ length: count }, (_, i) => i).reduce((a, b) => (at(b) > at(a) ? b : a));
    const size = (row, column) => Math.abs(this.value(row, column));
    const { rows: queries, columns: keys } = this.map;
    const told = rows.map((row) => this.pair(row, best(keys.length, (column) => size(row, column))));
    if (!told.length || COLUMN_SIDE[this.map.kind] !== ROW_SIDE[this.map.kind]) {
      told.push(...columns.map((column) => this.pair(best(queries.length, (row) => size(row, column)), column)));
    }
    return told.map((pair) => fill(this.labels.strongest, { pair })).join("\n");
  }
}
