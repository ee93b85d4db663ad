// A map as lines between two lists of tokens: queries on the left, keys on the right.
import { colourAt, css, shareOf } from "../core/colours.js";
import { sharp, SMALLEST_TYPE } from "../core/place.js";

/** @typedef {import("../types.js").Place} Place */
/** @typedef {import("../viewer/panel.js").Picture} Drawing */
/** @import { Room, Axes } from "../core/place.js" */

const GAP = 8;
const MOST_LABEL = 160;
const WIDEST = 460;
const LARGEST_PITCH = 30;
const [LARGE_TYPE, LARGE_PITCH] = [22, 48]; // of presenter mode
const LEVELS = 12; // of strength, each drawn in one go

export const asLines = { fitted, opening, panned, zoomed, spotAt, paint, name, mark, most: 48 };

/** @param {Room} room @param {Axes} axes @returns {Place} */
function fitted(room, axes) {
  const type = room.large ? LARGE_TYPE * room.large : SMALLEST_TYPE;
  const [left, right] = [axes.rows, axes.columns].map(
    (widths) => Math.min((MOST_LABEL * type) / SMALLEST_TYPE, Math.max(0, ...widths) * type) + GAP,
  );
  const count = Math.max(axes.rows.length, axes.columns.length, 1);
  const cell = sharp(
    Math.min(room.large ? LARGE_PITCH * room.large : LARGEST_PITCH, (room.height - 2 * GAP) / count),
    room.ratio,
  );
  const width = Math.max(40, Math.min(WIDEST, room.width - left - right));
  return seen({ cell, wide: cell, left, top: GAP, width, height: 0, x: 0, y: 0, type, across: true }, room, count);
}

/** @param {Room} room @param {Axes} axes @returns {Place} */
function opening(room, axes) {
  const whole = fitted(room, axes);
  const factor = (whole.type + 2) / whole.cell;
  return factor > 2 ? zoomed(whole, { x: 0, y: 0 }, factor, { room, axes, least: whole.cell }) : whole;
}

/** @param {Place} place @param {Room} room @param {number} count */
function seen(place, room, count) {
  const height = Math.min(place.cell * count, room.height - 2 * GAP);
  return { ...place, height, y: Math.min(0, Math.max(place.y, height - place.cell * count)) };
}

/** @param {Axes} axes */
const longer = (axes) => Math.max(axes.rows.length, axes.columns.length, 1);

/** @param {Place} place @param {{ x: number, y: number }} about @param {number} factor @param {{ room: Room, axes: Axes, least: number }} within */
function zoomed(place, about, factor, { room, axes, least }) {
  const cell = sharp(Math.min(asLines.most, Math.max(least, place.cell * factor)), room.ratio);
  const from = Math.max(0, about.y - place.top);
  const y = from - ((from - place.y) * cell) / place.cell;
  return seen({ ...place, cell, y }, room, longer(axes));
}

/** @param {Place} place @param {number} _dx @param {number} dy @param {{ room: Room, axes: Axes }} within */
function panned(place, _dx, dy, { room, axes }) {
  return seen({ ...place, y: place.y + dy }, room, longer(axes));
}

/** @param {Place} place @param {number} x @param {number} y @returns {import("../types.js").Spot | null} */
function spotAt(place, x, y) {
  const index = Math.floor((y - place.top - place.y) / place.cell);
  if (y < place.top || y > place.top + place.height) return null;
  if (x < place.left + 0.3 * place.width) return { row: index, column: null };
  return x > place.left + 0.7 * place.width ? { row: null, column: index } : null;
}

/** @param {CanvasRenderingContext2D} context @param {Place} place @param {Drawing} drawing */
function paint(context, place, drawing) {
  clipped(context, place, () => strokes(context, place, drawing, () => true));
}

/** As many tokens as stand clear of each other. @param {CanvasRenderingContext2D} context @param {Place} place @param {Drawing} drawing */
function name(context, place, drawing) {
  const { rows, columns } = drawing.panel.reading;
  const every = Math.ceil((place.type + 1) / place.cell);
  context.font = `${place.type}px ${drawing.fonts}`;
  rows.forEach((_, i) => i % every === 0 && say(context, place, drawing, "rows", i, false));
  columns.forEach((_, i) => i % every === 0 && say(context, place, drawing, "columns", i, false));
}

