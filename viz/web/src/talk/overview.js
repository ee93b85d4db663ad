// All scenes at a glance, to go to one of them.
import { dress } from "../ui/theme.js";
import { make } from "../ui/dom.js";

/**
 * The place that an arrow leads to among places in rows of so many; it stays within them.
 * @param {number} at
 * @param {string} key
 * @param {number} columns
 * @param {number} count
 */
export function walked(at, key, columns, count) {
  const below = Math.min(at + columns, count - 1); // the last row may be short
  const isLast = Math.floor(at / columns) === Math.floor((count - 1) / columns);
  if (key === "arrowleft") return Math.max(0, at - 1);
  if (key === "arrowright") return Math.min(count - 1, at + 1);
  if (key === "arrowup") return at < columns ? at : at - columns;
  if (key === "arrowdown") return isLast ? at : below;
  if (key === "home") return 0;
  if (key === "end") return count - 1;
  return at;
}

/**
 * The number that is typed, digit after digit; one that no scene has begins anew, and 0 is none.
 * @param {number} before
 * @param {number} digit
 * @param {number} count
 */
export function typed(before, digit, count) {
  const longer = 10 * before + digit;
  if (longer <= count) return longer;
  return digit <= count ? digit : 0;
}

export class Overview {
  /**
   * @param {import("./plan.js").TalkPart} talk
   * @param {import("./small.js").Small} small
   * @param {(scene: number) => void} go
   */
  constructor({ scenes, words }, small, go) {
    this.scenes = scenes;
    this.small = small;
    this.go = go;
    this.number = 0; // as far as it is typed
    /** @type {Set<number>} scenes whose pictures the room has seen */
    this.seen = new Set();
    /** @type {HTMLButtonElement[]} of the scenes */
    this.cards = [];
    this.list = make("ol");
    const hint = make("p", { className: "hint", textContent: words.overview_hint });
    this.element = make(
      "dialog",
      { className: "overview" },
      make("h2", { textContent: words.overview }),
      hint,
      this.list,
    );
    this.element.setAttribute("aria-label", words.overview);
  }

  /** Whether the scenes are seen in a window, which may have been closed over them. @param {Window | null} view */
  isOpenIn(view) {
    const { open, ownerDocument } = this.element;
    return open && view !== null && ownerDocument.defaultView === view;
  }

  /**
   * @param {number} at the scene that is on
   * @param {import("../types.js").Look} look
   * @param {HTMLElement} host where the scenes are to be seen
   */
  open(at, look, host) {
    const { element } = this;
    const isOfRoom = host.ownerDocument === document;
    this.number = 0;
    this.cards = this.scenes.map(({ title, predict }, i) => {
      const isSecret = isOfRoom && predict !== null && !this.seen.has(i);
      const picture = isSecret ? make("b", { className: "secret", textContent: "?" }) : this.small.picture(i, look);
      picture.setAttribute("aria-hidden", "true");
      const name = make("span", {}, make("b", { textContent: String(i + 1) }), title);
      const card = make("button", { type: "button" }, make("span", { className: "frame" }, picture), name);
      if (i === at) card.setAttribute("aria-current", "step");
      card.addEventListener("click", () => this.choose(i));
      return card;
    });
    this.list.replaceChildren(...this.cards.map((card) => make("li", {}, card)));
    host.append(element);
    dress(element, look);
    element.showModal();
    this.cards[at].focus();
  }

  close() {
    this.element.close();
  }

  /** @param {number} scene */
  choose(scene) {
    this.close();
    /** @type {HTMLElement | null} */ (this.element.ownerDocument.activeElement)?.blur(); // keys mean the talk's own again
    this.go(scene);
  }

  /** The scene that Enter would go to. */
  get at() {
    return Math.max(0, this.cards.indexOf(/** @type {HTMLButtonElement} */ (this.element.ownerDocument.activeElement)));
  }

  /** @param {KeyboardEvent} event while the scenes are seen */
  press(event) {
    event.stopImmediatePropagation(); // no map behind them takes the key
    if (this.told(event.key.toLowerCase())) event.preventDefault();
  }

  /** Does what a key means while the scenes are seen; false where it means nothing here. @param {string} key */
  told(key) {
    const { cards, at } = this;
    if (key === "escape" || key === "o") this.close();
    else if (key === "enter" || key === " ") this.choose(at);
    else if (/^\d$/.test(key)) {
      this.number = typed(this.number, Number(key), cards.length);
      cards[this.number - 1]?.focus();
    } else {
      const columns = cards.filter(({ offsetTop }) => offsetTop === cards[0].offsetTop).length;
      const next = walked(at, key, columns, cards.length);
      if (next === at) return key.startsWith("arrow");
      this.number = 0;
      cards[next].focus();
    }
    return true;
  }
}
