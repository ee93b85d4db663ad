import { Component, mounted } from "../../ui/component.js";
import {
  colourAt,
  colourTable,
  css,
  decimals,
  fill,
  make,
  makeButton,
  paint,
  percent,
  seize,
  unpackFine,
  whenPointed,
} from "../../ui/shared.js";
import "./token_links.css";

const SHOWN = 0.05; // weights below have no number under their token
const NAMED = 4; // tokens that the sentence under the rows names

class TokenLinks extends Component {
  constructor(root) {
    super(root);
    this.sides = {};
    for (const side of ["src", "tgt"]) {
      const box = root.querySelector(`[data-side="${side}"]`);
      this.sides[side] = { title: box.querySelector(".side-title"), row: box.querySelector(".tokens"), chips: [] };
    }
    this.pinned = null;
    this.pointed = null;
    for (const { row } of Object.values(this.sides)) {
      whenPointed(
        row,
        (e) => this.chipOf(e),
        (place) => this.point(place),
      );
      row.addEventListener("click", (e) => this.pin(this.chipOf(e)));
      row.addEventListener("keydown", (e) => this.press(e));
    }
  }

  update(data) {
    this.weights = unpackFine(data.weights);
    this.colours = colourTable(data.look.scale);
    const tokens = JSON.stringify([data.src, data.tgt]);
    if (tokens !== this.tokens) this.pinned = this.pointed = this.chosen = null;
    this.tokens = tokens;
    if (data.chosen !== this.chosen) {
      this.chosen = data.chosen;
      this.pinned = data.chosen === null ? null : { side: "tgt", index: data.chosen };
    }
    for (const side of ["src", "tgt"]) this.draw(side);
    this.show();
  }

  draw(side) {
    const { data } = this;
    const { title, row } = this.sides[side];
    title.textContent = data.labels[`${side}_title`];
    row.setAttribute("aria-label", data.labels[`${side}_title`]);
    const words = data[`${side}_words`];
    const focused = this.sides[side].chips.indexOf(this.root.getRootNode().activeElement);
    const groups = [];
    this.sides[side].chips = data[side].map((text, index) => {
      const inside = index > 0 && words[index] >= 0 && words[index] === words[index - 1];
      if (!inside) groups.push(make("span", "word"));
      const chip = this.chip(side, index, inside ? text.replace(/^##/, "") : text);
      groups.at(-1).append(chip);
      return chip;
    });
    row.replaceChildren(...groups);
    if (focused >= 0) this.sides[side].chips[focused]?.focus();
  }

  chip(side, index, text) {
    const { data } = this;
    const chip = makeButton("chip");
    chip.tabIndex = index ? -1 : 0;
    chip.dataset.side = side;
    chip.dataset.index = index;
    chip.classList.toggle("special", data[`${side}_words`][index] < 0);
    chip.append(make("span", "text", text), make("span", "weight"));
    if (side === "tgt") {
      const sure = make("span", "sure");
      const length = make("i");
      length.style.width = `${100 * data.probabilities[index]}%`;
      sure.append(length);
      chip.append(sure);
      chip.dataset.probability = data.probabilities[index];
      chip.title = fill(data.labels.confidence, { percent: percent(data.probabilities[index]) });
      chip.setAttribute("aria-label", `${text}, ${chip.title}`);
    }
    return chip;
  }

  chipOf(event) {
    const chip = event.target.closest?.(".chip");
    return chip ? { side: chip.dataset.side, index: Number(chip.dataset.index) } : null;
  }

  point(place) {
    this.pointed = place;
    this.show();
  }

  pin(place) {
    if (!place) return;
    const again = this.pinned && this.pinned.side === place.side && this.pinned.index === place.index;
    this.pinned = again ? null : place;
    if (again) this.pointed = null;
    this.show();
    if (place.side === "tgt") {
      this.chosen = again ? null : place.index;
      this.setTriggerValue("pick", { place: again ? -1 : place.index });
    }
  }

  press(event) {
    const place = this.chipOf(event);
    if (event.key === "Escape") this.pinned = null;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const other = { ArrowUp: "src", ArrowDown: "tgt" }[event.key];
    if (place && (step || (other && other !== place.side))) {
      const { chips } = this.sides[other ?? place.side];
      const index = step ? place.index + step : Math.min(place.index, chips.length - 1);
      this.focus(chips[(index + chips.length) % chips.length]);
    } else if (event.key !== "Escape") return;
    seize(event);
    this.show();
  }

  focus(chip) {
    for (const each of this.sides[chip.dataset.side].chips) each.tabIndex = each === chip ? 0 : -1;
    chip.focus();
  }

  // Weights between the token in question and every token of the other side.
  linked({ side, index }) {
    const width = this.data.src.length;
    if (side === "tgt") return Array.from(this.weights.subarray(index * width, (index + 1) * width));
    return this.data.tgt.map((_, row) => this.weights[row * width + index]);
  }

  show() {
    const place = this.pointed ?? this.pinned;
    const weights = place && this.linked(place);
    const strongest = weights && weights.indexOf(Math.max(...weights));
    for (const [side, { chips }] of Object.entries(this.sides)) {
      chips.forEach((chip, index) => {
        const weight = place && side !== place.side ? weights[index] : null;
        this.light(chip, weight);
        chip.classList.toggle("strongest", weight > 0 && index === strongest);
        chip.classList.toggle("active", place?.side === side && place.index === index);
        const pinned = this.pinned?.side === side && this.pinned.index === index;
        chip.classList.toggle("pinned", pinned);
        chip.setAttribute("aria-pressed", String(pinned));
      });
    }
    this.tell(place, weights);
  }

  light(chip, weight) {
    chip.classList.toggle("lit", weight !== null);
    chip.querySelector(".weight").textContent = weight >= SHOWN && weight !== null ? decimals(weight) : "";
    if (weight === null) {
      delete chip.dataset.weight;
      return;
    }
    chip.dataset.weight = weight.toFixed(4);
    const colour = colourAt(this.colours, weight);
    paint(chip, colour);
    chip.style.setProperty("--hl-fill-edge", weight > 0.2 ? css(colour) : "var(--hl-grid)");
  }

  tell(place, weights) {
    const { labels, probabilities } = this.data;
    if (!place) return this.read(labels.hint, true);
    const others = this.data[place.side === "tgt" ? "src" : "tgt"];
    const order = weights.map((_, index) => index).sort((a, b) => weights[b] - weights[a]);
    const named = order.slice(0, NAMED).filter((index) => weights[index] >= 0.005);
    const list = named.map((index) => `${others[index]} ${decimals(weights[index])}`).join(" · ") || labels.nothing;
    const sentence = fill(labels[place.side === "tgt" ? "attends" : "attended"], {
      token: this.data[place.side][place.index],
      list,
    });
    const sure = place.side === "tgt" && fill(labels.confidence, { percent: percent(probabilities[place.index]) });
    this.read(sure ? `${sentence}  (${sure})` : sentence, false);
  }
}

export default mounted(TokenLinks);
