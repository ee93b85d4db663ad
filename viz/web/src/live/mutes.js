// The factors of heads, 0 where one is muted, and what the translation was before any of them was turned.
import { headOf, titleOf } from "../core/heads.js";
import { fill } from "../core/text.js";
import { make, makeButton } from "../ui/dom.js";

const SAID = /^([a-z]\d{1,3}\.\d{1,3}):(\d(?:\.\d{1,2})?)$/; // as the app's mixing desk says it in a link
const MOST = 1.5; // and as far as it goes

/** A chip that takes a change back. @param {string} text @param {string} label @param {() => void} undo */
export function undoing(text, label, undo, className = "plain muted") {
  const chip = makeButton(className, `${text} ✕`);
  chip.setAttribute("aria-label", label);
  chip.addEventListener("click", undo);
  return chip;
}

export class Mutes {
  /** @param {import("./page.js").LivePage} page @param {URLSearchParams} said */
  constructor(page, said) {
    this.page = page;
    /** @type {import("../engine/engine.js").Gains} of heads whose factor is not 1 */
    this.gains = {};
    this.mute = makeButton("plain");
    this.mute.addEventListener("click", () => this.turn(this.chosen, 0));
    this.fader = make("input", { type: "range", min: "0", max: String(MOST), step: "0.05" });
    this.fader.addEventListener("keydown", (event) => event.stopPropagation()); // arrows choose heads elsewhere
    this.fader.addEventListener("change", () => this.turn(page.viewer.state.heads, Number(this.fader.value)));
    this.factor = make("output");
    this.turned = make("span", "turned");
    this.element = make("div", { className: "mutes", role: "group" }, this.mute, this.fader, this.factor, this.turned);
    this.before = { text: "", translation: "" }; // the last translation with nothing changed, and of what
    this.take(said);
  }

  /** What a link says of it. @param {URLSearchParams} said */
  take(said) {
    const entries = (said.get("m") ?? "").split(",").flatMap((entry) => {
      const [, code, gain] = SAID.exec(entry) ?? [];
      return code && Number(gain) <= MOST && Number(gain) !== 1 ? [/** @type {const} */ ([code, Number(gain)])] : [];
    });
    this.gains = Object.fromEntries(entries);
  }

  /** What the link says of it. */
  get link() {
    return Object.entries(this.gains)
      .map((entry) => entry.join(":"))
      .join(",");
  }

  /** Whether any head is turned. */
  get any() {
    return Object.keys(this.gains).length > 0;
  }

  /** The chosen heads that are not muted. */
  get chosen() {
    return this.page.viewer.state.heads.filter((code) => this.gains[code] !== 0);
  }

  /** What was translated. @param {string[]} translations */
  keep(translations) {
    if (!this.page.changed) this.before = { text: this.page.text, translation: translations.join(" ") };
  }

  /** @param {string[]} codes @param {number} gain */
  turn(codes, gain) {
    const others = Object.entries(this.gains).filter(([code]) => !codes.includes(code));
    const these = gain === 1 ? [] : codes.map((code) => [code, gain]);
    this.gains = Object.fromEntries([...others, ...these]);
    this.draw();
    this.page.ask(this.page.text);
  }

  /** A head as people read it: its kind and its number. @param {string} code */
  title(code) {
    const { viewer } = this.page;
    const head = headOf(viewer.trace, code);
    return head ? `${head.kind.title} ${titleOf(head)}` : code;
  }

  draw() {
    const { page, chosen, mute, fader, gains } = this;
    const { words, viewer, button } = page;
    const titled = (/** @type {string[]} */ codes) => codes.map((code) => this.title(code)).join(", ");
    mute.textContent = fill(words.mute, { heads: titled(chosen) });
    mute.disabled = fader.disabled = button.disabled;
    mute.hidden = !chosen.length;
    const own = [...new Set(viewer.state.heads.map((code) => gains[code] ?? 1))]; // several, where they differ
    fader.value = String(own[0]);
    this.factor.textContent = `× ${own.join(", ")}`;
    fader.title = fill(words.gain, { heads: titled(viewer.state.heads), gain: own.join(", ") });
    fader.setAttribute("aria-label", fader.title);
    const turned = Object.entries(gains).map(([code, gain]) => {
      const text = gain ? `${this.title(code)} × ${gain}` : this.title(code);
      const label = fill(words.unmute, { head: this.title(code) });
      return undoing(text, label, () => this.turn([code], 1), gain ? "plain" : "plain muted");
    });
    const { text, translation } = this.before;
    const before = page.changed && text === page.text && translation ? fill(words.before, { translation }) : "";
    const said = turned.length ? make("span", "", words.muted) : undefined;
    this.element.setAttribute("aria-label", words.muted);
    this.turned.replaceChildren(
      ...[said, ...turned, before ? make("span", "before", before) : undefined].filter((each) => each !== undefined),
    );
  }
}
