import { unpackFine } from "../../core/codes.js";
import { colourAt, tableOf } from "../../core/colours.js";
import { decimals, fill, smallPercent } from "../../core/text.js";
import { Component, mounted } from "../../ui/component.js";
import { buttonOf, make, makeButton } from "../../ui/dom.js";
import { isTaken } from "../../ui/keys.js";
import { paint } from "../../ui/theme.js";
import "./playback.html";

const SHOWN = 0.05; // weights below have no number under their token
const NAMED = 3; // tokens that the sentence names
const MANY = 34; // tokens from which everything is set smaller
const PACE = 1000; // milliseconds a step when playing
const REST = 350; // milliseconds that a step stands before it is reported

/** @typedef {[text: string, special: boolean]} Token */
/**
 * @typedef {object} PlayedStep
 * @property {[text: string, share: number][]} candidates best first; the token written stands last where it is not one
 * @property {number} best how many of them are the best ones
 * @property {number} written its place among them
 * @property {number} entropy
 */
/**
 * @typedef {object} Played
 * @property {Token[]} src
 * @property {Token[]} reads
 * @property {Token[]} writes
 * @property {string} cross weights over `src`, packed
 * @property {string} own weights over `reads`, packed
 * @property {PlayedStep[]} steps
 * @property {number} positions
 * @property {number} d_model
 * @property {number} d_head
 * @property {number} start the step to open at, from 1
 */
/** @typedef {import("../../types.js").Dressed<Played>} Sent */
/** @typedef {"cross" | "own"} Row */

/** Small shares keep a digit: 0.4 %. @param {number} share */
const fine = (share) => smallPercent(share, share < 0.0995 ? 1 : 0);

