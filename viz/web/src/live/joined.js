// The class that a phone has come from: the way back to it, and what the lecturer does meanwhile.
import { follow, tell } from "../phone/news.js";
import { make, makeButton } from "../ui/dom.js";

/** @import { News } from "../phone/news.js" */

const CODE = /^[a-z0-9]{1,12}$/; // of a room

export class Joined {
  /** @param {import("./page.js").LivePage} page @param {URLSearchParams} said */
  constructor(page, said) {
    this.page = page;
    this.isMeant = said.has("class");
    const code = said.get("class") ?? "";
    this.code = page.app && CODE.test(code) ? code : "";
    /** What is to be said, by the name of the words. */
    this.word = this.isMeant && !this.code ? "closed" : "";
    /** @type {News | null} */
    this.now = null;
    this.led = ledBy(location.hash);
    this.back = make("a", "to-class");
    this.told = make("p", { className: "told", role: "status" });
    this.there = makeButton("plain");
    this.there.addEventListener("click", () => this.follow());
    this.element = make("div", "joined", this.back, this.there, this.told);
    page.root.classList.toggle("of-class", this.isMeant);
    if (!this.code) return;
    this.root = new URL(`${page.app}class/${this.code}`, document.baseURI);
    this.back.href = this.root.href;
    this.gone = new AbortController();
    page.ends.push(() => this.gone?.abort());
    void follow(
      () => tell(`${this.root}`, "now", { phone: this.seat, version: this.now?.version ?? "" }, this.gone?.signal),
      (news) => this.hear(news),
      (word) => this.refused(word),
      (milliseconds) => new Promise((after) => this.page.after(milliseconds, () => after(undefined))),
    );
  }

  /** What the link keeps of it. @returns {Record<string, string>} */
  get link() {
    return this.code ? { class: this.code } : {};
  }

  /** The phone's seat, which the class's page keeps. */
  get seat() {
    try {
      return localStorage.getItem(`headlight-class-${this.root?.pathname}`);
    } catch {
      return null;
    }
  }

  /** A class that is closed, or that has no seat for this phone, is not asked again. @param {string} word */
  refused(word) {
    if (this.gone?.signal.aborted) return null;
    if (word !== "closed" && word !== "seat") return 0; // the network, or the server, comes back
    this.say(word);
    return null;
  }

  /** @param {News} news */
  hear(news) {
    this.now = news;
    this.say(news.asking ? "class_asks" : "");
    if (news.scene?.opens && this.page.isAt(this.led)) this.follow();
  }

  /** Goes where the lecturer is. */
  follow() {
    const { link } = this.now?.scene ?? {};
    if (!link || link === this.led) return;
    this.led = link;
    this.page.goTo(link.slice(link.indexOf("#")));
    this.draw();
  }

  /** @param {string} word */
  say(word) {
    this.word = word;
    this.draw();
  }

  draw() {
    const { words } = this.page;
    const { link = "" } = this.now?.scene ?? {};
    const isOver = this.word === "closed";
    this.element.hidden = !this.isMeant;
    this.back.hidden = !this.code || isOver;
    this.back.textContent = words.class_back;
    this.there.hidden = isOver || !link || link === this.led;
    this.there.textContent = words.class_scene;
    const said = { closed: words.closed, seat: words.class_seat, class_asks: words.class_asks };
    this.told.textContent = said[/** @type {keyof typeof said} */ (this.word)] ?? "";
  }
}

/** The lecturer's link that led to this page: the class's page adds what is the phone's own behind it. @param {string} hash */
function ledBy(hash) {
  return `live/${hash.replace(/&(?:lang|class)=.*$/, "")}`;
}
