// What every component is: mounted once in its element, updated with whatever Python sends, disposed of with the element.
import { dress } from "./theme.js";

/**
 * A component builds in its constructor, and shows this.data in update(). Whatever reaches beyond its element, listeners,
 * timers and observers, it starts by way of these methods, and it ends with the element.
 * @template D what Python sends
 */
export class Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {(() => void)[]} */
    this.ends = [];
    /** @type {D} nothing before the first update */
    this.data = /** @type {any} */ (undefined);
    /** @type {import("../types.js").Send} */
    this.setTriggerValue = () => {};
    /** @type {import("../types.js").Send} */
    this.setStateValue = () => {};
  }

  /** The look, the words of everything that has a data-label, then the rest. @param {Omit<import("../types.js").Mounting<D>, "parentElement">} given */
  take({ data, setTriggerValue, setStateValue }) {
    Object.assign(this, { data, setTriggerValue, setStateValue });
    const { look, labels } = /** @type {Partial<import("../types.js").Dressed<{}>>} */ (data);
    if (look) dress(this.root, look);
    if (labels) for (const each of this.all("[data-label]")) each.textContent = labels[each.dataset.label ?? ""];
    this.update(data);
  }

  /** Shows what Python sent. @param {D} _data */
  update(_data) {}

  /** Ends whatever reaches beyond the element. */
  dispose() {
    for (const end of this.ends.splice(0)) end();
  }

  /** @param {string} name of its class */
  part(name) {
    return this.find(`.${name}`);
  }

  /** @param {string} selector @returns {HTMLElement} */
  find(selector) {
    return /** @type {HTMLElement} */ (this.root.querySelector(selector));
  }

  /** @param {string} name of its class @returns {SVGSVGElement} */
  drawing(name) {
    return /** @type {SVGSVGElement} */ (this.root.querySelector(`.${name}`));
  }

  /** @param {string} selector @returns {HTMLElement[]} */
  all(selector) {
    return [...this.root.querySelectorAll(selector)].map((each) => /** @type {HTMLElement} */ (each));
  }

  /** The element that has the keyboard, where it is one of this component's. @returns {HTMLElement | null} */
  get focused() {
    const page = /** @type {Document | ShadowRoot} */ (this.root.getRootNode());
    return /** @type {HTMLElement | null} */ (page.activeElement);
  }

  /** The line above or under the picture: what is pointed at, or else, quietly, what could be. @param {string} text @param {boolean} idle */
  read(text, idle) {
    const readout = this.part("readout");
    readout.classList.toggle("idle", idle);
    readout.textContent = text;
  }

  /**
   * Listens beyond the element, for as long as it is there.
   * @template {Event} E
   * @param {EventTarget} target
   * @param {string} event
   * @param {(happened: E) => void} handle
   * @param {boolean} [capture]
   */
  listen(target, event, handle, capture = false) {
    const heard = (/** @type {Event} */ happened) =>
      this.root.isConnected ? handle(/** @type {E} */ (happened)) : this.dispose();
    target.addEventListener(event, heard, capture);
    this.ends.push(() => target.removeEventListener(event, heard, capture));
  }

  /** Calls `handle` when the size of the element, or of another, has changed. @param {() => void} handle @param {Element} [element] */
  whenResized(handle, element = this.root) {
    const observer = new ResizeObserver(() => this.data && handle());
    observer.observe(element);
    this.ends.push(() => observer.disconnect());
  }

  /** Calls `handle` later, unless the element is gone by then. @param {number} milliseconds @param {() => void} handle */
  after(milliseconds, handle) {
    return window.setTimeout(() => this.root.isConnected && handle(), milliseconds);
  }

  /** Calls `handle` again and again, for as long as the element is there. @param {number} milliseconds @param {() => void} handle */
  every(milliseconds, handle) {
    const timer = window.setInterval(
      () => (this.root.isConnected ? handle() : window.clearInterval(timer)),
      milliseconds,
    );
    return timer;
  }
}

/**
 * What Streamlit calls at every change; it answers what is to be done when the element is gone, and before each change.
 * @template D
 * @param {new (root: HTMLElement) => Component<D>} Shown
 * @returns {(given: import("../types.js").Mounting<D>) => () => void}
 */
export function mounted(Shown) {
  return ({ parentElement, ...given }) => {
    /** @typedef {HTMLElement & { component?: Component<D> }} Root */
    const root = /** @type {Root} */ (parentElement.querySelector("[data-component]"));
    const component = (root.component ??= new Shown(root));
    component.take(given);
    return () => void (root.isConnected || component.dispose());
  };
}
