import { colourAt } from "../../core/colours.js";
import { buttonOf, make, makeButton } from "../../ui/dom.js";
import { paint } from "../../ui/theme.js";

/** @typedef {import("./faders.js").Place} Place */
/** @typedef {{ text: string, long: string, change: number, other: boolean }} Muted what one head alone does */
/** @typedef {{ said: string, top: number, heads: (Place & { text: string })[], cells: Muted[][][] }} MutedAlone */

/**
 * What muting each head alone does to one token: a sentence, the heads that do most, and a colour and a text for every
 * head's button on the board.
 */
export class Alone {
  /** @param {HTMLElement} box @param {(place: Place) => void} choose */
  constructor(box, choose) {
    this.box = box;
    /** @type {MutedAlone | null} */
    this.told = null;
    /** @type {{ place: Place, button: HTMLButtonElement }[]} */
    this.rows = [];
    box.addEventListener("click", (event) => {
      const row = this.rows.find(({ button }) => button === buttonOf(event));
      if (row) choose(row.place);
    });
  }

  /** @param {MutedAlone | null} told */
  tell(told) {
    this.told = told;
    this.box.hidden = !told;
    this.rows = (told?.heads ?? []).map(({ text, ...place }) => ({ place, button: makeButton("", text) }));
    this.box.replaceChildren(make("p", "said", told?.said), ...this.rows.map(({ button }) => button));
  }

  /** What a head's button says where its gain is 1, and its colour. @param {HTMLElement} button @param {Place} place @param {number | null} gain @param {Uint8ClampedArray} colours */
  dress(button, { kind, layer, head }, gain, colours) {
    const cell = this.told && layer !== null && head !== null ? this.told.cells[kind][layer][head] : null;
    const shown = cell && gain === 100;
    button.classList.toggle("swept", Boolean(shown));
    button.classList.toggle("other", Boolean(shown && cell.other));
    button.title = cell?.long ?? "";
    if (!shown || !this.told) return;
    paint(button, colourAt(colours, 0.5 + cell.change / (2 * this.told.top)));
    button.textContent = cell.text;
  }

  /** @param {import("./faders.js").Faders} faders */
  mark(faders) {
    for (const { place, button } of this.rows) button.setAttribute("aria-pressed", String(faders.isOnlyMuted(place)));
  }
}
