// What a map says in words and numbers.
import { decimals, fill } from "./text.js";

/** @typedef {import("../types.js").Reading} Reading */
/** @typedef {Record<string, string>} Words */

/** @param {Reading} reading @param {number} row @param {number} column */
export function valueAt({ values, columns }, row, column) {
  return values[row * columns.length + column];
}

/** @param {Reading} reading @param {number} row @param {number} column */
export function pair(reading, row, column) {
  return `${reading.rows[row].text} → ${reading.columns[column].text} ${decimals(valueAt(reading, row, column))}`;
}

/**
 * Place of the largest value by its size, of all or of one row or column.
 * @param {Reading} reading
 * @param {number | null} row
 * @param {number | null} column
 */
function largest({ rows, columns, values }, row, column) {
  const [first, end] = row === null ? [0, rows.length] : [row, row + 1];
  const [left, right] = column === null ? [0, columns.length] : [column, column + 1];
  let [best, most] = [-1, -1];
  for (let r = first; r < end; r++) {
    for (let i = r * columns.length + left; i < r * columns.length + right; i++) {
      const size = values[i] < 0 ? -values[i] : values[i];
      if (size > most) [best, most] = [i, size];
    }
  }
  return best < 0 ? null : { row: Math.floor(best / columns.length), column: best % columns.length };
}

/** The strongest pair, of all or of one row or column. @param {Reading} reading @param {Words} words @param {import("../types.js").Spot} [spot] */
export function strongest(reading, words, spot) {
  const found = largest(reading, spot?.row ?? null, spot?.column ?? null);
  return found ? fill(words.strongest, { pair: pair(reading, found.row, found.column) }) : words.nothing;
}

/** What is pointed at: a cell, a row or a column. @param {Reading} reading @param {Words} words @param {import("../types.js").Spot} spot @param {boolean} shifted */
export function spotSaid(reading, words, { row, column }, shifted) {
  if (row !== null && column !== null) {
    const { beside } = reading.rows[row];
    const more = beside ? ` · ${fill(shifted ? words.has_read : words.writes, { token: beside })}` : "";
    return pair(reading, row, column) + more;
  }
  return strongest(reading, words, { row, column });
}

/**
 * Sums of the pinned rows for each column, and of the pinned columns for each row.
 * @param {Reading} reading
 * @param {number[]} rows
 * @param {number[]} columns
 * @returns {import("../viewer/panel.js").Sums}
 */
export function sumsOf(reading, rows, columns) {
  const add = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0);
  return {
    below: rows.length ? reading.columns.map((_, c) => add(rows.map((r) => valueAt(reading, r, c)))) : null,
    beside: columns.length ? reading.rows.map((_, r) => add(columns.map((c) => valueAt(reading, r, c)))) : null,
  };
}

/**
 * What is pinned, in words: all of it where rows and columns meet; else the sum's largest.
 * @param {Reading} reading
 * @param {Words} words
 * @param {number[]} rows
 * @param {number[]} columns
 */
export function pinsSaid(reading, words, rows, columns) {
  const said = (/** @type {"rows" | "columns"} */ side, /** @type {number[]} */ of) =>
    of.map((i) => reading[side][i].text).join(" + ");
  const sigma = (/** @type {number} */ count) => (count > 1 ? `${words.sum} ` : "");
  const { below, beside } = sumsOf(reading, rows, columns);
  const top = (/** @type {number[]} */ sums) => sums.reduce((best, sum, i) => (sum > sums[best] ? i : best), 0);
  if (below && beside) {
    const sum = columns.reduce((total, column) => total + below[column], 0);
    return `${sigma(rows.length * columns.length)}${said("rows", rows)} → ${said("columns", columns)} ${decimals(sum)}`;
  }
  if (below)
    return `${sigma(rows.length)}${said("rows", rows)} → ${reading.columns[top(below)].text} ${decimals(below[top(below)])}`;
  if (beside)
    return `${sigma(columns.length)}${reading.rows[top(beside)].text} → ${said("columns", columns)} ${decimals(beside[top(beside)])}`;
  return "";
}
