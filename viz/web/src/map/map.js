// A labelled map on a canvas: rows are queries, columns are keys. Labels stay where they are when the map moves.
import { colourAt, css, inkOn, shareOf } from "../core/colours.js";
import { fitted, LARGEST_ZOOMED, opening, panned, spotAt, visible, zoomed } from "../core/place.js";
import { decimals, isUpright } from "../core/text.js";
import { pixelated, sized } from "../ui/canvas.js";
import { make } from "../ui/dom.js";

/** @typedef {import("../types.js").Place} Place */
/** @typedef {import("../viewer/panel.js").Picture} Drawing */

const PRINTED_FROM = 34; // cells at least this large say their numbers
const LINES_FROM = 14; // cells at least this large are parted by lines

export const asMap = { fitted, opening, panned, zoomed, spotAt, paint, name, mark, most: LARGEST_ZOOMED };

/**
 * The cells.
 * @param {CanvasRenderingContext2D} context
 * @param {Place} place
 * @param {Drawing} drawing
 */
function paint(context, place, drawing) {
  const { rows, columns } = drawing.panel.reading;
  if (!rows.length || !columns.length) return;
  context.save();
  context.beginPath();
  context.rect(place.left, place.top, place.width, place.height);
  context.clip();
  context.imageSmoothingEnabled = false;
  const [x, y] = [place.left + place.x, place.top + place.y];
  const cells = pixelated(drawing.panel.reading.values, columns.length, drawing.scale, drawing.inks);
  context.drawImage(cells, x, y, place.wide * columns.length, place.cell * rows.length);
  if (place.cell >= LINES_FROM) part(context, place, drawing);
  if (place.cell >= PRINTED_FROM) print(context, place, drawing);
  if (drawing.given) divide(context, place, drawing);
  context.restore();
  context.strokeStyle = drawing.look.grid;
  context.strokeRect(place.left - 0.5, place.top - 0.5, place.width + 1, place.height + 1);
}

/** @param {Place} place @param {Drawing} drawing */
function seen(place, { panel }) {
  const { rows, columns } = panel.reading;
  return {
    rows: visible(place.y, place.height, place.cell, rows.length),
    columns: visible(place.x, place.width, place.wide, columns.length),
  };
}

/** @param {CanvasRenderingContext2D} context @param {Place} place @param {Drawing} drawing */
function part(context, place, drawing) {
  const { rows, columns } = seen(place, drawing);
  const [x, y] = [place.left + place.x, place.top + place.y];
  context.strokeStyle = drawing.look.grid;
  context.globalAlpha = 0.55;
  context.lineWidth = 0.5;
  context.beginPath();
  for (let i = columns[0] + 1; i < columns[1]; i++) {
    context.moveTo(x + i * place.wide, place.top);
    context.lineTo(x + i * place.wide, place.top + place.height);
  }
  for (let i = rows[0] + 1; i < rows[1]; i++) {
    context.moveTo(place.left, y + i * place.cell);
    context.lineTo(place.left + place.width, y + i * place.cell);
  }
  context.stroke();
  context.globalAlpha = 1;
  context.lineWidth = 1;
}

/** Where a prompt ends, and what was written begins. @param {CanvasRenderingContext2D} context @param {Place} place @param {Drawing} drawing */
function divide(context, place, { panel, look, given }) {
  const [row, column] = [panel.reading.rows, panel.reading.columns].map((labels) =>
    labels.findIndex(({ places }) => places[0] >= given),
  );
  const [x, y] = [place.left + place.x + column * place.wide, place.top + place.y + row * place.cell];
  context.fillStyle = look.accent;
  if (row >= 0) context.fillRect(place.left, y - 1, place.width, 2);
  if (column >= 0) context.fillRect(x - 1, place.top, 2, place.height);
}

