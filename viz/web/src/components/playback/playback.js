import { Component, mounted } from "../../ui/component.js";
import {
  colourAt,
  colourTable,
  decimals,
  fill,
  isTaken,
  make,
  makeButton,
  paint,
  smallPercent,
  unpackFine,
} from "../../ui/shared.js";
import "./playback.css";

const SHOWN = 0.05; // weights below have no number under their token
const NAMED = 3; // tokens that the sentence names
const MANY = 34; // tokens from which everything is set smaller
const PACE = 1000; // milliseconds a step when playing
const REST = 350; // milliseconds that a step stands before it is reported

// Small shares keep a digit: 0.4 %.
const fine = (share) => smallPercent(share, share < 0.0995 ? 1 : 0);

class Playback extends Component {
  constructor(root) {
    super(root);
    this.scrubber = this.part("scrubber");
    this.scrubber.addEventListener("input", () => this.go(Number(this.scrubber.value) - 1));
    this.part("controls").addEventListener("click", (event) => this.press(event.target.closest("button")?.dataset.go));
    this.part("written").addEventListener("click", (event) => {
      const token = event.target.closest("button");
      if (token) this.go(Number(token.dataset.index));
    });
    this.listen(document, "keydown", (event) => this.key(event));
  }

  update(data) {
    this.colours = colourTable(data.look.scale);
    for (const name of ["cross", "own"]) this[name] = unpackFine(data[name]);
    const tokens = JSON.stringify(data.writes);
    if (tokens !== this.tokens) this.pause();
    // what was moved since the app was told of a step is not undone by its answer
    if (tokens !== this.tokens || (data.start !== this.start && !this.resting)) this.step = data.start - 1;
    Object.assign(this, { tokens, start: data.start });
    this.root.classList.toggle("many", Math.max(data.src.length, data.writes.length) > MANY);
    this.name();
    this.draw();
    this.show();
  }

  name() {
    const { labels, steps } = this.data;
    for (const button of this.root.querySelectorAll("[data-go]")) this.call(button, labels[button.dataset.go]);
    this.call(this.scrubber, labels.scrubber);
    this.scrubber.max = steps.length;
    this.part("written").setAttribute("aria-label", labels.written);
  }

  call(element, name) {
    element.title = element.ariaLabel = name;
  }

