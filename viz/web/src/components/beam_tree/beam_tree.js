import { Component, mounted } from "../../ui/component.js";
import { decimals, fill, make, makeButton, seize, svg, whenPointed } from "../../ui/shared.js";
import "./beam_tree.css";

const COLUMN = 60; // pixels from step to step
const WIDE = 42; // a node
const TOP = 20; // room for the steps' numbers
// height of a node, and of the lane that it stands in
const LANES = { kept: [38, 44], finished: [24, 30], dropped: [17, 19] };

class BeamTree extends Component {
  constructor(root) {
    super(root);
    this.canvas = this.part("canvas");
    whenPointed(
      this.canvas,
      (e) => this.nodeOf(e),
      (node) => this.point(node),
      -1,
    );
    this.canvas.addEventListener("click", (e) => this.open(this.nodeOf(e)));
    this.canvas.addEventListener("keydown", (e) => this.press(e));
    this.part("results").addEventListener("click", (e) => {
      const button = e.target.closest("button");
      if (button) this.setTriggerValue("open", Number(button.dataset.rank));
    });
  }

  update(data) {
    this.root.querySelector(".sample.rival").parentElement.hidden = data.rival < 0;
    this.canvas.setAttribute("aria-label", data.labels.hint);
    this.place();
    this.draw();
    this.list();
    this.point(-1);
  }

  // Columns are steps; in a column stand those kept, in their order in the beam, then finished ones, then dropped ones.
  place() {
    const columns = [];
    this.lanes = this.data.nodes.map(({ fate, depth }) => {
      columns[depth] ??= { kept: 0, finished: 0, dropped: 0 };
      return columns[depth][fate]++;
    });
    const kept = TOP + LANES.kept[1] * Math.max(...columns.map((counts) => counts.kept));
    this.tops = columns.map(({ finished }) => {
      const dropped = kept + LANES.finished[1] * finished + (finished ? 0 : 4);
      return { kept: TOP, finished: kept, dropped };
    });
    const bottoms = columns.map(({ dropped }, depth) => this.tops[depth].dropped + LANES.dropped[1] * dropped);
    this.steps = columns.length;
    this.canvas.style.height = `${Math.max(...bottoms)}px`;
    this.canvas.style.width = `${this.steps * COLUMN}px`;
  }

  box(index) {
    const { fate, depth } = this.data.nodes[index];
    const [high, pitch] = LANES[fate];
    return { left: depth * COLUMN + 4, top: this.tops[depth][fate] + this.lanes[index] * pitch, high };
  }

  draw() {
    const { nodes, won, rival } = this.data;
    this.won = new Set(won);
    this.svg = svg("svg", { width: this.steps * COLUMN, height: this.canvas.style.height });
    const numbers = Array.from({ length: this.steps }, (_, depth) => {
      const number = make("span", "step", String(depth + 1));
      number.style.left = `${depth * COLUMN + 4}px`;
      number.style.width = `${WIDE}px`;
      number.classList.toggle("turn", rival >= 0 && nodes[rival].depth === depth);
      return number;
    });
    const edges = nodes.map((node, index) => (node.fate === "dropped" ? null : this.edge(index)));
    edges.sort((a, b) => Number(a?.classList.contains("won") ?? 0) - Number(b?.classList.contains("won") ?? 0));
    this.svg.append(...edges.filter((edge) => edge));
    this.buttons = nodes.map((_, index) => this.button(index));
    this.canvas.replaceChildren(this.svg, ...numbers, ...this.buttons);
  }

  edge(index) {
    const { parent } = this.data.nodes[index];
    if (parent < 0) return null;
    const [from, to] = [this.box(parent), this.box(index)];
    const [x, y, right, down] = [from.left + WIDE, from.top + from.high / 2, to.left, to.top + to.high / 2];
    const bend = (x + right) / 2;
    const path = svg("path", { d: `M${x} ${y} C${bend} ${y} ${bend} ${down} ${right} ${down}` });
    path.classList.toggle("won", this.won.has(index) && this.won.has(parent));
    return path;
  }

