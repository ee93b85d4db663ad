// The sentence and its translation as tokens; one that is pointed at shows what it attends to, or what attends to it.
import { colourAt, css, inkOn } from "../core/colours.js";
import { make } from "../ui/dom.js";
import { litIn } from "../core/pointing.js";
import { labelsOf } from "../core/reading.js";
import { shareOf } from "../core/scale.js";
import { valueAt } from "../core/tell.js";

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
