// A box for a sentence from the hall: the app, in whose page the talk lies, answers it with a scene of its own.
import { make } from "../ui/dom.js";
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
