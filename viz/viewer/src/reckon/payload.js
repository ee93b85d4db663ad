// The message of Python, read: a length, a header in JSON, a byte a value.

const VERSION = 1;

/**
 * @param {ArrayBuffer} buffer
 * @returns {import("../types.js").Trace}
 */
export function readMessage(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  if (header.version !== VERSION) throw new Error(`message of version ${header.version}, this viewer reads ${VERSION}`);
  return { header, bytes: new Uint8Array(buffer, 4 + length) };
}

/**
 * What is packed in a page: base64 of gzip of the message.
 * @param {string} packed
 * @returns {Promise<import("../types.js").Trace>}
 */
export async function unpack(packed) {
  const raw = atob(packed.trim());
  const bytes = Uint8Array.from(raw, (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return readMessage(await new Response(plain).arrayBuffer());
}

/**
 * The value of each byte, as a part of the sort's largest.
 * @param {boolean} signed
 * @returns {Float32Array}
 */
export function partsOf(signed) {
  return Float32Array.from({ length: 256 }, (_, byte) => (signed ? (byte - 128) / 127 : (byte / 255) ** 2));
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
  const from = offset + ((layers === 1 ? 0 : layer) * heads + (heads === 1 ? 0 : head)) * size;
  const parts = partsOf(sort.signed).map((part) => part * high);
  return Float32Array.from(trace.bytes.subarray(from, from + size), (byte) => parts[byte]);
}
