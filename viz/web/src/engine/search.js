// Greedy decoding and beam search, as model/own/decoding/search.py and model/common/decoding.py have them.
import { letGo } from "./arrays.js";
import { BOS, EOS, likeliest, logProbsOf } from "./rules.js";

/** @typedef {import("./engine.js").Tensors} Tensors */
/** @typedef {{ id: number, logProb: number }} Candidate */

/**
 * @typedef {object} Hypothesis
 * @property {number[]} ids without <eos>
 * @property {number[]} logProbs that of <eos> last, where it was written
 * @property {boolean} finished
 * @property {Tensors[]} steps what the graph gave at each
 * @property {Candidate[][]} candidates of each step, best first
 */

/** @typedef {{ prefix?: number[], beam?: number }} How prefix: ids to begin with, <eos> where they are all; beam: 1 is greedy */

export const CANDIDATES = 5;
const ALPHA = 0.6; // strength of the length penalty

const total = (/** @type {Hypothesis} */ { logProbs }) => logProbs.reduce((sum, each) => sum + each, 0);

/** The log-probability over the length penalty (Wu et al. 2016, equation 14). @param {Hypothesis} said @param {number} [length] */
export const score = (said, length = said.logProbs.length) => total(said) / ((5 + length) / 6) ** ALPHA;

const best = (/** @type {Hypothesis[]} */ list) => [...list].sort((one, other) => score(other) - score(one));

/**
 * What is written, best first.
 * @param {(last: number, before: Tensors | undefined) => Promise<Tensors>} step
 * @param {number} cap
 * @param {How} how
 */
export async function search(step, cap, { prefix = [], beam = 1 }) {
  const looked = beam > 1 ? 2 * beam : 1;
  /** @type {Hypothesis[]} */
  let growing = [{ ids: [], logProbs: [], finished: false, steps: [], candidates: [] }];
  /** @type {Hypothesis[]} */
  let done = [];
  for (let length = 0; length < cap && growing.length; length++) {
    const grown = [];
    for (const each of growing) grown.push(...(await expand(each, step, prefix[length], looked)));
    for (const { steps } of growing) forget(steps.at(-1));
    const kept = grown.sort((one, other) => total(other) - total(one)).slice(0, looked);
    done = best([...done, ...kept.filter(({ finished }) => finished)]).slice(0, beam);
    growing = kept.filter(({ finished }) => !finished).slice(0, beam);
    if (done.length === beam && growing.length && score(done[beam - 1]) >= score(growing[0], cap)) break;
  }
  return done.length ? done : best(growing);
}

const PASSING = /^(keys|values|logits)$/; // of a step: what only the step after it needs

/** A step without that. @param {Tensors} step */
const settled = (step) => Object.fromEntries(Object.entries(step).filter(([name]) => !PASSING.test(name)));

/** Give that back: it grows with the square of a translation's length. @param {Tensors} [step] */
const forget = (step) =>
  letGo(...Object.entries(step ?? {}).map(([name, { data }]) => (PASSING.test(name) ? data : undefined)));

/**
 * The likeliest continuations of a hypothesis, or the one that must be.
 * @param {Hypothesis} before
 * @param {Parameters<typeof search>[0]} step
 * @param {number | undefined} only
 * @param {number} count
 * @returns {Promise<Hypothesis[]>}
 */
async function expand({ ids, logProbs, steps, candidates }, step, only, count) {
  const last = steps.at(-1);
  const found = await step(ids.at(-1) ?? BOS, last);
  const known = [...steps.slice(0, -1), ...(last ? [settled(last)] : []), found];
  const sure = logProbsOf(/** @type {Float32Array} */ (found.logits.data), ids);
  const likely = likeliest(sure, Math.max(CANDIDATES, count));
  const shown = likely.slice(0, CANDIDATES).map((id) => ({ id, logProb: sure[id] }));
  const next = only !== undefined && sure[only] > -Infinity ? [only] : likely.slice(0, count);
  return next.map((id) => ({
    ids: id === EOS ? ids : [...ids, id],
    logProbs: [...logProbs, sure[id]],
    finished: id === EOS,
    steps: known,
    candidates: [...candidates, shown],
  }));
}
