// Bytes as text in UTF-8 that is a sixth longer, where base64 is a third longer: seven bits a character, as
// viz/export/live.py writes them (after base122, Albertson 2016).

const FIRST = 0xc2; // the first of the two bytes of ¡ ¢ £, which stand for what a page would change, or end its data at
const INSTEAD = 0xa1; // the second one of ¡
const ESCAPED = [0, 13, 60]; // NUL, carriage return, <

/** @param {Uint8Array} text in UTF-8 @returns {Uint8Array<ArrayBuffer>} */
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
