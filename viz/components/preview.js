// A card with one map, bigger and labelled, beside the small one that is pointed at.
const PREVIEW_SIDE = 270;
const PREVIEW_CELL = 24;

class Preview {
  constructor(card) {
    this.card = card;
    this.canvas = card.querySelector("canvas");
  }

  show(map, look, title, caption, dataset) {
    this.card.hidden = false;
    const cell = sharp(Math.min(PREVIEW_CELL, PREVIEW_SIDE / Math.max(1, map.rows.length, map.columns.length)));
    drawMap(this.canvas, map, placeMap(this.canvas, map.rows, map.columns, cell), look);
    this.card.querySelector(".preview-title").textContent = title;
    this.card.querySelector(".preview-pair").textContent = caption;
    Object.assign(this.canvas.dataset, dataset);
  }

  hide() {
    this.card.hidden = true;
  }

  // Beside the map in question, never over it.
  stand(small, root, grid) {
    const [outer, inner, maps] = [root, small, grid].map((element) => element.getBoundingClientRect());
    const width = this.card.offsetWidth;
    const right = inner.right - outer.left + 14;
    const left = Math.max(0, inner.left - outer.left - 14 - width);
    this.card.style.left = `${right + width <= outer.width ? right : left}px`;
    const lowest = Math.max(8 - outer.top, window.innerHeight - 8 - this.card.offsetHeight - outer.top);
    this.card.style.top = `${Math.min(maps.top - outer.top, lowest)}px`;
  }
}
