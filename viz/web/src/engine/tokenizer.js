// English text to subword tokens, each with the characters it came from: what EnglishTokenizer in
// model/own/text/tokenize.py does, token for token and span for span.
import { plain, wordSpans } from "./words.js";

export const WORD_START = "▁";
const UNK = 3;
const BYTE = /^<0x([0-9A-F]{2})>$/;

/**
 * @typedef {object} Token
 * @property {string} text its piece
 * @property {number} id
 * @property {number} word index of its word
 * @property {number} start its characters in the text, in UTF-16 units
 * @property {number} end
 */

/**
 * @typedef {object} Subwords Of a vocabulary file, as the tokenizers library writes it.
 * @property {{ vocab: Record<string, number>, merges: [string, string][], byte_fallback: boolean }} model
 * @property {{ pattern: { Regex: string } } | null} pre_tokenizer
 */

/** A byte-pair encoding with bytes for whatever it does not know (Sennrich et al. 2016). */
export class BytePairs {
  /** @param {Subwords} subwords */
  constructor({ model, pre_tokenizer }) {
    this.ids = new Map(Object.entries(model.vocab));
    this.ranks = new Map(model.merges.map(([left, right], rank) => [`${left} ${right}`, rank]));
    this.fallsBack = model.byte_fallback;
    this.runs = pre_tokenizer ? new RegExp(pre_tokenizer.pattern.Regex, "gu") : null;
  }

  /** @param {string} word @returns {{ text: string, id: number }[]} */
  encode(word) {
    return this.cut(word).flatMap((part) =>
      this.merged(this.symbols(part)).map((text) => ({ text, id: this.ids.get(text) ?? UNK })),
    );
  }

  /** What the pre-tokenizer finds, and what lies between. @param {string} word */
  cut(word) {
    if (!this.runs) return [word];
    const found = [];
    let end = 0;
    for (const match of word.matchAll(this.runs)) {
      found.push(word.slice(end, match.index), match[0]);
      end = match.index + match[0].length;
    }
    return [...found, word.slice(end)].filter(Boolean);
  }

  /** Characters, those that are not known as their bytes. @param {string} part */
  symbols(part) {
    return [...part].flatMap((char) => {
      if (this.ids.has(char) || !this.fallsBack) return [char];
      const bytes = [...new TextEncoder().encode(char)];
      return bytes.map((byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
    });
  }

  /** Neighbours joined, those that were merged first in training first. @param {string[]} symbols */
  merged(symbols) {
    for (;;) {
      let best = Infinity;
      let at = -1;
      for (let i = 0; i + 1 < symbols.length; i++) {
        const rank = this.ranks.get(`${symbols[i]} ${symbols[i + 1]}`);
        if (rank !== undefined && rank < best) [best, at] = [rank, i];
      }
      if (at < 0) return symbols;
      symbols.splice(at, 2, symbols[at] + symbols[at + 1]);
    }
  }
}

export class EnglishTokenizer {
  /** @param {BytePairs} subwords @param {Record<string, string>} casing the usual casing of a word, by the word in lower case */
  constructor(subwords, casing) {
    this.subwords = subwords;
    this.casing = new Map(Object.entries(casing));
  }

  /** The tokens of a text, without special tokens. @param {string} text @returns {Token[]} */
  encode(text) {
    const read = plain(text);
    return wordSpans(read).flatMap(([start, end], word) => {
      const pieces = this.subwords.encode(WORD_START + this.cased(read.slice(start, end), word === 0));
      return spansOf(pieces, read.slice(start, end)).map((piece) => {
        return { ...piece, word, start: start + piece.start, end: start + piece.end };
      });
    });
  }

  /**
   * The word in its usual casing where it stands first, or where its own casing was never seen.
   * @param {string} word
   * @param {boolean} first
   */
  cased(word, first) {
    const usual = this.casing.get(word.toLowerCase());
    if (usual === undefined || [...usual].length !== [...word].length) return word;
    const unseen = word !== usual && (isUpper(word) || isLower(word)) && [...word].length > 1;
    return first || unseen || word === "i" ? usual : word;
  }
}

/** As Python's str.isupper: there are cased letters, and all are capitals. @param {string} word */
const isUpper = (word) => /\p{Uppercase}/u.test(word) && !/[\p{Lowercase}\p{Lt}]/u.test(word);
/** @param {string} word */
const isLower = (word) => /\p{Lowercase}/u.test(word) && !/[\p{Uppercase}\p{Lt}]/u.test(word);

/**
 * Each piece with its span inside the word; the bytes of one character share its span.
 * @param {{ text: string, id: number }[]} pieces
 * @param {string} word
 */
function spansOf(pieces, word) {
  const chars = [...word];
  const at = [0];
  for (const char of chars) at.push(at[at.length - 1] + char.length); // UTF-16 places of characters
  const place = (/** @type {number} */ index) => at[Math.min(index, chars.length)];
  let position = 0;
  let pending = 0;
  return pieces.flatMap(({ text, id }) => {
    const byte = BYTE.exec(text);
    const start = position;
    if (byte) {
      if (pending === 0) pending = bytesFrom(parseInt(byte[1], 16));
      pending -= 1;
      if (pending === 0) position += 1;
      return [{ text, id, start: place(start), end: place(start + 1) }];
    }
    const length = [...(start === 0 && text.startsWith(WORD_START) ? text.slice(1) : text)].length;
    position += length;
    return length ? [{ text, id, start: place(start), end: place(start + length) }] : []; // a lone ▁ says nothing
  });
}

/** How many bytes a character has, by its first. @param {number} lead */
const bytesFrom = (lead) => (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
