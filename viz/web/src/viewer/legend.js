// Beside the maps: what the colours stand for, and what is drawn in words.
import { gradient } from "../core/colours.js";
import { decimals, fill } from "../core/text.js";
import { make } from "../ui/dom.js";
import { sortOf } from "../core/heads.js";
import { scalesOf } from "../core/scale.js";

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
