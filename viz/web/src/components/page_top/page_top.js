import { Component, mounted } from "../../ui/component.js";
import "./page_top.html";

/**
 * What replaces the page's subject is read from its beginning: the app alone leaves the page where it was scrolled to.
 * @extends {Component<{ shown: unknown }>}
 */
class PageTop extends Component {
  /** @type {unknown} */
  shown = undefined;

  /** @param {{ shown: unknown }} data */
  update({ shown }) {
    const { host } = /** @type {ShadowRoot} */ (this.root.getRootNode());
    if (this.shown !== undefined && shown !== this.shown) host?.closest('[data-testid="stMain"]')?.scrollTo(0, 0);
    this.shown = shown;
  }
}

export default mounted(PageTop);
