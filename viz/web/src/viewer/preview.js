// A card with the labelled map of a head that is only pointed at.
import { make } from "../ui/dom.js";
import { Layers } from "../map/layers.js";
import { asMap } from "../map/map.js";
import { drawingOf } from "./panel.js";
import { scalesOf } from "../core/scale.js";
import { strongest } from "../core/tell.js";

const SIDE = 400;
const AWAY = 14; // from the pointer's map
const FRAME = { width: 25, height: 68 }; // of the card, what is not its map

export class Preview {
  /** @param {import("./viewer.js").Viewer} owner */
  constructor(owner) {
    this.owner = owner;
    this.title = make("p", { className: "panel-title" });
    this.said = make("p", { className: "said" });
    this.layers = new Layers();
    const stage = make("div", { className: "stage" }, this.layers.under, this.layers.names);
    this.element = make("div", { className: "preview", hidden: true }, this.title, this.said, stage);
    this.shown = "";
  }

  hide() {
    this.element.hidden = true;
    this.shown = "";
  }

  /** @param {import("../types.js").Head} head @param {DOMRect} beside */
  show(head, beside) {
    const { owner } = this;
    if (this.shown === head.code) return;
    this.shown = head.code;
    const { words } = owner;
    const panel = owner.reader.panel(head, owner.state);
    const { rows, columns } = panel.reading;
    const place = asMap.fitted(
      { width: SIDE, height: SIDE, ratio: window.devicePixelRatio || 1 },
      { rows: owner.ruler.widths(rows), columns: owner.ruler.widths(columns) },
    );
    this.title.textContent = panel.title;
    this.said.textContent = strongest(panel.reading, words);
    const size = { width: Math.max(SIDE, place.left + place.width + 2), height: place.top + place.height + 2 };
    this.layers.paint(asMap, place, drawingOf(owner, panel, scalesOf([panel], owner.state)[0]), size);
    this.element.hidden = false;
    this.stand(beside, { width: size.width + FRAME.width, height: size.height + FRAME.height });
  }

  /**
   * To the right of what is pointed at, or to its left, within the window.
   * @param {DOMRect} beside
   * @param {{ width: number, height: number }} size
   */
  stand({ left, right, top }, { width, height }) {
    const { style } = this.element;
    const x = right + AWAY + width < window.innerWidth ? right + AWAY : Math.max(4, left - AWAY - width);
    style.transform = `translate(${x}px, ${Math.max(4, Math.min(top, window.innerHeight - height - 4))}px)`;
  }
}
