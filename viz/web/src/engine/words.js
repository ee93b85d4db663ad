// Words and punctuation marks of an English sentence, by the rules of NLTK's word tokenizer (Bird et al. 2009), whose
// regular expressions these are; as model/own/text/tokenize.py uses it. Spans count UTF-16 units.

/** @typedef {[number, number]} Span */

// Python's \s, \w and \b of text, which are not those of JavaScript.
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const LETTER = "[\\p{L}\\p{N}_]";
const EDGE = `(?:(?<=${LETTER})(?!${LETTER})|(?<!${LETTER})(?=${LETTER}))`;
const END = "(?=\\n?$)"; // Python's $, which also stands before a last line break

/** A regular expression with Python's \s, \w and \b. @param {string} pattern @param {string} [flags] */
function python(pattern, flags = "") {
  const said = pattern.replaceAll("\\s", SPACE).replaceAll("\\w", LETTER).replaceAll("\\b", EDGE);
  return new RegExp(said, `gu${flags}`);
}

/** @type {[RegExp, string][]} */
const RULES = [
  // opening quotes
  [python("([«“‘„]|[`]+)"), " $1 "],
  [python('^"'), "``"],
  [python("(``)"), " $1 "],
  [python("([ \\(\\[\\{<])(\"|'{2})"), "$1 `` "],
  [python("(?<!\\w)(')(?!(?:re|ve|ll|m|t|s|d|n)\\b)(?=\\w)", "i"), "$1 "],
  // punctuation
  [python(`([^\\.])(\\.)([\\]\\)\\}>"'»”’ ]*)\\s*${END}`), "$1 $2 $3 "],
  [python("([:,])([^\\p{Nd}])"), " $1 $2"],
  [python(`([:,])${END}`), " $1 "],
  [python("\\.{2,}"), " $& "],
  [python("[;@#$%&]"), " $& "],
  [python("[\\u2012-\\u2015]"), " $& "],
  [python(`([^\\.])(\\.)([\\]\\)\\}>"']*)\\s*${END}`), "$1 $2$3 "],
  [python("[?!]"), " $& "],
  [python("([^'])' "), "$1 ' "],
  [python("[*]"), " $& "],
  [python("[\\]\\[\\(\\)\\{\\}<>]"), " $& "],
  [python("--"), " -- "],
];

/** @type {[RegExp, string][]} */
const CLOSING = [
  [python("([»”’])"), " $1 "],
  [python("''"), " '' "],
  [python('"'), " '' "],
  [python("\\s+"), " "],
  [python("([^' ])('[sS]|'[mM]|'[dD]|') "), "$1 $2 "],
  [python("([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) "), "$1 $2 "],
  // contractions
  ...["(can)(not)", "(d)('ye)", "(gim)(me)", "(gon)(na)", "(got)(ta)", "(lem)(me)", "(more)('n)"].map(
    (each) => /** @type {[RegExp, string]} */ ([python(`\\b${each}\\b`, "i"), " $1 $2 "]),
  ),
  [python("\\b(wan)(na)(?=\\s)", "i"), " $1 $2 "],
  [python(" ('t)(is)\\b", "i"), " $1 $2 "],
  [python(" ('t)(was)\\b", "i"), " $1 $2 "],
];

const SPACES = python("\\s+");
const QUOTES = /``|'{2}|"/g;
const PLAIN_WORDS = python("\\w+|(?!\\w|\\s)\\p{Any}");
const SENTENCE_BREAK = python("(?<=[.!?])[\"')\\]]*\\s+(?=[\"'(\\[]*[A-Z])");

/** @type {Record<string, string>} One character for one, so that spans still point into what was typed. */
const PLAIN = { "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " ", "\u3000": " " };

/** The text with plain quotes, dashes and spaces, and without halves of surrogate pairs. @param {string} text */
export function plain(text) {
  return text.replace(/[’‘“”–—\u00a0\u3000]/g, (char) => PLAIN[char]).replace(/\p{Cs}/gu, "\ufffd");
}

/** What NLTK makes of a sentence: its words, quotes written `` and ''. @param {string} sentence */
function rewritten(sentence) {
  const opened = RULES.reduce((text, [rule, by]) => text.replace(rule, by), sentence);
  const closed = CLOSING.reduce((text, [rule, by]) => text.replace(rule, by), ` ${opened} `);
  return closed.split(SPACES).filter(Boolean);
}

/** @param {string} sentence plain @returns {Span[]} */
function spansIn(sentence) {
  let words = rewritten(sentence);
  if (/"|''/.test(sentence)) {
    const quotes = [...sentence.matchAll(QUOTES)].map(([quote]) => quote);
    words = words.map((word) => (['"', "``", "''"].includes(word) ? (quotes.shift() ?? "") : word));
  }
  /** @type {Span[]} */
  const found = [];
  let point = 0;
  for (const word of words) {
    const start = word ? sentence.indexOf(word, point) : -1;
    // quotes that were rewritten and cannot be found again
    if (start < 0)
      return [...sentence.matchAll(PLAIN_WORDS)].map((match) => [match.index, match.index + match[0].length]);
    point = start + word.length;
    found.push([start, point]);
  }
  return found;
}

/**
 * Spans of the words of a text; every sentence of it is cut by itself.
 * @param {string} text as `plain` makes it
 * @returns {Span[]}
 */
export function wordSpans(text) {
  const cuts = [0, ...[...text.matchAll(SENTENCE_BREAK)].map((match) => match.index + match[0].length), text.length];
  return cuts
    .slice(1)
    .flatMap((end, i) =>
      spansIn(text.slice(cuts[i], end)).map(([a, b]) => /** @type {Span} */ ([cuts[i] + a, cuts[i] + b])),
    );
}
