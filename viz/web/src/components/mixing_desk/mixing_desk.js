import { Component, mounted } from "../../ui/component.js";
import { ARROWS, colourAt, colourTable, decimals, fill, make, makeButton, paint, seize } from "../../ui/shared.js";
import { Alone } from "./alone.js";
import { Faders } from "./faders.js";
import "./mixing_desk.css";

const REST = 120; // milliseconds that a slider stands before it is reported
const LOUDEST = 150; // percent
const MANY = 34; // tokens from which they are set smaller
const STRONG = 4; // nats with the scale's last colour

const times = (gain) => `× ${decimals(gain / 100)}`;

class MixingDesk extends Component {
  constructor(root) {
    super(root);
    this.serial = 0; // of the newest change that was reported
    this.target = null;
    this.slider = this.part("gain");
    this.alone = new Alone(this.part("alone"), (place) => this.muteOnly(place));
    this.slider.addEventListener("input", () => this.turn(Number(this.slider.value), REST));
    this.part("strip").addEventListener("click", (event) => this.press(event.target.closest("button")?.dataset.do));
    this.part("kinds").addEventListener("click", (event) => this.click(event));
    this.part("kinds").addEventListener("keydown", (event) => this.key(event));
    this.part("kinds").addEventListener("focusin", (event) => {
      const button = event.target.closest("button");
      if (button?.matches(":focus-visible")) this.choose(button.place);
    });
  }

  update(data) {
    this.colours = colourTable(data.look.diverging);
    const shape = data.kinds.map(({ kind, layers, heads }) => `${kind} ${layers} ${heads}`).join();
    const first = shape !== this.shape;
    // An answer to an older change must not undo a newer one.
    if (first || (data.serial >= this.serial && !this.resting)) {
      this.faders = new Faders(data.kinds);
      this.serial = Math.max(this.serial, data.serial);
      this.root.classList.remove("waiting");
    }
    if (first) this.build();
    this.shape = shape;
    this.name();
    this.tell();
    this.alone.tell(data.alone);
    this.show();
    this.root.dataset.serial = data.serial;
  }

  build() {
    this.target = { kind: this.data.kinds.length - 1, layer: this.data.kinds.at(-1).layers - 1, head: 0 };
    this.rows = this.data.kinds.map(({ layers, heads }, kind) => [
      [this.button("title", { kind })],
      ...Array.from({ length: layers }, (_, layer) => [
        this.button("layer", { kind, layer }),
        ...Array.from({ length: heads }, (_, head) => this.button("cell", { kind, layer, head })),
      ]),
    ]);
    this.part("kinds").replaceChildren(...this.data.kinds.map((kind, at) => this.panel(kind, this.rows[at])));
  }

  panel({ heads }, [[title], ...rows]) {
    const section = make("section", "kind");
    const board = make("div", "board");
    section.setAttribute("role", "group");
    board.style.gridTemplateColumns = `1.75rem repeat(${heads}, 1fr)`;
    board.append(
      make("span"),
      ...Array.from({ length: heads }, (_, head) => make("span", "", `H${head}`)),
      ...rows.flat(),
    );
    section.append(title, board);
    return section;
  }

  button(className, place) {
    const button = makeButton(className);
    button.place = { layer: null, head: null, ...place };
    Object.assign(button.dataset, {
      kind: this.data.kinds[place.kind].kind,
      layer: place.layer ?? "",
      head: place.head ?? "",
    });
    return button;
  }

  name() {
    const { labels, kinds } = this.data;
    this.root.querySelector('[data-do="solo"]').title = labels.solo_help;
    this.slider.setAttribute("aria-label", labels.gain);
    this.root.querySelectorAll(".kind").forEach((section, at) => section.setAttribute("aria-label", kinds[at].title));
    this.rows.forEach(([[title], ...rows], at) => {
      title.textContent = kinds[at].title;
      rows.forEach(([layer], number) => (layer.textContent = `L${number}`));
    });
  }

  // What the changed heads did, as Python computed it.
  tell() {
    const { before, after, verdict } = this.data;
    this.part("verdict").textContent = verdict;
    this.root.classList.toggle("many", Math.max(before.length, after.length) > MANY);
    this.root.querySelector('[data-row="before"]').replaceChildren(
      ...before.map(([text, special, lost, delta]) => {
        const token = this.token(text, special, lost ? "lost" : "");
        const number = make("span", "delta", decimals(delta));
        paint(number, colourAt(this.colours, 0.5 + delta / (2 * STRONG)));
        token.dataset.delta = delta;
        token.append(number);
        return token;
      }),
    );
    const words = after.map(([text, special, fresh]) => this.token(text, special, fresh ? "new" : ""));
    this.root
      .querySelector('[data-row="after"]')
      .replaceChildren(...(words.length ? words : [this.token("∅", true, "")]));
  }

