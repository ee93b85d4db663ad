import { Component, mounted } from "../shared/component.js";
import { LABEL_ROOM, sharp } from "../shared/heatmap.js";
import { decimals } from "../shared/shared.js";
import { MapPanel } from "./map_panel.js";

const COMFORTABLE = 13; // a cell of this side keeps every label
const LARGEST_CELL = 34;
const MOST_ABREAST = 3;
const BETWEEN_MAPS = 24;

class LinkedMaps extends Component {
  constructor(root) {
    super(root);
    this.box = this.part("maps");
    this.pointed = this.pinned = null;
    this.panels = [];
    this.whenResized(() => this.resize());
  }

  update(data) {
    this.width = 0;
    const tokens = JSON.stringify(data.maps.map(({ kind, rows, columns }) => [kind, rows, columns]));
    if (tokens !== this.tokens) this.pointed = this.pinned = null;
    this.tokens = tokens;
    while (this.panels.length > data.maps.length) this.panels.pop().element.remove();
    while (this.panels.length < data.maps.length) this.panels.push(new MapPanel(this));
    data.maps.forEach((map, i) => this.panels[i].take(map, data));
    this.legend();
    this.resize();
    this.show();
  }

  legend() {
    const { high, signed, difference_high: most } = this.data;
    const put = (name, text) => (this.part(name).textContent = text);
    put("low", signed ? decimals(-high) : "0");
    put("high", signed ? `+${decimals(high)}` : decimals(high));
    this.part("plain").classList.toggle("diverging", signed);
    this.part("legend-difference-row").hidden = !most;
    put("least", most ? decimals(-most) : "");
    put("most", most ? `+${decimals(most)}` : "");
  }

  // As many maps abreast as keep every label readable; two where that is impossible.
  resize() {
    const width = this.root.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    const widest = Math.max(1, ...this.data.maps.map(({ columns }) => columns.length));
    const count = this.data.maps.length;
    const cellFor = (abreast) => ((width - (abreast - 1) * BETWEEN_MAPS) / abreast - LABEL_ROOM - 12) / widest;
    let abreast = Math.min(count, MOST_ABREAST);
    while (abreast > Math.min(2, count) && cellFor(abreast) < COMFORTABLE) abreast--;
    const cell = sharp(Math.min(LARGEST_CELL, Math.max(2, cellFor(abreast))));
    this.box.style.gridTemplateColumns = `repeat(${abreast}, minmax(0, 1fr))`;
    this.root.dataset.abreast = abreast;
    for (const panel of this.panels) panel.draw(cell);
    this.show();
  }

  point(place) {
    this.pointed = place;
    this.show();
  }

  pin(place) {
    this.pinned = place && JSON.stringify(place) === JSON.stringify(this.pinned) ? null : place;
    this.show();
  }

  show() {
    const place = this.pointed ?? this.pinned;
    this.read(place ? this.named(place) : this.data.labels.hint, !place);
    for (const panel of this.panels) panel.mark(place);
  }

  named({ kind, row, column }) {
    const { rows, columns } = this.data.maps.find((map) => map.kind === kind);
    const tokens = [row === null ? null : rows[row], column === null ? null : columns[column]];
    return tokens.filter((token) => token !== null).join(" → ");
  }
}

export default mounted(LinkedMaps);
