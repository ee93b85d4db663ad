// The translator itself: three ONNX graphs, a tokenizer, and decoding over a key-value cache. What
// model/onnx/engine.py does in Python.
import { letGo } from "./arrays.js";
import { Pieces, sourceLabels, targetLabels } from "./labels.js";
import { BOS, EOS, lengthCap, logSum } from "./rules.js";
import { score, search } from "./search.js";
import { BytePairs, EnglishTokenizer } from "./tokenizer.js";

/** @import { Tensor, Session } from "../../vendor/onnxruntime-web/ort.wasm.bundle.min.mjs" */
/** @typedef {typeof import("../../vendor/onnxruntime-web/ort.wasm.bundle.min.mjs")} Runtime */
/** @typedef {Record<string, Tensor>} Tensors */
/** @typedef {import("./search.js").How} How */
/** @typedef {Record<string, number>} Gains factors by head code: { "c2.5": 0 } mutes; those not named are 1 */
/** @typedef {{ shape: number[], values: Float32Array }} Maps [layer, head, query, key] */

/**
 * @typedef {object} Facts Of engine.json.
 * @property {string} checkpoint
 * @property {string} precision
 * @property {number} n_heads
 * @property {number} n_encoder_layers
 * @property {number} n_decoder_layers
 * @property {number} max_len
 * @property {number} max_src_tokens
 */

/**
 * @typedef {object} Written A translation with everything that was seen while it was written.
 * @property {string} source
 * @property {string} text
 * @property {import("./labels.js").Label[]} src
 * @property {import("./labels.js").Label[]} tgt
 * @property {number[]} ids without <eos>
 * @property {number[]} logProbs that of <eos> last, where it was written
 * @property {boolean} finished
 * @property {Record<string, Maps>} weights by kind
 * @property {Record<string, Maps>} votes by kind
 * @property {Record<string, Maps>} costs of deleting words, by kind; none where they were not asked for
 * @property {{ id: number, text: string, logProb: number }[][]} candidates of each step, best first
 * @property {{ ids: number[], text: string, score: number }[]} beam what was finished, best first; ids with <eos>
 */

const MAX_CHARACTERS = 1000;
const SESSION = {
  executionProviders: ["wasm"],
  graphOptimizationLevel: "basic", // looking for more takes a sixth of opening, and spares no time later
  enableMemPattern: false, // no plan of memory is kept for each length of a sentence
  enableCpuMemArena: false, // what is let go while graphs are read can be used again
};

/** A text that cannot be translated, and why: a key of the page's words, and what fills it. */
export class Refused extends Error {
  /** @param {string} why @param {Record<string, unknown>} [values] */
  constructor(why, values = {}) {
    super(why);
    this.why = why;
    this.values = values;
  }
}

export class Engine {
  /**
   * @param {Runtime} ort
   * @param {Record<"encoder" | "decoder" | "votes", Session>} sessions
   * @param {{ facts: Facts, src: any, casing: Record<string, string>, tgt: any }} files as they were read from JSON
   */
  constructor(ort, sessions, { facts, src, casing, tgt }) {
    this.ort = ort;
    this.sessions = sessions;
    this.facts = facts;
    this.tokenizer = new EnglishTokenizer(new BytePairs(src), casing);
    this.pieces = new Pieces(tgt);
  }

  /**
   * A session of the bytes of a graph.
   * @param {Runtime} ort
   * @param {Uint8Array} bytes
   * @param {{ weights?: Float32Array<ArrayBuffer>, often?: boolean }} [how] weights that it looks up; often: it runs at
   *   every step, so that copies of its matrices in another order pay
   */
  static session(ort, bytes, { weights, often = true } = {}) {
    const beside = weights && { externalData: [{ path: "weights", data: new Uint8Array(weights.buffer) }] };
    // Whole numbers become float32 once, not at each step.
    const session = { disable_quant_qdq: "1", disable_prepacking: often ? "0" : "1" };
    return ort.InferenceSession.create(bytes, { ...SESSION, ...beside, extra: { session } });
  }

  /** @param {number[]} data @param {number[]} dims */
  ids(data, dims) {
    return new this.ort.Tensor("int64", BigInt64Array.from(data, BigInt), dims);
  }

  /** @param {Float32Array} data @param {readonly number[]} dims */
  floats(data, dims) {
    return new this.ort.Tensor("float32", data, dims);
  }

