import { fill } from "../../core/text.js";
import { Component, mounted } from "../../ui/component.js";
import { buttonOf, makeButton } from "../../ui/dom.js";
import { seize } from "../../ui/keys.js";
import { edgeLines, FlowLayout, inputs, LEFT, names, nodes, share, sources, widths } from "./flow_picture.js";
import "./flow_graph.html";

/**
 * @typedef {object} Flow What flows to one token from the source words, through every state between layers.
 * @property {string[]} src
 * @property {string[]} reads
 * @property {string[]} writes
 * @property {number[][]} encoder by level and token
 * @property {number[][]} decoder
 * @property {import("./flow_picture.js").Edge[]} edges the strongest first
 * @property {number} n_edges with those that are not shown
 * @property {number} step from 1
 * @property {string} summary
 * @property {Record<string, string>} colours by kind
 */
/** @typedef {import("../../types.js").Dressed<Flow>} Sent */

/** @extends {Component<Sent>} */
class FlowGraph extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.at = -1; // the edge that the keyboard has come to
    this.width = 0;
    /** @type {FlowLayout | null} */
    this.layout = null;
    this.picture = this.drawing("picture");
    this.picture.addEventListener("pointerover", (event) => this.point(partOf(event)));
    this.picture.addEventListener("pointerleave", () => this.rest());
    this.picture.addEventListener("click", (event) => this.open(Number(partOf(event).edge ?? -1)));
    this.picture.addEventListener("keydown", (event) => this.walk(event));
    this.picture.addEventListener("blur", () => this.rest());
    const outputs = this.part("outputs");
    outputs.addEventListener("click", (event) => {
      const index = buttonOf(event)?.dataset.index;
      if (index !== undefined) this.choose(Number(index));
    });
    outputs.addEventListener("keydown", (event) => this.press(event));
    this.whenResized(() => root.clientWidth !== this.width && this.draw());
  }

  /** @param {Sent} data */
  update({ colours, labels, summary, edges, n_edges }) {
    this.at = -1;
    for (const [kind, colour] of Object.entries(colours)) this.root.style.setProperty(`--${kind}`, colour);
    this.part("outputs").setAttribute("aria-label", labels.outputs);
    this.picture.setAttribute("aria-label", `${labels.picture} ${summary}`);
    this.part("few").textContent = fill(labels.few, { shown: edges.length, all: n_edges });
    this.drawing("widths").replaceChildren(...widths());
    this.draw();
    this.reveal();
    this.rest();
    const readout = this.part("readout");
    readout.style.minHeight = "";
    readout.style.minHeight = `${readout.offsetHeight}px`; // nothing moves under the pointer
  }

  draw() {
    const { data } = this;
    this.width = this.root.clientWidth;
    const layout = new FlowLayout(data, this.width, getComputedStyle(this.root).fontFamily);
    this.layout = layout;
    for (const [name, value] of Object.entries(layout.size)) this.picture.setAttribute(name, String(value));
    this.part("canvas").style.width = `${layout.size.width}px`;
    const edges = data.edges.map((edge, index) => edgeLines(layout, edge, index)).reverse();
    this.picture.replaceChildren(
      ...names(layout, data, data.labels),
      ...edges.map(({ line }) => line),
      ...nodes(layout, data),
      ...sources(layout, data),
      ...inputs(layout, data),
      ...edges.map(({ hit }) => hit),
    );
    this.outputs(layout);
  }

  /** Scrolls sideways where the chosen token is out of sight. */
  reveal() {
    const frame = this.part("frame");
    const x = this.layout?.tgt.x(this.data.step - 1) ?? 0;
    if (x < frame.scrollLeft + LEFT || x > frame.scrollLeft + this.width - 8) frame.scrollLeft = x - this.width / 2;
  }

  /** @param {FlowLayout} layout */
  outputs({ tgt }) {
    const { writes, step } = this.data;
    const wide = Math.min(tgt.pitch - 1, 96);
    const focused = this.focused?.dataset.index !== undefined;
    const buttons = writes.map((text, index) => {
      const button = makeButton(index >= step ? "later" : "", text);
      button.title = text;
      button.setAttribute("role", "radio");
      button.setAttribute("aria-checked", String(index === step - 1));
      button.tabIndex = index === step - 1 ? 0 : -1;
      button.dataset.index = String(index);
      button.style.left = `${tgt.x(index) - wide / 2}px`;
      button.style.width = `${wide}px`;
      button.style.fontSize = `${Math.max(11, Math.min(18, tgt.pitch * 0.85))}px`;
      return button;
    });
    this.part("outputs").replaceChildren(...buttons);
    if (focused) buttons[step - 1]?.focus();
  }

  /** @param {string} [text] nothing for what is said at rest */
  tell(text) {
    this.read(text ?? this.data.summary, text === undefined);
  }

  rest() {
    this.at = -1;
    this.picture.classList.remove("dimmed");
    if (this.data) this.tell();
  }

  /** @param {DOMStringMap} part of the picture */
  point({ edge, source, read }) {
    const { src, reads, encoder, decoder, labels } = this.data;
    if (edge !== undefined) return this.trace(Number(edge));
    this.rest();
    if (source !== undefined) {
      const [token, flow] = [src[Number(source)], share(encoder[0][Number(source)])];
      this.tell(fill(labels.source, { token, flow }));
    } else if (read !== undefined) {
      const [token, flow] = [reads[Number(read)], share(decoder[0][Number(read)])];
      this.tell(fill(labels.read, { token, flow }));
    }
  }

  /** @param {number} index of an edge */
  trace(index) {
    const { edges, labels, src, writes } = this.data;
    const edge = edges[index];
    this.at = index;
    this.picture.classList.add("dimmed");
    const lines = this.picture.querySelectorAll(".edge");
    lines.forEach((line, place) => line.classList.toggle("pointed", place === edges.length - 1 - index));
    const from = edge.kind === "decoder_self" ? writes : src;
    const to = edge.kind === "encoder_self" ? src : writes;
    const straight = edge.kind !== "cross" && edge.start === edge.end ? ` ${labels.straight}` : "";
    const values = { flow: share(edge.flow), layer: edge.layer, from: from[edge.start], to: to[edge.end] };
    const head = edge.head < 0 ? straight : ` ${fill(labels.strongest, { head: `L${edge.layer} H${edge.head}` })}`;
    this.tell(fill(labels[edge.kind], values) + head);
  }

  /** @param {number} index */
  open(index) {
    const edge = this.data.edges[index];
    if (edge?.head >= 0) this.setTriggerValue("open", { kind: edge.kind, layer: edge.layer, head: edge.head });
  }

  /** @param {number} index of an output token */
  choose(index) {
    if (index !== this.data.step - 1) this.setTriggerValue("step", index + 1);
  }

  /** ← and → among the output tokens. @param {KeyboardEvent} event */
  press(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = this.data.step - 1 + (by ?? 0);
    if (!by || !(next in this.data.writes)) return;
    seize(event);
    this.choose(next);
  }

  /** ↓ and ↑ through the edges, the strongest first; Enter opens its head. @param {KeyboardEvent} event */
  walk(event) {
    const last = this.data.edges.length - 1;
    if (event.key === "Enter") return this.open(this.at);
    if (event.key === "Escape") return this.rest();
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || last < 0) return;
    seize(event);
    this.trace(Math.min(last, Math.max(0, this.at + by)));
  }
}

/** What of the picture an event happened in. @param {Event} event */
const partOf = ({ target }) => /** @type {SVGElement} */ (target).dataset;

export default mounted(FlowGraph);
