// The second window, for whoever speaks: notes, clocks, what comes next. This page writes it, so it needs no file.
import { fill } from "../core/text.js";
import { make } from "../ui/dom.js";
import { Ask } from "./ask.js";
import { clock } from "./plan.js";

const NAME = "headlight-notes";
const SIZE = "popup,width=960,height=680";

/**
 * The note of a scene: what has been said, what is to be said now, what comes.
 * @param {string[]} note
 * @param {number} now -1: nothing yet
 */
export function noteParts(note, now) {
  const last = Math.min(now, note.length - 1);
  return note.map((textContent, i) => {
    const className = i < last ? "said-before" : i === last ? "said-now" : "said-later";
    return make("p", { className, textContent });
  });
}

/** The right answer with its letter. @param {import("./plan.js").Predict} predict */
function named({ options, answer }) {
  return Ask.named(options, answer);
}

/** A clock beside what is planned, late where that is over. @param {HTMLElement} element @param {string} form @param {number} began ms; 0: not yet @param {number} minutes 0: nothing is planned */
function run(element, form, began, minutes) {
  const seconds = began ? (performance.now() - began) / 1000 : 0;
  element.textContent = fill(form, { time: [seconds, ...(minutes ? [60 * minutes] : [])].map(clock).join(" / ") });
  element.classList.toggle("late", minutes > 0 && seconds > 60 * minutes);
}

export class Speaker {
  /** @param {import("./plan.js").TalkPart} talk @param {import("./small.js").Small} small @param {(event: KeyboardEvent) => void} press */
  constructor(talk, small, press) {
    this.talk = talk;
    this.small = small;
    this.press = press;
    /** @type {Window | null} */
    this.window = null;
    this.scene = 0;
    this.began = 0; // when the talk first went on, ms
    this.entered = 0; // when its scene was entered, ms; not before the talk began
    this.now = new Intl.DateTimeFormat(talk.language, { hour: "2-digit", minute: "2-digit" });
    this.time = make("b", { className: "time" });
    this.elapsed = make("b", { className: "elapsed" });
    this.lasted = make("b", { className: "lasted" });
    this.place = make("span");
    this.told = make("p", { className: "speaker-told", hidden: true });
    this.title = make("h1");
    this.note = make("div", { className: "speaker-note" });
    this.next = make("p", { className: "speaker-next" });
    this.sight = make("div", { className: "speaker-sight" }); // what the next scene shows first
    this.coming = make("p", { className: "speaker-coming" }); // what is said or asked there first
  }

  /** Opens the window, or brings it to the front; false where the browser does not let it. */
  open() {
    if (!this.window || this.window.closed) {
      const found = window.open("", NAME, SIZE);
      if (!found) return false;
      this.furnish(found);
    }
    this.window?.focus();
    return true;
  }

  /** @param {Window} other */
  furnish(other) {
    this.window = other;
    const { document: page } = other;
    const looks = [...document.querySelectorAll("style")].map(({ textContent }) => make("style", { textContent }));
    page.documentElement.lang = this.talk.language;
    page.head.replaceChildren(...looks);
    page.title = `${this.talk.words.notes} · ${this.talk.title}`;
    const clocks = make("p", { className: "speaker-top" }, this.time, this.elapsed, this.lasted, this.place);
    page.body.className = "speaker";
    const ahead = make("section", { className: "speaker-ahead" }, this.sight, make("div", {}, this.next, this.coming));
    const main = make("main", {}, this.title, this.note, ahead);
    page.body.replaceChildren(make("header", {}, clocks, this.told), main);
    page.addEventListener("keydown", this.press);
    const timer = other.setInterval(() => (other.closed ? other.clearInterval(timer) : this.tick()), 500);
    window.addEventListener("pagehide", () => other.close());
    this.tick();
  }

  /** The body of its page; null where the window is not open. */
  get body() {
    return this.window && !this.window.closed ? this.window.document.body : null;
  }

  tick() {
    const { minutes, scenes, words } = this.talk;
    this.time.textContent = this.now.format();
    run(this.elapsed, words.of_talk, this.began, minutes);
    run(this.lasted, words.of_scene, this.entered, scenes[this.scene].minutes);
  }

  /** Puts the clocks back to nothing, as after a rehearsal; they go when the talk goes on. */
  restart() {
    this.began = this.entered = 0;
    this.tick();
  }

  /** Says something that the room cannot see; "" nothing. @param {string} said */
  tell(said) {
    this.told.textContent = said;
    this.told.hidden = !said;
  }

  /** @param {import("./plan.js").At} at @param {number} clicks @param {boolean} asking */
  show({ scene, stop }, clicks, asking) {
    const { scenes, words } = this.talk;
    const { title, note, predict } = scenes[scene];
    const goes = this.began > 0 || scene > 0 || stop > 0;
    if (goes && (!this.entered || scene !== this.scene)) this.entered = performance.now();
    if (goes) this.began ||= this.entered;
    this.scene = scene;
    this.place.textContent = `${scene + 1} / ${scenes.length}`;
    this.title.textContent = title;
    this.note.replaceChildren(...noteParts(note, asking ? -1 : clicks));
    if (asking && predict) {
      const answer = fill(words.revealed, { answer: named(predict) });
      const said = make("p", { className: "said-now", textContent: predict.ask });
      this.note.prepend(said, make("p", { className: "said-later", textContent: answer }));
    }
    const next = scenes[scene + 1];
    this.next.textContent = next ? fill(words.next_is, { title: next.title }) : words.last;
    const { predict: asks, note: says } = next ?? { predict: null, note: [] };
    this.coming.textContent = asks ? fill(words.asks, { ask: asks.ask, answer: named(asks) }) : (says[0] ?? "");
    this.sight.replaceChildren();
    this.tick();
  }

  /** Shows what the next scene shows first; nothing where nobody looks. @param {import("../types.js").Look} look */
  preview(look) {
    const next = this.scene + 1;
    if (this.body && next in this.talk.scenes) this.sight.replaceChildren(this.small.picture(next, look));
  }
}
