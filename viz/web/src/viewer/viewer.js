// The whole viewer: what is chosen, what is pointed at, and everything that is drawn from both.
import { coloursOf } from "../core/colours.js";
import { Ruler } from "../ui/canvas.js";
import { dress } from "../ui/theme.js";
import { Chips, helpOf, Legend } from "./legend.js";
import { button, kindButtons, toolbar } from "./controls.js";
import { make } from "../ui/dom.js";
import { Grid } from "../grid/grid.js";
import { codeOf, has, headOf, MOST_BESIDE, Reader, settled, sortOf } from "../core/heads.js";
import { Component } from "../ui/component.js";
import { present, press, turned, whenFullScreenEnds, wholeScreen } from "./keys.js";
import { litAt, pinned } from "../core/pointing.js";
import { Preview } from "./panel.js";
import { save } from "./save.js";
import { drawAll, drawChosen } from "./stage.js";
import { DEFAULTS, readLink, write } from "../core/state.js";
import { opened, stepped } from "../core/walk.js";
import { ARROWS } from "../ui/keys.js";

/** @import { State, Panel, KindPart } from "../types.js" */

const LINK_AFTER = 200; // ms; the link follows without making the picture wait

/** @extends {Component<import("../types.js").Trace>} */
export class Viewer extends Component {
  rail = make("aside", { className: "rail" });
  top = make("div", { className: "top" }); // the sentences

  /**
   * @param {HTMLElement} root
   * @param {import("../types.js").Trace} trace
   * @param {{ link: string, dark: boolean, onSay: (viewer: Viewer) => void, asks: boolean, inside?: boolean }} given
   *   `onSay` is told of every rest after a change; `asks`: what is not in the message comes where it is wanted, and the
   *   theme is given; `inside`: it stands among other things, and has the keyboard only where it was clicked
   */
  constructor(root, trace, { link, dark, onSay, asks, inside = false }) {
    super(root);
    const { header } = trace;
    this.data = this.trace = trace;
    this.dark = dark;
    this.onSay = onSay;
    this.asks = asks;
    this.inside = inside;
    this.wanted = ""; // a sort that is being made
    this.words = header.words;
    this.fonts = header.fonts;
    this.reader = new Reader(trace);
    this.ruler = new Ruler(header.fonts);
    this.opening = settled(trace, readLink(header.start, DEFAULTS));
    this.state = settled(trace, readLink(link, this.opening));
    /** @type {import("../core/pointing.js").Lit} */
    this.lit = { kind: null, rows: [], columns: [] };
    /** @type {import("./panel.js").PanelView[]} */
    this.panels = [];
    /** @type {Panel[]} what is drawn large */
    this.shown = [];
    this.waiting = 0;
    this.look = header.looks.light;
    this.colours = coloursOf(this.look);
    /** @type {import("../types.js").Look | null} */
    this.dressed = null;
    this.size = { width: 0, height: 0 }; // of the room
    this.chips = new Chips(this);
    this.grids = header.kinds.map((kind) => new Grid(this, kind));
    this.kinds = kindButtons(this);
    this.toolbar = toolbar(this);
    this.legend = new Legend(this);
    this.card = new Preview(this);
    this.help = helpOf(this.words);
    this.small = make("div", { className: "small" });
    this.room = make("div", { className: "room" });
    this.aside = make("div", { className: "aside" }); // for whoever mounts the viewer: stands with the sentences
    this.build();
    this.draw();
  }

  build() {
    const { chips, kinds, small, legend, room, asks, inside, words } = this;
    const model = make("p", { className: "model", textContent: this.trace.header.model, hidden: asks });
    const { rail, top } = this;
    rail.append(small, kinds.element, legend.element);
    top.append(chips.element, this.aside, model);
    const corner = make(
      "div",
      { className: "corner" },
      button("⤢", words.whole_screen, () => wholeScreen(this)),
      button("☰", words.tools, () => present(this)),
    );
    const within = asks || inside || this.root.closest("main"); // a page has one
    const main = make(within ? "div" : "main", { className: "main" }, top, this.toolbar.element, room, corner);
    this.root.classList.toggle("in-app", asks);
    this.root.replaceChildren(rail, main, this.card.element, this.help);
    if (inside) this.root.tabIndex = 0;
    this.listen(inside ? this.root : this.root.ownerDocument, "keydown", (/** @type {KeyboardEvent} */ event) => {
      if (!this.root.inert && !this.room.inert) press(this, event);
    });
    this.ends.push(whenFullScreenEnds(this), () => clearTimeout(this.waiting));
    this.whenResized(() => this.resize(), room);
  }

