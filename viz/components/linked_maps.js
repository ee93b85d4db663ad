const COMFORTABLE = 13; // a cell of this side keeps every label
const LARGEST_CELL = 34;
const MOST_ABREAST = 3;
const BETWEEN_MAPS = 24;

// Which sentence the rows and the columns of a kind belong to.
const ROW_SIDE = { encoder_self: "src", decoder_self: "tgt", cross: "tgt" };
const COLUMN_SIDE = { encoder_self: "src", decoder_self: "tgt", cross: "src" };

class LinkedMaps {
  constructor(root) {
    this.root = root;
    this.box = root.querySelector(".maps");
    this.pointed = this.pinned = null;
    this.panels = [];
    this.observer = new ResizeObserver(() => this.resize());
  }

  update(data) {
    Object.assign(this, { data, width: 0 });
    dress(this.root, data.look);
    const tokens = JSON.stringify(data.maps.map(({ kind, rows, columns }) => [kind, rows, columns]));
    if (tokens !== this.tokens) this.pointed = this.pinned = null;
    this.tokens = tokens;
    while (this.panels.length > data.maps.length) this.panels.pop().element.remove();
    while (this.panels.length < data.maps.length) this.panels.push(new MapPanel(this));
    data.maps.forEach((map, i) => this.panels[i].take(map, data));
    this.legend();
    this.resize();
    this.show();
    this.observer.observe(this.root);
  }

  legend() {
    const { labels, high, signed, difference_high: most } = this.data;
    const put = (name, text) => (this.root.querySelector(`.${name}`).textContent = text);
    put("low", signed ? decimals(-high) : "0");
    put("high", signed ? `+${decimals(high)}` : decimals(high));
    this.root.querySelector(".plain").classList.toggle("diverging", signed);
    put("legend-weight", labels.legend);
    this.root.querySelector(".legend-difference-row").hidden = !most;
    put("least", most ? decimals(-most) : "");
    put("most", most ? `+${decimals(most)}` : "");
    put("legend-difference", labels.legend_difference);
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
    const readout = this.root.querySelector(".readout");
    readout.classList.toggle("idle", !place);
    readout.textContent = place ? this.named(place) : this.data.labels.hint;
    for (const panel of this.panels) panel.mark(place);
  }

  named({ kind, row, column }) {
    const { rows, columns } = this.data.maps.find((map) => map.kind === kind);
    const tokens = [row === null ? null : rows[row], column === null ? null : columns[column]];
    return tokens.filter((token) => token !== null).join(" → ");
  }
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".linked");
  root.linked ??= new LinkedMaps(root);
  root.linked.update(data);
  return () => root.isConnected || root.linked.observer.disconnect();
}
