// How values become colours: where a scale ends, and what is blank.

/** @typedef {import("../types.js").Panel} Panel */
/** @typedef {import("../types.js").Scale} Scale */

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
 */
export function pixelsOf(values, scale, inks) {
  const found = new Uint32Array(values.length);
  const { top, bottom, hidden, signed } = scale;
  const [zero, slope] = signed ? [127.5, 127.5 / top] : [0, 255 / top];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    let share = zero + slope * value;
    if (bottom) share = 255 * (shareOf(value, scale) ?? NaN);
    if (value < hidden && -value < hidden) share = NaN;
    found[i] = inks[share >= 0 ? (share < 255 ? Math.round(share) : 255) : share < 0 ? 0 : 256];
  }
  return found;
}
