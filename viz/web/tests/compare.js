// What the engine makes of what Python asks, as JSON: node compare.js ASKED.json. tests/live/test_engine.py compares.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import * as ort from "../vendor/onnxruntime-web/ort.wasm.bundle.min.mjs";
import { fromDense, weightsOf } from "../src/engine/arrays.js";
import { Engine, Refused } from "../src/engine/engine.js";
import { sourceLabels, targetLabels } from "../src/engine/labels.js";
import { looping } from "../src/engine/rules.js";
import { partsOf } from "../src/engine/sentences.js";
import { BytePairs, EnglishTokenizer } from "../src/engine/tokenizer.js";
import { traceOf } from "../src/engine/trace.js";

const json = (path) => JSON.parse(readFileSync(path, "utf8"));
const asked = json(process.argv[2]);
const of = (folder, name) => json(`${folder}/${name}.json`);

/** The engine of a folder that export-onnx wrote. */
async function opened(folder) {
  const runtime = new URL("../vendor/onnxruntime-web/ort-wasm-simd-threaded.wasm.gz", import.meta.url);
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary = gunzipSync(readFileSync(runtime));
  const sessions = {};
  for (const name of ["encoder", "decoder", "votes"]) {
    sessions[name] = await Engine.session(ort, new Uint8Array(readFileSync(`${folder}/${name}.onnx`)));
  }
  const [src, casing, tgt] = ["src", "casing", "tgt"].map((name) => of(folder, name));
  return new Engine(ort, sessions, { facts: of(folder, "engine"), src, casing, tgt });
}

/** A translation as the viewer gets it, with what it was sure of; or why there is none. */
async function translated(engine, { text, ...how }) {
  try {
    const written = await engine.translate(text, how);
    const { header, bytes } = traceOf(written, asked.template);
    const { ids, logProbs, finished, candidates, beam } = written;
    return { header, bytes: Buffer.from(bytes).toString("base64"), ids, logProbs, finished, candidates, beam };
  } catch (reason) {
    if (!(reason instanceof Refused)) throw reason;
    return { why: reason.why };
  }
}

const tokenizer = new EnglishTokenizer(new BytePairs(of(asked.checkpoint, "src")), of(asked.checkpoint, "casing"));
const texts = (asked.texts ?? []).map((text) => {
  const tokens = tokenizer.encode(text);
  return { tokens, labels: sourceLabels(text, tokens), parts: partsOf(text) };
});
const engine = asked.graphs ? await opened(asked.graphs) : null;
const translations = [];
for (const each of asked.translate ?? []) translations.push(await translated(engine, each));
const targets = (asked.targets ?? []).map(targetLabels);
const loops = (asked.loops ?? []).map((ids) => [...looping(ids)].sort((a, b) => a - b));
const plain = (asked.dense ?? []).map((text) => Buffer.from(fromDense(Buffer.from(text))).toString("base64"));
const unzipped = (packed) => gunzipSync(Buffer.from(packed, "base64"));
const { table, high, low } = asked.weights ?? {};
const values = table ? [...weightsOf(table, unzipped(high), unzipped(low))] : [];
console.log(JSON.stringify({ texts, translations, targets, loops, plain, values }));
