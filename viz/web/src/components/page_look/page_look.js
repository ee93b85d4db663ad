import { Component, mounted } from "../../ui/component.js";
import "./page_look.html";

// A page whose look has changed while it was open, because the system turned dark or the visitor chose so, still shows
// pictures in the ink of the look before. The ground of this element is the page's, and a change of it is a transition.
/** @extends {Component<{}>} */
class PageLook extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.listen(root, "transitionend", () => this.setTriggerValue("turned", getComputedStyle(root).backgroundColor));
  }
}

export default mounted(PageLook);
