import { Component, mounted } from "../../ui/component.js";
import { fill, makeButton, svg, whenPointed } from "../../ui/shared.js";
import "./word_links.css";

class WordLinks extends Component {
  constructor(root) {
    super(root);
    this.pair = this.part("pair");
    this.lines = this.part("lines");
    this.rows = Object.fromEntries(["src", "tgt"].map((side) => [side, root.querySelector(`[data-side="${side}"]`)]));
    this.words = { src: [], tgt: [] };
    const placeOf = (event) => event.target.closest?.(".word")?.place ?? null;
    for (const row of Object.values(this.rows)) whenPointed(row, placeOf, (place) => this.point(place));
    this.whenResized(() => this.arrange());
  }

  update(data) {
    this.root.style.setProperty("--hl-link", data.look.dark ? "#79AAD0" : "#2F6FA8");
    for (const [column, side] of ["src", "tgt"].entries()) {
      const linked = new Set(data.links.map((link) => link[column]));
      this.words[side] = data[side].map((text, index) => {
        const word = makeButton(linked.has(index) ? "word" : "word lone", text);
        word.place = { side, index };
        word.dataset.index = index;
        return word;
      });
      this.rows[side].replaceChildren(...this.words[side]);
    }
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

  // In two lines where they fit, else in two columns; then every link between the middles of its words' edges.
  arrange() {
    if (this.root.clientWidth && this.root.clientWidth !== this.width) {
      this.width = this.root.clientWidth;
      this.root.classList.remove("tall");
      this.root.classList.toggle("tall", this.pair.scrollWidth > this.width || this.pair.offsetWidth > this.width);
    }
    const tall = this.root.classList.contains("tall");
    const origin = this.pair.getBoundingClientRect();
    const edge = (word, near) => {
      const box = word.getBoundingClientRect();
      if (tall) return [(near ? box.right : box.left) - origin.left, (box.top + box.bottom) / 2 - origin.top];
      return [(box.left + box.right) / 2 - origin.left, (near ? box.bottom : box.top) - origin.top];
    };
    for (const path of this.paths) {
      const [x, y] = edge(this.words.src[path.dataset.src], true);
      const [u, v] = edge(this.words.tgt[path.dataset.tgt], false);
      const middle = tall ? (x + u) / 2 : (y + v) / 2;
      const bend = tall ? `${middle},${y} ${middle},${v}` : `${x},${middle} ${u},${middle}`;
      path.setAttribute("d", `M${x},${y} C${bend} ${u},${v}`);
    }
  }

  point(place) {
    const { labels, links } = this.data;
    this.root.classList.toggle("pointing", Boolean(place));
    const lit = { src: new Set(), tgt: new Set() };
    links.forEach(([src, tgt], n) => {
      const touched = place && (place.side === "src" ? src : tgt) === place.index;
      this.paths[n].classList.toggle("lit", Boolean(touched));
      if (touched) lit.src.add(src) && lit.tgt.add(tgt);
    });
    for (const side of ["src", "tgt"]) {
      this.words[side].forEach((word, index) => {
        word.classList.toggle("lit", lit[side].has(index) || (place?.side === side && place.index === index));
      });
    }
    this.read(place ? this.sentence(place, lit) : labels.hint, !place);
  }

  sentence({ side, index }, lit) {
    const { labels } = this.data;
    const other = side === "src" ? "tgt" : "src";
    const list = [...lit[other]]
      .sort((a, b) => a - b)
      .map((n) => this.data[other][n])
      .join(" · ");
    return fill(list ? labels.linked : labels.alone, { word: this.data[side][index], list });
  }
}

export default mounted(WordLinks);
