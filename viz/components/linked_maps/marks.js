import { elide, fontOf } from "../shared/heatmap.js";
import { colourAt, decimals, inkOn } from "../shared/shared.js";

// What lies over a map while a token is pointed at: bands, full labels, and numbers where there is room.
const NUMBERS_FROM = 24;
const TAG = 18;

export class Marks {
  constructor(panel, context) {
    Object.assign(this, { panel, context, map: panel.map, place: panel.place, look: panel.look });
  }

  draw({ rows, columns }) {
    const { left, top, cell } = this.place;
    const [wide, high] = [this.map.columns.length * cell, this.map.rows.length * cell];
    this.context.strokeStyle = this.look.accent;
    this.context.lineWidth = 2;
    for (const row of rows) this.context.strokeRect(left, top + row * cell, wide, cell);
    for (const column of columns) this.context.strokeRect(left + column * cell, top, cell, high);
    if (cell >= NUMBERS_FROM) this.numbers(rows, columns);
    for (const row of rows) this.rowTag(row);
    let taken = null;
    for (const column of [...columns].sort((a, b) => a - b)) taken = this.columnTag(column, taken);
  }

  numbers(rows, columns) {
    const cells = new Map();
    for (const row of rows) this.map.columns.forEach((_, column) => cells.set(`${row} ${column}`, [row, column]));
    for (const column of columns) this.map.rows.forEach((_, row) => cells.set(`${row} ${column}`, [row, column]));
    const { left, top, cell } = this.place;
    const { low, high, table } = this.map;
    this.context.font = fontOf(this.panel.over, 10.5);
    this.context.textAlign = "center";
    this.context.textBaseline = "middle";
    for (const [row, column] of cells.values()) {
      const value = this.panel.value(row, column);
      if (Math.abs(value) < 0.005) continue;
      this.context.fillStyle = inkOn(colourAt(table, high > low ? (value - low) / (high - low) : 0));
      const text = decimals(value).replace("0.", ".");
      this.context.fillText(text, left + (column + 0.5) * cell, top + (row + 0.5) * cell);
    }
  }

  rowTag(row) {
    const { left, top, cell, height } = this.place;
    const width = this.measure(this.map.rows[row]);
    const y = Math.min(height - TAG, Math.max(0, top + (row + 0.5) * cell - TAG / 2));
    this.tag(this.map.rows[row], Math.max(0, left - 3 - width), y, width);
  }

  // Above its column; one line higher where the tag before it is in the way.
  columnTag(column, before) {
    const { left, top, cell, width: whole } = this.place;
    const width = this.measure(this.map.columns[column]);
    const x = Math.max(0, Math.min(whole - width, left + (column + 0.5) * cell - width / 2));
    const lower = Math.max(0, top - TAG - 2);
    const y = before && before.y === lower && x < before.end + 3 ? Math.max(0, lower - TAG - 2) : lower;
    this.tag(this.map.columns[column], x, y, width);
    return { end: x + width, y };
  }

  measure(text) {
    this.context.font = fontOf(this.panel.over, 13);
    return Math.min(this.place.width, Math.ceil(this.context.measureText(text).width) + 10);
  }

  tag(text, x, y, width) {
    const { context } = this;
    context.fillStyle = this.look.accent;
    context.beginPath();
    context.roundRect(x, y, width, TAG, 4);
    context.fill();
    context.font = fontOf(this.panel.over, 13);
    context.fillStyle = this.look.background;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(elide(context, text, width - 8), x + 5, y + TAG / 2 + 0.5);
  }
}
