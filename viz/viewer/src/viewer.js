// The whole viewer: what is chosen, what is pointed at, and everything that is drawn from both.
import { Chips } from "./draw/chips.js";
import { kindButtons, toolbar } from "./draw/controls.js";
import { make, Ruler } from "./draw/dom.js";
import { Grid } from "./draw/grid.js";
import { headOf, Reader, settled, sortOf } from "./reckon/heads.js";
import { press } from "./keys.js";
import { helpOf, Legend } from "./draw/legend.js";
import { litAt, pinned } from "./reckon/pointing.js";
import { Preview } from "./draw/preview.js";
import { fullScreen, whenFullScreenEnds } from "./draw/present.js";
import { save } from "./draw/save.js";
import { tableOf } from "./reckon/scale.js";
import { drawAll, drawChosen } from "./draw/stage.js";
import { DEFAULTS, readLink, write } from "./reckon/state.js";
import { opened } from "./reckon/walk.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Panel} Panel */
/** @typedef {import("./types.js").KindPart} KindPart */

const LINK_AFTER = 200; // ms; the link follows without making the picture wait

export class Viewer {
  /**
   * @param {HTMLElement} root
   * @param {import("./types.js").Trace} trace
   * @param {{ link: string, dark: boolean, onLink: (link: string) => void }} given
   */
  constructor(root, trace, { link, dark, onLink }) {
    const { header } = trace;
    this.root = root;
    this.trace = trace;
    this.dark = dark;
    this.onLink = onLink;
    this.words = header.words;
    this.fonts = header.fonts;
    this.reader = new Reader(trace);
    this.ruler = new Ruler(header.fonts);
    this.opening = settled(trace, readLink(header.start, DEFAULTS));
    this.state = settled(trace, readLink(link, this.opening));
    /** @type {import("./reckon/pointing.js").Lit} */
    this.lit = { kind: null, rows: [], columns: [] };
    /** @type {import("./draw/panel.js").PanelView[]} */
    this.panels = [];
    /** @type {Panel[]} what is drawn large */
    this.shown = [];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.waiting = undefined;
    this.look = header.looks.light;
    this.tables = { scale: tableOf(this.look.scale), diverging: tableOf(this.look.diverging) };
    /** @type {import("./types.js").Look | null} */
    this.dressed = null;
    this.chips = new Chips(this);
    this.grids = header.kinds.map((kind) => new Grid(this, kind));
    this.kinds = kindButtons(this);
    this.toolbar = toolbar(this);
    this.legend = new Legend(this);
    this.card = new Preview(this);
    this.help = helpOf(this.words);
    this.small = make("div", { className: "small" });
    this.room = make("main", { className: "room" });
    this.build();
    this.draw();
  }

  build() {
    const { chips, kinds, small, legend, room } = this;
    const model = make("p", { className: "model", textContent: this.trace.header.model });
    const rail = make("aside", { className: "rail" }, kinds.element, small, legend.element);
    const top = make("header", { className: "top" }, chips.element, model);
    const body = make("div", { className: "body" }, rail, room);
    this.root.replaceChildren(top, this.toolbar.element, body, this.card.element, this.help);
    this.root.ownerDocument.addEventListener("keydown", (event) => this.root.inert || press(this, event));
    whenFullScreenEnds(this);
    new ResizeObserver(() => this.draw()).observe(room);
  }

  /** The chosen heads; there is always one. */
  get chosen() {
    const found = this.state.heads.map((code) => headOf(this.trace, code));
    return /** @type {import("./types.js").Head[]} */ (found.filter(Boolean));
  }

  /** The kind of the first chosen head. */
  get kind() {
    return this.chosen[0].kind;
  }

  /** The kinds that the chosen sort has maps of. */
  get offered() {
    const { maps } = sortOf(this.trace, this.state.drawn);
    return this.trace.header.kinds.filter(({ kind }) => kind in maps).map(({ kind }) => kind);
  }

