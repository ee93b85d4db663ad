// Where the sentences of an English text begin and end, by the rules of model/sentences.py.

/** @typedef {import("./words.js").Span} Span */

const words = (/** @type {string} */ said) => new Set(said.split(" "));
const BEFORE_NAME = words("mr mrs ms dr prof st mt gen col capt lt sgt rev gov sen vs e.g i.e cf messrs mme");
const BEFORE_NUMBER = words("no nos fig figs vol p pp ch sec eq approx ca art par");
const WITHIN = words("inc ltd co corp jr sr etc ph.d dept a.m p.m a.d b.c");
const STARTERS = words(
  "A An And Are As At But By Can Did Do Does For From He Her Here His How I If In Is It Its Let Many Most My No Not Now " +
    "On One Our Please She So Some That The Their Then There These They This Those To Today Was We What When Where Which " +
    "Who Why Will Yes Yesterday You Your",
);
const INITIALS = /^(?:[A-Za-z]\.)*[A-HJ-Za-z]$/; // "I." ends a sentence
const STOP = /(?<stop>[.!?…]+["')\]]*)\s+(?=["'([]*(?<next>[\p{L}\p{N}_]+))/gu;
const PARAGRAPH = /\n[^\S\n]*\n\s*/g;
const LONG_QUOTE = 150; // characters; a longer one is split inside

/**
 * Spans of what is translated one by one; a text of one sentence is one part, with the white space around it.
 * @param {string} text
 * @returns {Span[]}
 */
export function partsOf(text) {
  const found = sentenceSpans(text);
  return found.length > 1 ? found : [[0, text.length]];
}

/** @param {string} typed @returns {Span[]} */
function sentenceSpans(typed) {
  const text = typed.replace(/[“”]/g, '"').replace(/[‘’]/g, "'");
  const breaks = [...text.matchAll(PARAGRAPH)].map(({ index, 0: { length } }) => [index, index + length]);
  let start = 0;
  return [...breaks, [text.length, text.length]].flatMap(([end, after]) => {
    const from = start;
    start = after;
    return ofParagraph(text.slice(from, end)).map(([a, b]) => /** @type {Span} */ ([from + a, from + b]));
  });
}

/** @param {string} paragraph @returns {Span[]} */
function ofParagraph(paragraph) {
  const quotes = quotations(paragraph);
  const lower = paragraph === paragraph.toLowerCase();
  const cuts = [0];
  for (const match of paragraph.matchAll(STOP)) {
    const { stop, next } = /** @type {{ stop: string, next: string }} */ (match.groups);
    const place = match.index + stop.length;
    const quoted = quotes.some(([a, b]) => a < place && place < b);
    if (!quoted && ends(paragraph.slice(cuts.at(-1), place), stop, next, lower))
      cuts.push(match.index + match[0].length);
  }
  return [...cuts.slice(1), paragraph.length].flatMap((stop, i) => {
    const piece = paragraph.slice(cuts[i], stop);
    const left = cuts[i] + piece.length - piece.trimStart().length;
    return piece.trim() ? [/** @type {Span} */ ([left, left + piece.trim().length])] : [];
  });
}

/** The quotations that are to stay in one piece; none where the marks do not pair. @param {string} paragraph */
function quotations(paragraph) {
  const marks = [...paragraph.matchAll(/"/g)].map(({ index }) => index);
  if (marks.length % 2) return [];
  const pairs = marks.flatMap((mark, i) => (i % 2 ? [] : [[mark, marks[i + 1]]]));
  return pairs.filter(([a, b]) => b - a <= LONG_QUOTE);
}

/**
 * Whether a sentence ends with this stop, by the word before and the word after it.
 * @param {string} sentence
 * @param {string} stop
 * @param {string} next
 * @param {boolean} lower
 */
function ends(sentence, stop, next, lower) {
  if (isLower(next[0]) && !lower) return false;
  if (stop.startsWith("..") || stop.startsWith("…")) return !next.startsWith("I"); // "Well… I don't know"
  if (stop[0] !== ".") return true;
  const word = sentence.slice(0, -stop.length).trimEnd().split(/\s+/).at(-1) ?? "";
  return mayEnd(word.replace(/^["'([]+/, ""), next, lower);
}

/** @param {string} char */
const isLower = (char) => /\p{Lowercase}/u.test(char);

/** Whether a full stop after a word can end a sentence, or only shortens it. @param {string} word @param {string} next @param {boolean} lower */
function mayEnd(word, next, lower) {
  const short = word.toLowerCase();
  const starts = STARTERS.has(lower ? next[0].toUpperCase() + next.slice(1).toLowerCase() : next);
  if (BEFORE_NAME.has(short)) return false;
  if (BEFORE_NUMBER.has(short) && /\p{Nd}/u.test(next[0])) return false;
  if (WITHIN.has(short) || (short.includes(".") && INITIALS.test(word))) return starts;
  return !([...word].length === 1 && word !== word.toLowerCase() && INITIALS.test(word));
}
