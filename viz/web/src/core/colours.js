// Colours: tables between the stops of a scale, pixels, and the ink that reads on a colour.

/**
 * 256 colours between the stops of a scale: r, g, b, r, g, b …
 * @param {import("../types.js").Stops} stops
 */
export function tableOf(stops) {
  const channels = stops.map(([at, hex]) => ({ at, rgb: [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) }));
  const table = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; i++) {
    let upper = 1;
    while (upper < channels.length - 1 && channels[upper].at < i / 255) upper++;
    const [low, high] = [channels[upper - 1], channels[upper]];
    const share = (i / 255 - low.at) / (high.at - low.at);
    for (let c = 0; c < 3; c++) table[3 * i + c] = low.rgb[c] + share * (high.rgb[c] - low.rgb[c]);
  }
  return table;
}

/**
 * The colours of a table as pixels of an image, and at 256 what is blank.
 * @param {Uint8ClampedArray} table
 * @param {string} blank
 */
export function inksOf(table, blank) {
  const inks = new Uint32Array(257);
  for (let i = 0; i < 256; i++) inks[i] = inked(table[3 * i], table[3 * i + 1], table[3 * i + 2]);
  const [r, g, b] = rgbOf(blank);
  inks[256] = inked(r, g, b);
  return inks;
}

/**
 * The colours of a theme's scales, as tables and as pixels.
 * @param {import("../types.js").Look} look
 */
export function coloursOf(look) {
  const tables = { scale: tableOf(look.scale), diverging: tableOf(look.diverging) };
  const inks = { scale: inksOf(tables.scale, look.surface), diverging: inksOf(tables.diverging, look.surface) };
  return { tables, inks };
}

/** A pixel as an image keeps it: red first, opaque. @param {number} r @param {number} g @param {number} b */
function inked(r, g, b) {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** @param {Uint8ClampedArray} table @param {number} share */
export function colourAt(table, share) {
  const i = 3 * Math.round(255 * Math.min(1, Math.max(0, share)));
  return [table[i], table[i + 1], table[i + 2]];
}

/**
 * The ink that reads better on a colour (relative luminance of WCAG 2): a contrast of 4.58 or more.
 * @param {number[]} rgb
 */
export function inkOn(rgb) {
  const [x, y, z] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z > 0.179 ? "#000000" : "#FFFFFF";
}

/** @param {string} hex */
export function rgbOf(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

/** @param {number[]} rgb */
export function css([r, g, b]) {
  return `rgb(${r},${g},${b})`;
}

/** A scale from left to right, as the background of an element. @param {import("../types.js").Stops} stops */
export function gradient(stops) {
  return `linear-gradient(to right, ${stops.map(([at, hex]) => `${hex} ${100 * at}%`).join(", ")})`;
}

// How values become colours: where a scale ends, and what is blank.

/** @import { Panel, Scale } from "../types.js" */

const LOG_FLOOR = 1e-4; // the smallest part of a scale that a logarithm tells from smaller ones

/**
 * One scale a panel.
 * @param {Panel[]} panels
 * @param {{ scale: string, log: boolean, threshold: number }} state
 * @returns {Scale[]}
 */
export function scalesOf(panels, { scale, log, threshold }) {
  const shared = scale === "common" ? Math.max(...panels.map(({ reading }) => reading.top)) : 0;
  return panels.map(({ reading, signed, high }) => {
    const top = (scale === "own" ? reading.top : scale === "common" ? shared : high) || high;
    const bottom = log && !signed ? lowest(reading.values, top, scale === "own") : 0;
    return { top, bottom, hidden: threshold * high, signed };
  });
}

/** @param {Float32Array} values @param {number} top @param {boolean} own */
function lowest(values, top, own) {
  let bottom = top * LOG_FLOOR;
  if (own) bottom = values.reduce((least, value) => (value > 0 && value < least ? value : least), Infinity);
  return Math.max(Math.min(bottom, top / 10), top * LOG_FLOOR);
}

/**
 * Where a value stands on its scale, 0 to 1; null where it is blank.
 * @param {number} value
 * @param {Scale} scale
 */
export function shareOf(value, { top, bottom, hidden, signed }) {
  if (Math.abs(value) < hidden) return null;
  if (signed) return 0.5 + (0.5 * value) / top;
  if (!bottom) return value / top;
  if (value <= 0) return null;
  return Math.max(0, Math.log10(Math.max(value, bottom) / bottom) / Math.log10(top / bottom));
}

/**
 * A pixel a value.
 * @param {Float32Array} values
 * @param {Scale} scale
 * @param {Uint32Array} inks
 * @param {Uint32Array} [found] as many pixels, which are written over
 */
export function pixelsOf(values, scale, inks, found = new Uint32Array(values.length)) {
  const { top, bottom, hidden, signed } = scale;
  const [zero, slope] = signed ? [128, 127.5 / top] : [0.5, 255 / top]; // half a colour more: what is cut is rounded
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    let share = zero + slope * value;
    if (bottom) share = 255 * (shareOf(value, scale) ?? NaN) + 0.5;
    if (value < hidden && -value < hidden) share = NaN;
    found[i] = inks[share >= 0 ? (share < 256 ? share | 0 : 255) : share < 0 ? 0 : 256];
  }
  return found;
}
