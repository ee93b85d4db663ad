// The message of Python, read: a length, a header in JSON, a byte a value.
import { bytesOf, PARTS } from "./codes.js";

const VERSION = 2;

/**
 * What stands after a length, as JSON; and where it ends.
 * @param {Uint8Array} sent
 * @returns {[any, number]}
 */
function said(sent) {
  const length = new DataView(sent.buffer, sent.byteOffset).getUint32(0, true);
  return [JSON.parse(new TextDecoder().decode(sent.subarray(4, 4 + length))), 4 + length];
}

/**
 * @param {ArrayBuffer | Uint8Array} sent
 * @returns {import("../types.js").Trace}
 */
export function readMessage(sent) {
  const all = sent instanceof Uint8Array ? sent : new Uint8Array(sent);
  const [header, end] = said(all);
  if (header.version !== VERSION) throw new Error(`message of version ${header.version}, this viewer reads ${VERSION}`);
  return { header, bytes: all.subarray(end) };
}

/**
 * What the app sends, its message unread.
 * @param {Uint8Array} sent
 * @returns {[any, Uint8Array]}
 */
export function parted(sent) {
  const [envelope, end] = said(sent);
  return [envelope, sent.slice(end)];
}

/**
 * What the app sends: an envelope, and its message, which is read where it is a new one.
 * @param {Uint8Array} sent
 * @returns {{ envelope: import("../types.js").Envelope, message: () => import("../types.js").Trace }}
 */
export function readEnvelope(sent) {
  const [envelope, end] = said(sent);
  return { envelope, message: () => readMessage(sent.slice(end)) };
}

/**
 * What is packed in a page: base64 of gzip of the message.
 * @param {string} packed
 * @returns {Promise<import("../types.js").Trace>}
 */
export async function unpack(packed) {
  const plain = new Blob([bytesOf(packed.trim())]).stream().pipeThrough(new DecompressionStream("gzip"));
  return readMessage(await new Response(plain).arrayBuffer());
}

/**
 * One head's map as it was captured, row by row.
 * @param {import("../types.js").Trace} trace
 * @param {import("../types.js").SortPart} sort
 * @param {import("../types.js").Head} head
 * @returns {Float32Array}
 */
export function rawMap(trace, sort, { kind, layer, head }) {
  const { offset, layers, heads, high } = sort.maps[kind.kind];
  const { rows, columns } = kind;
  const size = trace.header.tokens[rows].texts.length * trace.header.tokens[columns].texts.length;
  if (trace.supply)
    return valuesOf(trace.supply.of(`${kind.letter}${layer}.${head}`) ?? new Uint8Array(size), sort, high);
  const from = offset + ((layers === 1 ? 0 : layer) * heads + (heads === 1 ? 0 : head)) * size;
  return valuesOf(trace.bytes.subarray(from, from + size), sort, high);
}

/**
 * What bytes stand for.
 * @param {Uint8Array} bytes
 * @param {{ signed: boolean }} sort
 * @param {number} high
 */
export function valuesOf(bytes, { signed }, high) {
  const parts = signed ? PARTS.signed : PARTS.unsigned;
  const values = new Float32Array(bytes.length);
  for (let i = 0; i < values.length; i++) values[i] = parts[bytes[i]] * high;
  return values;
}
