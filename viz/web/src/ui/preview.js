import { drawMap, placeMap, sharp } from "../map/heatmap.js";
import { make } from "./shared.js";
import "./preview.css";

// A card with one map, bigger and labelled, beside the small one that is pointed at.
const PREVIEW_SIDE = 270;
const PREVIEW_CELL = 24;

export class Preview {
  constructor(root) {
    this.root = root;
    this.card = make("div", "preview");
    this.title = make("p", "preview-title");
    this.canvas = make("canvas");
    this.caption = make("p", "preview-pair");
    this.canvas.setAttribute("aria-hidden", "true");
    this.card.hidden = true;
    this.card.append(this.title, this.canvas, this.caption);
    root.append(this.card);
  }

  show(map, look, title, caption, dataset) {
    this.card.hidden = false;
    const cell = sharp(Math.min(PREVIEW_CELL, PREVIEW_SIDE / Math.max(1, map.rows.length, map.columns.length)));
    drawMap(this.canvas, map, placeMap(this.canvas, map.rows, map.columns, cell), look);
    this.title.textContent = title;
    this.caption.textContent = caption;
    Object.assign(this.canvas.dataset, dataset);
  }

  hide() {
    this.card.hidden = true;
  }

  // Beside the map in question, never over it.
  stand(small, grid) {
    const [outer, inner, maps] = [this.root, small, grid].map((element) => element.getBoundingClientRect());
    const width = this.card.offsetWidth;
    const right = inner.right - outer.left + 14;
    const left = Math.max(0, inner.left - outer.left - 14 - width);
    this.card.style.left = `${right + width <= outer.width ? right : left}px`;
    const lowest = Math.max(8 - outer.top, window.innerHeight - 8 - this.card.offsetHeight - outer.top);
    this.card.style.top = `${Math.min(maps.top - outer.top, lowest)}px`;
  }
}
