// Boxes for a sentence from the hall. The app, in whose page the talk lies, answers it with a scene of its own; in a file
// a live scene has a box on the slide, and the translator that came with the file answers it.
import { fill } from "../core/text.js";
import { canOpen, engine, sendParts } from "../live/open.js";
import { make, makeButton } from "../ui/dom.js";
import { ofApp } from "./address.js";

/** @typedef {{ headlight: "hall", error: string, scene: import("./plan.js").Scene | null, message: Uint8Array }} Answered */

const MOST = 300; // characters, of which a translation takes its time

export class Hall {
  /**
   * @param {Record<string, string>} words
   * @param {() => number} scene that is on
   */
  constructor(words, scene) {
    this.words = words;
    this.scene = scene;
    this.isOffered = ofApp() !== null; // a file has no model
    this.input = make("input", { type: "text", maxLength: MOST, placeholder: words.hall_hint });
    this.input.setAttribute("aria-label", words.hall);
    this.said = make("p", { className: "hint" });
    this.said.setAttribute("role", "status");
    const send = make("button", { type: "submit", textContent: words.hall_send });
    const form = make("form", {}, this.input, send);
    this.element = make("dialog", { className: "hall" }, make("h2", { textContent: words.hall }), form, this.said);
    this.element.setAttribute("aria-label", words.hall);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
  }

  open() {
    this.said.textContent = "";
    this.element.showModal();
    this.input.select();
  }

  send() {
    const text = this.input.value.trim();
    if (!text) return;
    this.said.textContent = this.words.hall_wait;
    ofApp()?.postMessage({ headlight: "hall", text, scene: this.scene() }, window.origin);
  }

  /** What the app answers, where it is an answer. @param {MessageEvent} event @returns {Answered | null} */
  answered({ data, source }) {
    if (source !== ofApp() || data?.headlight !== "hall") return null;
    if (data.error || !data.scene) {
      this.said.textContent = data.error;
      return null;
    }
    this.element.close();
    this.input.value = "";
    return data;
  }
}

/** @typedef {{ parts: string[], header: import("../types.js").Header, words: Record<string, string> }} LivePart what Python packs of the translator; its header is that of every answer */
/** @typedef {import("../types.js").Trace} Trace */
/** @typedef {{ traces: Trace[], place: number, text: string, said: string }} Typed what a live scene shows in place of its own sentence */

const MOST_TYPED = 4000; // characters; how many a sentence may have, the translator says

