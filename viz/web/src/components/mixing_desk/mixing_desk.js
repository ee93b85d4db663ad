import { colourAt, tableOf } from "../../core/colours.js";
import { decimals, fill } from "../../core/text.js";
import { Component, mounted } from "../../ui/component.js";
import { buttonOf, make, makeButton } from "../../ui/dom.js";
import { ARROWS, seize } from "../../ui/keys.js";
import { paint } from "../../ui/theme.js";
import { Alone } from "./alone.js";
import { Faders } from "./faders.js";
import "./mixing_desk.html";

const REST = 120; // milliseconds that a slider stands before it is reported
const LOUDEST = 150; // percent
const MANY = 34; // tokens from which they are set smaller
const STRONG = 4; // nats with the scale's last colour

/** @import { Place, DeskKind } from "./faders.js" */
/** @typedef {{ place: Place, button: HTMLButtonElement }} Key a kind's, layer's or head's button */
/**
 * @typedef {object} Desk
 * @property {DeskKind[]} kinds
 * @property {number} serial of the newest change that Python has heard of
 * @property {[text: string, special: boolean, lost: boolean, delta: number][]} before
 * @property {[text: string, special: boolean, fresh: boolean][]} after
 * @property {string} verdict
 * @property {Place | null} start
 * @property {import("./alone.js").MutedAlone | null} alone
 * @property {{ said: string, boxes: { share: number, note: string }[][][] }} tint of heads at rest
 */
/** @typedef {import("../../types.js").Dressed<Desk>} Sent */

/** @param {number} gain */
const times = (gain) => `× ${decimals(gain / 100)}`;