  /** Gives back what the canvases hold now, and not when the browser comes to it: tens of megabytes. */
  dispose() {
    super.dispose();
    for (const grid of this.grids) grid.painted = ""; // which ends what it still paints
    for (const element of [this.root, ...this.grids.map((grid) => grid.element)])
      for (const canvas of element.querySelectorAll("canvas")) canvas.width = canvas.height = 0;
  }

  /** A map that was asked for is there; one that nobody looks at yet changes nothing. @param {string} code of its head */
  arrived(code) {
    if (this.state.heads.includes(code)) this.draw();
    else this.foresee();
    if (this.card.shown === code) this.card.again();
  }

  /** Has the maps sent that an arrow would show, where maps come one by one. */
  foresee() {
    const { trace, state } = this;
    if (state.view === "all" || state.heads.length > MOST_BESIDE) return;
    const codes = Object.values(ARROWS).map((step) => stepped(trace, state, ...step).heads?.[0] ?? "");
    trace.supply?.foresee(codes);
  }

  /** The size of the room; true where it has changed, or was forgotten. */
  measure() {
    const { clientWidth: width, clientHeight: height } = this.room;
    if (width === this.size.width && height === this.size.height) return false;
    this.size = { width, height };
    return true;
  }

  /** Draws in a room of another size; out of sight only once somebody looks again. */
  resize() {
    if (!this.measure()) return;
    if (this.root.inert) this.size = { width: 0, height: 0 };
    else this.draw();
  }

  /** The chosen heads; there is always one. */
  get chosen() {
    const found = this.state.heads.map((code) => headOf(this.trace, code));
    return /** @type {import("../types.js").Head[]} */ (found.filter(Boolean));
  }

  /** The kind of the first chosen head. */
  get kind() {
    return this.chosen[0].kind;
  }

  /** The kinds that the chosen sort has maps of. */
  get offered() {
    const { maps } = sortOf(this.trace, this.state.method);
    return this.trace.header.kinds.filter(({ kind }) => kind in maps).map(({ kind }) => kind);
  }

  /** A head as it would be drawn large. @param {KindPart} kind @param {number} layer @param {number} head @returns {Panel} */
  panelOf(kind, layer, head) {
    return this.reader.panel({ code: codeOf(kind, layer, head), kind, layer, head }, this.state);
  }

  /** A head as it is drawn small. @param {KindPart} kind @param {number} layer @param {number} head @returns {Panel} */
  smallOf(kind, layer, head) {
    return this.reader.small({ code: "", kind, layer, head }) ?? this.panelOf(kind, layer, head);
  }

  /** @param {Partial<State>} patch */
  change(patch) {
    const { method } = patch;
    const isMade = this.asks || this.trace.header.more.some(({ name }) => name === method);
    if (method) this.wanted = isMade && !has(this.trace, method) ? method : "";
    const asked = this.wanted ? { ...patch, method: this.state.method } : patch;
    this.state = settled(this.trace, { ...this.state, ...asked });
    this.card.hide();
    this.draw();
    clearTimeout(this.waiting);
    this.root.dataset.link = "late";
    this.waiting = this.after(LINK_AFTER, () => this.say());
  }

  /** Tells what is chosen. */
  say() {
    this.onSay(this);
    this.root.dataset.link = "said";
  }

