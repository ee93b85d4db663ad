// A translation as the viewer reads one: the header and bytes that Python's payload.py would have packed.
import { rolloutMaps } from "./rollout.js";

/** @typedef {import("../types.js").Header} Header */
/** @typedef {import("./engine.js").Maps} Maps */
/** @typedef {import("./labels.js").Label} Label */

const SPECIAL = { word: -1, start: 0, end: 0 };
const [BOS, EOS] = ["<bos>", "<eos>"].map((text) => ({ text, ...SPECIAL }));

/** @param {Label[]} labels @returns {import("../types.js").Tokens} */
function tokensOf(labels) {
  return {
    texts: labels.map(({ text }) => text),
    words: labels.map(({ word }) => word),
    starts: labels.map(({ start }) => start),
    ends: labels.map(({ end }) => end),
  };
}

/** The largest size of a value; 1 where all are 0. @param {Maps} maps */
function highest({ values }) {
  let high = 0;
  for (const value of values) high = Math.max(high, Math.abs(value));
  return high || 1;
}

/** A byte for each value, as codes.py makes them. @param {Maps} maps @param {number} high @param {boolean} signed */
function coded({ values }, high, signed) {
  const code = (/** @type {number} */ part) =>
    signed ? 128 + Math.round(127 * part) : Math.round(255 * Math.sqrt(Math.min(1, Math.max(0, part))));
  return Uint8Array.from(values, (value) => code(value / high));
}

/**
 * @param {import("./engine.js").Written} written
 * @param {Header} template what is the same for every sentence: kinds, sorts, looks, words
 * @returns {import("../types.js").Trace}
 */
export function traceOf(written, template) {
  const { src, tgt, source, text } = written;
  /** @type {Record<string, Record<string, Maps>>} */
  const maps = { weights: written.weights, rollout: rolloutMaps(written.weights), votes: written.votes };
  /** @type {Uint8Array[]} */
  const parts = [];
  let offset = 0;
  const sorts = template.sorts.map((sort) => {
    const packed = Object.entries(maps[sort.name]).map(([kind, each]) => {
      const high = sort.name === "weights" ? 1 : highest(each);
      parts.push(coded(each, high, sort.signed));
      const part = { offset, layers: each.shape[0], heads: each.shape[1], high };
      offset += each.values.length;
      return /** @type {const} */ ([kind, part]);
    });
    return { ...sort, maps: Object.fromEntries(packed) };
  });
  const bytes = new Uint8Array(offset);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  const tokens = { src: tokensOf([...src, EOS]), inputs: tokensOf([BOS, ...tgt]), outputs: tokensOf([...tgt, EOS]) };
  return { header: { ...template, source, translation: text, tokens, sorts }, bytes };
}
