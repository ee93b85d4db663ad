// Which heads are muted, and what the translation was before they were.
import { headOf, titleOf } from "../core/heads.js";
import { fill } from "../core/text.js";
import { make, makeButton } from "../ui/dom.js";

const CODE = /^[a-z]\d{1,3}\.\d{1,3}$/;

/** A chip that takes a change back. @param {string} text @param {string} label @param {() => void} undo */
export function undoing(text, label, undo, className = "plain muted") {
  const chip = makeButton(className, `${text} ✕`);
  chip.setAttribute("aria-label", label);
  chip.addEventListener("click", undo);
  return chip;
}

export class Mutes {
  /** @param {import("./page.js").LivePage} page @param {string[]} codes */
  constructor(page, codes) {
    this.page = page;
    this.codes = codes.filter((code) => CODE.test(code));
    this.element = make("div", { className: "mutes", role: "group" });
    this.before = { text: "", translation: "" }; // the last translation with nothing muted or deleted, and of what
  }

  /** Factors by head. @returns {Record<string, number>} */
  get gains() {
    return Object.fromEntries(this.codes.map((code) => [code, 0]));
  }

  /** What was translated. @param {string[]} translations */
  take(translations) {
    if (!this.page.changed) this.before = { text: this.page.text, translation: translations.join(" ") };
  }

  /** @param {string[]} codes */
  set(codes) {
    this.codes = codes;
    this.draw();
    this.page.ask(this.page.text);
  }

  /** A head as people read it: its kind and its number. @param {string} code */
  title(code) {
    const { viewer } = this.page;
    const head = headOf(viewer.trace, code);
    return head ? `${head.kind.title} ${titleOf(head)}` : code;
  }

  draw() {
    const { page, codes } = this;
    const { words, viewer, button } = page;
    const chosen = viewer.state.heads.filter((code) => !codes.includes(code));
    const mute = makeButton("plain", fill(words.mute, { heads: chosen.map((code) => this.title(code)).join(", ") }));
    mute.disabled = button.disabled;
    mute.hidden = !chosen.length;
    mute.addEventListener("click", () => this.set([...codes, ...chosen]));
    const muted = codes.map((code) => {
      const head = this.title(code);
      return undoing(head, fill(words.unmute, { head }), () => this.set(codes.filter((each) => each !== code)));
    });
    const { text, translation } = this.before;
    const before = page.changed && text === page.text && translation ? fill(words.before, { translation }) : "";
    const said = codes.length ? make("span", "", words.muted) : undefined;
    this.element.setAttribute("aria-label", words.muted);
    this.element.replaceChildren(
      mute,
      ...[said, ...muted, before ? make("span", "before", before) : undefined].filter((each) => each !== undefined),
    );
  }
}