  /** Takes what a link says, as when somebody has changed it by hand. @param {string} link */
  follow(link) {
    if (this.size.width && link.replace(/^#/, "") === write(this.state, this.opening)) return;
    this.state = settled(this.trace, readLink(link, this.opening));
    this.lit = { kind: null, rows: [], columns: [] }; // the mouse rests: it points at nothing here yet
    this.draw();
  }

  draw() {
    const { state, root } = this;
    this.dress();
    this.chips.draw();
    this.kinds.show(state);
    this.toolbar.show(state);
    if (!this.size.width) this.measure();
    if (this.waits()) return;
    this.shown = this.reader.panels(state);
    this.placeSentences();
    const columns = Math.max(...this.shown.map(({ reading }) => reading.columns.length));
    if (turned(root, state, columns)) this.measure();
    this.legend.draw();
    (state.view === "all" ? drawAll : drawChosen)(this);
    this.chips.shade();
    this.foresee();
  }

  /** In the app, where a map has no room to spare, the sentences stand beside it; else over it. */
  placeSentences() {
    const { asks, state, rail, top, toolbar } = this;
    const beside = asks && !state.present && state.view !== "all";
    if (beside === (top.parentElement === rail)) return;
    if (beside) rail.append(top);
    else toolbar.element.before(top);
    this.measure();
  }

  /** Whether maps that are chosen are on their way: what is drawn stays until they are there. */
  waits() {
    const { supply } = this.trace;
    if (!supply || !this.panels.length || this.state.view === "all") return false;
    return this.chosen.filter(({ code }) => !supply.of(code)).length > 0;
  }

  /** Colours of the theme, for the style sheet and for everything that is painted. */
  dress() {
    const { looks } = this.trace.header;
    const look = looks[this.state.theme || (this.dark ? "dark" : "light")];
    if (this.dressed === look) return;
    this.dressed = this.look = look;
    this.colours = coloursOf(look);
    dress(this.root, look);
    this.root.style.colorScheme = look === looks.dark ? "dark" : "light";
  }

  /** The browser has become dark, or light. @param {boolean} dark */
  turn(dark) {
    if (dark === this.dark) return;
    this.dark = dark;
    this.draw();
  }

  /** Lights up what is pointed at, in all maps and in the sentences. @param {import("../core/pointing.js").Lit} lit */
  light(lit) {
    if (String([lit.rows, lit.columns]) === String([this.lit.rows, this.lit.columns]) && lit.kind === this.lit.kind)
      return;
    this.lit = lit;
    for (const panel of this.panels) panel.mark();
    this.chips.shade();
  }

  /** @param {Panel | null} panel @param {import("../types.js").Spot | null} spot */
  point(panel, spot) {
    this.light(litAt(panel, spot));
  }

  /** @param {string[]} keys */
  pointToken(keys) {
    this.light({ kind: null, rows: keys, columns: [] });
  }

  /** @param {Panel} panel @param {import("../types.js").Spot | null} spot @param {boolean} more */
  pin(panel, spot, more) {
    const { rows, columns } = litAt(panel, spot);
    this.change({
      rows: pinned(this.state.rows, rows.slice(0, 1), more),
      columns: pinned(this.state.columns, columns.slice(0, 1), more),
    });
  }

  /** @param {string[]} keys @param {boolean} more */
  pinToken([key], more) {
    const { reading } = this.panels[0]?.drawing?.panel ?? {};
    if (!key || !reading) return;
    const isRow = reading.rows.some(({ keys }) => keys.includes(key));
    const [rows, columns] = isRow ? [[key], []] : [[], [key]];
    this.change({ rows: pinned(this.state.rows, rows, more), columns: pinned(this.state.columns, columns, more) });
  }

  /** @param {Grid} grid @param {import("../grid/grid.js").Cell | null} cell */
  preview(grid, cell) {
    const { layer, head } = cell ?? { layer: null, head: null };
    if (layer === null || head === null) return this.card.hide();
    const code = codeOf(grid.kind, layer, head);
    this.card.point({ code, kind: grid.kind, layer, head }, grid.element.getBoundingClientRect());
  }

  /** @param {KindPart} kind @param {import("../grid/grid.js").Cell} cell @param {boolean} more */
  open(kind, cell, more) {
    this.change(opened(this.state, kind, cell, more));
  }

  /** @param {number} factor */
  zoom(factor) {
    this.panels[0]?.zoom(factor);
  }

  /** @param {string} format */
  save(format) {
    void save(this, format);
  }
}
