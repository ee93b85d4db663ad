// The axes of a plain picture.
import { colourAt, coloursOf, inkOn, shareOf } from "../core/colours.js";
import { isUpright } from "../core/text.js";
import { pixelated } from "../ui/canvas.js";

const SIZE = 14;
const GAP = 8; // pixels between a picture and what is written at it
const UPRIGHT = -90;

/**
 * @typedef {object} AxisPart
 * @property {[number, string][]} ticks
 * @property {[number, number]} limits
 * @property {string} title
 * @property {boolean} named ticks are names, not numbers
 * @property {number} angle of the names, in degrees
 * @property {boolean} above names stand over the picture
 */

/**
 * @typedef {object} ChartPlace Where what is between the axes stands, and where values stand there.
 * @property {number} left
 * @property {number} top
 * @property {number} wide
 * @property {number} high
 * @property {(value: number) => number} xOf
 * @property {(value: number) => number} yOf
 */

/**
 * @typedef {object} Paper What is drawn on.
 * @property {CanvasRenderingContext2D} context
 * @property {ChartPlace} place
 * @property {import("../types.js").Look} look
 * @property {(size: number) => void} font sets the type
 */

/** @param {Paper} paper @param {{ x: AxisPart, y: AxisPart }} axes */
export function drawAxes(paper, { x, y }) {
  paper.font(SIZE);
  if (!y.named) drawLines(paper, y, x);
  drawDown(paper, y);
  drawAcross(paper, x);
}

/** Lines at the numbers of both axes; that at 0 is darker. @param {Paper} paper @param {AxisPart} y @param {AxisPart} x */
function drawLines({ context, place, look }, y, x) {
  const { left, top, wide, high, xOf, yOf } = place;
  const line = (/** @type {[number, number]} */ from, /** @type {[number, number]} */ to, strong = false) => {
    context.strokeStyle = strong ? look.muted : look.grid;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
  };
  context.lineWidth = 1;
  if (!x.named) for (const [at] of x.ticks) line([xOf(at), top], [xOf(at), top + high]);
  for (const [at] of y.ticks) {
    const down = Math.round(yOf(at)) + 0.5;
    line([left, down], [left + wide, down], at === 0);
  }
}

/** @param {Paper} paper @param {AxisPart} axis */
function drawDown({ context, place, look }, { ticks, title, named }) {
  context.fillStyle = named ? look.text : look.muted;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const [at, name] of ticks) context.fillText(name, place.left - GAP, place.yOf(at));
  if (!title) return;
  context.save();
  context.fillStyle = look.muted;
  context.translate(SIZE * 0.75, place.top + place.high / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillText(title, 0, 0);
  context.restore();
}

/** A Chinese name sign under sign, away from the edge that the context stands on. @param {CanvasRenderingContext2D} context @param {string[]} signs @param {boolean} above */
function stand(context, signs, above) {
  context.textAlign = "center";
  context.textBaseline = "middle";
  signs.forEach((sign, i) => context.fillText(sign, 0, SIZE * (above ? i + 0.5 - signs.length : i + 0.5)));
  context.restore();
}

/** @param {Paper} paper @param {AxisPart} axis */
function drawAcross({ context, place, look }, { ticks, title, named, angle, above }) {
  const edge = above ? place.top - GAP : place.top + place.high + GAP;
  context.fillStyle = named ? look.text : look.muted;
  for (const [at, name] of ticks) {
    context.save();
    context.translate(place.xOf(at), edge);
    if (angle === UPRIGHT && isUpright(name)) {
      stand(context, [...name], above);
      continue;
    }
    context.rotate((angle * Math.PI) / 180);
    context.textAlign = angle ? (above ? "left" : "right") : "center";
    context.textBaseline = angle === UPRIGHT ? "middle" : above ? "bottom" : angle ? "middle" : "top";
    context.fillText(name, 0, 0);
    context.restore();
  }
  if (!title) return;
  context.fillStyle = look.muted;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.fillText(title, place.left + place.wide / 2, edge + SIZE + 4);
}

// Bars, curves and cells between the axes of a plain picture.
const GROUP = 0.75; // of the room of a name that its bars take
const PARTED = 8; // cells at least this large are parted
const NUMBERS = 14; // pixels of the numbers over bars

