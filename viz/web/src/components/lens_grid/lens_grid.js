import { Component, mounted } from "../../ui/component.js";
import { colourAt, colourTable, fill, isTaken, make, makeButton, paint, seize, smallPercent } from "../../ui/shared.js";
import { levelTable, NAMES, rankCurve } from "./lens_step.js";
import "./lens_grid.css";

const STANDS = 150; // milliseconds that a step stands before it is reported

class LensGrid extends Component {
  constructor(root) {
    super(root);
    this.grid = this.part("grid");
    this.grid.addEventListener("click", (e) => this.go(this.stepOf(e)));
    this.grid.addEventListener("keydown", (e) => this.press(e, true));
    this.listen(document, "keydown", (event) => isTaken(event) || this.press(event));
    this.whenResized(() => root.clientWidth !== this.width && this.show());
  }

  update(data) {
    const sentence = JSON.stringify([data.writes, data.reads]);
    if (sentence !== this.sentence || data.step === this.reported) this.reported = undefined;
    // until the app answers what was chosen last, its answers are to what was chosen before
    if (sentence !== this.sentence || !(this.resting || this.reported)) this.step = data.step - 1;
    Object.assign(this, { sentence, colours: colourTable(data.look.scale) });
    this.draw();
    this.show();
    this.reveal();
  }

  // Scrolls sideways where the step's column is out of sight; never the page.
  reveal() {
    const frame = this.grid.parentElement;
    const [column, seen] = [this.buttons[this.step].getBoundingClientRect(), frame.getBoundingClientRect()];
    if (column.left < seen.left + NAMES || column.right > seen.right) {
      frame.scrollLeft += (column.left + column.right - seen.left - seen.right) / 2;
    }
  }

  levelName(level) {
    const { labels } = this.data;
    return level === 0 ? labels.embedding : fill(labels.after, { layer: level - 1 });
  }

  // Columns are steps, rows are layers, the output on top.
  draw() {
    const { reads, steps, labels } = this.data;
    const rows = steps[0].ranks.map((_, level) => {
      const row = this.row(this.levelName(level), "level");
      row.append(...steps.map((_, step) => this.cell(step, level)));
      return row;
    });
    const below = this.row(labels.reads, "reads");
    below.append(...reads.map((text) => this.head(make("span", "", text), text)));
    this.grid.setAttribute("aria-label", labels.grid);
    this.grid.replaceChildren(this.written(), ...rows.reverse(), below);
  }

  row(name, className) {
    const row = make("tr", className);
    const head = make("th", "", name);
    head.scope = "row";
    row.append(head);
    return row;
  }

  head(content, title) {
    const head = make("th");
    head.scope = "col";
    head.title = title;
    head.append(content);
    return head;
  }

  written() {
    const { writes, labels } = this.data;
    const row = this.row(labels.writes, "written");
    this.buttons = writes.map((text, step) => {
      const button = makeButton("", text);
      button.dataset.step = step;
      return button;
    });
    row.append(...this.buttons.map((button, step) => this.head(button, writes[step])));
    return row;
  }

  cell(step, level) {
    const { tokens, steps, labels } = this.data;
    const { candidates, probabilities, ranks } = steps[step];
    const token = tokens[candidates[level][0]];
    const cell = make("td", ranks[level] === 1 ? "same" : "", token);
    paint(cell, colourAt(this.colours, probabilities[level][0]));
    Object.assign(cell.dataset, { step, level, probability: probabilities[level][0], rank: ranks[level] });
    const values = { level: this.levelName(level), token, probability: smallPercent(probabilities[level][0], 1) };
    cell.title = fill(labels.cell, {
      ...values,
      rank: ranks[level].toLocaleString("en"),
      written: this.data.writes[step],
    });
    return cell;
  }

  stepOf(event) {
    const place = event.target.closest("[data-step]");
    return place ? Number(place.dataset.step) : -1;
  }

  go(step, focus = false) {
    if (!(step in this.data.steps)) return;
    this.step = step;
    this.show();
    if (focus) this.buttons[step].focus();
    this.reveal();
    clearTimeout(this.resting);
    this.resting = this.after(STANDS, () => this.report());
  }

  report() {
    this.resting = undefined;
    this.reported = this.step + 1;
    this.setTriggerValue("step", this.reported);
  }

  press(event, focus = false) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || !(this.step + by in this.data.steps)) return;
    seize(event);
    this.go(this.step + by, focus);
  }

  show() {
    this.width = this.root.clientWidth;
    this.root.style.setProperty(
      "--cell",
      `${Math.min(72, Math.max(38, (this.width - NAMES) / this.buttons.length - 4))}px`,
    );
    this.root.dataset.step = this.step + 1;
    this.buttons.forEach((button, step) => {
      button.setAttribute("aria-pressed", String(step === this.step));
      button.tabIndex = step === this.step ? 0 : -1;
    });
    for (const cell of this.grid.querySelectorAll("td"))
      cell.classList.toggle("now", Number(cell.dataset.step) === this.step);
    this.story();
    const names = this.data.steps[0].ranks.map((_, level) => this.levelName(level));
    rankCurve(this.part("curve"), this.data, this.step, this.width);
    this.part("levels").replaceChildren(...levelTable(this.data, this.step, names));
  }

  story() {
    const { labels, writes, steps, settles, vocabulary } = this.data;
    const level = settles[this.step];
    const { ranks } = steps[this.step];
    const values = {
      token: writes[this.step],
      step: this.step + 1,
      level: level === null ? "" : this.levelName(level),
    };
    const numbers = { first: ranks[0].toLocaleString("en"), vocabulary: vocabulary.toLocaleString("en") };
    const text = fill(level === null ? labels.never : labels.settles, { ...values, ...numbers });
    this.part("story").textContent = text;
  }
}

export default mounted(LensGrid);
