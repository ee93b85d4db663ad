// The page: a sentence is typed, the worker translates it, the viewer shows it.
import { DEFAULTS, readLink, write } from "../core/state.js";
import { has } from "../core/heads.js";
import { fill } from "../core/text.js";
import { Component } from "../ui/component.js";
import { make, makeButton } from "../ui/dom.js";
import { Viewer } from "../viewer/viewer.js";
import { Deleted } from "./deleted.js";
import { Joined } from "./joined.js";
import { mark } from "./open.js";
import { Mutes } from "./mutes.js";
import { Steps } from "./steps.js";

/** @typedef {import("../engine/worker.js").Sentence} Sentence */
/** @typedef {import("../engine/worker.js").Answer} Answer */
/** @typedef {import("../types.js").Trace} Trace */

/**
 * @typedef {object} Settings
 * @property {string} language
 * @property {Record<string, Spoken>} languages
 * @property {Record<string, string>} files
 */

/**
 * @typedef {object} Spoken What a language has.
 * @property {import("../types.js").Header} header
 * @property {Record<string, string>} words
 * @property {Record<string, string>} methods names of all there are, also of those that this page cannot compute
 */

const OF_MEMORY = /memory|allocat/i; // what engines say where there is none left
const COSTS = "leave_one_out"; // a method that takes as many runs as a sentence has words: only where it is asked for
const CLEARED = { rows: [], columns: [] }; // what was pinned belonged to another sentence

