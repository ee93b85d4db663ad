// The question that is asked before a picture is read, beside it; and afterwards how it was answered.
import { fill } from "../core/text.js";
import { make } from "../ui/dom.js";

const LETTERS = ["A", "B", "C", "D"];

export class Ask {
  /** @param {Record<string, string>} words @param {(option: number) => void} pick */
  constructor(words, pick) {
    this.words = words;
    this.pick = pick;
    this.element = make("section", { className: "ask", hidden: true });
    this.answer = make("p", { className: "answer", hidden: true });
    this.answer.setAttribute("role", "status");
  }

  /** @param {import("./plan.js").Predict} predict @param {number | undefined} picked */
  show({ ask, options }, picked) {
    const buttons = options.map((option, i) => {
      const button = make("button", { type: "button" }, make("b", { textContent: LETTERS[i] }), option);
      button.setAttribute("aria-pressed", String(i === picked));
      button.addEventListener("click", () => this.pick(i));
      return button;
    });
    const hint = make("p", { className: "hint", textContent: this.words.ask_hint });
    const list = make("div", { className: "options" }, ...buttons);
    this.element.replaceChildren(make("h2", { textContent: ask }), list, hint);
    this.element.hidden = false;
    this.answer.hidden = true;
  }

  hide() {
    this.element.hidden = true;
    this.answer.hidden = true;
  }

  /** An option with its letter. @param {string[]} options @param {number} i */
  static named(options, i) {
    return `${LETTERS[i]} ${options[i]}`;
  }

  /** The question once more, and what was right. @param {import("./plan.js").Predict} predict @param {number | undefined} picked */
  reveal({ ask, options, answer }, picked) {
    const { words } = this;
    const named = (/** @type {number} */ i) => Ask.named(options, i);
    const told = picked === undefined ? words.revealed : picked === answer ? words.right : words.wrong;
    this.element.replaceChildren(make("h2", { textContent: ask }));
    this.element.hidden = false;
    this.answer.hidden = false;
    this.answer.className = `answer ${picked === undefined ? "" : picked === answer ? "is-right" : "is-wrong"}`;
    this.answer.textContent = fill(told, { answer: named(answer), picked: picked === undefined ? "" : named(picked) });
  }
}

/** The option that a key means; null where it means none. @param {string} key @param {number} count */
export function optionOf(key, count) {
  const at = LETTERS.indexOf(key.toUpperCase());
  return at >= 0 && at < count ? at : null;
}
