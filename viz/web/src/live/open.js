// What a page holds of the translator: its worker's script and its parts, until the worker has them.
import { bytesOf } from "../core/codes.js";

/** WebAssembly with SIMD: a function that makes a vector. */
const SIMD = "AGFzbQEAAAABBQFgAAF7AwIBAAoKAQgAQQD9D/1iCw==";

/** Whether this browser can run the translator. */
export function canOpen() {
  return WebAssembly.validate(bytesOf(SIMD));
}

const BEGUN = "headlight-live-begun";

/** Keeps that the translator is being opened, so that a page which the browser ends meanwhile does not try it again. @param {boolean} begun */
export function mark(begun) {
  try {
    if (begun) sessionStorage.setItem(BEGUN, "1");
    else sessionStorage.removeItem(BEGUN);
  } catch {
    // a page from disk may keep nothing
  }
}

/** Whether the browser has ended this page while the translator was being opened. */
export function wasEnded() {
  try {
    return sessionStorage.getItem(BEGUN) !== null;
  } catch {
    return false;
  }
}

/** The script data of an element, which is then let go. @param {string} id */
export function taken(id) {
  const element = document.getElementById(id);
  const node = /** @type {Text | null} */ (element?.firstChild);
  const text = node?.data ?? "";
  if (node) node.data = ""; // the element itself may stay until the browser comes to it
  element?.remove();
  return text;
}

/**
 * Has a worker open the translator, whose parts lie in the page or beside it. They are sent one by one, so that it reads
 * the first while the others are made ready; as blobs, so that it has the text of one at a time.
 * @param {Worker} worker
 * @param {Record<string, string>} files by part; "" where it is in the page
 * @param {import("../types.js").Header} template that all its answers have
 */
export function sendParts(worker, files, template) {
  worker.postMessage({ open: Object.keys(files), template });
  for (const [part, file] of Object.entries(files)) {
    const held = file ? { url: new URL(file, document.baseURI).href } : { packed: new Blob([taken(part)]) };
    worker.postMessage({ part, ...held });
  }
}

/** The worker; its script is in the page, since a page from disk may read no other file. */
export async function engine() {
  const plain = new Blob([bytesOf(taken("engine"))]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = new Blob([await new Response(plain).text()], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(script));
}
