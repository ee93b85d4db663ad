// Step by step: the candidates of each step, a translation that goes on from another one, and what a beam finished.
import { ForkPicker } from "../components/fork_picker/fork_picker.js";
import { fill } from "../core/text.js";
import { make, makeButton } from "../ui/dom.js";
import { undoing } from "./mutes.js";

const TARGET = /^t(\d+)$/; // the key of a target token
const WIDTHS = [1, 2, 3, 4, 5, 8];
const FORK = /^\d{1,3}(\.\d{1,6}){1,512}$/; // which sentence of the text, and the ids that it begins with
const END = 2; // the id of <eos>

/** Which sentence begins with which ids. @param {URLSearchParams} said */
function forcedBy(said) {
  const fork = said.get("y") ?? "";
  const [place, ...ids] = FORK.test(fork) ? fork.split(".").map(Number) : [-1];
  return { place, ids };
}

/** @param {URLSearchParams} said */
function widthBy(said) {
  return WIDTHS.find((width) => String(width) === said.get("b")) ?? 1;
}

export class Steps {
  /** @param {import("./page.js").LivePage} page @param {URLSearchParams} said */
  constructor(page, said) {
    this.page = page;
    this.forced = forcedBy(said);
    this.beam = widthBy(said);
    this.at = 0;
    this.summary = make("summary");
    this.width = make("select", "", ...WIDTHS.map((width) => make("option", "", String(width))));
    this.width.value = String(this.beam);
    this.beamLabel = make("label", "", make("span"), this.width);
    this.go = [-1, 1].map((by) => {
      const button = makeButton("plain", by < 0 ? "‹" : "›");
      button.addEventListener("click", () => this.step(this.shown + by));
      return button;
    });
    const candidates = make("div", { className: "candidates", role: "group", lang: "zh" });
    this.picker = new ForkPicker(make("div", "fork", make("p", "title"), candidates));
    this.more = make("div", { className: "parts", lang: "zh" });
    this.forks = make("div", "mutes");
    const controls = make("div", "mutes", ...this.go, this.beamLabel);
    this.element = make("details", "steps", this.summary, controls, this.picker.root, this.more);
    this.element.addEventListener("toggle", () => this.opened());
    this.width.addEventListener("change", () => this.search(Number(this.width.value)));
  }

  /** Whether the translation is not what the model writes greedily. */
  get any() {
    return this.beam > 1 || this.forced.ids.length > 0;
  }

  /** What the link says of it. @returns {Record<string, string>} */
  get link() {
    const { place, ids } = this.forced;
    return { ...(ids.length ? { y: [place, ...ids].join(".") } : {}), ...(this.beam > 1 ? { b: `${this.beam}` } : {}) };
  }

  /** What each sentence begins with. @returns {number[][]} */
  get prefixes() {
    return this.forced.place < 0 ? [] : [...Array(this.forced.place).fill([]), this.forced.ids];
  }

  /** The step in question: of the target token that is pinned, or the one that was looked at last. */
  get shown() {
    const { viewer, sentences, place } = this.page;
    const pinned = [...viewer.state.rows, ...viewer.state.columns].map((key) => TARGET.exec(key)?.[1]).find(Boolean);
    const last = (sentences[place].candidates?.length ?? 1) - 1;
    return Math.max(0, Math.min(last, pinned === undefined ? this.at : Number(pinned)));
  }

  /** What a link says of it. @param {URLSearchParams} said */
  take(said) {
    this.forced = forcedBy(said);
    this.beam = widthBy(said);
    this.width.value = String(this.beam);
    this.at = 0;
  }

  /** Another text begins anew. */
  clear() {
    this.forced = { place: -1, ids: [] };
    this.at = 0;
  }

  /** @param {number} beam */
  search(beam) {
    this.beam = beam;
    this.page.ask(this.page.text);
  }

  /** @param {number[]} ids that the sentence in sight begins with */
  force(ids) {
    this.forced = { place: this.page.place, ids };
    this.page.ask(this.page.text);
  }

  /** @param {number} at */
  step(at) {
    this.at = at;
    this.page.viewer.change({ rows: [`t${at}`], columns: [] });
    this.draw();
  }

  /** The sentence that came with the page has no candidates yet. */
  opened() {
    if (this.element.open && !this.page.sentences[this.page.place].candidates) this.page.ask(this.page.text);
    this.draw();
  }

  draw() {
    const { page, forced, summary, beamLabel, go } = this;
    const { words, sentences, place, button } = page;
    const sentence = sentences[place];
    summary.textContent = words.steps;
    /** @type {HTMLElement} */ (beamLabel.firstChild).textContent = words.beam;
    go.forEach((each, way) => each.setAttribute("aria-label", [words.previous, words.next][way]));
    for (const each of [this.width, ...go]) each.disabled = button.disabled;
    const back = () => undoing(fill(words.forked, { start: this.start }), words.unfork, () => this.force([]), "plain");
    this.forks.replaceChildren(...(forced.ids.length && forced.place === place ? [back()] : []));
    this.picker.root.hidden = !sentence.candidates;
    if (this.element.open && sentence.candidates) this.drawStep(sentence);
    this.more.replaceChildren(...(this.element.open ? this.finished(sentence) : []));
  }

  /** @param {import("./page.js").Sentence} sentence */
  drawStep({ candidates, ids, trace }) {
    const { page, shown, forced, go } = this;
    const { words } = page;
    go[0].disabled ||= shown === 0;
    go[1].disabled ||= shown === candidates.length - 1;
    const token = trace.header.tokens.outputs.texts[shown];
    const title = fill(words.candidates, { step: shown + 1, steps: candidates.length, token });
    const written = ids[shown] ?? END;
    const chosen = forced.place === page.place ? (forced.ids[shown] ?? null) : null;
    const labels = { written: chosen === written ? words.forced : words.written, forced: words.forced };
    const said = candidates[shown].map(({ id, text, logProb }) => ({ id, text, probability: Math.exp(logProb) }));
    /** @type {any} */
    const data = { labels, title, written, chosen, candidates: said };
    const setTriggerValue = (/** @type {string} */ _, /** @type {any} */ id) =>
      this.force([...ids.slice(0, shown), id]);
    this.picker.take({ data, setTriggerValue, setStateValue: () => {} });
  }

  /** What the beam finished, where it is wider than one. @param {import("./page.js").Sentence} sentence */
  finished({ beam = [] }) {
    if (beam.length < 2) return [];
    const chips = beam.map(({ text, ids, score }, rank) => {
      const chip = makeButton("plain", `${text} ${score.toFixed(2)}`);
      chip.setAttribute("aria-pressed", String(rank === 0));
      chip.addEventListener("click", () => this.force(ids));
      return chip;
    });
    return [make("span", { lang: this.page.language }, this.page.words.finished), ...chips];
  }

  /** What the translation was made to begin with. */
  get start() {
    const { texts } = this.page.sentences[this.page.place].trace.header.tokens.outputs;
    return texts
      .slice(0, this.forced.ids.length)
      .map((text) => text.replace(/^##/, ""))
      .join("");
  }
}
