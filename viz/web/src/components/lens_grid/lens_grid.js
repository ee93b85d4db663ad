import { colourAt, tableOf } from "../../core/colours.js";
import { fill, smallPercent } from "../../core/text.js";
import { Component, mounted } from "../../ui/component.js";
import { make, makeButton, svg, within } from "../../ui/dom.js";
import { isTaken, seize } from "../../ui/keys.js";
import { paint } from "../../ui/theme.js";
import "./lens_grid.html";

const STANDS = 150; // milliseconds that a step stands before it is reported

/**
 * @typedef {object} LensStep One step, by level.
 * @property {number[]} ranks of the token written
 * @property {number[]} written its probabilities
 * @property {number[][]} candidates places in `tokens`, best first
 * @property {number[][]} probabilities
 */
/**
 * @typedef {object} Lens
 * @property {string[]} reads
 * @property {string[]} writes
 * @property {string[]} tokens
 * @property {LensStep[]} steps
 * @property {(number | null)[]} settles the level from which on the token written is the first
 * @property {number} vocabulary
 * @property {number} step from 1
 */
/** @typedef {import("../../types.js").Dressed<Lens>} Sent */

/** @extends {Component<Sent>} */
class LensGrid extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.step = 0;
    this.width = 0;
    this.sentence = "";
    this.colours = new Uint8ClampedArray();
    /** @type {number | undefined} */
    this.reported = undefined;
    /** @type {number | undefined} */
    this.resting = undefined;
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    this.grid = this.part("grid");
    this.grid.addEventListener("click", (event) => this.go(Number(within(event, "[data-step]")?.dataset.step ?? -1)));
    this.grid.addEventListener("keydown", (event) => this.press(event, true));
    this.listen(document, "keydown", (/** @type {KeyboardEvent} */ event) => {
      if (!isTaken(event) && !event.shiftKey) this.press(event, false);
    });
    this.whenResized(() => root.clientWidth !== this.width && this.show());
  }

  /** @param {Sent} data */
  update({ writes, reads, step, look }) {
    const sentence = JSON.stringify([writes, reads]);
    if (sentence !== this.sentence || step === this.reported) this.reported = undefined;
    // until the app answers what was chosen last, its answers are to what was chosen before
    if (sentence !== this.sentence || !(this.resting || this.reported)) this.step = step - 1;
    this.sentence = sentence;
    this.colours = tableOf(look.scale);
    this.draw();
    this.show();
    this.reveal();
  }

  /** Scrolls sideways where the step's column is out of sight; never the page. */
  reveal() {
    const frame = /** @type {HTMLElement} */ (this.grid.parentElement);
    const [column, seen] = [this.buttons[this.step].getBoundingClientRect(), frame.getBoundingClientRect()];
    if (column.left < seen.left + NAMES || column.right > seen.right) {
      frame.scrollLeft += (column.left + column.right - seen.left - seen.right) / 2;
    }
  }

  /** @param {number} level */
  levelName(level) {
    const { labels } = this.data;
    return level === 0 ? labels.embedding : fill(labels.after, { layer: level - 1 });
  }

  /** Columns are steps, rows are layers, the output on top. */
  draw() {
    const { reads, writes, steps, labels } = this.data;
    this.buttons = writes.map((text, step) => {
      const button = makeButton("", text);
      button.dataset.step = String(step);
      return button;
    });
    const written = this.buttons.map((button, step) => header(button, writes[step]));
    const rows = steps[0].ranks.map((_, level) =>
      row(this.levelName(level), "level", ...steps.map((_, step) => this.cell(step, level))),
    );
    const below = reads.map((text) => header(make("span", "", text), text));
    this.grid.setAttribute("aria-label", labels.grid);
    this.grid.replaceChildren(
      row(labels.writes, "written", ...written),
      ...rows.reverse(),
      row(labels.reads, "reads", ...below),
    );
  }

  /** @param {number} step @param {number} level */
  cell(step, level) {
    const { tokens, steps, labels, writes } = this.data;
    const { candidates, probabilities, ranks } = steps[step];
    const [token, probability, rank] = [tokens[candidates[level][0]], probabilities[level][0], ranks[level]];
    const cell = make("td", rank === 1 ? "same" : "", token);
    paint(cell, colourAt(this.colours, probability));
    Object.assign(cell.dataset, { step, level, probability, rank });
    const values = { level: this.levelName(level), token, probability: smallPercent(probability, 1) };
    cell.title = fill(labels.cell, { ...values, rank: rank.toLocaleString("en"), written: writes[step] });
    return cell;
  }

  /** @param {number} step @param {boolean} [focus] */
  go(step, focus = false) {
    if (!(step in this.data.steps)) return;
    this.step = step;
    this.show();
    if (focus) this.buttons[step].focus();
    this.reveal();
    clearTimeout(this.resting);
    this.resting = this.after(STANDS, () => this.report());
  }

  report() {
    this.resting = undefined;
    this.reported = this.step + 1;
    this.setTriggerValue("step", this.reported);
  }

  /** @param {KeyboardEvent} event @param {boolean} focus */
  press(event, focus) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || !(this.step + by in this.data.steps)) return;
    seize(event);
    this.go(this.step + by, focus);
  }

  show() {
    this.width = this.root.clientWidth;
    const room = (this.width - NAMES) / this.buttons.length - 4;
    this.root.style.setProperty("--cell", `${Math.min(72, Math.max(38, room))}px`);
    this.root.dataset.step = String(this.step + 1);
    this.buttons.forEach((button, step) => {
      button.setAttribute("aria-pressed", String(step === this.step));
      button.tabIndex = step === this.step ? 0 : -1;
    });
    for (const cell of this.grid.querySelectorAll("td"))
      cell.classList.toggle("now", Number(cell.dataset.step) === this.step);
    this.story();
    const names = this.data.steps[0].ranks.map((_, level) => this.levelName(level));
    rankCurve(this.drawing("curve"), this.data, this.step, this.width);
    this.part("levels").replaceChildren(...levelTable(this.data, this.step, names));
  }

  story() {
    const { labels, writes, steps, settles, vocabulary } = this.data;
    const level = settles[this.step];
    const { ranks } = steps[this.step];
    this.part("story").textContent = fill(level === null ? labels.never : labels.settles, {
      token: writes[this.step],
      step: this.step + 1,
      level: level === null ? "" : this.levelName(level),
      first: ranks[0].toLocaleString("en"),
      vocabulary: vocabulary.toLocaleString("en"),
    });
  }
}