  button(index) {
    const node = this.data.nodes[index];
    const { left, top, high } = this.box(index);
    const button = makeButton(`node ${node.fate}`);
    button.tabIndex = index === this.data.won[0] ? 0 : -1;
    Object.assign(button.style, { left: `${left}px`, top: `${top}px`, width: `${WIDE}px`, height: `${high}px` });
    const place = node.rank < 0 ? "" : ` ${node.rank + 1}`;
    button.append(make("b", "", { finished: `■${place}`, dropped: `× ${node.token}` }[node.fate] ?? node.token));
    if (node.fate === "kept") button.append(make("i", "", decimals(node.score)));
    button.classList.toggle("won", this.won.has(index));
    button.classList.toggle("rival", index === this.data.rival);
    button.classList.toggle("openable", node.rank >= 0);
    button.classList.toggle("shown", this.data.hypotheses[node.rank]?.shown ?? false);
    Object.assign(button.dataset, { index, score: node.score, fate: node.fate });
    button.setAttribute("aria-label", this.tell(node));
    return button;
  }

  tell(node) {
    const { labels } = this.data;
    const fate = node.fate === "finished" && node.rank < 0 ? labels.left : labels[node.fate];
    const [score, total] = [decimals(node.score), decimals(node.log_prob)];
    const probability = (100 * node.probability).toFixed(1);
    return fill(labels.readout, { text: node.text, token: node.token, score, total, probability, fate });
  }

  list() {
    const { hypotheses, labels } = this.data;
    const rows = hypotheses.map((each, rank) => {
      const row = make("li");
      const values = { score: decimals(each.score), total: decimals(each.log_prob), tokens: each.tokens };
      const numbers = fill(labels.row, values) + (each.finished ? "" : ` · ${labels.unfinished}`);
      const open = makeButton("", each.shown ? labels.shown : labels.open);
      open.disabled = each.shown;
      open.dataset.rank = rank;
      open.setAttribute("aria-label", `${open.textContent}: ${rank + 1}`);
      const text = make("span", "text", each.text || "∅");
      text.lang = "zh";
      row.append(make("span", "", String(rank + 1)), text, make("span", "numbers", numbers), open);
      return row;
    });
    this.part("results").replaceChildren(...rows);
  }

  nodeOf(event) {
    const button = event.target.closest?.(".node");
    return button ? Number(button.dataset.index) : -1;
  }

  point(index) {
    this.read(index < 0 ? this.data.labels.hint : this.tell(this.data.nodes[index]), index < 0);
    for (const path of this.svg.querySelectorAll(".traced")) path.remove();
    this.buttons.forEach((button) => button.classList.remove("traced"));
    for (let at = index; at >= 0; at = this.data.nodes[at].parent) {
      this.buttons[at].classList.add("traced");
      const edge = this.edge(at);
      edge?.setAttribute("class", "traced");
      if (edge) this.svg.append(edge);
    }
  }

  open(index) {
    const rank = index < 0 ? -1 : this.data.nodes[index].rank;
    if (rank >= 0) this.setTriggerValue("open", rank);
  }

  // ← to the parent, → to the first continuation, ↑ and ↓ in the column.
  press(event) {
    const index = this.nodeOf(event);
    if (index < 0 || !event.key.startsWith("Arrow")) return;
    const { nodes } = this.data;
    const column = nodes.map((_, i) => i).filter((i) => nodes[i].depth === nodes[index].depth);
    column.sort((a, b) => this.box(a).top - this.box(b).top);
    const next = {
      ArrowLeft: () => nodes[index].parent,
      ArrowRight: () => nodes.findIndex(({ parent }) => parent === index),
      ArrowUp: () => column[column.indexOf(index) - 1],
      ArrowDown: () => column[column.indexOf(index) + 1],
    }[event.key]();
    seize(event);
    if (!(next >= 0)) return;
    for (const button of this.buttons) button.tabIndex = -1;
    this.buttons[next].tabIndex = 0;
    this.buttons[next].focus();
  }
}

export default mounted(BeamTree);
