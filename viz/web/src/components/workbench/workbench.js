// In the app: one viewer in an element of the app's page, for as long as that is there.
import { readEnvelope } from "../../core/payload.js";
import { write } from "../../core/state.js";
import { Viewer } from "../../viewer/viewer.js";
import "./workbench.css";

const LEAST = 340; // px of height, however small the window is

/** @typedef {{ link: string, number: number }} Said what Python is told; the same link again has another number */
/** @typedef {{ parentElement: Element | ShadowRoot, data: Uint8Array, setStateValue: (name: string, value: Said) => void }} Given */

// What was last told, and after which link: an element that is made anew goes on from there.
let told = { serial: 0, link: "", number: 0 };

class Mounted {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.id = "";
    this.serial = 0;
    this.below = 0;
    /** @type {Viewer | null} */
    this.viewer = null;
    /** @type {(link: string) => void} */
    this.report = () => {};
    const { host } = /** @type {ShadowRoot} */ (root.getRootNode());
    this.scroller = host.closest('[data-testid="stMain"]');
    this.fit = () => this.fill();
    this.observer = new ResizeObserver(this.fit);
    this.observer.observe(host.closest('[data-testid="stMainBlockContainer"]') ?? document.body);
    window.addEventListener("resize", this.fit);
  }

  /** As high as the window below it. */
  fill() {
    const top = this.root.getBoundingClientRect().top + (this.scroller?.scrollTop ?? 0);
    const height = `${Math.max(LEAST, Math.floor(window.innerHeight - top - this.below))}px`;
    if (this.root.style.height !== height) this.root.style.height = height;
  }

  /** A new message is a new viewer, with what was chosen; a new link changes what is. @param {Given} given */
  take({ data, setStateValue }) {
    const { envelope, message } = readEnvelope(data);
    const { id, link, serial, dark, below } = envelope;
    this.report = (said) => {
      told = { serial, link: said, number: told.number + 1 };
      setStateValue("said", { link: said, number: told.number });
    };
    this.below = below;
    this.fill();
    const own = this.viewer ? linkOf(this.viewer) : told.link;
    const chosen = serial === (this.viewer ? this.serial : told.serial) ? own : link;
    if (id !== this.id) this.show(message(), chosen, dark);
    else this.viewer?.follow(chosen);
    this.viewer?.turn(dark);
    [this.id, this.serial] = [id, serial];
    Object.assign(this.root.dataset, { ready: id, serial });
  }

  /** @param {import("../../types.js").Trace} trace @param {string} link @param {boolean} dark */
  show(trace, link, dark) {
    this.viewer?.leave();
    const onSay = (/** @type {Viewer} */ viewer) => this.report(linkOf(viewer));
    this.viewer = new Viewer(this.root, trace, { link, dark, onSay, asks: true });
  }

  leave() {
    this.viewer?.leave();
    this.observer.disconnect();
    window.removeEventListener("resize", this.fit);
  }
}

/** All that is chosen, with what is still being made. @param {Viewer} viewer */
function linkOf({ state, wanted }) {
  return write(wanted ? { ...state, drawn: wanted } : state);
}

/** @type {WeakMap<Element, Mounted>} */
const every = new WeakMap();

/** What Streamlit calls at every change; it answers what is to be done when the element is gone. @param {Given} given */
export default function mount(given) {
  const root = /** @type {HTMLElement} */ (given.parentElement.querySelector("#viewer"));
  const mounted = every.get(root) ?? new Mounted(root);
  every.set(root, mounted);
  mounted.take(given);
  return () => root.isConnected || mounted.leave();
}
