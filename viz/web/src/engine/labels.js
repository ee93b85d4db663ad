// Tokens as the axes of a map show them, as model/own/text/tokenize.py has them; characters are counted as Python counts.
import { WORD_START } from "./tokenizer.js";

/** @typedef {{ text: string, word: number, start: number, end: number }} Label */

const BYTE = /^<0x[0-9A-F]{2}>$/;

/** Characters before a UTF-16 place. @param {string} text @param {number} place */
const characters = (text, place) => [...text.slice(0, place)].length;

/** @param {string} text @param {import("./tokenizer.js").Token[]} tokens @returns {Label[]} */
export function sourceLabels(text, tokens) {
  return tokens.map(({ text: piece, word, start, end }, number) => {
    const earlier = tokens[number - 1];
    const inside = earlier?.word === word;
    const laterByte = inside && BYTE.test(piece) && earlier.start === start;
    const surface = laterByte ? "▫" : text.slice(start, end);
    const at = { word, start: characters(text, start), end: characters(text, end) };
    return { text: inside ? `##${surface}` : surface, ...at };
  });
}

/** @param {string | undefined} char */
const isLatin = (char) => Boolean(char && char < "\u2e80" && /\p{L}/u.test(char));

/** @param {string[]} pieces @returns {Label[]} */
export function targetLabels(pieces) {
  const text = pieces.join("").replaceAll(WORD_START, " ");
  let position = text.trimStart().length - text.length; // a translation is shown without its leading space
  let word = -1;
  return pieces.map((piece, number) => {
    const surface = piece.replaceAll(WORD_START, " ");
    const inside = number > 0 && isLatin(piece[0]) && isLatin(pieces[number - 1].at(-1));
    if (!inside) word += 1;
    const end = position + [...surface].length;
    const start = Math.min(position + surface.length - surface.trimStart().length, end);
    position = end;
    const shown = surface.trim() || "␣";
    return { text: inside ? `##${shown}` : shown, word, start: Math.max(0, start), end: Math.max(0, end) };
  });
}

/** The target vocabulary: pieces by id, and the text of ids. */
export class Pieces {
  /** @param {{ model: { vocab: Record<string, number> } }} subwords */
  constructor({ model }) {
    /** @type {string[]} */
    this.pieces = [];
    for (const [piece, id] of Object.entries(model.vocab)) this.pieces[id] = piece;
  }

  /** @param {number[]} ids */
  of(ids) {
    return ids.map((id) => this.pieces[id] ?? "<unk>");
  }

  /** A token by itself, as a label has it. @param {number} id */
  shown(id) {
    return this.of([id])[0].replaceAll(WORD_START, " ").trim() || "␣";
  }

  /** @param {number[]} ids without special tokens */
  text(ids) {
    return this.of(ids).join("").replaceAll(WORD_START, " ").trim();
  }
}
