// Lets BertViz draw without a network: it asks require.js for d3 and jQuery, and gets the ones inlined
// above; its parameters come from one JSON block; afterwards its picture is labelled and made to fit.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const HEADS_KEY = "headlight.lines.heads";
  const given = JSON.parse(document.getElementById("given").textContent);
  const root = document.getElementById("bertviz");
  const colour = (head) => given.colours[head % given.colours.length];

  /** Nested arrays of weights from 0 to 1, of the given shape. */
  function unpack(shape, base64) {
    const bytes = atob(base64);
    let at = 0;
    const nested = (axis) =>
      Array.from({ length: shape[axis] }, () =>
        axis === shape.length - 1 ? Math.round(bytes.charCodeAt(at++) / 0.0255) / 10000 : nested(axis + 1)
      );
    return nested(0);
  }

  /** Heads that the visitor switched on in this tab, while the chosen head is still the same one. */
  function shownHeads() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(HEADS_KEY));
      const same = kept && kept.chosen === given.shown.join() && kept.of === given.shape[1];
      if (same && kept.shown.length) return kept.shown;
    } catch {
      // No storage, or something else in it: start with what was chosen.
    }
    return given.shown;
  }

  function keepHeads(shown) {
    try {
      const kept = { chosen: given.shown.join(), of: given.shape[1], shown };
      sessionStorage.setItem(HEADS_KEY, JSON.stringify(kept));
    } catch {
      // Without storage the choice lasts as long as this frame.
    }
  }

  /** d3 with our colours. Lines of no weight are not made: most of them, at 60 tokens. */
  function prepared() {
    const append = d3.selection.prototype.append;
    d3.selection.prototype.append = function (name) {
      if (name !== "line") return append.call(this, name);
      return this.select(function (weight) {
        return weight > 0 ? this.appendChild(document.createElementNS(SVG, "line")) : null;
      });
    };
    const faded = (full) => ({ l: 0, s: 0, toString: () => d3.interpolateRgb(given.background, full)(0.22) });
    const colours = Array.from({ length: 10 }, (_, index) => colour(index));
    return Object.assign({}, d3, { schemeCategory10: given.view === "head" ? given.colours : colours, hsl: faded });
  }

  function label(parent, text, attributes) {
    const element = document.createElementNS(SVG, "text");
    element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    parent.append(element);
    return element;
  }

  function titled(element, text) {
    const title = document.createElementNS(SVG, "title");
    title.textContent = text;
    element.append(title);
  }

  /** Tokens longer than their box end in an ellipsis; pointing at one shows all of it. */
  function clip(texts, width) {
    for (const element of texts) {
      const whole = element.textContent;
      const letters = Array.from(whole);
      if (element.getComputedTextLength() > width) {
        let kept = Math.floor((letters.length * width) / element.getComputedTextLength());
        do element.textContent = letters.slice(0, kept).join("") + "…";
        while (element.getComputedTextLength() > width && --kept > 1);
      }
      titled(element, whole);
    }
  }

  function fit(svg, width) {
    const height = Number.parseFloat(svg.getAttribute("height"));
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", given.say.summary);
  }

  function finishHeadView(svg) {
    const { box, between, top, square } = given.sizes;
    const squares = [...svg.lastElementChild.children];
    fit(svg, 2 * box + between);
    label(svg, given.say.rows, { class: "caption", x: box - 8, y: top - 10, "text-anchor": "end" });
    label(svg, given.say.columns, { class: "caption", x: box + between + 8, y: top - 10 });
    const numbers = squares.map((_, head) =>
      label(svg, head, { class: "number", x: (head + 0.5) * square, y: square / 2 + 5 })
    );
    label(svg, given.say.squares, { class: "hint", x: squares.length * square + 10, y: square / 2 + 5 });
    const update = () => {
      const on = squares.map((element, head) => element.getAttribute("fill") === colour(head));
      squares.forEach((element, head) => {
        element.setAttribute("aria-checked", on[head]);
        numbers[head].classList.toggle("on", on[head]);
      });
      return on.flatMap((shown, head) => (shown ? [head] : []));
    };
    squares.forEach((element, head) => operable(element, head, () => keepHeads(update())));
    update();
    clip(svg.querySelectorAll("#left text, #right text"), box - 16);
  }

  /** A square is a check box for the keyboard and for screen readers too. */
  function operable(element, head, changed) {
    const attributes = { class: "square", role: "checkbox", tabindex: 0, "aria-label": `${given.say.head} ${head}` };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.addEventListener("click", changed);
    element.addEventListener("dblclick", changed);
    element.addEventListener("keydown", (event) => {
      if (event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      element.dispatchEvent(new MouseEvent("click"));
    });
  }

  function finishModelView(svg) {
    fit(svg, given.sizes.width);
    const [heads, layers] = [...svg.children].filter((element) => element.getAttribute("font-weight") === "bold");
    heads.textContent = given.say.heads;
    layers.textContent = given.say.layers;
    for (const background of svg.querySelectorAll(".attn_background")) {
      const [layer, head] = background.id.split("_").slice(2).map(Number);
      const region = background.parentNode.lastElementChild;
      background.parentNode.style.color = colour(head);
      titled(region, `L${layer} H${head}`);
      region.addEventListener("click", () => labelDetail(svg, layer, head));
      if (layer === given.layer && head === given.shown[0]) region.dispatchEvent(new MouseEvent("click"));
    }
  }

  function labelDetail(svg, layer, head) {
    root.style.setProperty("--head", colour(head));
    const heading = svg.querySelector("text.detail");
    if (heading) heading.textContent = `L${layer} H${head}`;
    clip(svg.querySelectorAll("text.token"), given.sizes.box - 8);
  }

  window.PYTHON_PARAMS = {
    attention: {
      given: { attn: unpack(given.shape, given.weights), left_text: given.rows, right_text: given.columns },
    },
    default_filter: "given",
    root_div_id: root.id,
    display_mode: given.dark ? "dark" : "light",
    layer: given.layer,
    heads: given.view === "head" ? shownHeads() : null,
    include_layers: given.layers,
    include_heads: Array.from({ length: given.shape[1] }, (_, head) => head),
    total_heads: given.shape[1],
    row_height: given.sizes.row,
  };
  window.requirejs = (_names, draw) => {
    try {
      draw(jQuery, prepared());
      (given.view === "head" ? finishHeadView : finishModelView)(root.querySelector("svg"));
    } catch (error) {
      root.className = "failed";
      root.textContent = given.say.failed;
      throw error;
    }
  };
  window.require = window.requirejs;
  window.require.config = () => {};
})();
