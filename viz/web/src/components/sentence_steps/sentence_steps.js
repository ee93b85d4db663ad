import { Component, mounted } from "../../ui/component.js";
import "./sentence_steps.css";

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

function watched() {
  if (window.headlightSteps) return window.headlightSteps;
  const [push, replace] = [history.pushState.bind(history), history.replaceState.bind(history)];
  const now = { acted: false, returned: false };
  const isHere = (url) => new URL(url ?? "", location.href).pathname === location.pathname;
  history.replaceState = (...step) => (now.returned && isHere(step[2])) || replace(...step);
  history.pushState = (...step) => {
    if (now.acted) push(...step);
    else history.replaceState(...step);
    now.acted = false;
  };
  window.headlightSteps = now;
  return now;
}

class SentenceSteps extends Component {
  constructor(root) {
    super(root);
    const now = watched();
    for (const type of ACTS)
      this.listen(window, type, () => Object.assign(now, { acted: true, returned: false }), true);
    this.listen(window, "popstate", () => Object.assign(now, { acted: false, returned: true }), true);
    for (const type of ["keydown", "click"]) this.listen(window, type, (event) => this.sent(event), true);
  }

  update() {} // nothing is seen

  sent({ type, key, target }) {
    const sends = type === "click" ? !target.matches?.("input") : key === "Enter";
    if (!sends || !this.data || !target.closest?.(SENT)) return;
    const typed = document.querySelector(`${BOX} input`)?.value;
    if (!target.closest(EXAMPLES) && typed === this.data.sent) return;
    const before = new URL(location.href);
    before.searchParams.set("text", this.data.sent);
    const now = location.href;
    history.replaceState(history.state, "", before);
    history.pushState(history.state, "", now);
  }
}

export default mounted(SentenceSteps);
