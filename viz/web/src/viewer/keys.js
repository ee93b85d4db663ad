// The keyboard: arrows go through heads and layers, digits open a head, letters switch.

import { present } from "./present.js";
import { gone, less, nextKind, stepped } from "../core/walk.js";

/** @typedef {import("./viewer.js").Viewer} Viewer */

// What takes keys itself, wherever it stands; arrows and digits mean something to more than to boxes of text.
const OWN_KEYS = `input, select, textarea, summary, iframe, [contenteditable], ${[
  "combobox",
  "listbox",
  "slider",
  "spinbutton",
]
  .map((role) => `[role="${role}"]`)
  .join(", ")}`;
const OWN_ARROWS = '[role="radio"], [role="tab"], [role="menuitem"], [role="option"], [role="grid"]';

/** @type {Record<string, [number, number]>} layers down, heads to the right */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @type {Record<string, (viewer: Viewer) => void>} */
const LETTERS = {
  m: (viewer) => viewer.change({ view: "map" }),
  l: (viewer) => viewer.change({ view: viewer.state.view === "lines" ? "map" : "lines" }),
  a: (viewer) => viewer.change({ view: viewer.state.view === "all" ? "map" : "all" }),
  w: (viewer) => viewer.change({ words: !viewer.state.words }),
  s: (viewer) => viewer.change({ special: !viewer.state.special }),
  g: (viewer) => viewer.change({ log: !viewer.state.log }),
  o: (viewer) => viewer.change({ scale: viewer.state.scale === "own" ? "full" : "own" }),
  k: (viewer) => viewer.change(nextKind(viewer.trace, viewer.state)),
  "+": (viewer) => viewer.zoom(1.25),
  "=": (viewer) => viewer.zoom(1.25),
  "-": (viewer) => viewer.zoom(0.8),
  f: (viewer) => viewer.panels.forEach((panel) => panel.fit()),
  p: present,
  "?": (viewer) => viewer.help.showModal(),
  escape: (viewer) => viewer.change(less(viewer.state)),
};

/**
 * Does what a key means; false where it means nothing here.
 * @param {Viewer} viewer
 * @param {KeyboardEvent} event
 */
export function press(viewer, event) {
  const { key, code, shiftKey, altKey, ctrlKey, metaKey, defaultPrevented } = event;
  if (altKey || ctrlKey || metaKey || viewer.help.open || defaultPrevented) return false;
  const [target] = event.composedPath(); // the target itself is that of the page, wherever a shadow begins
  const own = target instanceof Element && target.closest(key in ARROWS ? `${OWN_KEYS}, ${OWN_ARROWS}` : OWN_KEYS);
  if (own && key !== "Escape" && !(own instanceof HTMLInputElement && own.type === "checkbox" && key !== " "))
    return false;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1];
  if (key in ARROWS) viewer.change(stepped(viewer.trace, viewer.state, ...ARROWS[key]));
  else if (digit !== undefined) viewer.change(gone(viewer.trace, viewer.state, Number(digit), shiftKey));
  else if (key.toLowerCase() in LETTERS) LETTERS[key.toLowerCase()](viewer);
  else return false;
  event.preventDefault();
  return true;
}
