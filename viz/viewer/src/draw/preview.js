// A card with the labelled map of a head that is only pointed at.
import { make, sized } from "./dom.js";
import { asMap } from "./map.js";
import { scalesOf } from "../reckon/scale.js";
import { strongest } from "../reckon/tell.js";

const SIDE = 400;
const AWAY = 14; // from the pointer's map

export class Preview {
  /** @param {import("../viewer.js").Viewer} owner */
  constructor(owner) {
    this.owner = owner;
    this.title = make("p", { className: "panel-title" });
    this.said = make("p", { className: "said" });
    this.canvas = make("canvas");
    this.element = make("div", { className: "preview", hidden: true }, this.title, this.said, this.canvas);
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
    const { ruler, look, fonts, tables, words } = owner;
    const panel = owner.reader.panel(head, owner.state);
    const { rows, columns } = panel.reading;
    const place = asMap.fitted(
      { width: SIDE, height: SIDE, ratio: window.devicePixelRatio || 1 },
      { rows: ruler.widths(rows), columns: ruler.widths(columns) },
    );
    this.title.textContent = panel.title;
    this.said.textContent = strongest(panel.reading, words);
    const context = sized(this.canvas, place.left + place.width + 2, place.top + place.height + 2);
    const table = panel.signed ? tables.diverging : tables.scale;
    asMap.paint(context, place, { panel, scale: scalesOf([panel], owner.state)[0], table, look, fonts, ruler });
    this.element.hidden = false;
    this.stand(beside);
  }

  /** To the right of what is pointed at, or to its left, within the window. @param {DOMRect} beside */
  stand({ left, right, top }) {
    const { offsetWidth, offsetHeight, style } = this.element;
    const fits = right + AWAY + offsetWidth < window.innerWidth;
    style.left = `${fits ? right + AWAY : Math.max(4, left - AWAY - offsetWidth)}px`;
    style.top = `${Math.max(4, Math.min(top, window.innerHeight - offsetHeight - 4))}px`;
  }
}
