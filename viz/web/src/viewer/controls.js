// The buttons and switches over the maps; each says what the state is and changes it.
import { present } from "./keys.js";
import { moved } from "../core/walk.js";
import { make } from "../ui/dom.js";

/** @typedef {import("../types.js").State} State */
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {{ element: HTMLElement, show: (state: State) => void }} Control */

/**
 * One among a few, as buttons.
 * @param {string} label
 * @param {[string, string][]} options value and what the visitor reads
 * @param {(value: string) => void} choose
 * @param {(state: State) => string} chosen
 * @param {() => string[]} [offered] values that can be chosen now
 * @returns {Control}
 */
function segments(label, options, choose, chosen, offered = () => options.map(([value]) => value)) {
  const buttons = options.map(([value, textContent]) => {
    const button = make("button", { type: "button", textContent, value });
    button.addEventListener("click", () => choose(value));
    return button;
  });
  const element = make("div", { className: "segments" }, ...buttons);
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", label);
  return {
    element,
    show: (state) =>
      buttons.forEach((button) => {
        button.setAttribute("aria-pressed", String(button.value === chosen(state)));
        button.disabled = !offered().includes(button.value);
      }),
  };
}

/**
 * One among a few, as a list that opens.
 * @param {string} label
 * @param {[string, string][]} options
 * @param {(value: string) => void} choose
 * @param {(state: State) => string} chosen
 * @returns {Control}
 */
export function choice(label, options, choose, chosen) {
  const select = make("select", {}, ...options.map(([value, textContent]) => make("option", { value, textContent })));
  select.addEventListener("change", () => choose(select.value));
  return {
    element: make("label", { className: "choice" }, make("span", { textContent: label }), select),
    show: (state) => (select.value = chosen(state)),
  };
}

/**
 * @param {string} label
 * @param {(on: boolean) => void} choose
 * @param {(state: State) => boolean} chosen
 * @returns {Control}
 */
export function toggle(label, choose, chosen) {
  const input = make("input", { type: "checkbox" });
  input.addEventListener("change", () => choose(input.checked));
  return {
    element: make("label", { className: "toggle" }, input, label),
    show: (state) => (input.checked = chosen(state)),
  };
}

/**
 * @param {string} textContent
 * @param {string} title
 * @param {() => void} press
 */
export function button(textContent, title, press) {
  const element = make("button", { type: "button", className: "plain", textContent, title });
  element.setAttribute("aria-label", title);
  element.addEventListener("click", press);
  return element;
}

/** @param {Viewer} viewer @returns {Control} */
function threshold(viewer) {
  const { words } = viewer;
  const input = make("input", { type: "range", min: "0", max: "1", step: "0.01" });
  const said = make("b");
  input.addEventListener("input", () => viewer.change({ threshold: Number(input.value) }));
  const element = make("label", { className: "choice" }, make("span", { textContent: words.threshold }), input, said);
  return {
    element,
    show: (state) => {
      if (Number(input.value) !== state.threshold) input.value = String(state.threshold);
      said.textContent = state.threshold.toFixed(2);
    },
  };
}

/** What is looked at less often: shift, threshold, scale. @param {Viewer} viewer @returns {Control} */
function display(viewer) {
  const { words, trace } = viewer;
  const change = (/** @type {keyof State} */ name) => (/** @type {unknown} */ value) =>
    viewer.change({ [name]: value });
  const controls = [
    choice(
      words.scale,
      [
        ["full", words.full],
        ["own", words.own],
        ["common", words.common],
      ],
      change("scale"),
      ({ scale }) => scale,
    ),
    toggle(words.log, change("log"), ({ log }) => log),
    threshold(viewer),
  ];
  if (trace.header.kinds.some(({ shifts }) => shifts)) {
    const options = /** @type {[string, string][]} */ ([
      ["written", words.written],
      ["read", words.read],
    ]);
    controls.unshift(choice(words.rows, options, change("shift"), ({ shift }) => shift));
  }
  const summary = make("summary", { textContent: words.display });
  const element = make(
    "details",
    { className: "display" },
    summary,
    make("div", {}, ...controls.map((each) => each.element)),
  );
  return { element, show: (state) => controls.forEach(({ show }) => show(state)) };
}