/** @extends {Component<Sent>} */
class Playback extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.step = 0;
    this.start = 0;
    this.tokens = "";
    /** @type {number | undefined} */
    this.playing = undefined;
    /** @type {number | undefined} */
    this.resting = undefined;
    this.colours = new Uint8ClampedArray();
    /** @type {Record<Row, Float32Array>} */
    this.maps = { cross: new Float32Array(), own: new Float32Array() };
    /** @type {Record<Row, HTMLElement[]>} */
    this.boxes = { cross: [], own: [] };
    this.scrubber = /** @type {HTMLInputElement} */ (this.part("scrubber"));
    this.scrubber.addEventListener("input", () => this.go(Number(this.scrubber.value) - 1));
    this.part("controls").addEventListener("click", (event) => this.press(buttonOf(event)?.dataset.go));
    this.part("written").addEventListener("click", (event) => {
      const token = buttonOf(event);
      if (token) this.go(Number(token.dataset.index));
    });
    this.listen(document, "keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
  }

  /** @param {Sent} data */
  update({ look, cross, own, src, writes, start }) {
    this.colours = tableOf(look.scale);
    this.maps = { cross: unpackFine(cross), own: unpackFine(own) };
    const tokens = JSON.stringify(writes);
    if (tokens !== this.tokens) this.pause();
    // what was moved since the app was told of a step is not undone by its answer
    if (tokens !== this.tokens || (start !== this.start && !this.resting)) this.step = start - 1;
    [this.tokens, this.start] = [tokens, start];
    this.root.classList.toggle("many", Math.max(src.length, writes.length) > MANY);
    this.name();
    this.draw();
    this.show();
  }

  name() {
    const { labels, steps } = this.data;
    for (const button of this.all("[data-go]")) call(button, labels[button.dataset.go ?? ""]);
    call(this.scrubber, labels.scrubber);
    this.scrubber.max = String(steps.length);
    this.part("written").setAttribute("aria-label", labels.written);
  }

  /** The boxes that every step has; show() fills them. */
  draw() {
    const { src, reads, writes } = this.data;
    const written = writes.map(([text, special], index) => {
      const token = makeButton(special ? "special" : "", text.replace(/^##/, ""));
      token.tabIndex = -1;
      token.dataset.index = String(index);
      token.classList.toggle("inside", text.startsWith("##"));
      return token;
    });
    this.part("written").replaceChildren(...written);
    this.boxes = { cross: this.row("cross", src), own: this.row("own", reads) };
  }

  /** @param {Row} name @param {Token[]} tokens */
  row(name, tokens) {
    const boxes = tokens.map(([text, special]) =>
      make("li", special ? "special" : "", make("span", "text", text), make("span", "weight")),
    );
    this.find(`[data-row="${name}"]`).replaceChildren(...boxes);
    return boxes;
  }

  /** @param {string | undefined} what */
  press(what) {
    const last = this.data.steps.length - 1;
    if (what === "play" && this.playing) this.pause();
    else if (what === "play") this.play();
    else if (what === "first") this.go(0);
    else if (what === "previous") this.go(this.step - 1);
    else if (what === "next") this.go(this.step + 1);
    else if (what === "last") this.go(last);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const what = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    if (!what || isTaken(event) || event.shiftKey) return;
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

  /** @param {number} step */
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
    this.root.dataset.step = String(step + 1);
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

  /** @param {number} step @param {number} last */
  control(step, last) {
    const { labels } = this.data;
    this.root.classList.toggle("playing", Boolean(this.playing));
    call(this.part("play"), labels[this.playing ? "pause" : "play"]);
    /** @type {Record<string, number>} where a button leads nowhere */
    const ends = { first: 0, previous: 0, next: last, last };
    for (const button of this.all("[data-go]"))
      /** @type {HTMLButtonElement} */ (button).disabled = ends[button.dataset.go ?? ""] === step;
    this.scrubber.value = String(step + 1);
    const position = fill(labels.position, { step: step + 1, steps: last + 1 });
    this.part("position").textContent = position;
    this.scrubber.setAttribute("aria-valuetext", position);
  }

  /** @param {Row} name */
  weights(name) {
    const width = this.boxes[name].length;
    return Array.from(this.maps[name].subarray(this.step * width, (this.step + 1) * width));
  }

  /** Boxes beyond the weights belong to tokens that are not there yet. @param {Row} name @param {number[]} weights */
  light(name, weights) {
    const strongest = weights.indexOf(Math.max(...weights));
    this.boxes[name].forEach((box, index) => {
      const there = index < weights.length;
      const weight = there ? weights[index] : 0;
      box.hidden = !there;
      if (there) box.dataset.weight = weight.toFixed(4);
      paint(box, colourAt(this.colours, weight));
      box.classList.toggle("strongest", there && weight > 0 && index === strongest);
      box.children[1].textContent = weight >= SHOWN ? decimals(weight) : "";
    });
  }

  /** @param {PlayedStep} step */
  choices({ candidates, best, written, entropy }) {
    const { labels } = this.data;
    const rows = candidates.map(([text, share], index) => {
      const row = choice(text, share, index === written ? "chosen" : "");
      row.classList.toggle("lower", index >= best);
      if (index === written) row.setAttribute("aria-label", `${text} ${fine(share)}, ${labels.chosen}`);
      return row;
    });
    const rest = Math.max(0, 1 - candidates.reduce((sum, [, share]) => sum + share, 0));
    rows.push(choice(labels.others, rest, "rest"));
    this.part("candidates").replaceChildren(...rows);
    const count = Math.exp(entropy).toFixed(1);
    this.part("open").textContent = fill(labels.open, { count, entropy: decimals(entropy) });
  }

  inputs() {
    const { labels, reads, positions, d_model } = this.data;
    const count = this.step + 1;
    const query = () => this.flow(["Q"], fill(labels.state, { token: reads[this.step][0] }), 1);
    const states = fill(count > 1 ? labels.states : labels.read, { count });
    this.find(".inputs dl").replaceChildren(
      make("dt", "which", labels.cross_short),
      ...query(),
      ...this.flow(["K", "V"], fill(labels.memory, { count: positions, size: d_model }), positions),
      make("dt", "which", labels.own_short),
      ...query(),
      ...this.flow(["K", "V"], states, count),
    );
  }

  /** "Q ← the state of … [1 × 32]": what a matrix is made from, and its shape in one head. @param {string[]} letters @param {string} from @param {number} rows */
  flow(letters, from, rows) {
    const term = make("dt", "", ...letters.map((letter) => make("b", letter === "Q" ? "" : "stored", letter)));
    const source = make("dd", "", `← ${from} `, make("span", "shape", `[${rows} × ${this.data.d_head}]`));
    return [term, source];
  }

  tell() {
    const { data, step } = this;
    const weights = this.weights("cross");
    const order = weights.map((_, index) => index).sort((a, b) => weights[b] - weights[a]);
    const named = order.slice(0, NAMED).filter((index) => weights[index] >= 0.005);
    const list = named.map((index) => `${data.src[index][0]} ${decimals(weights[index])}`).join(" · ");
    const { candidates, written } = data.steps[step];
    this.part("readout").textContent = fill(data.labels.readout, {
      read: data.reads[step][0],
      token: data.writes[step][0],
      percent: fine(candidates[written][1]),
      list: list || data.labels.nothing,
    });
  }
}

/** @param {HTMLElement} element @param {string} name */
function call(element, name) {
  element.title = element.ariaLabel = name;
}

/** @param {string} text @param {number} share @param {string} className */
function choice(text, share, className) {
  const length = make("i");
  length.style.width = `${100 * share}%`;
  const row = make("li", className, make("span", "text", text), make("span", "bar", length));
  row.append(make("span", "share", fine(share)));
  row.dataset.probability = String(share);
  return row;
}

export default mounted(Playback);
