// Maps in fewer pixels than they have cells, or in more.

/** For each of `pixels` steps along an axis of `count` tokens: first token, and the one after the last. @param {number} count @param {number} pixels */
export function steps(count, pixels) {
  return Array.from({ length: pixels }, (_, i) => {
    const from = Math.floor((i * count) / pixels);
    return [from, Math.max(from + 1, Math.ceil(((i + 1) * count) / pixels))];
  });
}

/** @typedef {{ wide: number, high: number }} Tile the size of one small map */

/**
 * The strongest value by its size of all that share a pixel, where a small picture has fewer pixels than cells.
 * @param {import("../types.js").Reading} reading
 * @param {Tile} tile in pixels
 * @returns {{ values: Float32Array, down: number, across: number }}
 */
export function pooled({ values, rows, columns }, { wide, high }) {
  const [down, across] = [Math.min(high, rows.length), Math.min(wide, columns.length)];
  if (down === rows.length && across === columns.length) return { values, down, across };
  const found = new Float32Array(down * across);
  const places = steps(columns.length, across);
  let at = 0;
  for (const [firstRow, rowEnd] of steps(rows.length, down)) {
    for (const [first, end] of places) {
      let [most, size] = [0, 0];
      for (let row = firstRow; row < rowEnd; row++) {
        for (let i = row * columns.length + first; i < row * columns.length + end; i++) {
          const here = values[i] < 0 ? -values[i] : values[i];
          if (here > size) [most, size] = [values[i], here];
        }
      }
      found[at++] = most;
    }
  }
  return { values: found, down, across };
}

/**
 * A picture of so many pixels each way, drawn larger without new colours.
 * @param {Uint32Array} pixels
 * @param {{ down: number, across: number }} size
 * @param {Tile} tile in pixels
 * @param {Uint32Array} into high × wide
 */
export function stretched(pixels, { down, across }, { wide, high }, into) {
  const columns = Uint16Array.from({ length: wide }, (_, x) => Math.floor((x * across) / wide));
  let before = -1;
  for (let y = 0; y < high; y++) {
    const row = Math.floor((y * down) / high);
    if (row === before) into.copyWithin(y * wide, (y - 1) * wide, y * wide);
    else for (let x = 0; x < wide; x++) into[y * wide + x] = pixels[row * across + columns[x]];
    before = row;
  }
}
