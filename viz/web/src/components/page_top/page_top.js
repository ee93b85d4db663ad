import { Component, mounted } from "../../ui/component.js";
import "./page_top.css";

// What replaces the page's subject is read from its beginning: the app alone leaves the page where it was scrolled to.
class PageTop extends Component {
  update({ shown }) {
    const { host } = this.root.getRootNode();
    if (this.shown !== undefined && shown !== this.shown) host?.closest('[data-testid="stMain"]')?.scrollTo(0, 0);
    this.shown = shown;
  }
}

export default mounted(PageTop);
