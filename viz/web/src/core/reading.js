// A map as a person reads it: words instead of pieces, special tokens hidden, rows named after what they write.

/** @import { Label, Tokens } from "../types.js" */

/**
 * Places of the tokens of each word; a special token is its own.
 * @param {Tokens} tokens
 * @param {boolean} words
 * @returns {number[][]}
 */
function groupsOf({ words: of, texts }, words) {
  /** @type {number[][]} */
  const groups = [];
  texts.forEach((_, i) => {
    if (words && i > 0 && of[i] >= 0 && of[i] === of[i - 1]) groups[groups.length - 1].push(i);
    else groups.push([i]);
  });
  return groups;
}

/**
 * A word's text; pieces that share their characters with the one before them add nothing.
 * @param {Tokens} tokens
 * @param {number[]} group
 */
function textOf({ texts, starts, ends }, [first, ...more]) {
  const added = more.filter((i) => starts[i] >= ends[i - 1]).map((i) => texts[i].replace(/^##/, ""));
  return texts[first] + added.join("");
}

/**
 * A token's name wherever it stands: what a row writes is what the next one has read.
 * @param {import("../types.js").Axis} axis
 * @param {number} i
 */
export function keyOf(axis, i) {
  return axis === "src" ? `s${i}` : `t${axis === "inputs" ? i - 1 : i}`;
}

/**
 * Labels of an axis, special ones left out where they are hidden.
 * @param {import("../types.js").Header} header
 * @param {import("../types.js").Axis} axis
 * @param {{ words: boolean, hide_special: boolean }} asked
 * @param {import("../types.js").Axis | null} beside
 * @returns {Label[]}
 */
export function labelsOf({ tokens }, axis, { words, hide_special }, beside = null) {
  const labels = groupsOf(tokens[axis], words).map((places) => ({
    text: textOf(tokens[axis], places),
    special: tokens[axis].words[places[0]] < 0,
    places,
    keys: places.map((i) => keyOf(axis, i)),
    beside: beside && !words ? tokens[beside].texts[places[0]] : "",
  }));
  return hide_special ? labels.filter((label) => !label.special) : labels;
}

/**
 * Labels of rows and columns of a kind.
 * @param {import("../types.js").Header} header
 * @param {import("../types.js").KindPart} kind
 * @param {{ words: boolean, hide_special: boolean, shift: string }} asked
 * @returns {{ rows: Label[], columns: Label[] }}
 */
export function axesOf(header, kind, asked) {
  const shifted = kind.shifts && asked.shift === "written" && kind.writes;
  const rows = shifted || kind.rows;
  const beside = shifted ? kind.rows : kind.writes;
  return { rows: labelsOf(header, rows, asked, beside), columns: labelsOf(header, kind.columns, asked) };
}

/**
 * A captured map read as asked: weights of a word's pieces add up (or are averaged), its rows are averaged, and what is
 * left of a row when special tokens are hidden is divided by its sum.
 * @param {Float32Array} raw
 * @param {number} wide columns of the captured map
 * @param {{ rows: Label[], columns: Label[] }} axes
 * @param {{ averaged: boolean, shares: boolean }} sort
 * @param {boolean} hidden
 * @returns {import("../types.js").Reading}
 */
export function read(raw, wide, { rows, columns }, { averaged, shares }, hidden) {
  const whole = rows.every(({ places }) => places.length === 1) && columns.every(({ places }) => places.length === 1);
  if (whole && rows.length * columns.length === raw.length) return { rows, columns, values: raw, top: largest(raw) };
  const values = new Float32Array(rows.length * columns.length);
  let at = 0;
  for (const { places } of rows) {
    const from = at;
    let left = 0;
    for (const { places: keys } of columns) {
      const value = whole ? raw[places[0] * wide + keys[0]] : merged(raw, wide, places, keys, averaged);
      values[at++] = value;
      left += value;
    }
    if (hidden && shares && left > 0) for (let i = from; i < at; i++) values[i] /= left;
  }
  return { rows, columns, values, top: largest(values) };
}

/** The largest size of a value. @param {Float32Array} values */
export function largest(values) {
  let top = 0;
  for (let i = 0; i < values.length; i++) {
    const size = values[i] < 0 ? -values[i] : values[i];
    if (size > top) top = size;
  }
  return top;
}

/**
 * What the pieces of one word give the pieces of another.
 * @param {Float32Array} raw
 * @param {number} wide
 * @param {number[]} queries
 * @param {number[]} keys
 * @param {boolean} averaged
 */
function merged(raw, wide, queries, keys, averaged) {
  let sum = 0;
  for (const q of queries) for (const k of keys) sum += raw[q * wide + k];
  return sum / queries.length / (averaged ? keys.length : 1);
}

/**
 * Several heads' maps as one, cell by cell: their mean, or the value that is furthest from 0.
 * @param {Float32Array[]} maps
 * @param {"mean" | "max"} how
 * @returns {Float32Array}
 */
export function combine(maps, how) {
  const found = new Float32Array(maps[0].length);
  for (let i = 0; i < found.length; i++) {
    let [sum, best] = [0, 0];
    for (const map of maps) {
      sum += map[i];
      if (Math.abs(map[i]) > Math.abs(best)) best = map[i];
    }
    found[i] = how === "mean" ? sum / maps.length : best;
  }
  return found;
}
