// The axes of a plain picture.
import { isUpright } from "../core/text.js";

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