  /** The factors of one kind of head. @param {string} letter @param {number} layers @param {Gains} gains */
  gains(letter, layers, gains) {
    const { n_heads: heads } = this.facts;
    const data = new Float32Array(layers * heads).fill(1);
    for (const [code, gain] of Object.entries(gains)) {
      const [layer, head] = code.slice(1).split(".").map(Number);
      if (code[0] === letter) data[layer * heads + head] = gain;
    }
    return this.floats(data, [layers, heads]);
  }

  /** The tokens of a text. @param {string} text */
  read(text) {
    if (!text.trim()) throw new Refused("empty");
    if ([...text].length > MAX_CHARACTERS) throw new Refused("long", { limit: MAX_CHARACTERS });
    const letters = text.match(/\p{L}/gu) ?? [];
    const latin = letters.filter((char) => /\p{Script=Latin}/u.test(char) && !/[\uff21-\uff5a]/.test(char));
    if (2 * latin.length < letters.length) throw new Refused("script");
    const tokens = this.tokenizer.encode(text);
    if (!tokens.length) throw new Refused("empty");
    if (tokens.length > this.facts.max_src_tokens) throw new Refused("tokens", { limit: this.facts.max_src_tokens });
    return tokens;
  }

  /**
   * One sentence.
   * @param {string} text
   * @param {How & { gains?: Gains, hidden?: number[], costs?: boolean }} [how] hidden: source places that nothing
   *   attends to; costs: of deleting each word, too
   * @returns {Promise<Written>}
   */
  async translate(text, { gains = {}, hidden = [], costs = false, ...how } = {}) {
    const tokens = this.read(text);
    const ids = [...tokens.map(({ id }) => id), EOS];
    const { source, weights: readWeights, factors } = await this.look(ids, hidden, gains);
    const step = (/** @type {number} */ last, /** @type {Tensors | undefined} */ before) =>
      this.decode(source, [last], before);
    const all = await search(step, lengthCap(ids.length, this.facts.max_len), how);
    const { ids: written, logProbs, finished, steps, candidates } = all[0];
    if (!finished) steps.push(await step(written[written.length - 1], steps.at(-1))); // so that its row is there
    const weights = { encoder_self: mapsOf(readWeights), ...stacked(steps, ids.length) };
    const votes = await this.votes(steps, weights, source.cross_values, factors);
    letGo(...[...steps.flatMap(Object.values), source.cross_keys, source.cross_values].map(({ data }) => data));
    const without = costs
      ? await this.costs(tokens, all[0], (more) => this.look(ids, [...hidden, ...more], gains))
      : {};
    return {
      source: text,
      text: this.pieces.text(written),
      src: sourceLabels(text, tokens),
      tgt: targetLabels(this.pieces.of(written)),
      ids: written,
      logProbs,
      finished,
      weights,
      votes,
      costs: without,
      candidates: candidates.map((step) =>
        step.map(({ id, logProb }) => ({ id, text: this.pieces.shown(id), logProb })),
      ),
      beam: all.map((each) => ({
        ids: each.finished ? [...each.ids, EOS] : each.ids,
        text: this.pieces.text(each.ids),
        score: score(each),
      })),
    };
  }

  /** What the encoder makes of ids, for the decoder. @param {number[]} ids @param {number[]} hidden places @param {Gains} gains */
  async look(ids, hidden, gains) {
    const { n_decoder_layers: layers, n_encoder_layers: encoderLayers } = this.facts;
    const seen = Float32Array.from(ids, (_, place) => (hidden.includes(place) ? 0 : 1));
    const visible = this.floats(seen, [1, ids.length]);
    const read = await this.sessions.encoder.run({
      ids: this.ids(ids, [1, ids.length]),
      visible,
      gains: this.gains("e", encoderLayers, gains),
    });
    const factors = { self_gains: this.gains("d", layers, gains), cross_gains: this.gains("c", layers, gains) };
    const source = { visible, cross_keys: read.cross_keys, cross_values: read.cross_values, ...factors };
    return { source, factors, weights: read.weights };
  }

  /** What the decoder makes of tokens after those before them. @param {Tensors} source @param {number[]} ids @param {Tensors} [before] */
  decode(source, ids, before) {
    const [layers, , heads, , width] = source.cross_keys.dims;
    const none = () => this.floats(new Float32Array(0), [layers, 1, heads, 0, width]);
    const past = { past_keys: before?.keys ?? none(), past_values: before?.values ?? none() };
    return this.sessions.decoder.run({ ids: this.ids(ids, [1, ids.length]), ...past, ...source });
  }