/** @typedef {{ name: string, colour: string, dash: number[], values: Float32Array }} Series */
/** @typedef {Series & { texts: string[] }} Bars */
/** @typedef {Series & { dots: boolean }} Curve */
/** @typedef {{ values: Float32Array, limits: [number, number], texts: string[][], size: number }} Cells */

/** @param {Paper} paper @param {Bars[]} bars @param {Float32Array} places */
export function drawBars({ context, place, look, font }, bars, places) {
  const pitch = bars.length ? place.wide / places.length : 0;
  const wide = (GROUP * pitch) / bars.length;
  const zero = place.yOf(0);
  font(NUMBERS);
  context.textAlign = "center";
  bars.forEach(({ colour, values, texts }, series) => {
    values.forEach((value, i) => {
      const left = place.xOf(places[i]) - (GROUP * pitch) / 2 + series * wide;
      const end = place.yOf(value);
      context.fillStyle = colour;
      context.fillRect(left, Math.min(zero, end), wide, Math.abs(zero - end));
      if (!texts.length) return;
      context.fillStyle = look.text;
      context.textBaseline = value < 0 ? "top" : "bottom";
      context.fillText(texts[i], left + wide / 2, end + (value < 0 ? 2 : -2));
    });
  });
}

/** @param {Paper} paper @param {Curve[]} curves @param {Float32Array} places @param {number | null} mark */
export function drawCurves({ context, place, look }, curves, places, mark) {
  context.save();
  context.beginPath();
  context.rect(place.left, place.top - 2, place.wide, place.high + 4);
  context.clip();
  if (mark !== null) {
    const at = place.xOf(mark);
    stroke(context, [at, at], [place.top, place.top + place.high], { colour: look.muted, dash: [2, 4] });
  }
  for (const { colour, dash, dots, values } of curves) {
    const across = Array.from(places, place.xOf);
    const down = Array.from(values, place.yOf);
    stroke(context, across, down, { colour, dash });
    context.fillStyle = colour;
    if (dots) across.forEach((x, i) => dot(context, x, down[i]));
  }
  context.restore();
}

/** @param {CanvasRenderingContext2D} context @param {number[]} across @param {number[]} down @param {{ colour: string, dash: number[] }} pen */
function stroke(context, across, down, { colour, dash }) {
  context.strokeStyle = colour;
  context.lineWidth = 2.5;
  context.lineJoin = "round";
  context.setLineDash(dash);
  context.beginPath();
  across.forEach((x, i) => context.lineTo(x, down[i]));
  context.stroke();
  context.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y */
function dot(context, x, y) {
  context.beginPath();
  context.arc(x, y, 3.5, 0, 2 * Math.PI);
  context.fill();
}

/** @param {Paper} paper @param {Cells} cells @param {{ names: string[], rows: string[] }} axes */
export function drawCells({ context, place, look, font }, { values, limits, texts, size }, { names, rows }) {
  const [wide, high] = [place.wide / names.length, place.high / rows.length];
  const [low, top] = limits;
  const scale = { top, bottom: 0, hidden: 0, signed: low < 0 };
  const { tables, inks } = coloursOf(look);
  const kind = scale.signed ? "diverging" : "scale";
  context.imageSmoothingEnabled = false;
  context.drawImage(pixelated(values, names.length, scale, inks[kind]), place.left, place.top, place.wide, place.high);
  context.fillStyle = look.surface;
  if (wide >= PARTED)
    names.forEach((_, i) => context.fillRect(place.left + (i + 1) * wide - 1, place.top, 1, place.high));
  if (high >= PARTED)
    rows.forEach((_, i) => context.fillRect(place.left, place.top + (i + 1) * high - 1, place.wide, 1));
  font(size);
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const [i, text] of texts.flat().entries()) {
    const [row, column] = [Math.floor(i / names.length), i % names.length];
    const share = Number.isNaN(values[i]) ? null : shareOf(values[i], scale);
    context.fillStyle = share === null ? look.text : inkOn(colourAt(tables[kind], share));
    context.fillText(text, place.left + (column + 0.5) * wide, place.top + (row + 0.5) * high);
  }
}
