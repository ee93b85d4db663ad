import { Component, mounted } from "../../ui/component.js";
import { sizeCanvas } from "../../map/heatmap.js";
import { bytesOf, fill, make } from "../../ui/shared.js";
import { drawAxes } from "../../chart/axes.js";
import { drawBars, drawCells, drawCurves } from "../../chart/parts.js";
import "./plain_chart.css";

// An array as Python packed it: float32, little-endian.
const floats = (packed) => new Float32Array(bytesOf(packed).buffer);

const written = (value) => (Number.isNaN(value) ? "–" : String(Number(value.toPrecision(4))).replace("-", "−"));

// What each colour stands for, where there are several.
function entries(series) {
  if (series.length < 2) return [];
  return series.map(({ name, colour, dash }) => {
    const swatch = make("span", "swatch");
    const ends = (dash.length ? dash : [1, 0]).map((_, i, all) =>
      all.slice(0, i + 1).reduce((sum, part) => sum + part),
    );
    const stops = ends.map((end, i) => `${i % 2 ? "transparent" : colour} ${ends[i - 1] ?? 0}px ${end}px`);
    swatch.style.background = `repeating-linear-gradient(to right, ${stops.join(", ")})`;
    const entry = make("span");
    entry.append(swatch, name);
    return entry;
  });
}

class PlainChart extends Component {
  constructor(root) {
    super(root);
    this.canvas = this.part("chart");
    this.tip = this.part("tip");
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.whenResized(() => this.wide() !== this.drawn && this.draw());
  }

  update({ chart }) {
    this.chart = chart;
    this.canvas.setAttribute("aria-label", chart.alt);
    this.places = chart.places && floats(chart.places);
    this.cells = chart.cells && { ...chart.cells, values: floats(chart.cells.values) };
    const unpacked = (each) => ({ ...each, values: floats(each.values) });
    [this.bars, this.curves] = [chart.bars.map(unpacked), chart.curves.map(unpacked)];
    this.part("legend").replaceChildren(...entries([...chart.bars, ...chart.curves]));
    this.tip.hidden = true;
    this.draw();
  }

  // Pixels that the picture takes: its own, or those that the page has.
  wide() {
    return Math.min(this.chart.width || Infinity, this.root.clientWidth);
  }

  draw() {
    const { chart } = this;
    this.drawn = this.wide();
    if (!this.drawn) return;
    const context = sizeCanvas(this.canvas, this.drawn, chart.height);
    const place = placed(chart, this.drawn);
    const family = getComputedStyle(this.root).fontFamily;
    const paper = { context, place, look: this.data.look, font: (size) => (context.font = `${size}px ${family}`) };
    if (this.cells) drawCells(paper, this.cells, chart);
    drawAxes(paper, chart);
    drawBars(paper, this.bars, this.places);
    drawCurves(paper, this.curves, this.places, chart.mark);
    this.place = place;
  }

  point({ offsetX, offsetY }) {
    if (!this.place) return;
    const { left, top, wide, high } = this.place;
    const [across, down] = [(offsetX - left) / wide, (offsetY - top) / high];
    const inside = across >= 0 && across < 1 && down >= 0 && down < 1;
    this.tip.hidden = !inside;
    if (!inside) return;
    this.tip.textContent = this.cells ? this.cellAt(across, down) : this.placeAt(across);
    const right = Math.min(offsetX + 14, this.root.clientWidth - this.tip.offsetWidth - 2);
    this.tip.style.left = `${Math.max(0, right)}px`;
    this.tip.style.top = `${Math.max(0, offsetY - this.tip.offsetHeight - 10)}px`;
  }

  cellAt(across, down) {
    const { names, rows } = this.chart;
    const [row, column] = [Math.floor(down * rows.length), Math.floor(across * names.length)];
    const value = written(this.cells.values[row * names.length + column]);
    return fill("{row}, {column}: {value}", { row: rows[row] || row, column: names[column] || column, value });
  }

  placeAt(across) {
    const [low, high] = this.chart.x.limits;
    const at = low + across * (high - low);
    const away = Array.from(this.places, (place) => Math.abs(place - at));
    const nearest = away.indexOf(Math.min(...away));
    const series = [...this.bars, ...this.curves];
    const told = series.map(({ name, values }) => `${series.length > 1 ? `${name} ` : ""}${written(values[nearest])}`);
    return `${this.chart.names[nearest] ?? written(this.places[nearest])}: ${told.join(" · ")}`;
  }
}

// Where what is between the axes stands, and where values stand there.
function placed({ margin, height, x, y }, width) {
  const [left, right, top, bottom] = margin;
  const [wide, high] = [Math.max(1, width - left - right), height - top - bottom];
  const share = ([low, end], value) => (value - low) / (end - low);
  return {
    ...{ left, top, wide, high },
    xOf: (value) => left + wide * share(x.limits, value),
    yOf: (value) => top + high * (1 - share(y.limits, value)),
  };
}

export default mounted(PlainChart);
