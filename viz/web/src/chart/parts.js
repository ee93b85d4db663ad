import { colourAt, css, inkOn, tableOf } from "../core/colours.js";

// Bars, curves and cells between the axes of a plain picture.
const GROUP = 0.75; // of the room of a name that its bars take
const PARTED = 8; // cells at least this large are parted
const NUMBERS = 14; // pixels of the numbers over bars

/** @typedef {import("./axes.js").Paper} Paper */
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
  const table = tableOf(low < 0 ? look.diverging : look.scale);
  const [gapX, gapY] = [wide, high].map((cell) => (cell >= PARTED ? 1 : 0));
  context.fillStyle = look.surface;
  context.fillRect(place.left, place.top, place.wide, place.high);
  font(size);
  context.textAlign = "center";
  context.textBaseline = "middle";
  values.forEach((value, i) => {
    const [row, column] = [Math.floor(i / names.length), i % names.length];
    const [x, y] = [place.left + column * wide, place.top + row * high];
    const colour = Number.isNaN(value) ? null : colourAt(table, (value - low) / (top - low));
    context.fillStyle = colour ? css(colour) : look.surface;
    context.fillRect(x, y, wide - gapX + (gapX ? 0 : 0.5), high - gapY + (gapY ? 0 : 0.5));
    if (!texts.length) return;
    context.fillStyle = colour ? inkOn(colour) : look.text;
    context.fillText(texts[row][column], x + wide / 2, y + high / 2);
  });
}
