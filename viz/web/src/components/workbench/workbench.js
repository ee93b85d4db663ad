// In the app: one viewer in an element of the app's page, for as long as that is there.
import { readEnvelope } from "../../core/payload.js";
import { write } from "../../core/state.js";
import { Component, mounted } from "../../ui/component.js";
import { Viewer } from "../../viewer/viewer.js";
import "./workbench.html";

const LEAST = 340; // px of height, however small the window is

// What was last told, and after which link: an element that is made anew goes on from there. The same link told again
// has another number.
let told = { serial: 0, link: "", number: 0 };

/** @extends {Component<Uint8Array>} */
class Workbench extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.id = "";
    this.serial = 0;
    this.below = 0;
    /** @type {Viewer | null} */
    this.viewer = null;
    const { host } = /** @type {ShadowRoot} */ (root.getRootNode());
    this.scroller = host.closest('[data-testid="stMain"]');
    this.whenResized(() => this.fill(), host.closest('[data-testid="stMainBlockContainer"]') ?? document.body);
    this.listen(window, "resize", () => this.fill());
  }

  /** As high as the window below it. */
  fill() {
    const top = this.root.getBoundingClientRect().top + (this.scroller?.scrollTop ?? 0);
    const height = `${Math.max(LEAST, Math.floor(window.innerHeight - top - this.below))}px`;
    if (this.root.style.height !== height) this.root.style.height = height;
  }

  /** A new message is a new viewer, with what was chosen; a new link changes what is. @param {Uint8Array} data */
  update(data) {
    const { envelope, message } = readEnvelope(data);
    const { id, link, serial, dark, below } = envelope;
    this.below = below;
    this.fill();
    const own = this.viewer ? linkOf(this.viewer) : told.link;
    const chosen = serial === (this.viewer ? this.serial : told.serial) ? own : link;
    this.serial = serial;
    if (id !== this.id) this.show(message(), chosen, dark);
    else this.viewer?.follow(chosen);
    this.viewer?.turn(dark);
    this.id = id;
    Object.assign(this.root.dataset, { ready: id, serial });
  }

  /** @param {import("../../types.js").Trace} trace @param {string} link @param {boolean} dark */
  show(trace, link, dark) {
    this.viewer?.dispose();
    const onSay = (/** @type {Viewer} */ viewer) => this.report(linkOf(viewer));
    this.viewer = new Viewer(this.root, trace, { link, dark, onSay, asks: true });
  }

  /** Tells Python what is chosen. @param {string} link */
  report(link) {
    told = { serial: this.serial, link, number: told.number + 1 };
    this.setStateValue("said", { link, number: told.number });
  }

  dispose() {
    this.viewer?.dispose();
    super.dispose();
  }
}

/** All that is chosen, with what is still being made. @param {Viewer} viewer */
function linkOf({ state, wanted }) {
  return write(wanted ? { ...state, method: wanted } : state);
}

export default mounted(Workbench);
