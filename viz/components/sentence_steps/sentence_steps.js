import { Component, mounted } from "../shared/component.js";

// Streamlit writes what is typed over the link of the sentence before. So that Back leads there, that link is brought
// back when the new sentence is sent, and the new one becomes a step of its own.
const BOX = ".st-key-text";
const EXAMPLES = ".st-key-example";
const SENT = `${BOX}, ${EXAMPLES}, [data-testid=stBaseButton-primaryFormSubmit]`;

class SentenceSteps extends Component {
  constructor(root) {
    super(root);
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
