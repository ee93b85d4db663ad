import { colourAt, make, makeButton, paint } from "../../ui/shared.js";
import "./alone.css";

// What muting each head alone does to one token: a sentence, the heads that do most, and a colour and a text for every
// head's button on the board.
export class Alone {
  constructor(box, choose) {
    this.box = box;
    this.told = null;
    box.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) choose(button.place);
    });
  }

  tell(told) {
    this.told = told;
    this.box.hidden = !told;
    this.rows = (told?.heads ?? []).map(({ text, ...place }) => Object.assign(makeButton("", text), { place }));
    this.box.replaceChildren(make("p", "said", told?.said), ...this.rows);
  }

  // What a head's button says where its gain is 1, and its colour.
  dress(button, gain, colours) {
    const { kind, layer, head } = button.place;
    const cell = this.told?.cells[kind][layer][head];
    const shown = cell && gain === 100;
    button.classList.toggle("swept", Boolean(shown));
    button.classList.toggle("other", Boolean(shown && cell.other));
    button.title = cell?.long ?? "";
    if (!shown) return;
    paint(button, colourAt(colours, 0.5 + cell.change / (2 * this.told.top)));
    button.textContent = cell.text;
  }

  mark(faders) {
    for (const row of this.rows) row.setAttribute("aria-pressed", String(faders.isOnlyMuted(row.place)));
  }
}
