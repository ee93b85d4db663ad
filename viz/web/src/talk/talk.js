// A talk: scenes one after the other, each shown by the viewer, with the questions and notes that go with them.
import { dress } from "../ui/theme.js";
import { present, wholeScreen } from "../viewer/keys.js";
import { make } from "../ui/dom.js";
import { button } from "../viewer/controls.js";
import { Viewer } from "../viewer/viewer.js";
import { write } from "../core/state.js";
import { fill } from "../core/text.js";
import { Beside, optionOf } from "./ask.js";
import { Hall, LiveBox } from "./hall.js";
import { Overview } from "./overview.js";
import { back, clicked, isAsking, lastStop, linkAt, linkOf, onward, placeIn, retold, standing } from "./plan.js";
import { Pointer } from "./pointer.js";
import { Small } from "./small.js";
import { noteParts, Speaker } from "./speaker.js";
import { Still } from "./still.js";

/** @typedef {import("./plan.js").TalkPart} TalkPart */
/** @typedef {import("./plan.js").At} At */

const ON = [" ", "n", "pagedown"];
const BEFORE = ["pageup", "backspace"];
const DARK = ["b", "."]; // as a clicker sends them
const OF_MAPS = ["f", "l", "o"]; // with Shift: what they mean to the viewer
const PREPARED_AFTER = 100; // ms

export class Talk {
  /**
   * @param {HTMLElement} root
   * @param {TalkPart} talk
   * @param {import("../types.js").Trace[]} traces of the messages
   * @param {{ dark: boolean, link: string, onLink: (link: string) => void, onShown: (shown: string, text: string) => void, mounts: Record<string, import("./still.js").Mount> }} given
   */
  constructor(root, talk, traces, { dark, link, onLink, onShown, mounts }) {
    this.root = root;
    this.talk = talk;
    this.traces = traces;
    this.dark = dark;
    this.onLink = onLink;
    this.onShown = onShown;
    /** @type {(Viewer | undefined)[]} of the messages, made when they are needed */
    this.viewers = [];
    /** @type {At} */
    this.at = placeIn(link, talk.scenes) ?? { scene: 0, stop: 0 };
    this.waiting = 0;
    /** @type {Map<number, number>} options by scene */
    this.picked = new Map();
    this.beside = new Beside(talk.words, (option) => this.pick(option));
    this.stills = new Map(Object.entries(talk.stills).map(([name, parts]) => [name, new Still(name, parts, mounts)]));
    this.hall = new Hall(talk.words, () => this.scene.place);
    this.live = talk.live ? new LiveBox(talk.live, () => this.retell()) : null;
    /** @type {Map<import("./plan.js").Scene, number>} messages of what was typed in live scenes */
    this.retold = new Map();
    const small = new Small(talk.scenes, traces);
    this.speaker = new Speaker(talk, small, (event) => this.press(event));
    this.overview = new Overview(talk, small, (scene) => this.go({ scene, stop: 0 }));
    this.pointer = new Pointer(root);
    this.title = make("h1");
    this.place = make("p", { className: "place" });
    this.note = make("aside", { className: "talk-note", hidden: true });
    this.darkness = make("div", { className: "darkness", hidden: true });
    this.sentences = make("div", { className: "still-sentences" });
    this.frame = make("section", { className: "still-scene", hidden: true }, this.sentences);
    this.stage = make("main", { className: "talk-stage" }, this.frame);
    this.build();
    this.show();
  }

  build() {
    const { words } = this.talk;
    const tools = make(
      "div",
      { className: "talk-tools" },
      button("‹", words.before, () => this.go(back(this.talk.scenes, this.at))),
      button("›", words.on, () => this.go(onward(this.talk.scenes, this.at))),
      button("▦", words.overview_open, () => this.turnOverview(window)),
      button(words.notes, words.notes_here, () => this.turnNote()),
      button(`${words.notes} ↗`, words.notes_window, () => this.openNotes()),
      button("⤢", words.whole_screen, () => this.turnWhole()),
      button("☰", words.stage, () => this.turnStage()),
    );
    if (this.hall.isOffered) tools.prepend(button("✎", words.hall, () => this.hall.open()));
    const top = make("header", { className: "talk-top" }, this.title, this.place, tools);
    const over = [this.overview.element, this.hall.element, this.pointer.element, this.darkness];
    this.root.replaceChildren(top, this.stage, this.note, ...over);
    window.addEventListener("resize", () => this.still?.fit());
    document.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("click", () => this.dress());
  }

  get scene() {
    return this.talk.scenes[this.at.scene];
  }

  /** The still of the scene, where it is one. */
  get still() {
    return this.stills.get(this.scene.still);
  }

  get asking() {
    return isAsking(this.scene, this.at.stop);
  }

