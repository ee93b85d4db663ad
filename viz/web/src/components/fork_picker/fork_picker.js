import { Component, mounted } from "../../ui/component.js";
import { make, makeButton, percent } from "../../ui/shared.js";
import "./fork_picker.css";

class ForkPicker extends Component {
  constructor(root) {
    super(root);
    this.candidates = this.part("candidates");
    this.candidates.addEventListener("click", (event) => this.pick(event.target.closest("button")));
  }

  update({ title, written, candidates }) {
    this.part("title").textContent = title;
    this.candidates.setAttribute("aria-label", title);
    this.candidates.replaceChildren(...candidates.map((candidate) => this.button(candidate, candidate.id === written)));
  }

  button({ id, text, probability }, isWritten) {
    const { labels, chosen } = this.data;
    const button = makeButton(id === chosen ? "chosen" : "");
    const [bar, length] = [make("span", "bar"), make("i")];
    length.style.width = `${100 * probability}%`;
    bar.append(length);
    const note = isWritten ? labels.written : id === chosen ? labels.forced : "";
    button.append(
      make("b", "", text),
      make("span", "number", percent(probability, 1)),
      bar,
      make("span", "note", note),
    );
    button.disabled = isWritten;
    Object.assign(button.dataset, { id, probability });
    return button;
  }

  pick(button) {
    if (button && !button.disabled) this.setTriggerValue("pick", Number(button.dataset.id));
  }
}

export default mounted(ForkPicker);
