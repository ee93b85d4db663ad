import { Component, mounted } from "../shared/component.js";
import { fill, make, makeButton, percent, seize } from "../shared/shared.js";

class ForkPicker extends Component {
  constructor(root) {
    super(root);
    this.tokens = this.part("tokens");
    this.candidates = this.part("candidates");
    this.tokens.addEventListener("click", (e) => this.look(e.target.closest("button")));
    this.tokens.addEventListener("keydown", (e) => this.press(e));
    this.candidates.addEventListener("click", (e) => this.pick(e.target.closest("button")));
  }

  update(data) {
    const state = JSON.stringify([data.steps, data.fork, data.opened]);
    if (state !== this.state) this.place = data.opened ?? data.fork.place;
    this.state = state;
    this.tokens.setAttribute("aria-label", data.labels.steps);
    this.draw();
    this.list();
  }

  draw() {
    const focused = this.tokens.contains(this.root.getRootNode().activeElement);
    const chips = this.data.steps.map(({ written }, place) => {
      const chip = makeButton(written.text === "<eos>" ? "special" : "", written.text);
      const [sure, length] = [make("span", "sure"), make("i")];
      length.style.width = `${100 * written.probability}%`;
      sure.append(length);
      chip.append(sure);
      chip.dataset.place = place;
      chip.title = percent(written.probability, 1);
      chip.setAttribute("aria-label", `${place + 1}: ${written.text}, ${chip.title}`);
      chip.setAttribute("aria-pressed", String(place === this.place));
      chip.classList.toggle("active", place === this.place);
      chip.classList.toggle("forked", place === this.data.fork.place);
      chip.tabIndex = place === this.place ? 0 : -1;
      return chip;
    });
    this.tokens.replaceChildren(...chips);
    if (focused) chips[this.place]?.focus();
  }

  list() {
    const { labels, fork, steps } = this.data;
    const { written, candidates } = steps[this.place];
    const title = fill(labels.candidates, { step: this.place + 1, token: written.text });
    this.part("candidates-title").textContent = title;
    this.candidates.setAttribute("aria-label", title);
    const rows = candidates.map(({ id, text, probability }) => {
      const button = makeButton();
      const bar = make("span", "bar");
      const length = make("i");
      length.style.width = `${100 * probability}%`;
      bar.append(length);
      const chosen = this.place === fork.place && id === fork.id;
      const note = id === written.id ? labels.written : chosen ? labels.forced : "";
      button.append(make("b", "", text), make("span", "number", percent(probability, 1)), bar, make("span", "note", note));
      button.disabled = id === written.id;
      button.classList.toggle("chosen", chosen);
      Object.assign(button.dataset, { id, probability });
      return button;
    });
    this.candidates.replaceChildren(...rows);
  }

  look(button) {
    if (!button) return;
    this.place = Number(button.dataset.place);
    this.draw();
    this.list();
  }

  press(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    seize(event);
    const count = this.data.steps.length;
    this.place = (this.place + step + count) % count;
    this.draw();
    this.list();
  }

  pick(button) {
    if (button && !button.disabled) this.setTriggerValue("pick", { place: this.place, id: Number(button.dataset.id) });
  }
}

export default mounted(ForkPicker);
