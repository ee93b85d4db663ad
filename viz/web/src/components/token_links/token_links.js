import { unpackCoarse, unpackFine } from "../../core/codes.js";
import { colourAt, css, tableOf } from "../../core/colours.js";
import { decimals, fill, percent } from "../../core/text.js";
import { Roving } from "../../grid/roving.js";
import { Component, mounted } from "../../ui/component.js";
import { make, makeButton, svg, whenPointed, within } from "../../ui/dom.js";
import { seize } from "../../ui/keys.js";
import { paint } from "../../ui/theme.js";
import { HeadBoard } from "../head_board/head_board.js";
import "./token_links.html";

const SHOWN = 0.05; // weights below have no number at their token, and no curve
const FAINT = 0.15; // nor have those below among the curves of tokens that nobody asks about
const NAMED = 4; // tokens that the sentence over the rows names
const MANY = 24; // tokens of a side, which are drawn smaller
const BEAT = 700; // milliseconds a token is played
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
 * @property {Wrote | null} heads the heads that wrote the chosen token
 * @property {string} [written] the translation, to be copied
 * @property {string[]} [readings] how each target token is said
 */
/**
 * @typedef {object} Wrote
 * @property {import("../head_board/head_board.js").Board} board their votes
 * @property {string} rows what each looked at in the step that wrote the token, [L·H, S], packed
 * @property {string} title
 * @property {string} legend
 * @property {{ title: string, tokens: { text: string, fresh: boolean }[] } | null} mixed the translation with other gains
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
    /** What the head that is pointed at looked at. @type {{ head: string, weights: number[] } | null} */
    this.preview = null;
    /** @type {number | undefined} */
    this.playing = undefined;
    this.rows = new Float32Array();
    this.board = new HeadBoard(this.part("board"));
    this.board.whenPointed = (place) => this.previewHead(place);
    this.curves = this.drawing("curves");
    this.part("play").addEventListener("click", () => this.play(this.playing === undefined));
    this.part("copy").addEventListener("click", () => void this.copy());
    this.part("back").addEventListener("click", () => this.setTriggerValue("head", { back: true }));
    this.whenResized(() => this.show());
    this.ends.push(() => window.clearInterval(this.playing));
    for (const { row } of Object.values(this.sides)) {
      whenPointed(row, placeOf, (place) => this.playing === undefined && this.point(place));
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
    this.root.classList.toggle("many", Math.max(data.src.length, data.tgt.length) > MANY);
    for (const side of SIDES) this.draw(side);
    this.part("copy").textContent = data.labels.copy ?? "";
    this.part("copy").hidden = !data.written || !navigator.clipboard; // which only secure pages have
    this.drawHeads(data);
    this.play(false, this.playing === undefined);
  }

  /** The heads that wrote the chosen token, and what becomes of the translation without some. @param {Sent} data */
  drawHeads({ heads, look, labels }) {
    const mixed = heads?.mixed;
    this.root.classList.toggle("with-board", !!heads);
    this.part("writers").hidden = !heads;
    this.part("writers-title").textContent = heads?.title ?? "";
    this.preview = null;
    if (heads) {
      this.rows = unpackCoarse(heads.rows);
      const words = { hint: labels.heads_hint, legend: heads.legend };
      const sent = { ...heads.board, selected: null, look, labels: words };
      const open = (/** @type {string} */ _, /** @type {unknown} */ place) => this.setTriggerValue("head", place);
      this.board.take({ data: sent, setTriggerValue: open, setStateValue: () => {} });
    }
    this.part("mixed").hidden = !mixed;
    this.part("mixed-title").textContent = mixed?.title ?? "";
    const tokens = (mixed?.tokens ?? []).map(({ text, fresh }) => make(fresh ? "mark" : "span", "", text));
    this.part("mixed-text").replaceChildren(...tokens);
    this.part("play").hidden = !labels.play;
  }

  async copy() {
    await navigator.clipboard.writeText(this.data.written ?? "");
    this.part("copy").textContent = this.data.labels.copied;
  }

  /** Lights, in the picture, what a head looked at while the chosen token was written. @param {import("../../types.js").HeadPlace | null} place */
  previewHead(place) {
    const { heads, src } = this.data;
    if (!heads || this.chosen === null) return;
    const [{ values }] = heads.board.kinds;
    this.preview = null;
    if (place) {
      const at = (place.layer * values[0].length + place.head) * src.length;
      const weights = Array.from(this.rows.subarray(at, at + src.length));
      this.preview = { head: `L${place.layer} H${place.head}`, weights };
    }
    this.show();
  }

  /** Shows the tokens one after the other, as they are written; or stops. @param {boolean} on @param {boolean} still nothing was played */
  play(on, still = false) {
    window.clearInterval(this.playing);
    this.playing = undefined;
    const { labels, tgt } = this.data;
    const button = this.part("play");
    button.textContent = on ? labels.stop : labels.play;
    button.setAttribute("aria-pressed", String(on));
    if (!still) this.pointed = null;
    if (on) {
      let index = -1;
      const beat = () => {
        index += 1;
        if (index >= tgt.length) this.play(false);
        else this.point({ side: "tgt", index });
      };
      beat();
      this.playing = this.every(BEAT, beat);
    }
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
    const reading = side === "tgt" && data.readings?.[index];
    const said = reading ? make("ruby", "text", text, make("rt", "", reading)) : make("span", "text", text);
    const chip = makeButton("chip", said, make("span", "weight"));
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
    if (this.playing !== undefined) this.play(false);
    const isAsked = place.side === "tgt" && !!this.data.heads; // there is always one that the board is about
    const again = same(this.pinned, place) && !isAsked;
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
    const asked = this.preview ? /** @type {Place} */ ({ side: "tgt", index: this.chosen }) : null;
    const place = asked ?? this.pointed ?? this.pinned;
    const weights = this.preview?.weights ?? (place ? this.linked(place) : []);
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
        const later = this.playing !== undefined && side === "tgt" && index > (this.pointed?.index ?? 0);
        chip.classList.toggle("unwritten", later);
      });
    }
    this.link(place, weights);
    if (place) this.tell(place, weights);
    else this.read(this.data.labels.hint, true);
  }

  /** Curves of the token in question; faint ones of all others, where each side has one line. @param {Place | null} place @param {number[]} weights */
  link(place, weights) {
    const box = this.curves.getBoundingClientRect();
    const [tops, ends] = SIDES.map((side) =>
      this.sides[side].chips.map((chip) => {
        const { left, width, top, bottom } = chip.getBoundingClientRect();
        return { x: left + width / 2 - box.left, y: (side === "src" ? bottom : top) - box.top };
      }),
    );
    const isOneLine = [tops, ends].every((side) => side.every(({ y }) => Math.abs(y - side[0].y) < 12));
    /** @type {SVGPathElement[]} */
    const paths = [];
    const draw = (/** @type {number} */ t, /** @type {number} */ s, /** @type {number} */ weight, faint = false) => {
      const [from, to] = [tops[s], ends[t]];
      const middle = (from.y + to.y) / 2;
      const path = svg("path", {
        d: `M${from.x} ${from.y}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`,
        stroke: css(colourAt(this.colours, faint ? 0.45 : 0.35 + 0.5 * weight)),
        "stroke-width": faint ? 1 + weight : 1.5 + 3.5 * weight,
        opacity: faint ? 0.1 + 0.25 * weight : 0.35 + 0.65 * weight,
      });
      path.classList.toggle("faint", faint);
      paths.push(path);
    };
    if (isOneLine && this.playing === undefined) {
      this.weights.forEach((weight, at) => {
        const [t, s] = [Math.floor(at / tops.length), at % tops.length];
        const asked = place && (place.side === "tgt" ? place.index === t : place.index === s);
        if (weight >= FAINT && !asked) draw(t, s, weight, true);
      });
    }
    if (place) {
      weights.forEach((weight, at) => {
        const [t, s] = place.side === "tgt" ? [place.index, at] : [at, place.index];
        if (weight >= SHOWN) draw(t, s, weight);
      });
    }
    this.curves.replaceChildren(...paths);
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
    const list = this.listed(weights, this.data[side === "tgt" ? "src" : "tgt"]);
    const token = this.data[side][index];
    if (this.preview) {
      this.read(fill(labels.looks, { head: this.preview.head, token, list }), false);
      return;
    }
    const sentence = fill(labels[side === "tgt" ? "attends" : "attended"], { token, list });
    const sure = side === "tgt" && fill(labels.confidence, { percent: percent(probabilities[index]) });
    this.read(sure ? `${sentence}  (${sure})` : sentence, false);
  }

  /** The tokens that are linked most, with how much. @param {number[]} weights @param {string[]} tokens */
  listed(weights, tokens) {
    const order = weights.map((_, at) => at).sort((a, b) => weights[b] - weights[a]);
    const named = order.slice(0, NAMED).filter((at) => weights[at] >= 0.005);
    return (
      named.map((at) => `${tokens[at].replace(/^##/, "")} ${decimals(weights[at])}`).join(" · ") ||
      this.data.labels.nothing
    );
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
