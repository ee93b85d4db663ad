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

/**
 * The most probable token that may be written, and its natural log-probability.
 * @param {Float32Array} logits of the vocabulary
 * @param {number[]} ids written so far
 */
export function choose(logits, ids) {
  const banned = new Set([...NEVER_WRITTEN, ...looping(ids)]);
  let highest = -Infinity;
  let best = EOS;
  let bestLogit = -Infinity;
  for (let id = 0; id < logits.length; id++) {
    if (logits[id] > highest) highest = logits[id];
    if (logits[id] > bestLogit && !banned.has(id)) [best, bestLogit] = [id, logits[id]];
  }
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - highest);
  return { id: best, logProb: bestLogit - highest - Math.log(sum) };
}
