// A card with one labelled map, larger, beside the small one that is pointed at.
import { asMap, Layers } from "../map/map.js";
import { make } from "./dom.js";

const AWAY = 14; // px from the map that is pointed at
const EDGE = 4; // px from the window's
const FRAME = { width: 25, height: 68 }; // of the card, what is not its map

export class PreviewCard {
  /**
   * @param {number} side the room of its map, in px
   * @param {HTMLElement | null} within what it stands in; null where it stands in the window
   */
  constructor(side, within) {
    this.side = side;
    this.within = within;
    this.title = make("p", "panel-title");
    this.said = make("p", "said");
    this.layers = new Layers();
    const stage = make("div", "stage", this.layers.under, this.layers.names);
    this.element = make("div", { className: "preview", hidden: true }, this.title, this.said, stage);
    stage.setAttribute("aria-hidden", "true");
  }

  hide() {
    this.element.hidden = true;
  }

  /**
   * @param {string} title
   * @param {string} said
   * @param {import("../viewer/panel.js").Picture} drawing
   * @param {{ left: number, right: number, top: number }} beside
   */
  show(title, said, drawing, beside) {
    const { rows, columns } = drawing.panel.reading;
    const { side, layers } = this;
    const place = asMap.fitted(
      { width: side, height: side, ratio: window.devicePixelRatio || 1 },
      { rows: drawing.ruler.widths(rows), columns: drawing.ruler.widths(columns) },
    );
    this.title.textContent = title;
    this.said.textContent = said;
    const size = { width: Math.max(side, place.left + place.width + 2), height: place.top + place.height + 2 };
    layers.paint(asMap, place, drawing, size);
    this.element.hidden = false;
    this.stand(beside, { width: size.width + FRAME.width, height: size.height + FRAME.height });
  }

  /**
   * To the right of what is pointed at, or to its left, within the window.
   * @param {{ left: number, right: number, top: number }} beside
   * @param {{ width: number, height: number }} size
   */
  stand({ left, right, top }, { width, height }) {
    const outer = this.within?.getBoundingClientRect() ?? { left: 0, top: 0, right: window.innerWidth };
    const fits = right + AWAY + width < outer.right;
    const x = fits ? right + AWAY : Math.max(outer.left + EDGE, left - AWAY - width);
    const y = Math.max(EDGE, Math.min(top, window.innerHeight - height - EDGE));
    this.element.style.transform = `translate(${x - outer.left}px, ${y - outer.top}px)`;
  }
}
