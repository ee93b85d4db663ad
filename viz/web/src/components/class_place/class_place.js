import { Component, mounted } from "../../ui/component.js";
import "./class_place.html";

const EVERY = 300; // milliseconds

/**
 * Nothing to be seen: tells Python where the talk is, which writes that into the page's link and tells nobody.
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
    const place = `${scene} ${click} ${hall}`;
    if (place === this.told) return;
    this.told = place;
    this.setStateValue("place", { scene, click, hall });
  }
}

export default mounted(ClassPlace);
