import { fill } from "../../core/text.js";
import { Component, mounted } from "../../ui/component.js";
import { makeButton, svg, whenPointed, within } from "../../ui/dom.js";
import "./word_links.html";

const SIDES = /** @type {const} */ (["src", "tgt"]);

/** @typedef {typeof SIDES[number]} Side */
/** @typedef {{ side: Side, index: number }} Place */
/** @typedef {import("../../types.js").Dressed<Record<Side, string[]> & { links: [number, number][] }>} Sent */

/** @extends {Component<Sent>} */
class WordLinks extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.pair = this.part("pair");
    this.lines = this.drawing("lines");
    this.rows = { src: this.find('[data-side="src"]'), tgt: this.find('[data-side="tgt"]') };
    /** @type {Record<Side, HTMLElement[]>} */
    this.words = { src: [], tgt: [] };
    /** @type {SVGPathElement[]} */
    this.paths = [];
    /** @type {number | null} */
    this.width = null;
    for (const side of SIDES) {
      const placeOf = (/** @type {Event} */ event) => {
        const word = within(event, ".word");
        return word && { side, index: Number(word.dataset.index) };
      };
      whenPointed(this.rows[side], placeOf, (place) => this.point(place));
    }
    this.whenResized(() => this.arrange());
  }

  /** @param {Sent} data */
  update(data) {
    this.root.style.setProperty("--hl-link", data.look.dark ? "#79AAD0" : "#2F6FA8");
    SIDES.forEach((side, column) => {
      const linked = new Set(data.links.map((link) => link[column]));
      this.words[side] = data[side].map((text, index) => {
        const word = makeButton(linked.has(index) ? "word" : "word lone", text);
        word.dataset.index = String(index);
        return word;
      });
      this.rows[side].replaceChildren(...this.words[side]);
    });
    this.paths = data.links.map(([src, tgt]) => {
      const path = svg("path");
      Object.assign(path.dataset, { src, tgt });
      return path;
    });
    this.lines.replaceChildren(...this.paths);
    this.width = null;
    this.arrange();
    this.point(null);
  }

  /** In two lines where they fit, else in two columns; then every link between the middles of its words' edges. */
  arrange() {
    if (this.root.clientWidth && this.root.clientWidth !== this.width) {
      this.width = this.root.clientWidth;
      this.root.classList.remove("tall");
      this.root.classList.toggle("tall", this.pair.scrollWidth > this.width || this.pair.offsetWidth > this.width);
    }
    const tall = this.root.classList.contains("tall");
    const origin = this.pair.getBoundingClientRect();
    const edge = (/** @type {HTMLElement} */ word, /** @type {boolean} */ near) => {
      const box = word.getBoundingClientRect();
      if (tall) return [(near ? box.right : box.left) - origin.left, (box.top + box.bottom) / 2 - origin.top];
      return [(box.left + box.right) / 2 - origin.left, (near ? box.bottom : box.top) - origin.top];
    };
    this.data.links.forEach(([src, tgt], n) => {
      const [x, y] = edge(this.words.src[src], true);
      const [u, v] = edge(this.words.tgt[tgt], false);
      const middle = tall ? (x + u) / 2 : (y + v) / 2;
      const bend = tall ? `${middle},${y} ${middle},${v}` : `${x},${middle} ${u},${middle}`;
      this.paths[n].setAttribute("d", `M${x},${y} C${bend} ${u},${v}`);
    });
  }

  /** @param {Place | null} place */
  point(place) {
    const { labels, links } = this.data;
    this.root.classList.toggle("pointing", Boolean(place));
    /** @type {Record<Side, Set<number>>} */
    const lit = { src: new Set(), tgt: new Set() };
    links.forEach(([src, tgt], n) => {
      const touched = place !== null && (place.side === "src" ? src : tgt) === place.index;
      this.paths[n].classList.toggle("lit", touched);
      if (!touched) return;
      lit.src.add(src);
      lit.tgt.add(tgt);
    });
    for (const side of SIDES) {
      this.words[side].forEach((word, index) => {
        word.classList.toggle("lit", lit[side].has(index) || (place?.side === side && place.index === index));
      });
    }
    this.read(place ? this.sentence(place, lit) : labels.hint, !place);
  }

  /** @param {Place} place @param {Record<Side, Set<number>>} lit */
  sentence({ side, index }, lit) {
    const { labels } = this.data;
    const other = side === "src" ? "tgt" : "src";
    const words = [...lit[other]].sort((a, b) => a - b).map((n) => this.data[other][n]);
    const list = words.join(" · ");
    return fill(list ? labels.linked : labels.alone, { word: this.data[side][index], list });
  }
}

export default mounted(WordLinks);
