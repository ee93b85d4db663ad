// A page that holds the translator: shows the sentence that came with it at once, and opens the translator meanwhile.
import { bytesOf } from "../core/codes.js";
import { unpack } from "../core/payload.js";
import { LivePage } from "./page.js";

/** WebAssembly with SIMD: a function that makes a vector. */
const SIMD = "AGFzbQEAAAABBQFgAAF7AwIBAAoKAQgAQQD9D/1iCw==";

/** The script data of an element, which is then let go. @param {string} id */
function taken(id) {
  const element = document.getElementById(id);
  const node = /** @type {Text | null} */ (element?.firstChild);
  const text = node?.data ?? "";
  if (node) node.data = ""; // the element itself may stay until the browser comes to it
  element?.remove();
  return text;
}

/** The parts of the translator: in the page, or beside it; as blobs, so that the worker has the text of one at a time. @param {Record<string, string>} files by part; "" where it is in the page */
function partsOf(files) {
  const beside = (/** @type {string} */ name) => ({ url: new URL(name, document.baseURI).href });
  const found = Object.entries(files).map(([part, file]) => [
    part,
    file ? beside(file) : { packed: new Blob([taken(part)]) },
  ]);
  return Object.fromEntries(found);
}

/** The worker; its script is in the page, since a page from disk may read no other file. */
async function engine() {
  const plain = new Blob([bytesOf(taken("engine"))]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = new Blob([await new Response(plain).text()], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(script));
}

/** Nothing, where there is no such page. */
export function startLive() {
  const root = document.getElementById("live");
  if (root) start(root).catch((reason) => (root.textContent = String(reason)));
}

/** @param {HTMLElement} root */
async function start(root) {
  const settings = JSON.parse(taken("settings"));
  const page = new LivePage(root, settings, await unpack(taken("message")));
  if (!WebAssembly.validate(bytesOf(SIMD))) return page.fail(page.words.simd);
  page.open(await engine(), partsOf(settings.files));
}
