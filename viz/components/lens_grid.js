const STANDS = 150; // milliseconds that a step stands before it is reported
const OWN = "input, textarea, select, [contenteditable], [role=slider], [role=combobox], [role=option], [role=radio]";

class LensGrid {
  constructor(root) {
    this.root = root;
    this.grid = root.querySelector(".grid");
    this.grid.addEventListener("click", (e) => this.take(this.stepOf(e)));
    this.grid.addEventListener("keydown", (e) => this.press(e, true));
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    this.watcher = new ResizeObserver(() => this.data && root.clientWidth !== this.width && this.show());
    this.watcher.observe(root);
  }

  update(data, send) {
    const sentence = JSON.stringify([data.writes, data.reads]);
    if (sentence !== this.sentence || this.given !== data.step) this.step = data.step - 1;
    Object.assign(this, { data, send, sentence, given: data.step, colours: colourTable(data.look.scale) });
    dress(this.root, data.look);
    for (const each of this.root.querySelectorAll("[data-label]")) each.textContent = data.labels[each.dataset.label];
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
      const button = make("button", "", text);
      button.type = "button";
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
    const colour = colourAt(this.colours, probabilities[level][0]);
    cell.style.setProperty("--hl-fill", css(colour));
    cell.style.setProperty("--hl-ink", inkOn(colour));
    Object.assign(cell.dataset, { step, level, probability: probabilities[level][0], rank: ranks[level] });
    const values = { level: this.levelName(level), token, probability: exact(probabilities[level][0]) };
    cell.title = fill(labels.cell, { ...values, rank: ranks[level].toLocaleString("en"), written: this.data.writes[step] });
    return cell;
  }

  stepOf(event) {
    const place = event.target.closest("[data-step]");
    return place ? Number(place.dataset.step) : -1;
  }

  take(step, focus = false) {
    if (!(step in this.data.steps)) return;
    this.step = step;
    this.show();
    if (focus) this.buttons[step].focus();
    this.reveal();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.root.isConnected && this.report(), STANDS);
  }

  report() {
    this.given = this.step + 1;
    this.send("step", this.given);
  }

  key(event) {
    if (!this.root.isConnected) return this.leave();
    const own = event.composedPath()[0].closest?.(OWN);
    if (!own && !event.defaultPrevented && !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey) this.press(event);
  }

  press(event, focus = false) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || !(this.step + by in this.data.steps)) return;
    event.preventDefault();
    event.stopPropagation();
    this.take(this.step + by, focus);
  }

  leave() {
    document.removeEventListener("keydown", this.onKey);
    clearTimeout(this.resting);
    this.watcher.disconnect();
  }

  show() {
    this.width = this.root.clientWidth;
    this.root.style.setProperty("--cell", `${Math.min(72, Math.max(38, (this.width - NAMES) / this.buttons.length - 4))}px`);
    this.root.dataset.step = this.step + 1;
    this.buttons.forEach((button, step) => {
      button.setAttribute("aria-pressed", String(step === this.step));
      button.tabIndex = step === this.step ? 0 : -1;
    });
    for (const cell of this.grid.querySelectorAll("td")) cell.classList.toggle("now", Number(cell.dataset.step) === this.step);
    this.story();
    const names = this.data.steps[0].ranks.map((_, level) => this.levelName(level));
    rankCurve(this.root.querySelector(".curve"), this.data, this.step, this.width);
    this.root.querySelector(".levels").replaceChildren(...levelTable(this.data, this.step, names));
  }

  story() {
    const { labels, writes, steps, settles, vocabulary } = this.data;
    const level = settles[this.step];
    const { ranks } = steps[this.step];
    const values = { token: writes[this.step], step: this.step + 1, level: level === null ? "" : this.levelName(level) };
    const numbers = { first: ranks[0].toLocaleString("en"), vocabulary: vocabulary.toLocaleString("en") };
    const text = fill(level === null ? labels.never : labels.settles, { ...values, ...numbers });
    this.root.querySelector(".story").textContent = text;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".lens");
  root.lens ??= new LensGrid(root);
  root.lens.update(data, setTriggerValue);
  return () => root.isConnected || root.lens.leave();
}
