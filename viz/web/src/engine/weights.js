// Weights as numbers again, from a byte of every code and its low bits, as model/onnx/packed.py took them apart.

const MIDDLE = 128; // what stands for a higher part of 0

/** @typedef {[number, number, number][]} Table of each weight: how many numbers, the scale, the number of low bits */

/**
 * @param {Table} table
 * @param {Uint8Array} high a byte a number
 * @param {Uint8Array} low bits, highest first
 * @returns {Float32Array<ArrayBuffer>} all weights, one after the other
 */
export function weightsOf(table, high, low) {
  const found = new Float32Array(table.reduce((sum, [count]) => sum + count, 0));
  let at = 0;
  let held = 0;
  let bits = 0;
  let next = 0;
  for (const [count, scale, few] of table) {
    const mask = (1 << few) - 1;
    for (const end = at + count; at < end; at++) {
      while (bits < few) {
        held = (held << 8) | low[next++];
        bits += 8;
      }
      bits -= few;
      found[at] = (((high[at] - MIDDLE) << few) | ((held >> bits) & mask)) * scale;
    }
  }
  return found;
}
