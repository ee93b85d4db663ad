import { percent } from "../../core/text.js";
import { buttonOf, make, makeButton } from "../../ui/dom.js";
import { Component, mounted } from "../../ui/component.js";
import "./fork_picker.html";

/** @typedef {{ id: number, text: string, probability: number }} Candidate */
/** @typedef {{ title: string, written: number, chosen: number | null, candidates: Candidate[] }} Fork */
/** @typedef {import("../../types.js").Dressed<Fork>} Sent */

/** @extends {Component<Sent>} */
export class ForkPicker extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.candidates = this.part("candidates");
    this.candidates.addEventListener("click", (event) => this.pick(buttonOf(event)));
  }

  /** @param {Sent} data */
  update({ title, written, candidates }) {
    this.part("title").textContent = title;
    this.candidates.setAttribute("aria-label", title);
    this.candidates.replaceChildren(...candidates.map((candidate) => this.button(candidate, candidate.id === written)));
  }

  /** @param {Candidate} candidate @param {boolean} isWritten */
  button({ id, text, probability }, isWritten) {
    const { labels, chosen } = this.data;
    const button = makeButton(id === chosen ? "chosen" : "");
    const length = make("i");
    length.style.width = `${100 * probability}%`;
    const note = isWritten ? labels.written : id === chosen ? labels.forced : "";
    button.append(
      make("b", "", text),
      make("span", "number", percent(probability, 1)),
      make("span", "bar", length),
      make("span", "note", note),
    );
    button.disabled = isWritten;
    Object.assign(button.dataset, { id, probability });
    return button;
  }

  /** @param {HTMLButtonElement | null} button */
  pick(button) {
    if (button && !button.disabled) this.setTriggerValue("pick", Number(button.dataset.id));
  }
}

export default mounted(ForkPicker);
