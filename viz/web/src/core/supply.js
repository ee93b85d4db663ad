// Maps that are too large to be sent before somebody looks: all heads in few pixels at once, one head whole when asked.

/** @typedef {import("../types.js").Trace} Trace */

const MOST = 64 * 2 ** 20; // bytes of whole maps that are kept
const AHEAD = 64; // maps that are small enough to keep so many are asked for before they are chosen
export const SIDE = 32; // most pixels of a small map each way; viz/export/notebook/shown_maps.py says the same

/** @param {number} tokens */
const side = (tokens) => Math.min(SIDE, tokens);

export class Supply {
  /** @param {Trace} trace whose bytes are small maps alone @param {(code: string) => void} ask */
  constructor({ header, bytes }, ask) {
    this.header = header;
    this.bytes = bytes;
    this.ask = ask;
    /** @type {Map<string, Uint8Array>} */
    this.whole = new Map();
    /** @type {Set<string>} */
    this.asked = new Set();
  }

  /**
   * A whole map's bytes; null while it is on its way.
   * @param {string} code of a head
   */
  of(code) {
    const found = this.whole.get(code);
    if (found) {
      this.whole.delete(code);
      this.whole.set(code, found);
      return found;
    }
    if (!this.asked.has(code)) this.ask(code);
    this.asked.add(code);
    return null;
  }

  /**
   * Asks for the first of these maps that is not there; one at a time, so that a head that is chosen meanwhile has at
   * most one before it.
   * @param {string[]} codes of heads that may be chosen next
   */
  foresee(codes) {
    if (this.asked.size || !this.holds(AHEAD)) return;
    const next = codes.find((code) => !this.whole.has(code));
    if (next) this.of(next);
  }

  /** Whether so many whole maps can be kept at a time. @param {number} heads */
  holds(heads) {
    const lengths = Object.values(this.header.tokens).map(({ texts }) => texts.length);
    return heads * Math.max(...lengths) ** 2 <= MOST;
  }

  /** @param {string} code @param {Uint8Array} bytes */
  take(code, bytes) {
    this.asked.delete(code);
    this.whole.set(code, bytes);
    let kept = [...this.whole.values()].reduce((sum, each) => sum + each.byteLength, 0);
    for (const [oldest, { byteLength }] of this.whole) {
      if (kept <= MOST || oldest === code) break;
      this.whole.delete(oldest);
      kept -= byteLength;
    }
  }

  /** @param {import("../types.js").KindPart} kind @param {number} layer @param {number} head */
  small(kind, layer, head) {
    const [down, across] = [kind.rows, kind.columns].map((axis) => side(this.header.tokens[axis].texts.length));
    const { offset } = this.header.sorts[0].maps[kind.kind];
    const from = offset + (layer * kind.heads + head) * down * across;
    return { bytes: this.bytes.subarray(from, from + down * across), down, across };
  }
}
