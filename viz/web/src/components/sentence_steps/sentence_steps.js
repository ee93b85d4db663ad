import { within } from "../../ui/dom.js";
import { Component, mounted } from "../../ui/component.js";
import "./sentence_steps.html";

// Streamlit writes what is typed over the link of the sentence before. So that Back leads there, that link is brought
// back when the new sentence is sent, and the new one becomes a step of its own.
const BOX = ".st-key-text";
const EXAMPLES = ".st-key-example";
const SENT = `${BOX}, ${EXAMPLES}, [data-testid=stBaseButton-primaryFormSubmit]`;

// Streamlit also makes a step of every parameter that it writes, empties the link before it goes to another view, and
// after Back it takes away what stands on widgets that are folded away. So: what the visitor does is one step, whatever
// is written; what nobody did is none; and a link that was gone back to stays until he does something.
// What tells both apart is the page's own, and outlives this element.
const ACTS = ["keydown", "pointerdown", "click", "input"];

/** @typedef {{ acted: boolean, returned: boolean }} Steps */

/** @returns {Steps} */
function watched() {
  const page = /** @type {Window & { headlightSteps?: Steps }} */ (window);
  if (page.headlightSteps) return page.headlightSteps;
  const [push, replace] = [history.pushState.bind(history), history.replaceState.bind(history)];
  const now = { acted: false, returned: false };
  const isHere = (/** @type {string | URL | null | undefined} */ url) =>
    new URL(url ?? "", location.href).pathname === location.pathname;
  history.replaceState = (...step) => void ((now.returned && isHere(step[2])) || replace(...step));
  history.pushState = (...step) => {
    if (now.acted) push(...step);
    else history.replaceState(...step);
    now.acted = false;
  };
  page.headlightSteps = now;
  return now;
}

/** @extends {Component<{ sent: string }>} */
class SentenceSteps extends Component {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    const now = watched();
    for (const type of ACTS)
      this.listen(window, type, () => Object.assign(now, { acted: true, returned: false }), true);
    this.listen(window, "popstate", () => Object.assign(now, { acted: false, returned: true }), true);
    for (const type of ["keydown", "click"]) this.listen(window, type, (event) => this.sent(event), true);
  }

  /** @param {Event} event */
  sent(event) {
    const { type, target } = event;
    const enters = event instanceof KeyboardEvent && event.key === "Enter";
    const sends = type === "click" ? !(target instanceof Element && target.matches("input")) : enters;
    if (!sends || !this.data || !within(event, SENT)) return;
    const typed = /** @type {HTMLInputElement | null} */ (document.querySelector(`${BOX} input`))?.value;
    if (!within(event, EXAMPLES) && typed === this.data.sent) return;
    const before = new URL(location.href);
    before.searchParams.set("text", this.data.sent);
    const now = location.href;
    history.replaceState(history.state, "", before);
    history.pushState(history.state, "", now);
  }
}

export default mounted(SentenceSteps);
