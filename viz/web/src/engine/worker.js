// The translator in a thread of its own, so that the page never waits: it is opened once, then asked sentence by sentence.
import { fromDense, letGo, weightsOf } from "./arrays.js";
import { Engine, Refused } from "./engine.js";
import { partsOf } from "./sentences.js";
import { traceOf } from "./trace.js";

/**
 * @typedef {object} Part A file of the translator, in the page or beside it.
 * @property {Blob} [packed] a text that holds gzip, as arrays.js reads it
 * @property {string} [url] of its gzip
 */

/** @typedef {Part & { part: string }} Sent one of wasm, texts, the graphs, and of two of these the weights: high, low */
/** @typedef {{ open: string[], template: import("../types.js").Header }} Open the parts that follow, in any order */
/** @typedef {{ id: number, text: string, gains: import("./engine.js").Gains, beam: number, costs: boolean, hidden: number[][], prefix: number[][] }} Ask costs: of deleting words are wanted, too; hidden: source places, by sentence; prefix: ids to begin with, too */

/**
 * @typedef {object} Sentence Of a text, translated.
 * @property {[number, number]} span its characters
 * @property {import("../types.js").Trace} trace
 * @property {boolean} finished
 * @property {number} seconds
 * @property {number[]} ids
 * @property {number[]} logProbs
 * @property {import("./engine.js").Written["candidates"]} candidates
 * @property {import("./engine.js").Written["beam"]} beam
 */

/** @typedef {{ opened: number } | { ready: number } | { id: number, sentences: Sentence[] } | { id: number, why: string, values: Record<string, unknown> } | { failed: string }} Answer */

// By whose weights they look up. The largest is opened first: what its copies leave free the others take.
const GRAPHS = { decoder: ["decoder", "votes"], encoder: ["encoder"] };

/** A part that will come, and what keeps it when it does. */
function promised() {
  let keep = /** @type {(part: Part) => void} */ (() => {});
  const part = new Promise((/** @type {(part: Part) => void} */ resolve) => (keep = resolve));
  return { part, keep };
}

/** The bytes of a part. @param {Part} part @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function read({ packed, url }) {
  const zipped = packed === undefined ? await fetched(url ?? "") : await undone(packed);
  return gathered(zipped.stream().pipeThrough(new DecompressionStream("gzip")), await sizeOf(zipped));
}

/** How many bytes gzip stands for: its last four say it. @param {Blob} zipped */
async function sizeOf(zipped) {
  return new DataView(await zipped.slice(-4).arrayBuffer()).getUint32(0, true);
}

/** What a stream gives, in one array that can be let go: the browser itself would hold what Response gathers. @param {ReadableStream<Uint8Array>} stream @param {number} size */
async function gathered(stream, size) {
  const found = new Uint8Array(size);
  const reader = stream.getReader();
  let at = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    found.set(next.value, at);
    at += next.value.length;
  }
  return found;
}

/** Dense text as what it stands for. @param {Blob} packed */
async function undone(packed) {
  const text = new Uint8Array(await packed.arrayBuffer());
  const bytes = fromDense(text);
  const found = new Blob([bytes]);
  letGo(text, bytes);
  return found;
}

/** A file of the site that the page belongs to. @param {string} url */
async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer.blob();
}

export class Server {
  /** @param {import("./engine.js").Runtime} ort @param {(answer: Answer, moved?: Transferable[]) => void} post */
  constructor(ort, post) {
    this.ort = ort;
    this.post = post;
    /** @type {Engine | null} */
    this.engine = null;
    this.template = /** @type {any} */ (null);
    this.latest = 0; // what was asked before it is not answered any more
    this.queue = Promise.resolve();
    /** @type {Map<string, ReturnType<typeof promised>>} */
    this.parts = new Map();
  }

  /** A part that has come, or will. @param {string} name */
  arrival(name) {
    const found = this.parts.get(name) ?? promised();
    this.parts.set(name, found);
    return found;
  }

  /** @param {Open | Sent | Ask} message */
  hear(message) {
    if ("part" in message) return this.arrival(message.part).keep(message);
    if ("id" in message) this.latest = message.id;
    const answer = "open" in message ? () => this.open(message) : () => this.answer(message);
    this.queue = this.queue.then(answer).catch((reason) => this.post({ failed: String(reason) }));
  }

  /** @param {Open} message */
  async open({ open, template }) {
    const started = performance.now();
    this.template = template;
    let known = 0;
    const taken = async (/** @type {string} */ name) => {
      const found = await read(await this.arrival(name).part);
      this.parts.delete(name); // its text is not needed any more
      this.post({ opened: ++known / open.length });
      return found;
    };
    const { wasm } = this.ort.env;
    wasm.numThreads = 1;
    const runtime = await taken("wasm");
    wasm.wasmBinary = runtime;
    const texts = JSON.parse(new TextDecoder().decode(await taken("texts")));
    /** @type {any} */
    const sessions = {};
    for (const [owner, names] of Object.entries(GRAPHS)) {
      const [high, low] = [await taken(`${owner}_high`), await taken(`${owner}_low`)];
      const weights = weightsOf(texts.weights[owner], high, low);
      letGo(high, low);
      for (const name of names) {
        const how = { weights, often: name === "decoder" };
        sessions[name] = await Engine.session(this.ort, await taken(name), how);
      }
      letGo(weights);
    }
    letGo(runtime);
    this.engine = new Engine(this.ort, sessions, texts);
    await this.engine.translate("Hello."); // what is compiled at the first run is compiled now
    this.post({ ready: (performance.now() - started) / 1000 });
  }

  /** @param {Ask} message */
  async answer({ id, text, gains, beam, costs, hidden, prefix }) {
    if (id !== this.latest || !this.engine) return;
    try {
      const sentences = [];
      for (const [place, span] of partsOf(text).entries()) {
        const started = performance.now();
        const how = { gains, beam, costs, hidden: hidden[place], prefix: prefix[place] };
        const written = await this.engine.translate(text.slice(...span), how);
        const trace = traceOf(written, this.template);
        for (const maps of [written.weights, written.votes, written.costs])
          letGo(...Object.values(maps).map(({ values }) => values));
        const seconds = (performance.now() - started) / 1000;
        const { finished, ids, logProbs, candidates, beam: others } = written;
        sentences.push({ span, trace, seconds, finished, ids, logProbs, candidates, beam: others });
        if (id !== this.latest) return;
      }
      const moved = sentences.map(({ trace }) => /** @type {ArrayBuffer} */ (trace.bytes.buffer));
      this.post({ id, sentences }, moved);
    } catch (reason) {
      if (!(reason instanceof Refused)) throw reason;
      this.post({ id, why: reason.why, values: reason.values });
    }
  }
}
