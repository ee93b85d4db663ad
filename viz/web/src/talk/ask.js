// What stands on a slide beside its picture: the question that is asked before it is read, and afterwards how it was
// answered; and the sentences that are to be remembered.
import { fill } from "../core/text.js";
import { make } from "../ui/dom.js";
import { clicked, isAsking } from "./plan.js";

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

export class Beside {
  /** @param {Record<string, string>} words @param {(option: number) => void} pick */
  constructor(words, pick) {
    this.ask = new Ask(words, pick);
    this.points = make("ul", { className: "points", hidden: true });
    this.element = make("div", { className: "beside" }, this.ask.element, this.ask.answer, this.points);
  }

  /** @param {import("./plan.js").Scene} scene @param {number} stop @param {number | undefined} picked */
  show(scene, stop, picked) {
    const { predict, points } = scene;
    const asking = isAsking(scene, stop);
    if (!predict) this.ask.hide();
    else if (asking) this.ask.show(predict, picked);
    else this.ask.reveal(predict, picked);
    const shown = asking ? [] : points.slice(0, clicked(scene, stop) + 1);
    this.points.replaceChildren(...shown.map((textContent) => make("li", { textContent })));
    this.points.hidden = !shown.length;
  }
}

/** The option that a key means; null where it means none. @param {string} key @param {number} count */
export function optionOf(key, count) {
  const at = LETTERS.indexOf(key.toUpperCase());
  return at >= 0 && at < count ? at : null;
}
