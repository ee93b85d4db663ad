import { unpackFine } from "../../core/codes.js";
import { colourAt, css, tableOf } from "../../core/colours.js";
import { decimals, fill, percent } from "../../core/text.js";
import { Roving } from "../../grid/roving.js";
import { Component, mounted } from "../../ui/component.js";
import { make, makeButton, whenPointed, within } from "../../ui/dom.js";
import { seize } from "../../ui/keys.js";
import { paint } from "../../ui/theme.js";
import "./token_links.css";

const SHOWN = 0.05; // weights below have no number under their token
const NAMED = 4; // tokens that the sentence under the rows names
const SIDES = /** @type {const} */ (["src", "tgt"]);

/** @typedef {typeof SIDES[number]} Side */
/** @typedef {{ side: Side, index: number }} Place */
/**
 * @typedef {object} Links
 * @property {string[]} src
 * @property {string[]} tgt
 * @property {number[]} src_words of each token; -1 is special
 * @property {number[]} tgt_words
 * @property {string} weights [T, S], packed
 * @property {number[]} probabilities of each target token
 * @property {number | null} chosen the target token that is pinned at first
 */
/** @typedef {import("../../types.js").Dressed<Links>} Sent */

/** @extends {Component<Sent>} */
class TokenLinks extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.sides = { src: this.side("src"), tgt: this.side("tgt") };
    this.tokens = "";
    this.weights = new Float32Array();
    this.colours = new Uint8ClampedArray();
    /** @type {Place | null} */
    this.pinned = null;
    /** @type {Place | null} */
    this.pointed = null;
    /** @type {number | null} */
    this.chosen = null;
    for (const { row } of Object.values(this.sides)) {
      whenPointed(row, placeOf, (place) => this.point(place));
      row.addEventListener("click", (event) => this.pin(placeOf(event)));
      row.addEventListener("keydown", (event) => this.press(event));
    }
  }

  /** @param {Side} name */
  side(name) {
    const box = `[data-side="${name}"]`;
    /** @type {HTMLElement[]} */
    const chips = [];
    return { title: this.find(`${box} .side-title`), row: this.find(`${box} .tokens`), chips, roving: new Roving() };
  }

  /** @param {Sent} data */
  update(data) {
    this.weights = unpackFine(data.weights);
    this.colours = tableOf(data.look.scale);
    const tokens = JSON.stringify([data.src, data.tgt]);
    if (tokens !== this.tokens) this.pinned = this.pointed = this.chosen = null;
    this.tokens = tokens;
    if (data.chosen !== this.chosen) {
      this.chosen = data.chosen;
      this.pinned = data.chosen === null ? null : { side: "tgt", index: data.chosen };
    }
    for (const side of SIDES) this.draw(side);
    this.show();
  }

  /** @param {Side} name */
  draw(name) {
    const { data } = this;
    const side = this.sides[name];
    const words = data[`${name}_words`];
    side.title.textContent = data.labels[`${name}_title`];
    side.row.setAttribute("aria-label", data.labels[`${name}_title`]);
    const focused = side.chips.findIndex((chip) => chip === this.focused);
    /** @type {HTMLElement[]} */
    const groups = [];
    side.chips = data[name].map((text, index) => {
      const inside = index > 0 && words[index] >= 0 && words[index] === words[index - 1];
      if (!inside) groups.push(make("span", "word"));
      const chip = this.chip(name, index, inside ? text.replace(/^##/, "") : text);
      groups[groups.length - 1].append(chip);
      return chip;
    });
    side.roving.rest(side.chips[0]);
    side.row.replaceChildren(...groups);
    if (focused >= 0) side.chips[focused]?.focus();
  }

  /** @param {Side} side @param {number} index @param {string} text */
  chip(side, index, text) {
    const { data } = this;
    const chip = makeButton("chip", make("span", "text", text), make("span", "weight"));
    chip.tabIndex = -1;
    Object.assign(chip.dataset, { side, index });
    chip.classList.toggle("special", data[`${side}_words`][index] < 0);
    if (side === "tgt") {
      const length = make("i");
      length.style.width = `${100 * data.probabilities[index]}%`;
      chip.append(make("span", "sure", length));
      chip.dataset.probability = String(data.probabilities[index]);
      chip.title = fill(data.labels.confidence, { percent: percent(data.probabilities[index]) });
      chip.setAttribute("aria-label", `${text}, ${chip.title}`);
    }
    return chip;
  }

  /** @param {Place | null} place */
  point(place) {
    this.pointed = place;
    this.show();
  }

  /** @param {Place | null} place */
  pin(place) {
    if (!place) return;
    const again = same(this.pinned, place);
    this.pinned = again ? null : place;
    if (again) this.pointed = null;
    this.show();
    if (place.side === "tgt") {
      this.chosen = again ? null : place.index;
      this.setTriggerValue("pick", { place: again ? -1 : place.index });
    }
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const place = placeOf(event);
    if (event.key === "Escape") this.pinned = null;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const other = /** @type {Side | undefined} */ ({ ArrowUp: "src", ArrowDown: "tgt" }[event.key]);
    if (place && (step || (other && other !== place.side))) {
      const { chips, roving } = this.sides[other ?? place.side];
      const index = step ? place.index + step : Math.min(place.index, chips.length - 1);
      roving.go(chips[(index + chips.length) % chips.length]);
    } else if (event.key !== "Escape") return;
    seize(event);
    this.show();
  }

  /** Weights between the token in question and every token of the other side. @param {Place} place */
  linked({ side, index }) {
    const width = this.data.src.length;
    if (side === "tgt") return Array.from(this.weights.subarray(index * width, (index + 1) * width));
    return this.data.tgt.map((_, row) => this.weights[row * width + index]);
  }

  show() {
    const place = this.pointed ?? this.pinned;
    const weights = place ? this.linked(place) : [];
    const strongest = weights.indexOf(Math.max(...weights));
    for (const side of SIDES) {
      this.sides[side].chips.forEach((chip, index) => {
        const weight = place && side !== place.side ? weights[index] : null;
        this.light(chip, weight);
        chip.classList.toggle("strongest", weight !== null && weight > 0 && index === strongest);
        chip.classList.toggle("active", same(place, { side, index }));
        const pinned = same(this.pinned, { side, index });
        chip.classList.toggle("pinned", pinned);
        chip.setAttribute("aria-pressed", String(pinned));
      });
    }
    if (place) this.tell(place, weights);
    else this.read(this.data.labels.hint, true);
  }

  /** @param {HTMLElement} chip @param {number | null} weight */
  light(chip, weight) {
    chip.classList.toggle("lit", weight !== null);
    chip.children[1].textContent = weight !== null && weight >= SHOWN ? decimals(weight) : "";
    if (weight === null) {
      delete chip.dataset.weight;
      return;
    }
    chip.dataset.weight = weight.toFixed(4);
    const colour = colourAt(this.colours, weight);
    paint(chip, colour);
    chip.style.setProperty("--hl-fill-edge", weight > 0.2 ? css(colour) : "var(--hl-grid)");
  }

  /** @param {Place} place @param {number[]} weights */
  tell({ side, index }, weights) {
    const { labels, probabilities } = this.data;
    const others = this.data[side === "tgt" ? "src" : "tgt"];
    const order = weights.map((_, at) => at).sort((a, b) => weights[b] - weights[a]);
    const named = order.slice(0, NAMED).filter((at) => weights[at] >= 0.005);
    const list = named.map((at) => `${others[at]} ${decimals(weights[at])}`).join(" · ") || labels.nothing;
    const token = this.data[side][index];
    const sentence = fill(labels[side === "tgt" ? "attends" : "attended"], { token, list });
    const sure = side === "tgt" && fill(labels.confidence, { percent: percent(probabilities[index]) });
    this.read(sure ? `${sentence}  (${sure})` : sentence, false);
  }
}

/** @param {Event} event @returns {Place | null} */
function placeOf(event) {
  const chip = within(event, ".chip");
  return chip && { side: /** @type {Side} */ (chip.dataset.side), index: Number(chip.dataset.index) };
}

/** @param {Place | null} one @param {Place} other */
function same(one, other) {
  return one?.side === other.side && one.index === other.index;
}

export default mounted(TokenLinks);
