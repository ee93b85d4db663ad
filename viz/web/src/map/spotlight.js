// What presenter mode leaves in the light.

/** @typedef {import("../types.js").Place} Place */
/** @typedef {import("../viewer/panel.js").Picture} Drawing */

const VEIL = 0.75; // how much of the other cells is hidden
const VEIL_OF_LABELS = 0.4; // of the other words, which a hall must still be able to read

/**
 * All but the rows and columns in question under a veil.
 * @param {CanvasRenderingContext2D} context
 * @param {Place} place
 * @param {Drawing} drawing
 * @param {Set<number>} rows
 * @param {Set<number>} columns
 */
export function spotlight(context, place, { panel, look }, rows, columns) {
  const { left, top, width, height, cell, wide } = place;
  context.save();
  context.beginPath();
  context.rect(0, 0, left + width + 1, top + height + 1);
  context.clip();
  context.fillStyle = look.background;
  const veil = (/** @type {number} */ alpha, /** @type {[number, number, number, number]} */ ...box) => {
    context.globalAlpha = alpha;
    context.fillRect(...box);
  };
  panel.reading.rows.forEach((_, row) => {
    if (rows.has(row)) return;
    const y = top + place.y + row * cell;
    veil(VEIL_OF_LABELS, 0, y, left, cell);
    panel.reading.columns.forEach((_, i) => columns.has(i) || veil(VEIL, left + place.x + i * wide, y, wide, cell));
  });
  panel.reading.columns.forEach(
    (_, i) => columns.has(i) || veil(VEIL_OF_LABELS, left + place.x + i * wide, 0, wide, top),
  );
  context.restore();
}