/** @param {string} name @param {string} className @param {...HTMLElement} cells */
function row(name, className, ...cells) {
  return make("tr", className, make("th", { scope: "row", textContent: name }), ...cells);
}

/** @param {HTMLElement} content @param {string} title */
function header(content, title) {
  return make("th", { scope: "col", title }, content);
}

export default mounted(LensGrid);

// One step of the logit lens from layer to layer: the rank of the token written, and the candidates.
const NAMES = 94; // pixels left of the first level, as in the table below the curve
const CURVE = 96; // pixels from rank 1 down to the last

/**
 * Ranks on a logarithmic scale, rank 1 on top; an arrow says whether the token climbs or falls.
 * @param {SVGSVGElement} place
 * @param {Sent} data
 * @param {number} step
 * @param {number} width
 */
function rankCurve(place, data, step, width) {
  const { ranks, written } = data.steps[step];
  const wide = (Math.max(width, 704) - NAMES) / ranks.length;
  const x = (/** @type {number} */ level) => NAMES + (level + 0.5) * wide;
  const y = (/** @type {number} */ rank) => 24 + (CURVE * Math.log(rank)) / Math.log(data.vocabulary);
  const points = ranks.map((rank, level) => `${x(level)},${y(rank)}`).join(" ");
  const marks = [1, 10, 100, 1000]
    .filter((rank) => rank < data.vocabulary)
    .flatMap((rank) => [
      svg("line", { class: "guide", x1: NAMES - 20, x2: NAMES + wide * ranks.length, y1: y(rank), y2: y(rank) }),
      svg("text", { class: "quiet", x: NAMES - 42, y: y(rank) + 4 }, rank.toLocaleString("en")),
    ]);
  const dots = ranks.flatMap((rank, level) => {
    const dot = svg("circle", { cx: x(level), cy: y(rank), r: 5, class: rank === 1 ? "first" : "" });
    Object.assign(dot.dataset, { level, rank, probability: written[level] });
    const before = level ? ranks[level - 1] : rank;
    const arrow = rank < before ? "↗ " : rank > before ? "↘ " : "";
    const above = rank === 1 ? 20 : -10;
    return [dot, svg("text", { x: x(level), y: y(rank) + above }, `${arrow}${rank.toLocaleString("en")}`)];
  });
  place.setAttribute("height", String(CURVE + 44));
  const told = ranks.map((rank) => rank.toLocaleString("en")).join(" → ");
  place.setAttribute("aria-label", fill(data.labels.curve, { token: data.writes[step], ranks: told }));
  place.replaceChildren(...marks, svg("polyline", { class: "path", points }), ...dots);
}

/**
 * Rows: name of the level, probability of the token written, then the candidates, best first.
 * @param {Sent} data
 * @param {number} step
 * @param {string[]} names
 */
function levelTable(data, step, names) {
  const { candidates, probabilities, written, ranks } = data.steps[step];
  const line = (/** @type {string} */ title, /** @type {HTMLElement[]} */ cells) => {
    const head = title ? make("th", { scope: "row", textContent: title }) : make("td", "corner");
    return make("tr", "", head, ...cells);
  };
  const heads = names.map((name) => make("th", { scope: "col", textContent: name }));
  const rows = candidates[0].map((_, place) =>
    line(
      place ? `${place + 1}.` : data.labels.candidates,
      candidates.map((level, l) => {
        const cell = make("td", ranks[l] === place + 1 ? "same" : "", data.tokens[level[place]]);
        cell.append(make("span", "", smallPercent(probabilities[l][place], 1)));
        Object.assign(cell.dataset, { level: l, place, probability: probabilities[l][place] });
        return cell;
      }),
    ),
  );
  const own = written.map((probability) => make("th", "", smallPercent(probability, 1)));
  return [line("", heads), line(`p(${data.writes[step]})`, own), ...rows];
}
