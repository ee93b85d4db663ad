// What stands on a slide beside its picture: the question and its answer, and the sentences that are to be remembered.
import { make } from "../ui/dom.js";
import { Ask } from "./ask.js";
import { clicked, isAsking } from "./plan.js";

export class Beside {
  /** @param {Record<string, string>} words @param {(option: number) => void} pick */
  constructor(words, pick) {
    this.ask = new Ask(words, pick);
    this.points = make("ul", { className: "points", hidden: true });
    this.element = make("div", { className: "beside" }, this.ask.element, this.ask.answer, this.points);
  }

  /** @param {import("./plan.js").Scene} scene @param {number} stop @param {number | undefined} picked */
  show(scene, stop, picked) {
    const { predict, points } = scene;
    const asking = isAsking(scene, stop);
    if (!predict) this.ask.hide();
    else if (asking) this.ask.show(predict, picked);
    else this.ask.reveal(predict, picked);
    const shown = asking ? [] : points.slice(0, clicked(scene, stop) + 1);
    this.points.replaceChildren(...shown.map((textContent) => make("li", { textContent })));
    this.points.hidden = !shown.length;
  }
}
