import { decimals, fill } from "../../core/text.js";
import { Roving } from "../../grid/roving.js";
import { Component, mounted } from "../../ui/component.js";
import { buttonOf, make, makeButton, svg, whenPointed, within } from "../../ui/dom.js";
import { ARROWS, seize } from "../../ui/keys.js";
import "./beam_tree.html";

const COLUMN = 60; // pixels from step to step
const WIDE = 42; // a node
const TOP = 20; // room for the steps' numbers
// height of a node, and of the lane that it stands in
const LANES = { kept: [38, 44], finished: [24, 30], dropped: [17, 19] };

/** @typedef {keyof typeof LANES} Fate */
/**
 * @typedef {object} BeamNode
 * @property {number} parent -1 for none
 * @property {number} depth
 * @property {string} token
 * @property {string} text
 * @property {number} score
 * @property {number} log_prob
 * @property {number} probability
 * @property {Fate} fate
 * @property {number} rank among the finished hypotheses; -1 for none
 */
/** @typedef {{ text: string, score: number, log_prob: number, tokens: number, finished: boolean, shown: boolean }} Hypothesis */
/** @typedef {{ nodes: BeamNode[], won: number[], rival: number, hypotheses: Hypothesis[] }} Tree */
/** @typedef {import("../../types.js").Dressed<Tree>} Sent */

