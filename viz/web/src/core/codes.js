// Numbers as Python packs them (viz/web/message.py): bytes, or base64 of them.

/** @param {string} packed base64 */
export function bytesOf(packed) {
  const letters = atob(packed);
  const found = new Uint8Array(letters.length);
  for (let i = 0; i < found.length; i++) found[i] = letters.charCodeAt(i);
  return found;
}

/**
 * The value of each byte, as a part of the largest: (byte / 255)², or (byte - 128) / 127 where there are both signs.
 * @param {boolean} signed
 * @returns {Float32Array}
 */
export function partsOf(signed) {
  return Float32Array.from({ length: 256 }, (_, byte) => (signed ? (byte - 128) / 127 : (byte / 255) ** 2));
}

export const PARTS = { signed: partsOf(true), unsigned: partsOf(false) };

/** Weights of a byte each. @param {string} packed */
export function unpackCoarse(packed) {
  return Float32Array.from(bytesOf(packed), (byte) => PARTS.unsigned[byte]);
}

/** Values from -1 to 1 of two bytes each, round(32767·v), little-endian. @param {string} packed */
export function unpackFine(packed) {
  const bytes = bytesOf(packed);
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 2 }, (_, i) => view.getInt16(2 * i, true) / 32767);
}

/** An array of float32, little-endian. @param {string} packed */
export function floatsOf(packed) {
  return new Float32Array(bytesOf(packed).buffer);
}
