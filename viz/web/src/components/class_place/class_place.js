import { Component, mounted } from "../../ui/component.js";
import "./class_place.html";

const EVERY = 300; // milliseconds

/**
 * Nothing to be seen: tells Python where the talk is, which writes that into the page's link and tells nobody, and what is
 * chosen on its slide, which it writes on its frame.
 * @extends {Component<{}>}
 */
class ClassPlace extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.told = "";
    this.every(EVERY, () => this.look());
  }

  look() {
    const link = new URLSearchParams(window.location.search);
    const [scene, click, hall] = ["scene", "click", "hall"].map((name) => link.get(name) ?? "");
    const frame = /** @type {HTMLElement | null} */ (document.querySelector(".st-key-talk_frame iframe"));
    const { shown = "", text = "" } = frame?.dataset ?? {};
    const place = { scene, click, hall, shown, text };
    if (JSON.stringify(place) === this.told) return;
    this.told = JSON.stringify(place);
    this.setStateValue("place", place);
  }
}

export default mounted(ClassPlace);
