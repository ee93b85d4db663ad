// The rules of greedy decoding: what is never written, how long a translation may be, and how a loop is broken; as
// model/own/decoding has them.

export const [BOS, EOS] = [1, 2];
const NEVER_WRITTEN = [0, BOS, 3]; // <pad>, <bos>, <unk>

const COPIES = 3; // so often a phrase may stand in a row …
const TOKENS = 8; // … and so many tokens its copies may take together, whichever is longer
const LONGEST = 20; // tokens of a phrase that is looked for
const MOST = 6; // times that the same three tokens may stand anywhere in a translation

/** Most tokens of a translation. @param {number} srcLength with <eos> @param {number} maxLen */
export function lengthCap(srcLength, maxLen) {
  return Math.min(2 * srcLength + 10, maxLen - 1);
}

/** Whether ids end with so many copies of their last tokens. @param {number[]} ids @param {number} size @param {number} copies */
function repeats(ids, size, copies) {
  if (ids.length < copies * size) return false;
  for (let back = 1; back <= (copies - 1) * size; back++) {
    if (ids[ids.length - back] !== ids[ids.length - back - size]) return false;
  }
  return true;
}

/**
 * The tokens that would begin one copy too many of a phrase that ids end with, or end the same three once more.
 * @param {number[]} ids
 * @returns {Set<number>}
 */
export function looping(ids) {
  /** @type {Set<number>} */
  const found = new Set();
  for (let size = 1; size <= Math.min(LONGEST, Math.floor(ids.length / COPIES)); size++) {
    if (repeats(ids, size, Math.max(COPIES, Math.ceil(TOKENS / size)))) found.add(ids[ids.length - size]);
  }
  const [before, last] = ids.slice(-2);
  /** @type {Map<number, number>} */
  const thirds = new Map(); // what has followed the last two tokens before
  for (let i = 0; i + 2 < ids.length; i++) {
    if (ids[i] !== before || ids[i + 1] !== last) continue;
    const count = (thirds.get(ids[i + 2]) ?? 0) + 1;
    thirds.set(ids[i + 2], count);
    if (count >= MOST) found.add(ids[i + 2]);
  }
  return found;
}

/** The logarithm of the sum of the exponentials of logits. @param {Float32Array} logits of the vocabulary */
export function logSum(logits) {
  const highest = logits.reduce((high, logit) => Math.max(high, logit), -Infinity);
  return highest + Math.log(logits.reduce((total, logit) => total + Math.exp(logit - highest), 0));
}

/**
 * Natural log-probabilities of what follows: −∞ for what may not be written.
 * @param {Float32Array} logits of the vocabulary
 * @param {number[]} ids written so far
 */
export function logProbsOf(logits, ids) {
  const sum = logSum(logits);
  const found = new Float64Array(logits).map((logit) => logit - sum);
  for (const id of [...NEVER_WRITTEN, ...looping(ids)]) found[id] = -Infinity;
  return found;
}

/** The most probable tokens that may be written, best first. @param {Float64Array} logProbs @param {number} count */
export function likeliest(logProbs, count) {
  /** @type {number[]} */
  const found = [];
  for (let id = 0; id < logProbs.length; id++) {
    if (found.length === count && logProbs[id] <= logProbs[found[count - 1]]) continue;
    const place = found.findIndex((other) => logProbs[other] < logProbs[id]);
    found.splice(place < 0 ? found.length : place, 0, id);
    found.length = Math.min(found.length, count);
  }
  return found.filter((id) => logProbs[id] > -Infinity);
}