/** The kinds of attention; those that the chosen sort has no maps of cannot be pressed. @param {Viewer} viewer */
export function kindButtons(viewer) {
  const { kinds } = viewer.trace.header;
  const choose = (/** @type {string} */ name) => {
    const kind = kinds.find((each) => each.kind === name);
    if (kind) viewer.change(moved(viewer.trace, viewer.state, kind));
  };
  const options = /** @type {[string, string][]} */ (kinds.map(({ kind, title }) => [kind, title]));
  const chosen = () => viewer.kind.kind;
  return segments(viewer.words.heads, options, choose, chosen, () => viewer.offered);
}

/** The attribution method: what is there, and what is made when it is asked for. @param {Viewer} viewer @returns {Control} */
function sorts(viewer) {
  const { header } = viewer.trace;
  const { words, asks } = viewer;
  const known = header.sorts.filter(({ name }) => !name.includes("@"));
  const options = /** @type {[string, string][]} */ (
    [...known, ...header.more].map(({ name, title }) => [name, title])
  );
  const name = (/** @type {State} */ { method }) => viewer.wanted || method;
  const [base, token] = [0, 1].map((i) => (/** @type {State} */ state) => name(state).split("@")[i] ?? "");
  const list = choice(words.method, options, (method) => viewer.change({ method }), base);
  const tokens = header.tokens.outputs.texts.map((text, i) => [String(i + 1), `${i + 1} ${text}`]);
  const each = /** @type {[string, string][]} */ ([["", words.whole], ...tokens]);
  const choose = (/** @type {string} */ number) => {
    const method = base(viewer.state);
    viewer.change({ method: number ? `${method}@${number}` : method });
  };
  const of = choice(words.of, each, choose, token);
  const making = make("span", { className: "making", textContent: words.making });
  making.setAttribute("role", "status");
  return {
    element: make("div", { className: "sorts" }, list.element, of.element, making),
    show: (state) => {
      list.show(state);
      of.show(state);
      const ofToken = header.sorts.some((sort) => sort.token && sort.name.split("@")[0] === base(state));
      of.element.hidden = !asks || !ofToken || !tokens.length;
      making.hidden = !viewer.wanted;
    },
  };
}

/** The row over the maps. @param {Viewer} viewer @returns {Control} */
export function toolbar(viewer) {
  const { words } = viewer;
  const change = (/** @type {keyof State} */ name) => (/** @type {unknown} */ value) =>
    viewer.change({ [name]: value });
  const views = /** @type {[string, string][]} */ (["map", "lines", "all"].map((view) => [view, words[view]]));
  const ways = /** @type {[string, string][]} */ (
    ["side", "difference", "mean", "max"].map((way) => [way, words[way]])
  );
  const together = choice(words.together, ways, change("together"), ({ together: way }) => way);
  const controls = [
    segments(words.heads, views, change("view"), ({ view }) => view),
    sorts(viewer),
    together,
    toggle(words.words, change("words"), (state) => state.words),
    toggle(words.special, change("hide_special"), (state) => state.hide_special),
    display(viewer),
  ];
  const element = make("div", { className: "toolbar" }, ...controls.map((each) => each.element), tools(viewer));
  return {
    element,
    show: (state) => {
      controls.forEach(({ show }) => show(state));
      together.element.hidden = state.heads.length < 2;
    },
  };
}

/** What changes no number: nearer, saved, dark, explained. @param {Viewer} viewer */
function tools(viewer) {
  const { words, trace } = viewer;
  const { dark } = trace.header.looks;
  const theme = button("◐", words.theme, () => viewer.change({ theme: viewer.look === dark ? "light" : "dark" }));
  theme.hidden = viewer.asks;
  return make(
    "div",
    { className: "tools" },
    button("−", words.zoom_out, () => viewer.zoom(0.8)),
    button("+", words.zoom_in, () => viewer.zoom(1.25)),
    button("⤢", words.fit, () => viewer.panels.forEach((panel) => panel.fit())),
    ...["PNG", "SVG"].map((name) => {
      const element = button(name, `${words.save} ${name}`, () => viewer.save(name.toLowerCase()));
      element.value = "picture";
      return element;
    }),
    button("▶", words.present, () => present(viewer)),
    theme,
    button("?", words.help, () => viewer.help.showModal()),
  );
}
