import { drawAxes, drawBars, drawCells, drawCurves } from "../../chart/axes.js";
import { floatsOf } from "../../core/codes.js";
import { fill } from "../../core/text.js";
import { sized } from "../../ui/canvas.js";
import { Component, mounted } from "../../ui/component.js";
import { make } from "../../ui/dom.js";
import "./plain_chart.html";

/** @import { AxisPart, Bars, Curve, Cells } from "../../chart/axes.js" */
/** @template T @typedef {Omit<T, "values"> & { values: string }} Packed with its values as float32 in base64 */
/**
 * @typedef {object} Chart
 * @property {string} alt
 * @property {number} width 0 for what the page has
 * @property {number} height
 * @property {[number, number, number, number]} margin left, right, top, bottom
 * @property {AxisPart} x
 * @property {AxisPart} y
 * @property {string | null} places packed
 * @property {Packed<Cells> | null} cells
 * @property {Packed<Bars>[]} bars
 * @property {Packed<Curve>[]} curves
 * @property {string[]} names of columns
 * @property {string[]} rows
 * @property {number | null} mark
 */
/** @typedef {import("../../types.js").Dressed<{ chart: Chart }>} Sent */

/** @extends {Component<Sent>} */
class PlainChart extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    /** @type {Chart | null} */
    this.chart = null;
    this.drawn = 0; // pixels that it is wide
    this.places = new Float32Array();
    /** @type {Bars[]} */
    this.bars = [];
    /** @type {Curve[]} */
    this.curves = [];
    /** @type {Cells | null} */
    this.cells = null;
    /** @type {import("../../chart/axes.js").ChartPlace | null} */
    this.place = null;
    this.canvas = /** @type {HTMLCanvasElement} */ (this.part("chart"));
    this.tip = this.part("tip");
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.whenResized(() => this.wide() !== this.drawn && this.draw());
  }

  /** @param {Sent} data */
  update({ chart }) {
    this.chart = chart;
    this.canvas.setAttribute("aria-label", chart.alt);
    this.places = chart.places ? floatsOf(chart.places) : new Float32Array();
    this.cells = chart.cells && { ...chart.cells, values: floatsOf(chart.cells.values) };
    this.bars = chart.bars.map((each) => ({ ...each, values: floatsOf(each.values) }));
    this.curves = chart.curves.map((each) => ({ ...each, values: floatsOf(each.values) }));
    this.part("legend").replaceChildren(...entries([...this.bars, ...this.curves]));
    this.tip.hidden = true;
    this.draw();
  }

  /** Pixels that the picture takes: its own, or those that the page has. */
  wide() {
    return Math.min(this.data.chart.width || Infinity, this.root.clientWidth);
  }

  draw() {
    const { look, chart } = this.data;
    this.drawn = this.wide();
    if (!this.drawn) return;
    const context = sized(this.canvas, this.drawn, chart.height);
    const place = placed(chart, this.drawn);
    const family = getComputedStyle(this.root).fontFamily;
    const font = (/** @type {number} */ size) => void (context.font = `${size}px ${family}`);
    const paper = { context, place, look, font };
    if (this.cells) drawCells(paper, this.cells, chart);
    drawAxes(paper, chart);
    drawBars(paper, this.bars, this.places);
    drawCurves(paper, this.curves, this.places, chart.mark);
    this.place = place;
  }

  /** @param {PointerEvent} event */
  point({ offsetX, offsetY }) {
    if (!this.place) return;
    const { left, top, wide, high } = this.place;
    const [across, down] = [(offsetX - left) / wide, (offsetY - top) / high];
    const inside = across >= 0 && across < 1 && down >= 0 && down < 1;
    this.tip.hidden = !inside;
    if (!inside) return;
    this.tip.textContent = this.cells ? this.cellAt(this.cells, across, down) : this.placeAt(across);
    const right = Math.min(offsetX + 14, this.root.clientWidth - this.tip.offsetWidth - 2);
    this.tip.style.left = `${Math.max(0, right)}px`;
    this.tip.style.top = `${Math.max(0, offsetY - this.tip.offsetHeight - 10)}px`;
  }

  /** @param {Cells} cells @param {number} across @param {number} down */
  cellAt({ values }, across, down) {
    const { names, rows } = this.data.chart;
    const [row, column] = [Math.floor(down * rows.length), Math.floor(across * names.length)];
    const value = written(values[row * names.length + column]);
    return fill("{row}, {column}: {value}", { row: rows[row] || row, column: names[column] || column, value });
  }

  /** @param {number} across */
  placeAt(across) {
    const { x, names } = this.data.chart;
    const [low, high] = x.limits;
    const at = low + across * (high - low);
    const away = Array.from(this.places, (place) => Math.abs(place - at));
    const nearest = away.indexOf(Math.min(...away));
    const series = [...this.bars, ...this.curves];
    const told = series.map(({ name, values }) => `${series.length > 1 ? `${name} ` : ""}${written(values[nearest])}`);
    return `${names[nearest] ?? written(this.places[nearest])}: ${told.join(" · ")}`;
  }
}

/** @param {number} value */
const written = (value) => (Number.isNaN(value) ? "–" : String(Number(value.toPrecision(4))).replace("-", "−"));

/** What each colour stands for, where there are several. @param {import("../../chart/axes.js").Series[]} series */
function entries(series) {
  if (series.length < 2) return [];
  return series.map(({ name, colour, dash }) => {
    const swatch = make("span", "swatch");
    const ends = (dash.length ? dash : [1, 0]).map((_, i, all) =>
      all.slice(0, i + 1).reduce((sum, part) => sum + part),
    );
    const stops = ends.map((end, i) => `${i % 2 ? "transparent" : colour} ${ends[i - 1] ?? 0}px ${end}px`);
    swatch.style.background = `repeating-linear-gradient(to right, ${stops.join(", ")})`;
    return make("span", "", swatch, name);
  });
}

/** Where what is between the axes stands, and where values stand there. @param {Chart} chart @param {number} width @returns {import("../../chart/axes.js").ChartPlace} */
function placed({ margin, height, x, y }, width) {
  const [left, right, top, bottom] = margin;
  const [wide, high] = [Math.max(1, width - left - right), height - top - bottom];
  const share = (/** @type {[number, number]} */ [low, end], /** @type {number} */ value) =>
    (value - low) / (end - low);
  return {
    ...{ left, top, wide, high },
    xOf: (value) => left + wide * share(x.limits, value),
    yOf: (value) => top + high * (1 - share(y.limits, value)),
  };
}

export default mounted(PlainChart);