  /**
   * Nats that each written token loses when nothing attends to a word, shared by the word's pieces; a map of the whole
   * model, as leave_one_out_maps in model/attribution/through.py.
   * @param {{ word: number }[]} tokens
   * @param {import("./search.js").Hypothesis} written
   * @param {(hidden: number[]) => ReturnType<Engine["look"]>} look at the source without these places
   * @returns {Promise<Record<string, Maps>>}
   */
  async costs(tokens, { ids, logProbs, finished }, look) {
    const outputs = finished ? [...ids, EOS] : ids;
    const [rows, columns] = [ids.length + 1, tokens.length + 1];
    const values = new Float32Array(rows * columns);
    for (const word of new Set(tokens.map((token) => token.word))) {
      const places = tokens.flatMap((token, place) => (token.word === word ? [place] : []));
      const { source, weights } = await look(places);
      const found = await this.decode(source, [BOS, ...ids].slice(0, outputs.length));
      const size = found.logits.dims[2];
      for (const [row, id] of outputs.entries()) {
        const logits = /** @type {Float32Array} */ (found.logits.data).subarray(row * size, (row + 1) * size);
        const cost = (logProbs[row] - logits[id] + logSum(logits)) / places.length;
        for (const place of places) values[row * columns + place] = cost;
      }
      letGo(...[...Object.values(found), source.cross_keys, source.cross_values, weights].map(({ data }) => data));
    }
    return { cross: { shape: [1, 1, rows, columns], values } };
  }

  /**
   * What each head brings from each key into the written token's logit (Elhage et al. 2021).
   * @param {Tensors[]} steps
   * @param {Record<string, Maps>} weights
   * @param {Tensor} crossValues
   * @param {Tensors} factors
   * @returns {Promise<Record<string, Maps>>}
   */
  async votes(steps, weights, crossValues, factors) {
    const joined = (/** @type {Tensor[]} */ tensors) => {
      const width = steps[0].states.dims[2];
      const flat = new Float32Array(tensors.length * width);
      tensors.forEach(({ data }, row) => flat.set(/** @type {Float32Array} */ (data), row * width));
      return this.floats(flat, [tensors.length, width]);
    };
    const alone = (/** @type {Tensor} */ { data, dims }) =>
      this.floats(
        /** @type {Float32Array} */ (data),
        dims.filter((_, axis) => axis !== 1),
      ); // without the batch
    const found = await this.sessions.votes.run({
      states: joined(steps.map(({ states }) => states)),
      rows: joined(steps.slice(1).map(({ rows }) => rows)),
      self_weights: this.floats(weights.decoder_self.values, weights.decoder_self.shape),
      cross_weights: this.floats(weights.cross.values, weights.cross.shape),
      self_values: alone(steps[steps.length - 1].values),
      cross_values: alone(crossValues),
      ...factors,
    });
    return { decoder_self: mapsOf(found.self_votes), cross: mapsOf(found.cross_votes) };
  }
}

/** A tensor [L, (1,) H, Q, K] as maps. @param {Tensor} tensor @returns {Maps} */
function mapsOf({ data, dims }) {
  const shape = dims.length === 5 ? [dims[0], dims[2], dims[3], dims[4]] : [...dims];
  return { shape, values: /** @type {Float32Array} */ (data) };
}

/** The decoder's maps, a row a step; what a row cannot see yet is 0. @param {Tensors[]} steps @param {number} srcLength */
function stacked(steps, srcLength) {
  const [layers, , heads] = steps[0].self_weights.dims;
  const size = steps.length;
  const own = new Float32Array(layers * heads * size * size);
  const cross = new Float32Array(layers * heads * size * srcLength);
  steps.forEach(({ self_weights: seen, cross_weights: looked }, row) => {
    const [selfRows, crossRows] = /** @type {Float32Array[]} */ ([seen.data, looked.data]);
    for (let head = 0; head < layers * heads; head++) {
      own.set(selfRows.subarray(head * (row + 1), (head + 1) * (row + 1)), (head * size + row) * size);
      cross.set(crossRows.subarray(head * srcLength, (head + 1) * srcLength), (head * size + row) * srcLength);
    }
  });
  return {
    decoder_self: { shape: [layers, heads, size, size], values: own },
    cross: { shape: [layers, heads, size, srcLength], values: cross },
  };
}
