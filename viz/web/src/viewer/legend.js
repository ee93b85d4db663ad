// Beside the maps: what the colours stand for, and what is drawn in words.
import { colourAt, css, gradient, inkOn, scalesOf, shareOf } from "../core/colours.js";
import { sortOf } from "../core/heads.js";
import { litIn } from "../core/pointing.js";
import { labelsOf } from "../core/reading.js";
import { valueAt } from "../core/tell.js";
import { decimals, fill } from "../core/text.js";
import { make } from "../ui/dom.js";

export class Legend {
  /** @param {import("./viewer.js").Viewer} owner */
  constructor(owner) {
    this.owner = owner;
    this.low = make("b");
    this.high = make("b");
    this.ramp = make("i");
    this.meaning = make("p");
    /** @type {import("../types.js").Stops | null} of the colours that are shown */
    this.stops = null;
    const { words } = owner;
    const hints = hintsOf(words, "p");
    const bar = make("p", { className: "ramp" }, this.low, this.ramp, this.high);
    this.element = make("div", { className: "legend" }, bar, this.meaning, ...hints);
  }

  draw() {
    const { shown: panels, state, look, trace, words } = this.owner;
    const sort = sortOf(trace, state.method);
    const [scale] = scalesOf(panels, state);
    const own = state.scale === "own" && panels.length > 1;
    this.low.textContent = scale.signed
      ? decimals(-scale.top)
      : scale.bottom
        ? `≤ ${scale.bottom.toPrecision(1)}`
        : "0";
    this.high.textContent = own ? words.own : decimals(scale.top);
    const stops = scale.signed ? look.diverging : look.scale;
    if (stops !== this.stops) this.ramp.style.background = gradient(stops);
    this.stops = stops;
    const { unit } = panels[0];
    const coded = fill(words.coded, { unit: unit.toPrecision(1) });
    this.meaning.textContent = `${sort.meaning} ${coded}`;
  }
}

/** How heads are opened, and what can be done with a map. @param {Record<string, string>} words @param {"p" | "div"} tag */
const hintsOf = (words, tag) =>
  [words.hint_heads, words.hint].map((textContent) => make(tag, { className: "hint", textContent }));

/** What pointer and keys do. @param {Record<string, string>} words */
export function helpOf(words) {
  const dialog = make("dialog", { className: "help" });
  const close = make("button", { type: "button", className: "plain", textContent: words.close });
  close.addEventListener("click", () => dialog.close());
  const lines = words.keys.split("\n").map((line) => {
    const [keys, ...said] = line.split(": ");
    return make("p", {}, make("kbd", { textContent: keys }), said.join(": "));
  });
  dialog.append(make("h2", { textContent: words.help }), ...hintsOf(words, "div"), ...lines, close);
  return dialog;
}

// The sentence and its translation as tokens; one that is pointed at shows what it attends to, or what attends to it.

/** @typedef {{ element: HTMLElement, keys: string[] }} Chip */

export class Chips {
  /** @param {import("./viewer.js").Viewer} owner */
  constructor(owner) {
    this.owner = owner;
    this.rows = [make("p", { className: "chips", lang: "en" }), make("p", { className: "chips" })];
    this.element = make("div", { className: "sentences" }, ...this.rows);
    /** @type {Chip[]} */
    this.chips = [];
    this.made = "";
    this.element.addEventListener("pointerover", ({ target }) => owner.pointToken(this.keysOf(target)));
    this.element.addEventListener("pointerleave", () => owner.pointToken([]));
    this.element.addEventListener("click", (event) => owner.pinToken(this.keysOf(event.target), event.shiftKey));
  }

  /** @param {EventTarget | null} target */
  keysOf(target) {
    return this.chips.find(({ element }) => element === target)?.keys ?? [];
  }

  draw() {
    const { state, trace } = this.owner;
    const asked = [state.words, state.hide_special].join();
    if (asked === this.made) return;
    this.made = asked;
    /** @type {import("../types.js").Axis[]} */
    const axes = ["src", "outputs"];
    const both = axes.map((axis) => labelsOf(trace.header, axis, state));
    this.chips = both.flatMap((labels, i) => {
      const found = labels.map(({ text, keys }) => ({
        keys,
        element: make("button", { type: "button", textContent: text }),
      }));
      this.rows[i].replaceChildren(...found.map(({ element }) => element));
      return found;
    });
  }

  /** Colours by what the first large map gives the token in question. */
  shade() {
    const { drawing } = this.owner.panels[0] ?? {};
    const { lit, state } = this.owner;
    const all = [...lit.rows, ...lit.columns];
    const strength = drawing ? strengths(drawing, litIn(drawing.panel, lit)) : new Map();
    for (const { element, keys } of this.chips) {
      const share = keys.map((key) => strength.get(key)).find((found) => found !== undefined);
      const colour = drawing && share !== undefined && share !== null ? colourAt(drawing.table, share) : null;
      const isLit = keys.some((key) => all.includes(key));
      const isPinned = keys.some((key) => state.rows.includes(key) || state.columns.includes(key));
      const shown = [colour, isLit, isPinned].join();
      if (element.dataset.shown === shown) continue;
      element.dataset.shown = shown;
      element.style.background = colour ? css(colour) : "";
      element.style.color = colour ? inkOn(colour) : "";
      element.classList.toggle("lit", isLit);
      element.classList.toggle("pinned", isPinned);
    }
  }
}

/**
 * How strong each token is for the one row or column that is pointed at.
 * @param {import("./panel.js").Drawing} drawing
 * @param {{ rows: number[], columns: number[] }} lit
 */
function strengths({ panel, scale }, { rows, columns }) {
  /** @type {Map<string, number | null>} */
  const found = new Map();
  const put = (/** @type {string[]} */ keys, /** @type {number} */ value) =>
    keys.forEach((key) => found.set(key, shareOf(value, scale)));
  const { reading } = panel;
  if (rows.length) reading.columns.forEach(({ keys }, i) => put(keys, valueAt(reading, rows[0], i)));
  else if (columns.length) reading.rows.forEach(({ keys }, i) => put(keys, valueAt(reading, i, columns[0])));
  return found;
}
