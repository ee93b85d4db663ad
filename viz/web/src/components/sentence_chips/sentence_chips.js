import { fill, percent } from "../../core/text.js";
import { make, makeButton } from "../../ui/dom.js";
import { Component, mounted } from "../../ui/component.js";
import "./sentence_chips.html";

/** @typedef {{ text: string, before: string, special: boolean, reading?: string, sure: number | null }} Chip */
/** @typedef {import("../../types.js").Dressed<{ source: Chip[], target: Chip[], chosen: number | null }>} Sent */

/** @extends {Component<Sent>} */
class SentenceChips extends Component {
  /** @type {HTMLElement[]} */
  tokens = [];

  /** @param {Sent} data */
  update({ source, target, labels, chosen }) {
    this.part("src").setAttribute("aria-label", labels.source);
    this.part("tgt").setAttribute("aria-label", labels.target);
    this.part("src").replaceChildren(
      ...source.flatMap(({ text, before, special }) => [before, make("span", special ? "special" : "", text)]),
    );
    this.tokens = target.map((token, place) => this.token(token, place));
    this.part("tgt").replaceChildren(...target.flatMap(({ before }, place) => [before, this.tokens[place]]));
    this.choose(chosen);
  }

  /** A written token is a button; one that was given is not. @param {Chip} chip @param {number} place */
  token({ text, reading, sure, special }, place) {
    if (sure === null) return make("span", "given", text);
    const button = makeButton(special ? "token special" : "token", reading ? spoken(text, reading) : text);
    button.style.setProperty("--sure", `${100 * sure}%`);
    button.addEventListener("click", () => this.pick(place));
    return button;
  }

  /** @param {number} place */
  pick(place) {
    const chosen = place === this.data.chosen ? null : place;
    this.choose(chosen);
    this.data.chosen = chosen;
    this.setTriggerValue("token", chosen ?? -1);
  }

  /** @param {number | null} chosen */
  choose(chosen) {
    const { labels, target } = this.data;
    this.tokens.forEach((each, place) => {
      const { text, sure } = target[place];
      if (sure === null) return void (each.title = fill(labels.given, { token: text }));
      each.setAttribute("aria-pressed", String(place === chosen));
      each.title = fill(place === chosen ? labels.chosen : labels.token, { token: text, percent: percent(sure) });
    });
    if (chosen !== null) this.tokens[chosen]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/** @param {string} text @param {string} reading */
function spoken(text, reading) {
  return make("ruby", "", text, make("rt", "", reading));
}

export default mounted(SentenceChips);
