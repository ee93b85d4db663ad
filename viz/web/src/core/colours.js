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
