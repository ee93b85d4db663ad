// The keyboard: arrows go through heads and layers, digits open a head, letters switch.

import { present } from "./present.js";
import { ARROWS, isTaken } from "../ui/keys.js";
import { gone, less, nextKind, stepped } from "../core/walk.js";

/** @typedef {import("./viewer.js").Viewer} Viewer */

/** @type {Record<string, (viewer: Viewer) => void>} */
const LETTERS = {
  m: (viewer) => viewer.change({ view: "map" }),
  l: (viewer) => viewer.change({ view: viewer.state.view === "lines" ? "map" : "lines" }),
  a: (viewer) => viewer.change({ view: viewer.state.view === "all" ? "map" : "all" }),
  w: (viewer) => viewer.change({ words: !viewer.state.words }),
  s: (viewer) => viewer.change({ hide_special: !viewer.state.hide_special }),
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
  const { key, code, shiftKey } = event;
  if (viewer.help.open || isTaken(event)) return false;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1];
  if (key in ARROWS) viewer.change(stepped(viewer.trace, viewer.state, ...ARROWS[key]));
  else if (digit !== undefined) viewer.change(gone(viewer.trace, viewer.state, Number(digit), shiftKey));
  else if (key.toLowerCase() in LETTERS) LETTERS[key.toLowerCase()](viewer);
  else return false;
  event.preventDefault();
  return true;
}