  // The boxes that every step has; show() fills them.
  draw() {
    const { src, reads, writes } = this.data;
    const written = writes.map(([text, special], index) => {
      const token = makeButton(special ? "special" : "", text.replace(/^##/, ""));
      token.tabIndex = -1;
      token.dataset.index = index;
      token.classList.toggle("inside", text.startsWith("##"));
      return token;
    });
    this.part("written").replaceChildren(...written);
    this.boxes = { cross: this.row("cross", src), own: this.row("own", reads) };
  }

  row(name, tokens) {
    const boxes = tokens.map(([text, special]) => {
      const box = make("li", special ? "special" : "");
      box.append(make("span", "text", text), make("span", "weight"));
      return box;
    });
    this.root.querySelector(`[data-row="${name}"]`).replaceChildren(...boxes);
    return boxes;
  }

  press(what) {
    const last = this.data.steps.length - 1;
    const to = { first: 0, previous: this.step - 1, next: this.step + 1, last }[what];
    if (what === "play") this.playing ? this.pause() : this.play();
    else if (to !== undefined) this.go(to);
  }

  key(event) {
    const what = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    if (!what || isTaken(event)) return;
    event.preventDefault();
    this.press(what);
  }

  play() {
    if (this.step >= this.data.steps.length - 1) this.step = 0;
    this.playing = this.every(PACE, () => this.tick());
    this.show();
  }

  tick() {
    if (this.step < this.data.steps.length - 1) this.step += 1;
    if (this.step >= this.data.steps.length - 1) this.pause();
    this.show();
  }

  pause() {
    clearInterval(this.playing);
    this.playing = undefined;
    this.root.classList.remove("playing");
    this.report();
  }

  go(step) {
    if (this.playing) this.pause();
    this.step = Math.min(this.data.steps.length - 1, Math.max(0, step));
    this.show();
    this.report();
  }

  report() {
    clearTimeout(this.resting);
    const told = () => this.step + 1 === this.start; // the app knows
    this.resting = this.after(REST, () => {
      this.resting = undefined;
      if (!this.playing && !told()) this.setStateValue("step", this.step + 1);
    });
  }

  show() {
    const { step, data } = this;
    this.root.dataset.step = step + 1;
    this.control(step, data.steps.length - 1);
    [...this.part("written").children].forEach((token, index) => {
      token.classList.toggle("ahead", index > step);
      token.classList.toggle("now", index === step);
    });
    this.light("cross", this.weights("cross"));
    this.light("own", this.weights("own").slice(0, step + 1));
    this.choices(data.steps[step]);
    this.inputs();
    this.tell();
  }

  control(step, last) {
    const { labels } = this.data;
    this.root.classList.toggle("playing", Boolean(this.playing));
    this.call(this.part("play"), labels[this.playing ? "pause" : "play"]);
    const ends = { first: 0, previous: 0, next: last, last };
    for (const button of this.root.querySelectorAll("[data-go]")) button.disabled = ends[button.dataset.go] === step;
    this.scrubber.value = step + 1;
    const position = fill(labels.position, { step: step + 1, steps: last + 1 });
    this.part("position").textContent = position;
    this.scrubber.setAttribute("aria-valuetext", position);
  }

  weights(name) {
    const width = this.boxes[name].length;
    return Array.from(this[name].subarray(this.step * width, (this.step + 1) * width));
  }

  // Boxes beyond the weights belong to tokens that are not there yet.
  light(name, weights) {
    const strongest = weights.indexOf(Math.max(...weights));
    this.boxes[name].forEach((box, index) => {
      const there = index < weights.length;
      const weight = there ? weights[index] : 0;
      box.hidden = !there;
      if (there) box.dataset.weight = weight.toFixed(4);
      paint(box, colourAt(this.colours, weight));
      box.classList.toggle("strongest", there && weight > 0 && index === strongest);
      box.querySelector(".weight").textContent = weight >= SHOWN ? decimals(weight) : "";
    });
  }

  choices({ candidates, best, written, entropy }) {
    const { labels } = this.data;
    const rows = candidates.map(([text, share], index) => {
      const row = this.choice(text, share, index === written ? "chosen" : "");
      row.classList.toggle("lower", index >= best);
      if (index === written) row.setAttribute("aria-label", `${text} ${fine(share)}, ${labels.chosen}`);
      return row;
    });
    const rest = Math.max(0, 1 - candidates.reduce((sum, [, share]) => sum + share, 0));
    rows.push(this.choice(labels.others, rest, "rest"));
    this.part("candidates").replaceChildren(...rows);
    this.part("open").textContent = fill(labels.open, {
      count: Math.exp(entropy).toFixed(1),
      entropy: decimals(entropy),
    });
  }

  choice(text, share, className) {
    const row = make("li", className);
    const bar = make("span", "bar");
    bar.append(make("i"));
    bar.firstChild.style.width = `${100 * share}%`;
    row.dataset.probability = share;
    row.append(make("span", "text", text), bar, make("span", "share", fine(share)));
    return row;
  }

  inputs() {
    const { labels, reads, positions, d_model } = this.data;
    const count = this.step + 1;
    const query = () => this.flow(["Q"], fill(labels.state, { token: reads[this.step][0] }), 1);
    const states = fill(count > 1 ? labels.states : labels.read, { count });
    this.part("inputs")
      .querySelector("dl")
      .replaceChildren(
        make("dt", "which", labels.cross_short),
        ...query(),
        ...this.flow(["K", "V"], fill(labels.memory, { count: positions, size: d_model }), positions),
        make("dt", "which", labels.own_short),
        ...query(),
        ...this.flow(["K", "V"], states, count),
      );
  }

  // "Q ← the state of … [1 × 32]": what a matrix is made from, and its shape in one head.
  flow(letters, from, rows) {
    const term = make("dt");
    term.append(...letters.map((letter) => make("b", letter === "Q" ? "" : "stored", letter)));
    const source = make("dd", "", `← ${from} `);
    source.append(make("span", "shape", `[${rows} × ${this.data.d_head}]`));
    return [term, source];
  }

  tell() {
    const { data, step } = this;
    const weights = this.weights("cross");
    const order = weights.map((_, index) => index).sort((a, b) => weights[b] - weights[a]);
    const named = order.slice(0, NAMED).filter((index) => weights[index] >= 0.005);
    const list = named.map((index) => `${data.src[index][0]} ${decimals(weights[index])}`).join(" · ");
    const { candidates, written } = data.steps[step];
    const words = {
      read: data.reads[step][0],
      token: data.writes[step][0],
      percent: fine(candidates[written][1]),
      list: list || data.labels.nothing,
    };
    this.part("readout").textContent = fill(data.labels.readout, words);
  }
}

export default mounted(Playback);
