// Where a map and its labels stand: everything that is reckoned before anything is drawn.

/** @import { Place, Spot } from "../types.js" */

export const SMALLEST_TYPE = 14;
const READABLE_WHOLE = 10; // cells at least this high are worth seeing all at once
export const LARGEST_ZOOMED = 72;
const GAP = 6; // between a label and the map
/** Sizes of the type, largest cell and how much wider than high, room of the longest labels, and the least cell of a map that is shown whole. */
const DESK = {
  smallest: SMALLEST_TYPE,
  largest: 17,
  cell: 60,
  wide: 60,
  stretched: 2,
  left: 150,
  top: 104,
  whole: READABLE_WHOLE,
};
const HALL = { smallest: 20, largest: 28, cell: 110, wide: 300, stretched: 7, left: 240, top: 170, whole: 21 };

/** @param {number} [large] times; nothing on a desk */
function sizesOf(large) {
  if (!large) return DESK;
  const { stretched, ...sizes } = HALL;
  const grown = Object.entries(sizes).map(([name, size]) => [name, size * large]);
  return /** @type {typeof HALL} */ ({ stretched, ...Object.fromEntries(grown) });
}

/**
 * @typedef {object} Room
 * @property {number} width
 * @property {number} height
 * @property {number} ratio device pixels a CSS pixel
 * @property {number} [large] for a room full of people: larger type and cells, so many times those of a small screen
 */

/**
 * @typedef {object} Axes
 * @property {number[]} rows width of each label at 1 px type
 * @property {number[]} columns
 */

/** A cell that covers whole device pixels, so that edges stay sharp. @param {number} cell @param {number} ratio */
export function sharp(cell, ratio) {
  return Math.max(1, Math.floor(cell * ratio)) / ratio;
}

/** @param {number[]} widths */
const longest = (widths) => Math.max(0, ...widths);

/**
 * The whole map, as large as its room allows; cells are wider than high where that helps.
 * @param {Room} room
 * @param {Axes} axes
 * @returns {Place}
 */
export function fitted({ width, height, ratio, large }, axes) {
  const most = sizesOf(large);
  const reserve = (/** @type {number} */ type, /** @type {boolean} */ across) => ({
    left: Math.ceil(Math.min(most.left, longest(axes.rows) * type) + 2 * GAP),
    top: Math.ceil((across ? type : Math.min(most.top, longest(axes.columns) * type)) + 2 * GAP),
  });
  const cellsFor = (/** @type {{ left: number, top: number }} */ { left, top }) => {
    const [across, down] = [
      (width - left - 2) / (axes.columns.length || 1),
      (height - top - 2) / (axes.rows.length || 1),
    ];
    const cell = Math.min(most.cell, across, down);
    return { cell, wide: Math.min(most.wide, across, most.stretched * cell) };
  };
  let type = most.smallest;
  const lies = () => longest(axes.columns) * type < cellsFor(reserve(type, true)).wide - 3;
  type = Math.min(most.largest, Math.max(most.smallest, 0.34 * cellsFor(reserve(type, lies())).cell));
  const across = lies();
  const place = reserve(type, across);
  const { cell, wide } = cellsFor(place);
  const sizes = { cell: sharp(Math.max(2, cell), ratio), wide: sharp(Math.max(2, wide), ratio) };
  return seen({ ...sizes, ...place, width: 0, height: 0, x: 0, y: 0, type, across }, { width, height, ratio }, axes);
}

/**
 * How a map is first shown: whole, or where its cells would be too small with all its labels readable.
 * @param {Room} room
 * @param {Axes} axes
 * @returns {Place}
 */
export function opening(room, axes) {
  const whole = fitted(room, axes);
  const { smallest, whole: enough } = sizesOf(room.large);
  if (whole.cell >= enough) return whole;
  return zoomed(whole, { x: 0, y: 0 }, (smallest + 1) / whole.cell, { room, axes, least: whole.cell });
}