export class LiveBox {
  /** @param {LivePart} part @param {() => void} show what has been answered */
  constructor({ parts, header, words }, show) {
    this.parts = parts;
    this.header = header;
    this.words = words;
    this.show = show;
    /** @type {Map<import("./plan.js").Scene, Typed>} */
    this.typed = new Map();
    /** @type {import("./plan.js").Scene | null} that the box stands in */
    this.scene = null;
    this.asked = { id: 0, text: "", scene: /** @type {import("./plan.js").Scene | null} */ (null) };
    this.isReady = false;
    this.isAwaited = false; // Enter was pressed before the translator had opened
    this.state = ""; // of the translator
    /** @type {Worker | null} */
    this.worker = null;
    this.input = make("input", { type: "text", maxLength: MOST_TYPED, placeholder: words.sentence, lang: "en" });
    this.input.setAttribute("aria-label", words.sentence);
    this.button = make("button", { type: "submit", textContent: words.translate, disabled: true });
    this.status = make("p", { className: "hint" });
    this.status.setAttribute("role", "status");
    this.sentences = make("div", { className: "live-sentences", role: "group" });
    this.sentences.setAttribute("aria-label", words.sentences);
    const form = make("form", {}, this.input, this.button);
    this.element = make("section", { className: "live-box" }, form, this.status, this.sentences);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask();
    });
    this.input.addEventListener("keydown", (event) => {
      event.stopPropagation(); // the talk's keys are letters too
      if (event.key === "Escape") this.input.blur();
      if (event.key === "Enter") this.isAwaited = !this.isReady;
    });
  }

  /** Has the translator opened, as soon as there is a talk. */
  async open() {
    if (!canOpen()) return this.end(this.words.simd);
    this.tell(fill(this.words.opening, { share: 0 }));
    this.worker = await engine();
    this.worker.addEventListener("message", ({ data }) => this.hear(data));
    this.worker.addEventListener("error", ({ message }) => this.end(fill(this.words.failed, { reason: message })));
    sendParts(this.worker, Object.fromEntries(this.parts.map((name) => [name, ""])), this.header);
  }

  ask() {
    const text = this.input.value.trim();
    if (!this.worker || !this.isReady) return;
    this.asked = { id: this.asked.id + 1, text, scene: this.scene };
    this.say(this.words.working);
    this.worker.postMessage({ id: this.asked.id, text, gains: {}, beam: 1, costs: false, hidden: [], prefix: [] });
  }

  /** @param {import("../engine/worker.js").Answer} answer */
  hear(answer) {
    const { words } = this;
    if ("opened" in answer) this.tell(fill(words.opening, { share: Math.round(100 * answer.opened) }));
    else if ("ready" in answer) this.ready();
    else if ("failed" in answer) this.end(fill(words.failed, { reason: answer.failed }));
    else if (answer.id !== this.asked.id) return;
    else if ("why" in answer) this.say(fill(words[answer.why], answer.values));
    else this.received(answer.sentences);
  }

  ready() {
    this.isReady = true;
    this.button.disabled = false;
    this.element.dataset.ready = "true";
    this.tell(this.words.ready);
    if (this.isAwaited) this.ask();
  }

  /** @param {import("../engine/worker.js").Sentence[]} sentences */
  received(sentences) {
    const { text, scene } = this.asked;
    if (!scene) return;
    const seconds = sentences.reduce((sum, each) => sum + each.seconds, 0).toFixed(2);
    const maps = this.header.kinds.reduce((sum, { layers, heads }) => sum + layers * heads, 0);
    const cut = sentences.every(({ finished }) => finished) ? "" : ` ${this.words.cut}`;
    const said = fill(this.words.done, { seconds, maps }) + cut;
    this.typed.set(scene, { traces: sentences.map(({ trace }) => trace), place: 0, text, said });
    if (scene !== this.scene) return;
    this.input.blur(); // keys mean the talk's own again
    this.show();
  }

  /** Stands in a scene, with what was typed there. @param {import("./plan.js").Scene} scene @param {string} lacks what of the scene cannot be shown of another sentence */
  stand(scene, lacks) {
    const typed = this.typed.get(scene);
    if (scene !== this.scene) this.input.value = typed?.text ?? "";
    this.scene = scene;
    this.say(typed ? [typed.said, lacks].filter(Boolean).join(" ") : this.state);
    this.sentences.hidden = (typed?.traces.length ?? 0) < 2;
    this.sentences.replaceChildren(...(typed?.traces ?? []).map((trace, place) => this.choice(trace, place)));
    this.element.dataset.shown = typed?.text ?? "";
  }

  /** A button for one of several sentences. @param {Trace} trace @param {number} place */
  choice({ header }, place) {
    const typed = this.scene && this.typed.get(this.scene);
    const button = makeButton("", `${place + 1} ${header.translation}`);
    button.setAttribute("aria-pressed", String(place === typed?.place));
    button.addEventListener("click", () => {
      if (typed) typed.place = place;
      this.show();
    });
    return button;
  }

  /** What was typed in a scene, as far as it is shown. @param {import("./plan.js").Scene} scene */
  traceOf(scene) {
    const typed = this.typed.get(scene);
    return typed ? typed.traces[typed.place] : null;
  }

  /** What the translator is at. @param {string} text */
  tell(text) {
    this.state = text;
    if (!this.scene || !this.typed.has(this.scene)) this.say(text);
  }

  /** @param {string} text */
  say(text) {
    this.status.textContent = text;
  }

  /** The translator cannot be opened, or has ended. @param {string} text */
  end(text) {
    this.isReady = false;
    this.button.disabled = true;
    this.state = text;
    this.say(text);
  }
}