/** @extends {Component<Trace>} */
export class LivePage extends Component {
  /** @param {HTMLElement} root @param {Settings} settings @param {Trace} trace of the sentence that came with the page */
  constructor(root, settings, trace) {
    super(root);
    this.settings = settings;
    this.data = trace;
    const said = new URLSearchParams(location.hash.slice(1));
    const language = said.get("lang") ?? "";
    this.language = Object.keys(settings.languages).includes(language) ? language : settings.language;
    this.text = said.get("i") ?? trace.header.source;
    this.linked = location.hash; // what is chosen of the link's sentence, until that is there
    this.asked = this.heard = 0; // how manyth, and up to which there is an answer
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {Sentence[]} */
    this.sentences = [/** @type {any} */ ({ trace })];
    this.place = 0;
    this.field = make("textarea", { id: "sentence", rows: 1, value: this.text, spellcheck: false, maxLength: 4000 });
    this.button = make("button", { type: "submit", className: "go", disabled: true });
    this.other = makeButton("plain language");
    this.label = make("label", { htmlFor: "sentence" });
    this.form = make("form", "ask");
    this.heading = make("h1", "unseen");
    this.status = make("p", { className: "status", role: "status" });
    this.parts = make("div", { className: "parts", hidden: true, role: "group" });
    this.room = make("div", "viewer");
    this.mutes = new Mutes(this, said);
    this.deleted = new Deleted(this);
    this.steps = new Steps(this, said);
    this.app = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=headlight-app]"))?.content;
    this.joined = new Joined(this, said);
    this.inApp = make("a", { className: "to-app", hidden: !this.app || this.joined.isMeant });
    this.build();
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    const isOwn = this.text === trace.header.source;
    this.viewer = this.viewerOf(trace, isOwn ? location.hash : `${location.hash}&p=&q=`);
    this.drawChanges();
    this.listen(this.dark, "change", () => this.viewer.turn(this.dark.matches));
    this.dress();
  }

  /** @returns {Record<string, string>} */
  get words() {
    return this.settings.languages[this.language].words;
  }

  build() {
    const { form, field } = this;
    field.lang = "en";
    form.append(this.label, field, this.button, this.other);
    const top = make(
      "header",
      "live-top",
      this.heading,
      this.joined.element,
      form,
      this.mutes.element,
      this.deleted.element,
      this.steps.forks,
      this.steps.element,
      make("div", "said", this.status, this.inApp),
      this.parts,
    );
    this.root.replaceChildren(top, make("main", "live-main", this.room));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask(field.value);
    });
    field.addEventListener("keydown", (event) => {
      event.stopPropagation(); // the viewer's keys are letters too
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    this.other.addEventListener("click", () => this.speak(this.otherLanguage));
    this.speakWords();
  }

  /** Whether the translation is not the model's own. */
  get changed() {
    return this.mutes.any || this.deleted.any || this.steps.any;
  }

  get otherLanguage() {
    return Object.keys(this.settings.languages).find((each) => each !== this.language) ?? this.language;
  }

  /** Whatever has words, in the language of the page. */
  speakWords() {
    const { words } = this;
    document.documentElement.lang = this.language === "zh" ? "zh-CN" : this.language;
    document.title = this.heading.textContent = words.title;
    this.label.textContent = words.sentence;
    this.button.textContent = words.translate;
    this.other.textContent = words.other;
    this.other.lang = this.otherLanguage;
    this.parts.setAttribute("aria-label", words.sentences);
    this.inApp.textContent = words.app;
    this.joined.draw();
    this.drawChanges();
  }

  /** @param {string} language */
  speak(language) {
    this.language = language;
    this.speakWords();
    this.say("");
    this.show(this.place, this.chosen());
    this.said();
  }

  /** A trace with the words of the page's language. @param {Trace} trace @returns {Trace} */
  spoken({ header, bytes }) {
    const { sorts, kinds, ...rest } = this.settings.languages[this.language].header;
    const named = (
      /** @type {{ name?: string, kind?: string }[]} */ list,
      /** @type {any} */ each,
      /** @type {"name" | "kind"} */ key,
    ) => {
      return { ...each, title: /** @type {any} */ (list.find((other) => other[key] === each[key])).title };
    };
    const said = sorts.map(({ name, title, meaning, whose }) => ({ name, title, meaning, whose }));
    const mine = header.sorts.map((sort) => ({ ...sort, ...said.find(({ name }) => name === sort.name) }));
    const its = header.kinds.map((kind) => named(kinds, kind, "kind"));
    const more = header.more.map((sort) => named(sorts, sort, "name"));
    return { header: { ...header, language: rest.language, words: rest.words, sorts: mine, kinds: its, more }, bytes };
  }

  /** @param {Trace} trace @param {string} link */
  viewerOf(trace, link) {
    return new Viewer(this.room, this.spoken(trace), {
      link,
      dark: this.dark.matches,
      onSay: () => this.said(),
      asks: false,
    });
  }

  /** What is chosen in the viewer, as a link. @param {Partial<import("../types.js").State>} [less] */
  chosen(less = {}) {
    const { state, opening } = this.viewer;
    return write({ ...state, ...less }, opening);
  }

  /** Shows a sentence of the text, read as the one before was. @param {number} place @param {string} [link] or what it chooses */
  show(place, link = this.chosen(CLEARED)) {
    this.place = place;
    this.viewer.dispose();
    this.viewer = this.viewerOf(this.sentences[place].trace, link);
    this.dress();
    this.showParts();
    this.drawChanges();
  }

  /** What of the model is changed, and can be. */
  drawChanges() {
    if (!this.viewer) return;
    this.mutes.draw();
    this.deleted.draw();
    this.steps.draw();
    if (this.app) this.inApp.href = appLink(this.app, this.viewer);
  }

  /** A button for each sentence, where there are several. */
  showParts() {
    this.parts.hidden = this.sentences.length < 2;
    this.parts.replaceChildren(
      ...this.sentences.map(({ trace }, place) => {
        const button = makeButton("plain", `${place + 1} ${trace.header.translation}`);
        button.setAttribute("aria-pressed", String(place === this.place));
        button.addEventListener("click", () => this.show(place));
        return button;
      }),
    );
  }

  /** The colours of the viewer hold for the whole page. */
  dress() {
    for (const name of this.room.style) document.body.style.setProperty(name, this.room.style.getPropertyValue(name));
  }

  /** The link says the sentence, what is muted, and what is chosen in the viewer. */
  said() {
    if (this.viewer.wanted && this.asked === this.heard) this.ask(this.text);
    const more = new URLSearchParams();
    if (this.text !== this.data.header.source) more.set("i", this.text);
    if (this.mutes.any) more.set("m", this.mutes.link);
    for (const [letter, value] of Object.entries(this.steps.link)) more.set(letter, value);
    if (this.language !== this.settings.language) more.set("lang", this.language);
    for (const [name, value] of Object.entries(this.joined.link)) more.set(name, value);
    const link = [this.chosen(), more.toString()].filter(Boolean).join("&");
    this.dress();
    this.drawChanges();
    try {
      history.replaceState(null, "", `#${link}`);
    } catch {
      // a page within another page may have no address of its own
    }
  }

  /** Asks this worker from now on, whose translator is being opened. @param {Worker} worker */
  open(worker) {
    this.worker = worker;
    this.ends.push(() => worker.terminate());
    this.say(fill(this.words.opening, { share: 0 }));
  }

  /** @param {Answer} answer */
  hear(answer) {
    const { words } = this;
    if ("opened" in answer) this.say(fill(words.opening, { share: Math.round(100 * answer.opened) }));
    else if ("ready" in answer) this.ready(answer.ready);
    else if ("failed" in answer) this.failed(answer.failed);
    else if (answer.id !== this.asked) return;
    else if ("why" in answer) this.refused(fill(words[answer.why], answer.values));
    else this.received(answer.sentences);
  }

  /** @param {number} seconds */
  ready(seconds) {
    mark(false);
    this.button.disabled = false;
    this.root.dataset.ready = seconds.toFixed(2);
    this.say([this.words.ready, this.lacking].join(" "));
    if (this.text !== this.data.header.source || this.changed || this.viewer.wanted) this.ask(this.text);
    else this.drawChanges();
  }

  /** One sentence where the link names a method that this page cannot compute; else "". */
  get lacking() {
    const [name] = readLink(this.linked, DEFAULTS).method.split("@");
    const method = this.settings.languages[this.language].methods[name];
    return method && !has(this.data, name) ? fill(this.words.lacks, { method }) : "";
  }

  /** Whether a link's sentence is the one in sight, and nothing is changed. @param {string} link */
  isAt(link) {
    return new URLSearchParams(link.slice(link.indexOf("#") + 1)).get("i") === this.text && !this.changed;
  }

  /** Goes where a link leads, from its "#" on. @param {string} link */
  goTo(link) {
    const isNear = this.isAt(link) && this.asked === this.heard && !/[&#][bmy]=/.test(link);
    const said = new URLSearchParams(link.slice(1));
    this.linked = link;
    this.mutes.take(said);
    this.deleted.clear();
    this.steps.take(said);
    this.text = this.field.value = said.get("i") ?? this.data.header.source;
    if (isNear) this.show(this.place, link);
    else this.ask(this.text);
    this.said();
  }

  /** @param {string} text */
  ask(text) {
    if (!this.worker || this.button.disabled) return;
    if (text !== this.text) for (const each of [this.deleted, this.steps]) each.clear();
    this.text = text;
    this.asked += 1;
    this.say(this.words.working);
    const { gains } = this.mutes;
    const { beam, prefixes: prefix } = this.steps;
    const hidden = this.deleted.places;
    this.worker.postMessage({ id: this.asked, text, gains, beam, hidden, prefix, costs: this.looksAt(COSTS) });
  }

  /** Whether a method is chosen, or will be. @param {string} method */
  looksAt(method) {
    const { state, wanted } = this.viewer;
    return [state.method, wanted, readLink(this.linked, DEFAULTS).method].includes(method);
  }

  /** @param {Sentence[]} sentences */
  received(sentences) {
    const { linked, lacking } = this;
    this.linked = "";
    this.heard = this.asked;
    this.sentences = sentences;
    this.mutes.keep(sentences.map(({ trace }) => trace.header.translation));
    const { wanted } = this.viewer;
    const chosen = this.chosen(wanted ? { method: wanted } : CLEARED);
    this.show(this.place < sentences.length ? this.place : 0, linked || chosen);
    const seconds = sentences.reduce((sum, each) => sum + each.seconds, 0);
    const maps = sentences[0].trace.header.kinds.reduce((sum, { layers, heads }) => sum + layers * heads, 0);
    const cut = sentences.every(({ finished }) => finished) ? "" : this.words.cut;
    this.root.dataset.shown = String(Number(this.root.dataset.shown ?? 0) + 1);
    const done = fill(this.words.done, { seconds: seconds.toFixed(2), maps });
    this.say([done, cut, lacking].filter(Boolean).join(" "));
    this.said();
  }

  /** @param {string} text @param {boolean} [wrong] */
  say(text, wrong = false) {
    this.status.textContent = text;
    this.status.classList.toggle("wrong", wrong);
  }

  /** Says why it has ended, of which a browser that has no memory left says little. @param {string} reason */
  failed(reason) {
    this.fail(OF_MEMORY.test(reason) ? this.words.weak : fill(this.words.failed, { reason }));
  }

  /** @param {string} why */
  refused(why) {
    this.heard = this.asked;
    this.linked = "";
    this.say(why, true);
  }

  /** The translator cannot be opened, or has ended. @param {string} text */
  fail(text) {
    mark(false);
    this.button.disabled = true;
    this.say(text, true);
  }

  /** The browser ended this page while the translator was being opened, and would again. @param {() => void} again */
  giveUp(again) {
    this.fail(this.words.weak);
    const button = makeButton("plain", this.words.retry);
    button.addEventListener("click", () => {
      button.remove();
      again();
    });
    this.status.after(button);
  }
}

/** The same sentence and head in the app that serves this page. @param {string} app @param {Viewer} viewer */
function appLink(app, { trace, chosen: [{ kind, layer, head }], state }) {
  const { source: text, model: checkpoint } = trace.header;
  const said = { text, checkpoint, kind: kind.kind, layer: String(layer), head: String(head), method: state.method };
  return new URL(`${app}one_head?${new URLSearchParams(said)}`, document.baseURI).href;
}
