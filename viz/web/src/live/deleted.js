// Which words of the source nothing may attend to: the pinned one is offered, those that are deleted can come back.
import { fill } from "../core/text.js";
import { make, makeButton } from "../ui/dom.js";
import { undoing } from "./mutes.js";

const SOURCE = /^s(\d+)$/; // the key of a source token

export class Deleted {
  /** @param {import("./page.js").LivePage} page */
  constructor(page) {
    this.page = page;
    /** @type {Map<number, Set<number>>} numbers of words, by sentence of the text */
    this.words = new Map();
    this.element = make("div", { className: "mutes", role: "group" });
  }

  get any() {
    return [...this.words.values()].some(({ size }) => size > 0);
  }

  /** Places of hidden tokens, by sentence. @returns {number[][]} */
  get places() {
    return this.page.sentences.map(({ trace }, sentence) => {
      const words = this.words.get(sentence) ?? new Set();
      return trace.header.tokens.src.words.flatMap((word, place) => (words.has(word) ? [place] : []));
    });
  }

  /** Another text has other words. */
  clear() {
    this.words.clear();
  }

  /** The words of the sentence that is shown. */
  get here() {
    return this.words.get(this.page.place) ?? new Set();
  }

  /** @param {number} word @param {boolean} deleted */
  set(word, deleted) {
    const words = new Set(this.here);
    if (deleted) words.add(word);
    else words.delete(word);
    this.words.set(this.page.place, words);
    this.page.ask(this.page.text);
  }

  /** A word as it stands in the sentence. @param {number} word */
  spelling(word) {
    const { texts, words } = this.page.sentences[this.page.place].trace.header.tokens.src;
    return texts
      .filter((_, place) => words[place] === word)
      .map((text, i) => (i ? text.replace(/^##/, "") : text))
      .join("");
  }

  /** The words that are pinned and still there. @returns {number[]} */
  get pinned() {
    const { viewer, sentences, place } = this.page;
    const { words } = sentences[place].trace.header.tokens.src;
    const keys = [...viewer.state.rows, ...viewer.state.columns];
    const found = keys.flatMap((key) => words[Number(SOURCE.exec(key)?.[1] ?? -1)] ?? []);
    return [...new Set(found)].filter((word) => word >= 0 && !this.here.has(word));
  }

  draw() {
    const { words, button } = this.page;
    const offered = this.pinned.map((word) => {
      const press = makeButton("plain", fill(words.delete, { word: this.spelling(word) }));
      press.disabled = button.disabled;
      press.addEventListener("click", () => this.set(word, true));
      return press;
    });
    const deleted = [...this.here].map((word) => {
      const spelling = this.spelling(word);
      return undoing(spelling, fill(words.restore, { word: spelling }), () => this.set(word, false));
    });
    this.element.setAttribute("aria-label", words.deleted);
    this.element.hidden = !offered.length && !deleted.length;
    this.element.replaceChildren(...offered, ...(deleted.length ? [make("span", "", words.deleted), ...deleted] : []));
  }
}