  token(text, special, className) {
    const item = make("li", className);
    item.classList.toggle("special", special);
    item.append(make("span", "text", text));
    return item;
  }

  // Faders as they stand now.
  show() {
    const { labels } = this.data;
    for (const button of this.rows.flat(2)) {
      const gain = this.faders.common(button.place);
      const chosen = this.same(button.place, this.target);
      button.classList.toggle("selected", chosen);
      button.tabIndex = chosen ? 0 : -1;
      button.setAttribute("aria-pressed", String(gain === 0));
      button.setAttribute("aria-label", `${this.title(button.place)}: ${this.loud(gain)}`);
      if (button.place.head === null) continue;
      button.dataset.gain = gain;
      button.style.setProperty("--level", `${(100 * gain) / LOUDEST}%`);
      button.classList.toggle("muted", gain === 0);
      button.classList.toggle("changed", gain !== 100);
      button.textContent = gain === 100 ? "" : String(gain / 100);
      this.alone.dress(button, gain, this.colours);
    }
    this.alone.mark(this.faders);
    const gain = this.faders.common(this.target);
    this.part("target").textContent = this.title(this.target);
    this.slider.value = gain ?? 100;
    this.slider.setAttribute("aria-valuetext", this.loud(gain));
    this.part("value").textContent = gain === null ? labels.various : times(gain);
    this.root.querySelector('[data-do="mute"]').setAttribute("aria-pressed", String(gain === 0));
    this.root.querySelector('[data-do="solo"]').setAttribute("aria-pressed", String(this.faders.isSolo(this.target)));
    this.root.querySelector('[data-do="reset"]').disabled = this.faders.all.every((each) => each === 100);
  }

  title({ kind, layer, head }) {
    const { labels, kinds } = this.data;
    const name = kinds[kind].title;
    if (layer === null) return fill(labels.whole_kind, { kind: name });
    return head === null ? fill(labels.whole_layer, { kind: name, layer }) : `${name} L${layer} H${head}`;
  }

  loud(gain) {
    const { labels } = this.data;
    if (gain === null) return labels.various;
    return gain === 0 ? labels.muted : times(gain);
  }

  same(one, other) {
    return one.kind === other.kind && one.layer === other.layer && one.head === other.head;
  }

  choose(place) {
    this.target = place;
    this.show();
  }

  mute(place) {
    this.choose(place);
    this.turn(this.faders.common(place) === 0 ? 100 : 0);
  }

  muteOnly(place) {
    this.choose(place);
    this.faders.muteOnly(place);
    this.report(0);
  }

  solo(place) {
    this.choose(place);
    this.faders.solo(place);
    this.report(0);
  }

  turn(gain, rest = 0) {
    if (gain !== null) this.faders.set(this.target, Math.min(LOUDEST, Math.max(0, gain)));
    this.report(rest);
  }

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

  press(what) {
    if (what === "mute") this.mute(this.target);
    if (what === "solo") this.solo(this.target);
    if (what === "reset") {
      this.faders.reset();
      this.report(0);
    }
  }

  click(event) {
    const button = event.target.closest("button");
    if (!button) return;
    if (event.shiftKey) this.choose(button.place);
    else this.mute(button.place);
  }

  key(event) {
    const button = event.target.closest("button");
    if (!button || event.altKey || event.ctrlKey || event.metaKey) return;
    const gain = this.faders.common(button.place) ?? 100;
    if (event.key === "s") this.solo(button.place);
    else if (event.key === "+" || event.key === "=") this.turn(gain + 10, REST);
    else if (event.key === "-") this.turn(gain - 10, REST);
    else if (!this.step(button, event.key)) return;
    seize(event);
  }

  step(button, key) {
    const [down, right] = ARROWS[key] ?? [];
    if (down === undefined) return false;
    const { kind, layer, head } = button.place;
    const row = (layer === null ? 0 : layer + 1) + down;
    let column = (head === null ? 0 : head + 1) + right;
    const across = column < 0 ? -1 : column >= this.rows[kind][Math.max(0, row)]?.length && right ? 1 : 0;
    const rows = this.rows[kind + across];
    if (across < 0) column = Infinity;
    if (across > 0) column = 0;
    const cells = rows?.[Math.min(Math.max(0, row), rows.length - 1)];
    const next = cells?.[Math.min(column, cells.length - 1)];
    if (next) {
      this.choose(next.place);
      next.focus();
    }
    return true;
  }
}

export default mounted(MixingDesk);