/** Numbers in their cells; what rounds to nothing is left out. @param {CanvasRenderingContext2D} context @param {Place} place @param {Drawing} drawing */
function print(context, place, drawing) {
  const { panel, scale, table, fonts } = drawing;
  const { rows, columns } = seen(place, drawing);
  const wide = panel.reading.columns.length;
  context.font = `${Math.min(Math.max(14, 0.8 * place.type), 0.36 * place.cell)}px ${fonts}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let row = rows[0]; row < rows[1]; row++) {
    for (let column = columns[0]; column < columns[1]; column++) {
      const value = panel.reading.values[row * wide + column];
      const share = shareOf(value, scale);
      if (share === null || Math.abs(value) < 0.005) continue;
      context.fillStyle = inkOn(colourAt(table, share));
      const [x, y] = [
        place.left + place.x + (column + 0.5) * place.wide,
        place.top + place.y + (row + 0.5) * place.cell,
      ];
      context.fillText(decimals(value), x, y);
    }
  }
}

/** As many labels as stand clear of each other. @param {CanvasRenderingContext2D} context @param {Place} place @param {Drawing} drawing */
function name(context, place, drawing) {
  const every = Math.ceil(place.type / place.cell);
  const { rows, columns } = seen(place, drawing);
  context.font = `${place.type}px ${drawing.fonts}`;
  for (let row = rows[0]; row < rows[1]; row++) if (row % every === 0) sayRow(context, place, drawing, row, false);
  const beside = Math.ceil(place.type / place.wide);
  for (let i = columns[0]; i < columns[1]; i++) if (i % beside === 0) sayColumn(context, place, drawing, i, false);
}

/**
 * @param {CanvasRenderingContext2D} context whose type is set
 * @param {Place} place
 * @param {Drawing} drawing
 * @param {number} row
 * @param {boolean} lit
 */
function sayRow(context, place, { panel, look, ruler }, row, lit) {
  const y = place.top + place.y + (row + 0.5) * place.cell;
  if (y < place.top - 1 || y > place.top + place.height + 1) return;
  const text = ruler.elided(panel.reading.rows[row].text, place.left - 10, place.type);
  const width = ruler.width(text) * place.type;
  if (lit) box(context, look, place.left - 9 - width, y - 0.65 * place.type, width + 6, 1.3 * place.type);
  context.fillStyle = lit ? look.background : look.text;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillText(text, place.left - 6, y);
}

/**
 * @param {CanvasRenderingContext2D} context whose type is set
 * @param {Place} place
 * @param {Drawing} drawing
 * @param {number} column
 * @param {boolean} lit
 */
function sayColumn(context, place, { panel, look, ruler }, column, lit) {
  const x = place.left + place.x + (column + 0.5) * place.wide;
  if (x < place.left - 1 || x > place.left + place.width + 1) return;
  const full = panel.reading.columns[column].text;
  const text = place.across ? full : ruler.elided(full, place.top - 10, place.type);
  if (!place.across && isUpright(full))
    return stand(context, text, { x, y: place.top - 6, type: place.type, lit, look });
  const width = ruler.width(text) * place.type;
  context.save();
  context.translate(x, place.top - 6);
  if (!place.across) context.rotate(-Math.PI / 2);
  if (lit && place.across) box(context, look, -width / 2 - 3, -1.15 * place.type, width + 6, 1.3 * place.type);
  if (lit && !place.across) box(context, look, -3, -0.65 * place.type, width + 6, 1.3 * place.type);
  context.fillStyle = lit ? look.background : look.text;
  context.textAlign = place.across ? "center" : "left";
  context.textBaseline = place.across ? "alphabetic" : "middle";
  context.fillText(text, 0, place.across ? -0.15 * place.type : 0);
  context.restore();
}

/**
 * A column's label sign under sign, the last one over the map.
 * @param {CanvasRenderingContext2D} context whose type is set
 * @param {string} text
 * @param {{ x: number, y: number, type: number, lit: boolean, look: import("../types.js").Look }} how
 */
function stand(context, text, { x, y, type, lit, look }) {
  const signs = [...text];
  if (lit) box(context, look, x - 0.65 * type, y - signs.length * type - 2, 1.3 * type, signs.length * type + 4);
  context.fillStyle = lit ? look.background : look.text;
  context.textAlign = "center";
  context.textBaseline = "middle";
  signs.forEach((sign, i) => context.fillText(sign === "…" ? "⋮" : sign, x, y - (signs.length - i - 0.5) * type));
}

/** @param {CanvasRenderingContext2D} context @param {import("../types.js").Look} look @param {number} x @param {number} y @param {number} width @param {number} height */
function box(context, look, x, y, width, height) {
  context.fillStyle = look.accent;
  context.fillRect(x, y, width, height);
}

/**
 * Rows and columns in question, and the sums of those that are pinned.
 * @param {CanvasRenderingContext2D} context
 * @param {Place} place
 * @param {Drawing} drawing
 * @param {import("../viewer/panel.js").Marked} marked
 */
function mark(context, place, drawing, { rows, columns, pinnedRows, pinnedColumns, sums, dim }) {
  if (dim)
    spotlight(context, place, drawing, new Set([...rows, ...pinnedRows]), new Set([...columns, ...pinnedColumns]));
  context.strokeStyle = drawing.look.accent;
  context.lineWidth = 1.5;
  const { left, top, width, height, cell, wide } = place;
  context.save();
  context.beginPath();
  context.rect(left - 2, top - 2, width + 4, height + 4);
  context.clip();
  for (const row of new Set([...rows, ...pinnedRows]))
    context.strokeRect(left, top + place.y + row * cell, width, cell);
  for (const i of new Set([...columns, ...pinnedColumns]))
    context.strokeRect(left + place.x + i * wide, top, wide, height);
  context.restore();
  context.font = `${place.type}px ${drawing.fonts}`;
  for (const row of new Set([...rows, ...pinnedRows])) sayRow(context, place, drawing, row, true);
  for (const i of new Set([...columns, ...pinnedColumns])) sayColumn(context, place, drawing, i, true);
  if (sums) strips(context, place, drawing, sums, { rows: pinnedRows.length, columns: pinnedColumns.length });
}

/**
 * Sums of the pinned rows under the map, of the pinned columns beside it.
 * @param {CanvasRenderingContext2D} context
 * @param {Place} place
 * @param {Drawing} drawing
 * @param {import("../viewer/panel.js").Sums} sums
 * @param {{ rows: number, columns: number }} pinned
 */
function strips(context, place, { scale, table, look }, sums, pinned) {
  const { left, top, width, height, cell, wide } = place;
  const paintOne = (/** @type {number} */ value, /** @type {number} */ n, /** @type {number[]} */ [x, y, w, h]) => {
    const share = shareOf(value / n, { ...scale, hidden: 0 });
    context.fillStyle = share === null ? look.surface : css(colourAt(table, share));
    context.fillRect(x, y, w, h);
  };
  context.save();
  context.beginPath();
  context.rect(left, top, width + 26, height + 26);
  context.clip();
  sums.below?.forEach((sum, i) => paintOne(sum, pinned.rows, [left + place.x + i * wide, top + height + 6, wide, 14]));
  sums.beside?.forEach((sum, i) =>
    paintOne(sum, pinned.columns, [left + width + 6, top + place.y + i * cell, 14, cell]),
  );
  context.restore();
  context.strokeStyle = look.accent;
  context.lineWidth = 1;
  if (sums.below) context.strokeRect(left - 0.5, top + height + 5.5, width + 1, 15);
  if (sums.beside) context.strokeRect(left + width + 5.5, top - 0.5, 15, height + 1);
}

// What presenter mode leaves in the light.

const VEIL = 0.75; // how much of the other cells is hidden
const VEIL_OF_LABELS = 0.4; // of the other words, which a hall must still be able to read

/**
 * All but the rows and columns in question under a veil.
 * @param {CanvasRenderingContext2D} context
 * @param {Place} place
 * @param {Drawing} drawing
 * @param {Set<number>} rows
 * @param {Set<number>} columns
 */
function spotlight(context, place, { panel, look }, rows, columns) {
  const { left, top, width, height, cell, wide } = place;
  context.save();
  context.beginPath();
  context.rect(0, 0, left + width + 1, top + height + 1);
  context.clip();
  context.fillStyle = look.background;
  const veil = (/** @type {number} */ alpha, /** @type {[number, number, number, number]} */ ...box) => {
    context.globalAlpha = alpha;
    context.fillRect(...box);
  };
  panel.reading.rows.forEach((_, row) => {
    if (rows.has(row)) return;
    const y = top + place.y + row * cell;
    veil(VEIL_OF_LABELS, 0, y, left, cell);
    panel.reading.columns.forEach((_, i) => columns.has(i) || veil(VEIL, left + place.x + i * wide, y, wide, cell));
  });
  panel.reading.columns.forEach(
    (_, i) => columns.has(i) || veil(VEIL_OF_LABELS, left + place.x + i * wide, 0, wide, top),
  );
  context.restore();
}

// A map on two canvases: its cells change from head to head, its labels rarely do.

export class Layers {
  constructor() {
    this.under = make("canvas", { className: "under" });
    this.names = make("canvas", { className: "over" });
    this.named = "";
    /** @type {unknown[]} whose names stand there */
    this.whose = [];
  }

  /**
   * @param {{ paint: typeof paint, name: typeof name }} painter
   * @param {Place} place
   * @param {Drawing} drawing
   * @param {{ width: number, height: number }} size
   */
  paint(painter, place, drawing, { width, height }) {
    painter.paint(sized(this.under, width, height), place, drawing);
    const { rows, columns } = drawing.panel.reading;
    const [named, whose] = [JSON.stringify([place, width, height]), [painter, rows, columns, drawing.look]];
    if (named === this.named && whose.every((each, i) => each === this.whose[i])) return;
    [this.named, this.whose] = [named, whose];
    painter.name(sized(this.names, width, height), place, drawing);
  }
}