/** @extends {Component<Sent>} */
class BeamTree extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.steps = 0;
    /** @type {number[]} of each node, among those of its fate in its column */
    this.lanes = [];
    /** @type {Record<Fate, number>[]} of each column */
    this.tops = [];
    /** @type {Set<number>} */
    this.won = new Set();
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    this.roving = new Roving();
    this.lines = svg("svg");
    this.canvas = this.part("canvas");
    whenPointed(this.canvas, nodeOf, (node) => this.point(node ?? -1));
    this.canvas.addEventListener("click", (event) => this.open(nodeOf(event) ?? -1));
    this.canvas.addEventListener("keydown", (event) => this.press(event));
    this.part("results").addEventListener("click", (event) => {
      const button = buttonOf(event);
      if (button) this.setTriggerValue("open", Number(button.dataset.rank));
    });
  }

  /** @param {Sent} data */
  update({ rival, labels }) {
    /** @type {HTMLElement} */ (this.find(".sample.rival").parentElement).hidden = rival < 0;
    this.canvas.setAttribute("aria-label", labels.hint);
    this.place();
    this.draw();
    this.list();
    this.point(-1);
  }

  /** Columns are steps; in a column stand those kept, in their order in the beam, then finished ones, then dropped ones. */
  place() {
    /** @type {Record<Fate, number>[]} */
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

  /** @param {number} index */
  box(index) {
    const { fate, depth } = this.data.nodes[index];
    const [high, pitch] = LANES[fate];
    return { left: depth * COLUMN + 4, top: this.tops[depth][fate] + this.lanes[index] * pitch, high };
  }

  draw() {
    const { nodes, won, rival } = this.data;
    this.won = new Set(won);
    this.lines = svg("svg", { width: this.steps * COLUMN, height: this.canvas.style.height });
    const numbers = Array.from({ length: this.steps }, (_, depth) => {
      const number = make("span", "step", String(depth + 1));
      number.style.left = `${depth * COLUMN + 4}px`;
      number.style.width = `${WIDE}px`;
      number.classList.toggle("turn", rival >= 0 && nodes[rival].depth === depth);
      return number;
    });
    const edges = nodes.flatMap(({ fate }, index) => (fate === "dropped" ? [] : this.edge(index)));
    edges.sort((a, b) => Number(a.classList.contains("won")) - Number(b.classList.contains("won")));
    this.lines.append(...edges);
    this.buttons = nodes.map((_, index) => this.button(index));
    this.roving.rest(this.buttons[won[0]]);
    this.canvas.replaceChildren(this.lines, ...numbers, ...this.buttons);
  }

  /** From a node's parent to the node; nothing for one without. @param {number} index */
  edge(index) {
    const { parent } = this.data.nodes[index];
    if (parent < 0) return [];
    const [from, to] = [this.box(parent), this.box(index)];
    const [x, y, right, down] = [from.left + WIDE, from.top + from.high / 2, to.left, to.top + to.high / 2];
    const bend = (x + right) / 2;
    const path = svg("path", { d: `M${x} ${y} C${bend} ${y} ${bend} ${down} ${right} ${down}` });
    path.classList.toggle("won", this.won.has(index) && this.won.has(parent));
    return [path];
  }

  /** @param {number} index */
  button(index) {
    const node = this.data.nodes[index];
    const { fate, rank, token, score } = node;
    const { left, top, high } = this.box(index);
    const place = rank < 0 ? "" : ` ${rank + 1}`;
    const name = { finished: `■${place}`, dropped: `× ${token}`, kept: token }[fate];
    const button = makeButton(`node ${fate}`, make("b", "", name));
    if (fate === "kept") button.append(make("i", "", decimals(score)));
    button.tabIndex = -1;
    Object.assign(button.style, { left: `${left}px`, top: `${top}px`, width: `${WIDE}px`, height: `${high}px` });
    button.classList.toggle("won", this.won.has(index));
    button.classList.toggle("rival", index === this.data.rival);
    button.classList.toggle("openable", rank >= 0);
    button.classList.toggle("shown", this.data.hypotheses[rank]?.shown ?? false);
    Object.assign(button.dataset, { index, score, fate });
    button.setAttribute("aria-label", this.tell(node));
    return button;
  }

  /** @param {BeamNode} node */
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
      const values = { score: decimals(each.score), total: decimals(each.log_prob), tokens: each.tokens };
      const numbers = fill(labels.row, values) + (each.finished ? "" : ` · ${labels.unfinished}`);
      const open = makeButton("", each.shown ? labels.shown : labels.open);
      open.disabled = each.shown;
      open.dataset.rank = String(rank);
      open.setAttribute("aria-label", `${open.textContent}: ${rank + 1}`);
      const text = make("span", "text", each.text || "∅");
      text.lang = "zh";
      return make("li", "", make("span", "", String(rank + 1)), text, make("span", "numbers", numbers), open);
    });
    this.part("results").replaceChildren(...rows);
  }

  /** @param {number} index -1 for none */
  point(index) {
    this.read(index < 0 ? this.data.labels.hint : this.tell(this.data.nodes[index]), index < 0);
    for (const path of this.lines.querySelectorAll(".traced")) path.remove();
    for (const button of this.buttons) button.classList.remove("traced");
    for (let at = index; at >= 0; at = this.data.nodes[at].parent) {
      this.buttons[at].classList.add("traced");
      for (const edge of this.edge(at)) {
        edge.setAttribute("class", "traced");
        this.lines.append(edge);
      }
    }
  }

  /** @param {number} index -1 for none */
  open(index) {
    const rank = index < 0 ? -1 : this.data.nodes[index].rank;
    if (rank >= 0) this.setTriggerValue("open", rank);
  }

  /** ← to the parent, → to the first continuation, ↑ and ↓ in the column. @param {KeyboardEvent} event */
  press(event) {
    const index = nodeOf(event);
    if (index === null || !(event.key in ARROWS)) return;
    const { nodes } = this.data;
    const [down, right] = ARROWS[event.key];
    const column = nodes.map((_, i) => i).filter((i) => nodes[i].depth === nodes[index].depth);
    column.sort((a, b) => this.box(a).top - this.box(b).top);
    const across = right < 0 ? nodes[index].parent : nodes.findIndex(({ parent }) => parent === index);
    const next = right ? across : column[column.indexOf(index) + down];
    seize(event);
    this.roving.go(this.buttons[next]);
  }
}

/** The node that an event happened in. @param {Event} event */
function nodeOf(event) {
  const node = within(event, ".node");
  return node && Number(node.dataset.index);
}

export default mounted(BeamTree);