  /** The viewer of a message, made and drawn out of sight where it is not there yet. @param {number} message */
  viewerOf(message) {
    const root = make("div", { className: "viewer in-talk" });
    root.inert = true;
    if (!this.viewers[message]) {
      this.stage.append(root);
      this.viewers[message] = new Viewer(root, this.traces[message], {
        link: "",
        dark: this.dark,
        onSay: () => this.tell(),
        asks: false,
      });
    }
    return /** @type {Viewer} */ (this.viewers[message]);
  }

  /** What the scene shows: its own sentence, or the one that was typed in it; a question is always about its own. */
  get message() {
    return (this.asking ? undefined : this.retold.get(this.scene)) ?? this.scene.message;
  }

  /** The viewer of the scene. */
  get viewer() {
    return this.viewerOf(this.message);
  }

  /** @param {At} at */
  go(at) {
    const kept = this.viewer.state;
    this.at = at;
    this.darken(false);
    this.overview.close();
    this.show(kept);
    this.onLink(linkOf(at, this.talk.scenes));
  }

  /** @param {{ theme: string, present: boolean }} [kept] what belongs to the room and not to the scene */
  show(kept = { theme: "", present: true }) {
    const { scene, viewer, at, beside, still } = this;
    const clicks = clicked(scene, at.stop);
    this.stage.classList.toggle("asking", this.asking);
    beside.show(scene, at.stop, this.picked.get(at.scene));
    this.frame.hidden = !still;
    if (!still) viewer.aside.append(beside.element);
    const link = this.leading(linkAt(scene, clicks));
    for (const each of this.viewers) {
      if (!each) continue;
      each.root.inert = each !== viewer || Boolean(still);
      each.room.inert = this.asking;
    }
    this.lead(viewer, link, kept);
    this.title.textContent = scene.title;
    this.note.replaceChildren(...noteParts(scene.note, clicks));
    this.speaker.show(at, clicks, this.asking);
    this.place.textContent = standing(this.talk.scenes, at, this.picked);
    if (!this.asking) this.overview.seen.add(at.scene);
    this.dress();
    if (still) this.showStill(still);
    this.tell();
    clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => this.prepare(), PREPARED_AFTER);
  }

  /** Tells what is chosen on the slide, and of which sentence. */
  tell() {
    const { state, trace } = this.viewer;
    this.onShown(write(state), trace.header.source);
  }

  /** The link that the scene's viewer follows, with the box of a live scene in its place. @param {string} link */
  leading(link) {
    const { live, scene, message } = this;
    if (!live) return link;
    live.element.remove();
    if (!scene.live || this.asking) return link;
    this.viewer.aside.append(live.element);
    const [own, now] = [scene.message, message].map((each) => this.traces[each].header.sorts);
    const names = now.map(({ name }) => name);
    const again = message === scene.message ? { link, lacks: "" } : retold(link, names);
    const method = own.find(({ name }) => name.split("@")[0] === again.lacks)?.title;
    live.stand(scene, again.lacks && fill(this.talk.words.live_weights, { method }));
    return again.link;
  }

  /** Shows the scene with the sentence that was typed in it. */
  retell() {
    const { scene, viewer } = this;
    const trace = this.live?.traceOf(scene);
    if (!trace) return;
    const kept = viewer.state;
    const message = this.retold.get(scene) ?? this.traces.length;
    this.traces[message] = trace;
    this.overview.small.take(trace, message);
    this.viewers[message]?.dispose();
    this.viewers[message]?.root.remove();
    delete this.viewers[message];
    this.retold.set(scene, message);
    this.show(kept);
  }

  /** A picture of a view, under its sentence and beside what is asked. @param {Still} still */
  showStill(still) {
    const { look, trace } = this.viewer;
    const { source, translation } = trace.header;
    this.sentences.replaceChildren(
      ...[source, translation].filter(Boolean).map((textContent) => make("p", { textContent })),
    );
    this.frame.replaceChildren(this.sentences, this.beside.element, still.element);
    still.show(look, look === trace.header.looks.dark);
  }

  /** @param {Viewer} viewer @param {string} link @param {{ theme: string, present: boolean }} kept */
  lead(viewer, link, { theme, present: isLarge }) {
    viewer.dark = this.dark;
    viewer.follow([link, `c=${theme}`, `f=${Number(isLarge)}`].filter(Boolean).join("&"));
  }

  /** Colours of the viewer for all that stands around it. */
  dress() {
    const { look, state, trace } = this.viewer;
    dress(this.root, look);
    this.root.style.colorScheme = look === trace.header.looks.dark ? "dark" : "light";
    this.root.classList.toggle("present", state.present);
  }

  /** Draws the next scene while nobody waits: out of sight where it has another viewer, and small for whoever speaks. */
  prepare() {
    const { viewer, at } = this;
    const next = this.talk.scenes[at.scene + 1];
    if (!next || this.retold.has(next)) return;
    const other = this.viewerOf(next.message);
    if (other !== viewer) this.lead(other, linkAt(next, 0), viewer.state);
    this.speaker.preview(viewer.look);
  }

  /** @param {number} option */
  pick(option) {
    this.picked.set(this.at.scene, option);
    this.go({ ...this.at, stop: 1 });
  }

  /** @param {boolean} on nothing is to be seen, as when the room shall look at whoever speaks */
  darken(on) {
    this.darkness.hidden = !on;
    this.speaker.tell(on ? this.talk.words.is_dark : "");
  }

  /** Nothing but the slide, as a talk opens; or the viewer's tools with it. */
  turnStage() {
    if (this.viewer.state.present) this.viewer.change({ present: false });
    else present(this.viewer);
    this.dress();
    this.still?.fit();
  }

  turnWhole() {
    wholeScreen(this.viewer);
    this.dress();
  }

  /** A sentence from the hall as a scene of its own behind the one that is on. @param {import("./plan.js").Scene} scene @param {import("../types.js").Trace} trace */
  add(scene, trace) {
    const { scenes, words } = this.talk;
    trace.header.words.keys = `${words.keys}\n${trace.header.words.keys}`;
    const message = this.traces.push(trace) - 1;
    this.overview.small.take(trace, message);
    const at = this.at.scene + 1;
    scenes.splice(at, 0, { ...scene, message });
    this.picked = new Map([...this.picked].map(([place, option]) => [place + Number(place >= at), option]));
    this.go({ scene: at, stop: 0 });
  }

  /** Shows all scenes: to the room, or in the second window to whoever speaks. @param {Window | null} view */
  turnOverview(view) {
    if (view === window) this.darken(false);
    const host = view === window ? this.root : (this.speaker.body ?? this.root);
    this.overview.open(this.at.scene, this.viewer.look, host);
  }

  turnNote() {
    this.note.hidden = !this.note.hidden;
  }

  openNotes() {
    if (this.speaker.open()) this.speaker.preview(this.viewer.look);
    else this.note.hidden = false; // the browser lets no window open: the notes stand here
  }

  /** @param {boolean} dark */
  turn(dark) {
    this.dark = dark;
    for (const viewer of this.viewers) viewer?.turn(dark);
    this.dress();
  }

  /** @param {string} link */
  follow(link) {
    const place = placeIn(link, this.talk.scenes);
    if (place && (place.scene !== this.at.scene || place.stop !== this.at.stop)) this.go(place);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { key, altKey, ctrlKey, metaKey, target } = event;
    if (altKey || ctrlKey || metaKey || this.viewer.help.open || this.hall.element.open) return;
    if (this.overview.isOpenIn(event.view)) return this.overview.press(event);
    this.overview.close();
    if (target instanceof Element && target.closest("input, select, textarea, summary")) return;
    if (key === " " && target instanceof Element && target.matches("button:focus-visible")) return;
    if (this.told(key.toLowerCase(), event)) event.preventDefault();
    else if (event.view === window) setTimeout(() => this.dress()); // after the viewer has done what the key means to it
  }

  /** Does what a key means; false where it means nothing here. @param {string} key @param {KeyboardEvent} event */
  told(key, { shiftKey: shift, view }) {
    const { scenes } = this.talk;
    const option = this.asking ? optionOf(key, this.scene.predict?.options.length ?? 0) : null;
    if (shift && OF_MAPS.includes(key)) return false;
    if (option !== null) this.pick(option);
    else if (key === "f") this.turnWhole();
    else if (key === "p" || (key === "escape" && this.viewer.state.present)) this.turnStage();
    else if (key === "i" && this.hall.isOffered) this.hall.open();
    else if (key === "i" && this.live?.element.isConnected) this.live.input.select();
    else if (DARK.includes(key)) this.darken(this.darkness.hidden);
    else if (BEFORE.includes(key) || (key === " " && shift)) this.go(back(scenes, this.at));
    else if (ON.includes(key)) this.go(onward(scenes, this.at));
    else if (key === "home") this.go({ scene: 0, stop: 0 });
    else if (key === "end") this.go({ scene: scenes.length - 1, stop: lastStop(scenes[scenes.length - 1]) });
    else if (key === "t") this.turnNote();
    else if (key === "v") this.openNotes();
    else if (key === "r") this.speaker.restart();
    else if (key === "o") this.turnOverview(view);
    else if (key === "l") this.pointer.turn();
    else if (key === "?")
      this.viewer.help.showModal(); // also while a question hides the viewer
    else return false;
    return true;
  }
}
