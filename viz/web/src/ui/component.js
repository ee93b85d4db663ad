import { dress } from "./shared.js";

// What every component is: made once for its element, shown anew with whatever Python sends, left when the element is
// gone. A component builds in its constructor, and shows this.data in update().
export class Component {
  constructor(root) {
    this.root = root;
    this.ends = [];
  }

  part(name) {
    return this.root.querySelector(`.${name}`);
  }

  // The look, the words of everything that has a data-label, then the rest.
  take({ data, setTriggerValue, setStateValue }) {
    Object.assign(this, { data, setTriggerValue, setStateValue });
    if (data.look) dress(this.root, data.look);
    for (const each of this.root.querySelectorAll("[data-label]")) each.textContent = data.labels[each.dataset.label];
    this.update(data);
  }

  // The line above or under the picture: what is pointed at, or else, quietly, what could be.
  read(text, idle) {
    const readout = this.part("readout");
    readout.classList.toggle("idle", idle);
    readout.textContent = text;
  }

  // Listens beyond the element, for as long as it is there.
  listen(target, event, handle, capture = false) {
    const heard = (happened) => (this.root.isConnected ? handle(happened) : this.leave());
    target.addEventListener(event, heard, capture);
    this.ends.push(() => target.removeEventListener(event, heard, capture));
  }

  // Calls `handle` when the element's size has changed.
  whenResized(handle) {
    const observer = new ResizeObserver(() => this.data && handle());
    observer.observe(this.root);
    this.ends.push(() => observer.disconnect());
  }

  // Calls `handle` later, unless the element is gone by then.
  after(milliseconds, handle) {
    return setTimeout(() => this.root.isConnected && handle(), milliseconds);
  }

  // Calls `handle` again and again, for as long as the element is there.
  every(milliseconds, handle) {
    const timer = setInterval(() => (this.root.isConnected ? handle() : clearInterval(timer)), milliseconds);
    return timer;
  }

  // Ends whatever reaches beyond the element.
  leave() {
    for (const end of this.ends.splice(0)) end();
  }
}

// What Streamlit calls at every change, and when the element is gone; before each change it cleans up as well.
export function mounted(Shown) {
  return ({ parentElement, ...given }) => {
    const root = parentElement.querySelector("[data-component]");
    root.component ??= new Shown(root);
    root.component.take(given);
    return () => root.isConnected || root.component.leave();
  };
}
