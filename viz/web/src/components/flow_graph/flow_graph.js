import { Component, mounted } from "../../ui/component.js";
import { fill, makeButton, percent, seize, svg } from "../../ui/shared.js";
import { BARS, FlowLayout, LEFT, share, thickness } from "./flow_layout.js";
import "./flow_graph.css";

class FlowGraph extends Component {
  constructor(root) {
    super(root);
    this.picture = this.part("picture");
    this.picture.addEventListener("pointerover", (e) => this.point(e.target.dataset));
    this.picture.addEventListener("pointerleave", () => this.rest());
    this.picture.addEventListener("click", (e) => this.open(Number(e.target.dataset.edge ?? -1)));
    this.picture.addEventListener("keydown", (e) => this.walk(e));
    this.picture.addEventListener("blur", () => this.rest());
    this.part("outputs").addEventListener("click", (e) => this.choose(e.target.closest("button")?.dataset.index));
    this.part("outputs").addEventListener("keydown", (e) => this.press(e));
    this.whenResized(() => root.clientWidth !== this.width && this.draw());
  }

  update(data) {
    this.at = -1;
    for (const [kind, colour] of Object.entries(data.colours)) this.root.style.setProperty(`--${kind}`, colour);
    this.part("outputs").setAttribute("aria-label", data.labels.outputs);
    this.picture.setAttribute("aria-label", `${data.labels.picture} ${data.summary}`);
    this.part("few").textContent = fill(data.labels.few, { shown: data.edges.length, all: data.n_edges });
    this.widths();
    this.draw();
    this.reveal();
    this.rest();
    this.part("readout").style.minHeight = "";
    this.part("readout").style.minHeight = `${this.part("readout").offsetHeight}px`; // nothing moves under the pointer
  }

  draw() {
    this.width = this.root.clientWidth;
    this.layout = new FlowLayout(this.data, this.width, getComputedStyle(this.root).fontFamily);
    const [width, height] = this.layout.size;
    for (const [name, value] of Object.entries({ width, height })) this.picture.setAttribute(name, value);
    this.part("canvas").style.width = `${width}px`;
    const edges = this.data.edges.map((edge, index) => this.edge(edge, index)).reverse();
    this.picture.replaceChildren(
      ...this.names(),
      ...edges.map(([line]) => line),
      ...this.nodes(),
      ...this.sources(),
      ...this.inputs(),
      ...edges.map(([, hit]) => hit),
    );
    this.outputs();
  }

  // Scrolls sideways where the chosen token is out of sight.
  reveal() {
    const [frame, x] = [this.part("frame"), this.layout.tgt.x(this.data.step - 1)];
    if (x < frame.scrollLeft + LEFT || x > frame.scrollLeft + this.width - 8) frame.scrollLeft = x - this.width / 2;
  }

  names() {
    const { labels, encoder, decoder } = this.data;
    const found = [];
    for (const [side, levels] of [
      ["encoder", encoder],
      ["decoder", decoder],
    ]) {
      const y = (level) => (this.layout.y(side, level) + this.layout.y(side, level + 1)) / 2 + 4;
      for (let layer = 0; layer < levels.length - 1; layer++) {
        found.push(
          svg("text", { class: "quiet", x: LEFT - 8, y: y(layer), "font-size": 12, "text-anchor": "end" }, `L${layer}`),
        );
      }
      const middle = (this.layout.y(side, 0) + this.layout.y(side, levels.length - 1)) / 2;
      const turn = { transform: `translate(14 ${middle}) rotate(-90)`, "text-anchor": "middle", "font-size": 13 };
      found.push(svg("text", { class: "quiet", ...turn }, labels[side]));
    }
    return found;
  }

  edge(edge, index) {
    const d = this.layout.curve(edge);
    const line = svg("path", { d, class: `edge ${edge.kind}`, "stroke-width": thickness(edge.flow).toFixed(2) });
    line.style.opacity = (0.45 + 0.55 * Math.sqrt(edge.flow)).toFixed(3);
    Object.assign(line.dataset, edge);
    const hit = svg("path", { d, class: `hit${edge.head >= 0 ? " opens" : ""}` });
    hit.dataset.edge = index;
    return [line, hit];
  }

  nodes() {
    const { encoder, decoder, step } = this.data;
    const found = [];
    const dot = (x, y, flow, goal = false) => {
      const radius = goal ? 7 : flow < 0.005 ? 1.25 : 1.5 + 5 * Math.sqrt(flow);
      found.push(
        svg("circle", {
          cx: x,
          cy: y,
          r: radius.toFixed(2),
          class: goal ? "node goal" : flow < 0.005 ? "node idle" : "node",
        }),
      );
    };
    encoder.forEach((level, l) =>
      level.forEach((flow, i) => dot(this.layout.src.x(i), this.layout.y("encoder", l), flow)),
    );
    decoder.forEach((level, l) =>
      level.forEach((flow, i) =>
        dot(this.layout.tgt.x(i), this.layout.y("decoder", l), flow, l === decoder.length - 1 && i === step - 1),
      ),
    );
    return found;
  }

