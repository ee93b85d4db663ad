import { parted } from "../../core/payload.js";
import { Component, mounted } from "../../ui/component.js";
import "./hall_box.html";

/**
 * Nothing to be seen: between a talk, which lies in a frame of this page, and Python. What the talk asks, a sentence
 * from the hall, goes up; the scene that is made of it goes down, once.
 * @extends {Component<Uint8Array>}
 */
class HallBox extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.id = "";
    this.number = 0;
    this.listen(window, "message", (/** @type {MessageEvent} */ event) => this.hear(event));
  }

  /** @param {MessageEvent} event */
  hear({ data, origin, source }) {
    if (origin !== window.location.origin || source === window || data?.headlight !== "hall") return;
    const { text, scene } = data;
    if (typeof text === "string" && Number.isInteger(scene))
      this.setTriggerValue("asked", { text, scene, number: ++this.number });
  }

  /** @param {Uint8Array} data */
  update(data) {
    const [{ id, error, scene }, message] = parted(data);
    if (!id || id === this.id) return;
    this.id = id;
    for (const frame of document.querySelectorAll("iframe"))
      frame.contentWindow?.postMessage({ headlight: "hall", error, scene, message }, window.location.origin);
  }
}

export default mounted(HallBox);
