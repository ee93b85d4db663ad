import { unpackCoarse } from "../../core/codes.js";
import { coloursOf, pixelsOf } from "../../core/colours.js";
import { pooled, stretched } from "../../map/pooling.js";
import { Ruler } from "../../ui/canvas.js";
import { Component, mounted } from "../../ui/component.js";
import { make, makeButton, whenPointed, within } from "../../ui/dom.js";
import { PreviewCard } from "../../ui/preview.js";
import "./head_list.html";

const SIDE = 70; // of a small map, in CSS pixels
const PREVIEW_SIDE = 330;
const SCALE = { top: 1, bottom: 0, hidden: 0, signed: false };

/** @import { HeadPlace, Reading } from "../../types.js" */
/** @typedef {HeadPlace & { title: string, value: number, said: string, share: number, note: string, map: string }} Listed */
/** @typedef {{ rows: string[], columns: string[] }} Axes */
/** @typedef {{ axes: Record<string, Axes>, heads: Listed[], selected: HeadPlace | null }} List */
/** @typedef {import("../../types.js").Dressed<List>} Sent */

/** @extends {Component<Sent>} */
class HeadList extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.cards = this.part("cards");
    this.preview = new PreviewCard(PREVIEW_SIDE, root);
    root.append(this.preview.element);
    this.fonts = getComputedStyle(root).fontFamily;
    this.ruler = new Ruler(this.fonts);
    /** @type {Reading[]} by rank */
    this.readings = [];
    whenPointed(this.cards, cardOf, (card) => this.point(card));
    this.cards.addEventListener("click", (event) => this.open(cardOf(event)));
  }

  /** @param {Sent} data */
  update({ look, labels, heads, axes }) {
    this.colours = coloursOf(look);
    this.readings = heads.map(({ kind, map }) => readingOf(axes[kind], unpackCoarse(map)));
    this.cards.setAttribute("aria-label", labels.list);
    this.cards.replaceChildren(...heads.map((head, rank) => make("li", "", this.card(head, rank))));
    this.point(null);
  }

  /** @param {Listed} listed @param {number} rank */
  card({ kind, layer, head, title, value, said, share, note }, rank) {
    const { labels, selected } = this.data;
    const card = makeButton("card");
    Object.assign(card.dataset, { kind, layer, head, rank, value });
    const chosen = selected && selected.kind === kind && selected.layer === layer && selected.head === head;
    card.classList.toggle("selected", Boolean(chosen));
    const bar = make("span", "bar");
    bar.style.setProperty("--share", `${Math.round(100 * Math.min(1, Math.max(0, share)))}%`);
    card.append(this.picture(this.readings[rank]), make("b", "", title));
    card.append(make("span", "value", said), bar, make("span", "note", note));
    card.setAttribute("aria-label", `${rank + 1}. ${title}: ${said}. ${note} ${labels.open}`);
    return card;
  }

  /** The map at a fixed size. @param {Reading} reading */
  picture(reading) {
    const canvas = make("canvas");
    canvas.setAttribute("aria-hidden", "true");
    canvas.style.width = canvas.style.height = `${SIDE}px`;
    const pixels = Math.round(SIDE * (window.devicePixelRatio || 1));
    canvas.width = canvas.height = pixels;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const image = context.createImageData(pixels, pixels);
    const [tile, inks] = [{ wide: pixels, high: pixels }, this.colours?.inks.scale];
    if (reading.values.length && inks) {
      const small = pooled(reading, tile);
      stretched(pixelsOf(small.values, SCALE, inks), small, tile, new Uint32Array(image.data.buffer));
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  /** @param {HTMLElement | null} card */
  open(card) {
    const listed = card && this.data.heads[Number(card.dataset.rank)];
    if (listed) this.setTriggerValue("open", { kind: listed.kind, layer: listed.layer, head: listed.head });
  }

  /** @param {HTMLElement | null} card */
  point(card) {
    const rank = Number(card?.dataset.rank);
    const listed = card && this.data.heads[rank];
    if (!listed || !this.colours) return this.preview.hide();
    const { left, right } = card.getBoundingClientRect();
    const { tables, inks } = this.colours;
    const panel = { reading: this.readings[rank] };
    const { fonts, ruler } = this;
    const drawing = { panel, scale: SCALE, table: tables.scale, inks: inks.scale, look: this.data.look, given: 0 };
    const beside = { left, right, top: this.cards.getBoundingClientRect().top };
    this.preview.show(listed.title, listed.said, { ...drawing, fonts, ruler }, beside);
  }
}

/** @param {Event} event */
const cardOf = (event) => within(event, ".card");

/** @param {Axes} axes @param {Float32Array} values @returns {Reading} */
function readingOf({ rows, columns }, values) {
  const labels = (/** @type {string[]} */ texts) =>
    texts.map((text, i) => ({ text, special: false, places: [i], keys: [], beside: "" }));
  return { rows: labels(rows), columns: labels(columns), values, top: 1 };
}

export default mounted(HeadList);