/** @param {CanvasRenderingContext2D} context @param {Place} place @param {() => void} draw */
function clipped(context, place, draw) {
  context.save();
  context.beginPath();
  context.rect(place.left, place.top, place.width, place.height);
  context.clip();
  draw();
  context.restore();
}

/**
 * A line a cell, as opaque as it is strong.
 * @param {CanvasRenderingContext2D} context
 * @param {Place} place
 * @param {Drawing} drawing
 * @param {(row: number, column: number) => boolean} wanted
 */
function strokes(context, place, { panel, scale, table }, wanted) {
  const { rows, columns, values } = panel.reading;
  /** @type {number[][]} negative ones first */
  const levels = Array.from({ length: 2 * LEVELS + 1 }, () => []);
  for (let row = 0; row < rows.length; row++) {
    for (let column = 0; column < columns.length; column++) {
      const value = values[row * columns.length + column];
      const share = shareOf(value, scale);
      const strength = share === null ? 0 : scale.signed ? Math.abs(2 * share - 1) : share;
      const level = Math.min(LEVELS, Math.round(strength * LEVELS * 1.02));
      if (level && wanted(row, column)) levels[LEVELS + (value < 0 ? -level : level)].push(row, column);
    }
  }
  const [left, right, top] = [place.left, place.left + place.width, place.top + place.y + 0.5 * place.cell];
  levels.forEach((cells, i) => {
    if (!cells.length) return;
    const level = Math.abs(i - LEVELS);
    context.strokeStyle = css(colourAt(table, i < LEVELS ? 0.1 : 0.85));
    context.globalAlpha = Math.min(1, 0.08 + (0.92 * level) / LEVELS);
    context.lineWidth = 1 + (1.5 * level) / LEVELS;
    context.beginPath();
    for (let at = 0; at < cells.length; at += 2) {
      context.moveTo(left, top + cells[at] * place.cell);
      context.lineTo(right, top + cells[at + 1] * place.cell);
    }
    context.stroke();
  });
  context.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Place} place
 * @param {Drawing} drawing
 * @param {"rows" | "columns"} side
 * @param {number} i
 * @param {boolean} lit
 */
function say(context, place, { panel, look, ruler }, side, i, lit) {
  const y = place.top + place.y + (i + 0.5) * place.cell;
  if (y < place.top || y > place.top + place.height) return;
  const left = side === "rows";
  const text = ruler.elided(
    panel.reading[side][i].text,
    left ? place.left - GAP : (MOST_LABEL * place.type) / SMALLEST_TYPE,
    place.type,
  );
  const width = ruler.width(text) * place.type;
  const x = left ? place.left - GAP + 2 : place.left + place.width + GAP - 2;
  context.fillStyle = look.accent;
  if (lit) context.fillRect(left ? x - width - 3 : x - 3, y - 0.65 * place.type, width + 6, 1.3 * place.type);
  context.fillStyle = lit ? look.background : look.text;
  context.textAlign = left ? "right" : "left";
  context.textBaseline = "middle";
  context.fillText(text, x, y);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Place} place
 * @param {Drawing} drawing
 * @param {import("../viewer/panel.js").Marked} marked
 */
function mark(context, place, drawing, { rows, columns, pinnedRows, pinnedColumns }) {
  const [lit, litColumns] = [new Set([...rows, ...pinnedRows]), new Set([...columns, ...pinnedColumns])];
  const of = (/** @type {number} */ row, /** @type {number} */ column) => lit.has(row) || litColumns.has(column);
  clipped(context, place, () => strokes(context, place, drawing, of));
  context.font = `${place.type}px ${drawing.fonts}`;
  for (const row of lit) say(context, place, drawing, "rows", row, true);
  for (const column of litColumns) say(context, place, drawing, "columns", column, true);
}