  /** Every head of a kind as it would be drawn large. @param {KindPart} kind @returns {Panel[]} */
  panelsOfKind(kind) {
    const heads = Array.from({ length: kind.layers * kind.heads }, (_, i) => [
      Math.floor(i / kind.heads),
      i % kind.heads,
    ]);
    return heads.map(([layer, head]) => this.reader.panel({ code: "", kind, layer, head }, this.state));
  }

  /** @param {Partial<State>} patch */
  change(patch) {
    this.state = settled(this.trace, { ...this.state, ...patch });
    this.card.hide();
    this.draw();
    clearTimeout(this.waiting);
    this.root.dataset.link = "late";
    this.waiting = setTimeout(() => this.say(), LINK_AFTER);
  }

  /** Hands on the link of what is chosen. */
  say() {
    this.onLink(write(this.state, this.opening));
    this.root.dataset.link = "said";
  }

  /** Takes what a link says, as when somebody has changed it by hand. @param {string} link */
  follow(link) {
    if (link.replace(/^#/, "") === write(this.state, this.opening)) return;
    this.state = settled(this.trace, readLink(link, this.opening));
    this.draw();
  }

  draw() {
    const { state, root } = this;
    this.dress();
    this.chips.draw();
    this.kinds.show(state);
    this.toolbar.show(state);
    root.classList.toggle("all", state.view === "all");
    root.classList.toggle("present", state.present);
    this.shown = this.reader.panels(state);
    this.legend.draw();
    (state.view === "all" ? drawAll : drawChosen)(this);
    this.chips.shade();
  }

  /** Colours of the theme, for the style sheet and for everything that is painted. */
  dress() {
    const { looks } = this.trace.header;
    const look = looks[this.state.theme || (this.dark ? "dark" : "light")];
    if (this.dressed === look) return;
    this.dressed = this.look = look;
    this.tables = { scale: tableOf(look.scale), diverging: tableOf(look.diverging) };
    for (const name of /** @type {const} */ (["background", "surface", "text", "muted", "grid", "accent"])) {
      this.root.style.setProperty(`--${name}`, look[name]);
    }
    this.root.ownerDocument.documentElement.style.colorScheme = look === looks.dark ? "dark" : "light";
  }

  /** The browser has become dark, or light. @param {boolean} dark */
  turn(dark) {
    this.dark = dark;
    this.draw();
  }

  toggleTheme() {
    this.change({ theme: this.look === this.trace.header.looks.dark ? "light" : "dark" });
  }

  /** Lights up what is pointed at, in all maps and in the sentences. @param {import("./reckon/pointing.js").Lit} lit */
  light(lit) {
    if (String([lit.rows, lit.columns]) === String([this.lit.rows, this.lit.columns]) && lit.kind === this.lit.kind)
      return;
    this.lit = lit;
    for (const panel of this.panels) panel.mark();
    this.chips.shade();
  }

  /** @param {Panel | null} panel @param {import("./types.js").Spot | null} spot */
  point(panel, spot) {
    this.light(litAt(panel, spot));
  }

  /** @param {string[]} keys */
  pointToken(keys) {
    this.light({ kind: null, rows: keys, columns: [] });
  }

  /** @param {Panel} panel @param {import("./types.js").Spot | null} spot @param {boolean} more */
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

  /** @param {Grid} grid @param {import("./draw/grid.js").Cell | null} cell */
  preview(grid, cell) {
    if (!cell || cell.layer === null || cell.head === null) return this.card.hide();
    const { kind } = grid;
    const code = `${kind.letter}${cell.layer}.${cell.head}`;
    this.card.show({ code, kind, layer: cell.layer, head: cell.head }, grid.element.getBoundingClientRect());
  }

  /** @param {KindPart} kind @param {import("./draw/grid.js").Cell} cell @param {boolean} more */
  open(kind, cell, more) {
    this.change(opened(this.state, kind, cell, more));
  }

  /** Nothing but the picture, large, on the whole screen; or everything again. */
  present() {
    this.change({ present: !this.state.present });
    fullScreen(this.root.ownerDocument, this.state.present);
  }

  /** @param {number} factor */
  zoom(factor) {
    const [first] = this.panels;
    first?.zoom(factor);
  }

  /** @param {string} format */
  save(format) {
    void save(this, format);
  }
}
