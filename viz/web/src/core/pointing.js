// Which tokens are pointed at or pinned, and where they stand in a map.

/** @import { Label, Panel, Spot } from "../types.js" */

/**
 * @typedef {object} Lit Tokens that are pointed at, by key.
 * @property {import("../types.js").KindPart | null} kind of the map that is pointed at; null: a token of a sentence
 * @property {string[]} rows
 * @property {string[]} columns
 */

/** Indexes of the labels that have one of the keys. @param {Label[]} labels @param {string[]} asked */
export function placesOf(labels, asked) {
  return labels.flatMap(({ keys }, i) => (keys.some((key) => asked.includes(key)) ? [i] : []));
}

/**
 * Rows and columns of a map that light up: the same ones in a map of the same kind, else the same tokens, as rows if
 * they are rows there.
 * @param {Panel} panel
 * @param {Lit} lit
 */
export function litIn({ kind, reading }, lit) {
  if (lit.kind === kind)
    return { rows: placesOf(reading.rows, lit.rows), columns: placesOf(reading.columns, lit.columns) };
  const asked = [...lit.rows, ...lit.columns];
  const rows = placesOf(reading.rows, asked);
  return { rows, columns: rows.length ? [] : placesOf(reading.columns, asked) };
}

/** @param {Panel | null} panel @param {Spot | null} spot @returns {Lit} */
export function litAt(panel, spot) {
  const keys = (/** @type {Label[] | undefined} */ labels, /** @type {number | null | undefined} */ i) =>
    labels && typeof i === "number" ? labels[i].keys : [];
  const { rows, columns } = panel?.reading ?? {};
  return { kind: panel && panel.kind, rows: keys(rows, spot?.row), columns: keys(columns, spot?.column) };
}

/**
 * Pins after a click: those asked for, or none where they were there; with `more`, each is added or taken away.
 * @param {string[]} before
 * @param {string[]} asked
 * @param {boolean} more
 */
export function pinned(before, asked, more) {
  if (more) return [...before.filter((key) => !asked.includes(key)), ...asked.filter((key) => !before.includes(key))];
  return String(before) === String(asked) ? [] : asked;
}
