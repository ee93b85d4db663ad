// The second window, for whoever speaks: notes, clock, what comes next. This page writes it, so it needs no file.
import { fill, make } from "../draw/dom.js";
import { clock } from "./plan.js";

const NAME = "headlight-notes";
const SIZE = "popup,width=960,height=680";

/**
 * The note of a scene: what has been said, what is to be said now, what comes.
 * @param {string[]} note
 * @param {number} now
 */
export function noteParts(note, now) {
  const last = Math.min(now, note.length - 1);
  return note.map((textContent, i) => {
    const className = i < last ? "said-before" : i === last ? "said-now" : "said-later";
    return make("p", { className, textContent });
  });
}

export class Speaker {
  /** @param {import("./plan.js").TalkPart} talk @param {(event: KeyboardEvent) => void} press */
  constructor(talk, press) {
    this.talk = talk;
    this.press = press;
    /** @type {Window | null} */
    this.window = null;
    this.began = 0; // when the talk first went on, ms
    this.now = new Intl.DateTimeFormat(talk.language, { hour: "2-digit", minute: "2-digit" });
    this.time = make("b", { className: "time" });
    this.elapsed = make("b", { className: "elapsed" });
    this.place = make("span");
    this.title = make("h1");
    this.note = make("div", { className: "speaker-note" });
    this.next = make("p", { className: "speaker-next" });
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
    page.title = `${this.talk.words.notes} · ${this.talk.title}`;
    page.documentElement.lang = this.talk.language;
    page.head.replaceChildren(...looks);
    const top = make("p", { className: "speaker-top" }, this.time, this.elapsed, this.place);
    page.body.className = "speaker";
    page.body.replaceChildren(top, this.title, this.note, this.next);
    page.addEventListener("keydown", this.press);
    const timer = other.setInterval(() => (other.closed ? other.clearInterval(timer) : this.tick()), 500);
    window.addEventListener("pagehide", () => other.close());
    this.tick();
  }

  tick() {
    const { minutes, words } = this.talk;
    const seconds = this.began ? (performance.now() - this.began) / 1000 : 0;
    this.time.textContent = this.now.format();
    this.elapsed.textContent = minutes ? `${clock(seconds)} / ${clock(60 * minutes)}` : clock(seconds);
    this.elapsed.title = words.elapsed;
    this.elapsed.classList.toggle("late", minutes > 0 && seconds > 60 * minutes);
  }

  /** @param {import("./plan.js").At} at @param {number} clicks @param {boolean} asking */
  show({ scene, stop }, clicks, asking) {
    const { scenes, words } = this.talk;
    const { title, note, predict } = scenes[scene];
    if (!this.began && (scene > 0 || stop > 0)) this.began = performance.now();
    this.place.textContent = `${scene + 1} / ${scenes.length}`;
    this.title.textContent = title;
    this.note.replaceChildren(...noteParts(note, clicks));
    if (asking && predict) this.note.prepend(make("p", { className: "said-now", textContent: `? ${predict.ask}` }));
    const next = scenes[scene + 1];
    this.next.textContent = next ? fill(words.next_is, { title: next.title }) : words.last;
  }
}
