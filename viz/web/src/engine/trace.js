// A translation as the viewer reads one: the header and bytes that Python's payload.py would have packed.

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
  const found = new Uint8Array(values.length);
  for (let i = 0; i < found.length; i++) found[i] = code(values[i] / high);
  return found;
}

/**
 * @param {import("./engine.js").Written} written
 * @param {Header} template what is the same for every sentence: kinds, sorts, looks, words
 * @returns {import("../types.js").Trace}
 */
export function traceOf(written, template) {
  const { src, tgt, source, text } = written;
  /** @type {Record<string, Record<string, Maps>>} */
  const maps = {
    weights: written.weights,
    rollout: rolloutMaps(written.weights),
    votes: written.votes,
    leave_one_out: written.costs,
  };
  const has = ({ name = "" }) => Object.keys(maps[name]).length > 0;
  /** @type {Uint8Array[]} */
  const parts = [];
  let offset = 0;
  const sorts = template.sorts.filter(has).map((sort) => {
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
  const more = template.sorts.filter((sort) => !has(sort)).map(({ name, title }) => ({ name, title }));
  return { header: { ...template, source, translation: text, tokens, sorts, more }, bytes };
}

// Rollout (Abnar and Zuidema 2020): layers multiplied, one map a layer; as rollout_maps in model/attribution/methods.py.

/** @typedef {Float64Array} Matrix row by row */

/** The mean over the heads of one layer. @param {Maps} maps @param {number} layer @returns {Matrix} */
function mean({ shape: [, heads, rows, columns], values }, layer) {
  const size = rows * columns;
  const found = new Float64Array(size);
  for (let head = 0; head < heads; head++) {
    const from = (layer * heads + head) * size;
    for (let i = 0; i < size; i++) found[i] += values[from + i] / heads;
  }
  return found;
}

/** ½ share + ½ weights · others. @param {Matrix} share @param {Matrix} weights @param {Matrix} others @param {number} inner */
function half(share, weights, others, inner) {
  const columns = others.length / inner;
  const found = share.map((value) => value / 2);
  for (let i = 0; i < weights.length; i++) {
    const [row, at] = [Math.floor(i / inner), i % inner];
    if (weights[i] === 0) continue;
    for (let j = 0; j < columns; j++) found[row * columns + j] += (weights[i] * others[at * columns + j]) / 2;
  }
  return found;
}

/** A causal map whose columns are divided by the queries that may see them, rows summing to 1 again. @param {Matrix} map @param {number} size */
function byReceptiveField(map, size) {
  const found = map.map((value, i) => value / (size - (i % size)));
  for (let row = 0; row < size; row++) {
    const sum = found.subarray(row * size, (row + 1) * size).reduce((total, value) => total + value, 0);
    for (let i = row * size; i < (row + 1) * size; i++) found[i] /= sum;
  }
  return found;
}

/** Products of ½ W + ½ I up to each layer. @param {Matrix[]} means @param {number} size @returns {Matrix[]} */
function rolled(means, size) {
  /** @type {Matrix} */
  let total = new Float64Array(size * size);
  for (let i = 0; i < size; i++) total[i * (size + 1)] = 1;
  return means.map((map) => (total = half(total, map, total, size)));
}

/**
 * Of every kind the maps [L, 1, Q, K].
 * @param {Record<string, Maps>} weights by kind
 * @returns {Record<string, Maps>}
 */
function rolloutMaps(weights) {
  const means = (/** @type {string} */ kind) =>
    Array.from({ length: weights[kind].shape[0] }, (_, i) => mean(weights[kind], i));
  const { encoder_self: encoder, cross } = weights;
  const [src, tgt] = [encoder.shape[3], cross.shape[2]];
  const [own, looked] = [means("decoder_self"), means("cross")];
  const read = rolled(means("encoder_self"), src);
  /** @type {Matrix} */
  let share = new Float64Array(tgt * src);
  const crossed = looked.map((map, layer) => {
    share = half(share, own[layer], share, tgt);
    return (share = half(share, map, read[read.length - 1], src));
  });
  const found = {
    encoder_self: read,
    decoder_self: rolled(
      own.map((map) => byReceptiveField(map, tgt)),
      tgt,
    ),
    cross: crossed,
  };
  return Object.fromEntries(
    Object.entries(found).map(([kind, layers]) => {
      const [, , rows, columns] = weights[kind].shape;
      const values = new Float32Array(layers.length * rows * columns);
      layers.forEach((map, layer) => values.set(map, layer * rows * columns));
      return [kind, { shape: [layers.length, 1, rows, columns], values }];
    }),
  );
}