/** @extends {Component<Sent>} */
class MixingDesk extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.serial = 0; // of the newest change that was reported
    this.shape = "";
    this.faders = new Faders([]);
    this.colours = new Uint8ClampedArray();
    /** @type {Place} */
    this.target = { kind: 0, layer: 0, head: 0 };
    /** @type {number | undefined} */
    this.resting = undefined;
    /** @type {Key[][][]} by kind: its title's row, then a row a layer */
    this.rows = [];
    this.slider = /** @type {HTMLInputElement} */ (this.part("gain"));
    this.alone = new Alone(this.part("alone"), (place) => this.muteOnly(place));
    this.slider.addEventListener("input", () => this.turn(Number(this.slider.value), REST));
    this.part("strip").addEventListener("click", (event) => this.press(buttonOf(event)?.dataset.do));
    const kinds = this.part("kinds");
    kinds.addEventListener("click", (event) => this.click(event));
    kinds.addEventListener("keydown", (event) => this.key(event));
    kinds.addEventListener("focusin", (event) => {
      const key = this.keyOf(event);
      if (key?.button.matches(":focus-visible")) this.choose(key.place);
    });
  }

  /** @param {Event} event */
  keyOf(event) {
    const button = buttonOf(event);
    return this.rows.flat(2).find((key) => key.button === button);
  }

  /** @param {Sent} data */
  update(data) {
    this.colours = tableOf(data.look.diverging);
    const shape = data.kinds.map(({ kind, layers, heads }) => `${kind} ${layers} ${heads}`).join();
    const first = shape !== this.shape;
    // An answer to an older change must not undo a newer one.
    if (first || (data.serial >= this.serial && !this.resting)) {
      this.faders = new Faders(data.kinds);
      this.serial = Math.max(this.serial, data.serial);
      this.root.classList.remove("waiting");
    }
    if (first) this.build(data.kinds);
    this.shape = shape;
    this.name();
    this.tell();
    this.alone.tell(data.alone);
    this.part("tints").textContent = data.alone ? "" : data.tint.said;
    this.show();
    this.root.dataset.serial = String(data.serial);
  }

  /** @param {DeskKind[]} kinds */
  build(kinds) {
    this.target = this.data.start ?? { kind: kinds.length - 1, layer: kinds[kinds.length - 1].layers - 1, head: 0 };
    this.rows = kinds.map(({ layers, heads }, kind) => [
      [this.button("title", { kind, layer: null, head: null })],
      ...Array.from({ length: layers }, (_, layer) => [
        this.button("layer", { kind, layer, head: null }),
        ...Array.from({ length: heads }, (_, head) => this.button("cell", { kind, layer, head })),
      ]),
    ]);
    this.part("kinds").replaceChildren(...kinds.map((kind, at) => this.panel(kind, this.rows[at])));
  }

  /** @param {DeskKind} kind @param {Key[][]} rows */
  panel({ heads }, [[title], ...rows]) {
    const board = make("div", "board", make("span"));
    board.style.gridTemplateColumns = `1.75rem repeat(${heads}, 1fr)`;
    board.append(...Array.from({ length: heads }, (_, head) => make("span", "", `H${head}`)));
    board.append(...rows.flat().map(({ button }) => button));
    const section = make("section", "kind", title.button, board);
    section.setAttribute("role", "group");
    return section;
  }

  /** @param {string} className @param {Place} place @returns {Key} */
  button(className, place) {
    const button = makeButton(className);
    const { kind, layer, head } = place;
    Object.assign(button.dataset, { kind: this.data.kinds[kind].kind, layer: layer ?? "", head: head ?? "" });
    return { place, button };
  }

  name() {
    const { labels, kinds } = this.data;
    this.find('[data-do="solo"]').title = labels.solo_help;
    this.slider.setAttribute("aria-label", labels.gain);
    this.all(".kind").forEach((section, at) => section.setAttribute("aria-label", kinds[at].title));
    this.rows.forEach(([[title], ...rows], at) => {
      title.button.textContent = kinds[at].title;
      rows.forEach(([layer], number) => (layer.button.textContent = `L${number}`));
    });
  }

  /** What the changed heads did, as Python computed it. */
  tell() {
    const { before, after, verdict } = this.data;
    this.part("verdict").textContent = verdict;
    this.root.classList.toggle("many", Math.max(before.length, after.length) > MANY);
    const old = before.map(([text, special, lost, delta]) => {
      const token = this.token(text, special, lost ? "lost" : "");
      const number = make("span", "delta", decimals(delta));
      paint(number, colourAt(this.colours, 0.5 + delta / (2 * STRONG)));
      token.dataset.delta = String(delta);
      token.append(number);
      return token;
    });
    this.find('[data-row="before"]').replaceChildren(...old);
    const words = after.map(([text, special, fresh]) => this.token(text, special, fresh ? "new" : ""));
    this.find('[data-row="after"]').replaceChildren(...(words.length ? words : [this.token("∅", true, "")]));
  }

  /** @param {string} text @param {boolean} special @param {string} className */
  token(text, special, className) {
    const item = make("li", className, make("span", "text", text));
    item.classList.toggle("special", special);
    return item;
  }

  /** Faders as they stand now. */
  show() {
    for (const key of this.rows.flat(2)) this.dress(key);
    this.alone.mark(this.faders);
    const gain = this.faders.common(this.target);
    const box = this.boxOf(this.target);
    this.part("target").textContent = this.title(this.target);
    this.part("cost").textContent = box?.note ?? "";
    this.slider.value = String(gain ?? 100);
    this.slider.setAttribute("aria-valuetext", this.loud(gain));
    this.part("value").textContent = gain === null ? this.data.labels.various : times(gain);
    this.find('[data-do="mute"]').setAttribute("aria-pressed", String(gain === 0));
    this.find('[data-do="solo"]').setAttribute("aria-pressed", String(this.faders.isSolo(this.target)));
    const reset = /** @type {HTMLButtonElement} */ (this.find('[data-do="reset"]'));
    reset.disabled = this.faders.all.every((each) => each === 100);
  }

  /** @param {Key} key */
  dress({ place, button }) {
    const gain = this.faders.common(place);
    const chosen = same(place, this.target);
    button.classList.toggle("selected", chosen);
    button.tabIndex = chosen ? 0 : -1;
    button.setAttribute("aria-pressed", String(gain === 0));
    const said = [`${this.title(place)}: ${this.loud(gain)}`, this.boxOf(place)?.note];
    button.setAttribute("aria-label", said.filter(Boolean).join(". "));
    if (place.head === null || gain === null) return;
    button.dataset.gain = String(gain);
    button.style.setProperty("--level", `${(100 * gain) / LOUDEST}%`);
    button.classList.toggle("muted", gain === 0);
    button.classList.toggle("changed", gain !== 100);
    button.textContent = gain === 100 ? "" : String(gain / 100);
    this.alone.dress(button, place, gain, this.colours);
    this.tint(button, this.boxOf(place), gain);
  }

  /** What is said of a head at rest, unless a token is asked about. @param {Place} place */
  boxOf({ kind, layer, head }) {
    const { alone, tint } = this.data;
    return alone || layer === null || head === null ? undefined : tint.boxes[kind]?.[layer][head];
  }

  /** @param {HTMLElement} button @param {{ share: number, note: string } | undefined} box @param {number} gain */
  tint(button, box, gain) {
    button.classList.toggle("tinted", Boolean(box) && gain === 100);
    if (!box) return;
    button.title = box.note;
    paint(button, colourAt(this.colours, 0.5 + box.share / 2));
  }

  /** @param {Place} place */
  title({ kind, layer, head }) {
    const { labels, kinds } = this.data;
    const name = kinds[kind].title;
    if (layer === null) return fill(labels.whole_kind, { kind: name });
    return head === null ? fill(labels.whole_layer, { kind: name, layer }) : `${name} L${layer} H${head}`;
  }

  /** @param {number | null} gain */
  loud(gain) {
    const { labels } = this.data;
    if (gain === null) return labels.various;
    return gain === 0 ? labels.muted : times(gain);
  }

  /** @param {Place} place */
  choose(place) {
    this.target = place;
    this.show();
  }

  /** @param {Place} place */
  mute(place) {
    this.choose(place);
    this.turn(this.faders.common(place) === 0 ? 100 : 0);
  }

  /** @param {Place} place */
  muteOnly(place) {
    this.choose(place);
    this.faders.muteOnly(place);
    this.report(0);
  }

  /** @param {Place} place */
  solo(place) {
    this.choose(place);
    this.faders.solo(place);
    this.report(0);
  }

  /** @param {number} gain @param {number} [rest] */
  turn(gain, rest = 0) {
    this.faders.set(this.target, Math.min(LOUDEST, Math.max(0, gain)));
    this.report(rest);
  }

  /** @param {number} rest milliseconds */
  report(rest) {
    this.show();
    this.root.classList.add("waiting");
    clearTimeout(this.resting);
    const go = () => {
      this.resting = undefined;
      this.serial += 1;
      this.setStateValue("mix", { serial: this.serial, gains: this.faders.all });
    };
    if (rest) this.resting = this.after(rest, go);
    else go();
  }

  /** @param {string | undefined} what */
  press(what) {
    if (what === "mute") this.mute(this.target);
    if (what === "solo") this.solo(this.target);
    if (what === "reset") {
      this.faders.reset();
      this.report(0);
    }
  }

  /** @param {MouseEvent} event */
  click(event) {
    const key = this.keyOf(event);
    if (!key) return;
    if (event.shiftKey) this.choose(key.place);
    else this.mute(key.place);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const pressed = this.keyOf(event);
    if (!pressed || event.altKey || event.ctrlKey || event.metaKey) return;
    const gain = this.faders.common(pressed.place) ?? 100;
    if (event.key === "s") this.solo(pressed.place);
    else if (event.key === "+" || event.key === "=") this.turn(gain + 10, REST);
    else if (event.key === "-") this.turn(gain - 10, REST);
    else if (event.key in ARROWS) this.step(pressed.place, ARROWS[event.key]);
    else return;
    seize(event);
  }

  /** @param {Place} from @param {[number, number]} by */
  step({ kind, layer, head }, [down, right]) {
    const row = (layer === null ? 0 : layer + 1) + down;
    let column = (head === null ? 0 : head + 1) + right;
    const across = column < 0 ? -1 : column >= this.rows[kind][Math.max(0, row)]?.length && right ? 1 : 0;
    const rows = this.rows[kind + across];
    if (across < 0) column = Infinity;
    if (across > 0) column = 0;
    const keys = rows?.[Math.min(Math.max(0, row), rows.length - 1)];
    const next = keys?.[Math.min(column, keys.length - 1)];
    if (!next) return;
    this.choose(next.place);
    next.button.focus();
  }
}

/** @param {Place} one @param {Place} other */
function same(one, other) {
  return one.kind === other.kind && one.layer === other.layer && one.head === other.head;
}

export default mounted(MixingDesk);
