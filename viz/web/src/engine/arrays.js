// Arrays of the engine: out of a page's text, as weights again, and let go.

const FIRST = 0xc2; // the first of the two bytes of ¡ ¢ £, which stand for what a page would change, or end its data at
const INSTEAD = 0xa1; // the second one of ¡
const ESCAPED = [0, 13, 60]; // NUL, carriage return, <
const MIDDLE = 128; // what stands for a higher part of 0

/** @typedef {[number, number, number][]} Table of each weight: how many numbers, the scale, the number of low bits */

/**
 * Bytes of a text in UTF-8 that is a sixth longer, where base64 is a third longer: seven bits a character, as
 * viz/export/live.py writes them (after base122, Albertson 2016).
 * @param {Uint8Array} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function fromDense(text) {
  const bytes = new Uint8Array(Math.floor((text.length * 7) / 8));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text[i];
    held = (held << 7) | (code === FIRST ? ESCAPED[text[++i] - INSTEAD] : code);
    bits += 7;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = held >> bits;
    held &= (1 << bits) - 1;
  }
  return bytes.subarray(0, at);
}

/**
 * Weights as numbers again, from a byte of every code and its low bits, as model/onnx/packed.py took them apart.
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

/**
 * Let go of what arrays hold, now and not when the browser comes to it; they are empty afterwards.
 * @param {({ buffer: ArrayBufferLike } | undefined)[]} arrays
 */
export function letGo(...arrays) {
  for (const each of arrays) {
    if (each?.buffer.byteLength) /** @type {any} */ (each.buffer).transfer?.(0); // beams share what they came from
  }
}