  sources() {
    const totals = this.data.encoder[0];
    const most = Math.max(...totals, 1e-9);
    return totals.flatMap((flow, index) => {
      const [x, high] = [this.layout.src.x(index), BARS * (flow / most)];
      const name = svg(
        "text",
        { "font-size": this.layout.font, class: flow < 0.005 ? "quiet" : "" },
        this.layout.cut(this.data.src[index], 90),
      );
      if (this.layout.upright)
        name.setAttribute("transform", `translate(${x + this.layout.font / 3} ${this.layout.words}) rotate(-90)`);
      else
        for (const [key, value] of Object.entries({ x, y: this.layout.words + this.layout.font - 2 }))
          name.setAttribute(key, value);
      name.setAttribute("text-anchor", this.layout.upright ? "end" : "middle");
      const wide = Math.min(28, this.layout.src.pitch * 0.7);
      const bar = svg("rect", {
        class: "bar",
        x: x - wide / 2,
        y: this.layout.bars,
        width: wide,
        height: high.toFixed(2),
      });
      Object.assign(bar.dataset, { source: index, flow });
      name.dataset.source = index;
      const number = svg(
        "text",
        { x, y: this.layout.bars + high + 12, "font-size": 12, "text-anchor": "middle" },
        percent(flow),
      );
      return this.layout.src.pitch >= 32 && flow >= 0.005 ? [name, bar, number] : [name, bar];
    });
  }

  inputs() {
    const y = this.layout.y("decoder", 0) + 17;
    const size = Math.max(11, Math.min(14, this.layout.tgt.pitch * 0.9));
    return this.data.decoder[0].flatMap((flow, index) => {
      const [x, text] = [this.layout.tgt.x(index), this.layout.cut(this.data.reads[index], this.layout.tgt.pitch - 2)];
      const name = svg("text", { x, y, "font-size": size, "text-anchor": "middle", class: "quiet" }, text);
      name.dataset.read = index;
      const number = svg(
        "text",
        { x, y: y + 13, "font-size": 11, "text-anchor": "middle", class: "quiet" },
        percent(flow),
      );
      return this.layout.tgt.pitch >= 32 && flow >= 0.005 ? [name, number] : [name];
    });
  }

  outputs() {
    const { writes, step } = this.data;
    const wide = Math.min(this.layout.tgt.pitch - 1, 96);
    const focused = this.root.getRootNode().activeElement?.dataset.index !== undefined;
    const buttons = writes.map((text, index) => {
      const button = makeButton(index >= step ? "later" : "", text);
      button.title = text;
      button.setAttribute("role", "radio");
      button.setAttribute("aria-checked", String(index === step - 1));
      button.tabIndex = index === step - 1 ? 0 : -1;
      button.dataset.index = index;
      button.style.left = `${this.layout.tgt.x(index) - wide / 2}px`;
      button.style.width = `${wide}px`;
      button.style.fontSize = `${Math.max(11, Math.min(18, this.layout.tgt.pitch * 0.85))}px`;
      return button;
    });
    this.part("outputs").replaceChildren(...buttons);
    if (focused) buttons[step - 1]?.focus();
  }

  widths() {
    const samples = [0.01, 0.1, 0.5].map((flow, index) => [
      svg("line", { x1: 10 + 66 * index, x2: 24 + 66 * index, y1: 9, y2: 9, "stroke-width": thickness(flow) }),
      svg("text", { x: 34 + 66 * index, y: 13 }, `${100 * flow}%`),
    ]);
    this.part("widths").replaceChildren(...samples.flat());
  }

  tell(text) {
    this.read(text ?? this.data.summary, text === undefined);
  }

  rest() {
    this.at = -1;
    this.picture.classList.remove("dimmed");
    if (this.data) this.tell();
  }

  point({ edge, source, read }) {
    const { src, reads, encoder, decoder, labels } = this.data;
    if (edge !== undefined) return this.trace(Number(edge));
    this.rest();
    const named = (text, flow) => fill(text, { token: named.token, flow: share(flow) });
    if (source !== undefined) {
      named.token = src[source];
      this.tell(named(labels.source, encoder[0][source]));
    } else if (read !== undefined) {
      named.token = reads[read];
      this.tell(named(labels.read, decoder[0][read]));
    }
  }

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

  open(index) {
    const edge = this.data.edges[index];
    if (edge?.head >= 0) this.setTriggerValue("open", { kind: edge.kind, layer: edge.layer, head: edge.head });
  }

  choose(index) {
    if (index !== undefined && Number(index) !== this.data.step - 1) this.setTriggerValue("step", Number(index) + 1);
  }

  // ← and → among the output tokens
  press(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = this.data.step - 1 + by;
    if (!by || !(next in this.data.writes)) return;
    seize(event);
    this.choose(next);
  }

  // ↓ and ↑ through the edges, the strongest first; Enter opens its head
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

export default mounted(FlowGraph);
