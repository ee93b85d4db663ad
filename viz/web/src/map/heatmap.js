import { colourAt } from "../ui/shared.js";

// One labelled map on a canvas: rows are queries, columns are keys.
const SMALLEST_TYPE = 8;
const LARGEST_TYPE = 13;
export const LABEL_ROOM = 72;
const LINES_FROM = 12; // cells at least this large are parted by lines

export function elide(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  const letters = Array.from(text);
  while (letters.length > 1 && context.measureText(`${letters.join("")}…`).width > room) letters.pop();
  return `${letters.join("")}…`;
}

export function fontOf(element, size) {
  return `${size}px ${getComputedStyle(element).fontFamily}`;
}

// A cell that covers whole device pixels, so that edges stay sharp.
export function sharp(cell) {
  const ratio = window.devicePixelRatio || 1;
  return Math.max(1, Math.floor(cell * ratio)) / ratio;
}

// Where a map and its labels stand when a cell has this size, in CSS pixels.
export function placeMap(canvas, rows, columns, cell) {
  const context = canvas.getContext("2d");
  const type = Math.min(LARGEST_TYPE, Math.max(SMALLEST_TYPE, 0.7 * cell));
  context.font = fontOf(canvas, type);
  const longest = (texts) => Math.ceil(Math.max(0, ...texts.map((text) => context.measureText(text).width)));
  const across = longest(columns) <= cell - 1;
  const left = sharp(Math.min(LABEL_ROOM, longest(rows)) + 8);
  const top = sharp((across ? 1.3 * type : Math.min(LABEL_ROOM, longest(columns))) + 8);
  const [width, height] = [left + cell * columns.length + 1, top + cell * rows.length + 1];
  return { cell, type, across, left, top, width, height, every: Math.ceil(type / cell) };
}

export function sizeCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  canvas.style.width = `${canvas.width / ratio}px`;
  canvas.style.height = `${canvas.height / ratio}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// map: { rows, columns, values, low, high, table }; place: from placeMap; look: the theme.
export function drawMap(canvas, map, place, look) {
  const context = sizeCanvas(canvas, place.width, place.height);
  const [wide, high] = [map.columns.length, map.rows.length];
  if (!wide || !high) return context;
  const { left, top, cell } = place;
  context.imageSmoothingEnabled = false;
  context.drawImage(colouredCells(map), left, top, cell * wide, cell * high);
  if (cell >= LINES_FROM) partCells(context, map, place, look);
  context.strokeStyle = look.grid;
  context.lineWidth = 1;
  context.strokeRect(left - 0.5, top - 0.5, cell * wide + 1, cell * high + 1);
  labelMap(context, canvas, map, place, look);
  return context;
}

// The map with one pixel a cell.
function colouredCells({ rows, columns, values, low, high, table }) {
  const small = document.createElement("canvas");
  [small.width, small.height] = [columns.length, rows.length];
  const context = small.getContext("2d");
  const image = context.createImageData(columns.length, rows.length);
  for (let i = 0; i < values.length; i++) {
    const [r, g, b] = colourAt(table, high > low ? (values[i] - low) / (high - low) : 0);
    image.data.set([r, g, b, 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
  return small;
}

function partCells(context, { rows, columns }, { left, top, cell }, look) {
  context.strokeStyle = look.grid;
  context.globalAlpha = 0.55;
  context.lineWidth = 0.5;
  context.beginPath();
  for (let i = 1; i < columns.length; i++) {
    context.moveTo(left + i * cell, top);
    context.lineTo(left + i * cell, top + rows.length * cell);
  }
  for (let i = 1; i < rows.length; i++) {
    context.moveTo(left, top + i * cell);
    context.lineTo(left + columns.length * cell, top + i * cell);
  }
  context.stroke();
  context.globalAlpha = 1;
}

function labelMap(context, canvas, { rows, columns }, { left, top, cell, type, across, every }, look) {
  context.font = fontOf(canvas, type);
  context.fillStyle = look.text;
  context.textBaseline = "middle";
  rows.forEach((text, row) => {
    if (row % every) return;
    context.textAlign = "right";
    context.fillText(elide(context, text, left - 8), left - 5, top + (row + 0.5) * cell);
  });
  columns.forEach((text, column) => {
    if (column % every) return;
    context.save();
    context.translate(left + (column + 0.5) * cell, top - 5);
    if (!across) context.rotate(-Math.PI / 2);
    context.textAlign = across ? "center" : "left";
    context.textBaseline = across ? "bottom" : "middle";
    context.fillText(elide(context, text, across ? cell : top - 8), 0, 0);
    context.restore();
  });
}
