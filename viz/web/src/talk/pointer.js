// A large dot that follows the mouse, for a room to look at.
import { make } from "../ui/dom.js";

export class Pointer {
  /** @param {HTMLElement} root whose own arrow the dot replaces */
  constructor(root) {
    this.root = root;
    this.element = make("div", { className: "dot", hidden: true });
    this.isOn = false;
    this.isIn = false; // the mouse is over the page
    document.addEventListener("pointermove", ({ clientX, clientY }) => this.move(clientX, clientY));
    document.documentElement.addEventListener("pointerleave", () => this.leave());
  }

  turn() {
    this.isOn = !this.isOn;
    this.root.classList.toggle("pointing", this.isOn);
    this.show();
  }

  /** @param {number} x @param {number} y */
  move(x, y) {
    this.isIn = true;
    this.element.style.transform = `translate(${x}px, ${y}px)`;
    this.show();
  }

  leave() {
    this.isIn = false;
    this.show();
  }

  show() {
    this.element.hidden = !this.isOn || !this.isIn;
  }
}