/**
 * The place with what is seen of the map brought within its room.
 * @param {Place} place
 * @param {Room} room
 * @param {Axes} axes
 * @returns {Place}
 */
function seen(place, room, { rows, columns }) {
  const width = Math.min(place.wide * columns.length, room.width - place.left - 2);
  const height = Math.min(place.cell * rows.length, room.height - place.top - 2);
  const x = Math.min(0, Math.max(place.x, width - place.wide * columns.length));
  const y = Math.min(0, Math.max(place.y, height - place.cell * rows.length));
  return { ...place, width, height, x, y };
}

/**
 * Nearer or further, with the point (x, y) of the canvas staying where it is.
 * @param {Place} place
 * @param {{ x: number, y: number }} about
 * @param {number} factor
 * @param {{ room: Room, axes: Axes, least: number }} within
 */
export function zoomed(place, about, factor, { room, axes, least }) {
  const whole = fitted(room, axes);
  const largest = Math.max(LARGEST_ZOOMED, whole.wide);
  const cell = sharp(Math.min(largest, Math.max(least, place.cell * factor)), room.ratio);
  const grown = cell / whole.cell;
  const wide = sharp(
    Math.max(Math.min(whole.wide * grown, largest, sizesOf(room.large).stretched * cell), whole.wide),
    room.ratio,
  );
  const moved = (/** @type {number} */ from, /** @type {number} */ offset, /** @type {number} */ by) =>
    from - (from - offset) * by;
  const x = moved(Math.max(0, about.x - place.left), place.x, wide / place.wide);
  const y = moved(Math.max(0, about.y - place.top), place.y, cell / place.cell);
  return seen({ ...place, cell, wide, x, y }, room, axes);
}

/**
 * @param {Place} place
 * @param {number} dx
 * @param {number} dy
 * @param {{ room: Room, axes: Axes }} within
 */
export function panned(place, dx, dy, { room, axes }) {
  return seen({ ...place, x: place.x + dx, y: place.y + dy }, room, axes);
}

/**
 * What stands at a point of the canvas: a cell, a row's label, a column's label, or nothing.
 * @param {Place} place
 * @param {number} x
 * @param {number} y
 * @returns {Spot | null}
 */
export function spotAt(place, x, y) {
  const [right, below] = [x - place.left, y - place.top];
  if (right > place.width || below > place.height || (right < 0 && below < 0)) return null;
  const row = below < 0 ? null : Math.floor((below - place.y) / place.cell);
  const column = right < 0 ? null : Math.floor((right - place.x) / place.wide);
  return { row, column };
}

/**
 * First index that is seen, and the one after the last.
 * @param {number} offset
 * @param {number} length
 * @param {number} cell
 * @param {number} count
 */
export function visible(offset, length, cell, count) {
  return [Math.max(0, Math.floor(-offset / cell)), Math.min(count, Math.ceil((length - offset) / cell))];
}

/**
 * How many of n panels stand side by side so that their maps are largest.
 * @param {number} n
 * @param {{ width: number, height: number, ratio: number }} room of all
 * @param {{ axes: Axes, gap: number, head: number }} each
 */
export function abreast(n, room, { axes, gap, head }) {
  let best = { columns: 1, area: 0 };
  for (let columns = 1; columns <= n; columns++) {
    const one = roomOf(n, columns, room, gap, head);
    const { cell, wide } = one.width > 60 && one.height > 60 ? fitted(one, axes) : { cell: 0.1, wide: 0.1 };
    if (cell * wide > 1.01 * best.area) best = { columns, area: cell * wide };
  }
  return best.columns;
}

/**
 * The room of one panel's canvas.
 * @param {number} n
 * @param {number} columns
 * @param {Room} room
 * @param {number} gap
 * @param {number} head
 * @returns {Room}
 */
export function roomOf(n, columns, room, gap, head) {
  const down = Math.ceil(n / columns);
  const width = (room.width - (columns - 1) * gap) / columns;
  return { ...room, width, height: (room.height - (down - 1) * gap) / down - head };
}
