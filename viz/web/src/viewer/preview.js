// The card of a head that is only pointed at.
import { scalesOf } from "../core/scale.js";
import { strongest } from "../core/tell.js";
import { PreviewCard } from "../ui/preview.js";
import { drawingOf } from "./panel.js";

const SIDE = 400;

export class Preview extends PreviewCard {
  /** @param {import("./viewer.js").Viewer} owner */
  constructor(owner) {
    super(SIDE, null);
    this.owner = owner;
    this.shown = "";
    this.again = () => {}; // shows the same head anew
  }

  hide() {
    super.hide();
    this.shown = "";
    this.again = () => {};
  }

  /** @param {import("../types.js").Head} head @param {DOMRect} beside */
  point(head, beside) {
    const { owner } = this;
    if (this.shown === head.code) return;
    this.shown = head.code;
    this.again = () => {
      this.shown = "";
      this.point(head, beside);
    };
    const panel = owner.reader.panel(head, owner.state);
    const drawing = drawingOf(owner, panel, scalesOf([panel], owner.state)[0]);
    this.show(panel.title, strongest(panel.reading, owner.words), drawing, beside);
  }
}
