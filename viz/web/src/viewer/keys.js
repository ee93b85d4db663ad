// The keyboard: arrows go through heads and layers, digits open a head, letters switch.
import { gone, less, nextKind, stepped } from "../core/walk.js";
import { ARROWS, isTaken } from "../ui/keys.js";

/** @typedef {import("./viewer.js").Viewer} Viewer */

const LOW = 640; // pixels, of a window

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

// The whole screen for the picture, where the browser lets the page have it.

const MOST_BESIDE = 20; // columns of a map that has the sentence beside it in a hall; above it where there are more

/** @param {Document} document @param {boolean} on */
function fullScreen(document, on) {
  const asked = on
    ? document.documentElement.requestFullscreen?.()
    : document.fullscreenElement && document.exitFullscreen();
  Promise.resolve(asked).catch(() => {}); // a page within a page may not; its presenter mode fills its frame
}

/** How many times larger everything is in a hall than on its smallest screen, 1280 × 720, or smaller in a window that a
 * class's tally has made lower; the style sheet has the same in --hall. */
export function hallTimes() {
  const { innerWidth: width, innerHeight: height } = window;
  if (width >= 704 && height < LOW - 20) return Math.max(0.7, height / LOW);
  return Math.max(1, Math.min(width / 1280, height / 720));
}

/** Whoever leaves the full screen by the browser's own key leaves presenter mode, unless the page opened in it; gives what ends the watch. @param {import("./viewer.js").Viewer} viewer */
export function whenFullScreenEnds(viewer) {
  const { ownerDocument } = viewer.root;
  const left = () => {
    const { opening, root, state } = viewer;
    if (!ownerDocument.fullscreenElement && state.present && !opening.present && !root.inert)
      viewer.change({ present: false });
  };
  ownerDocument.addEventListener("fullscreenchange", left);
  return () => ownerDocument.removeEventListener("fullscreenchange", left);
}

/** Nothing but the picture, large, on the whole screen; or everything again. @param {import("./viewer.js").Viewer} viewer */
export function present(viewer) {
  viewer.change({ present: !viewer.state.present });
  fullScreen(viewer.root.ownerDocument, viewer.state.present);
}

/** The whole screen in presenter mode; or the window again, still in presenter mode. @param {import("./viewer.js").Viewer} viewer */
export function wholeScreen(viewer) {
  const { ownerDocument } = viewer.root;
  const on = !ownerDocument.fullscreenElement;
  if (on && !viewer.state.present) viewer.change({ present: true });
  fullScreen(ownerDocument, on);
}

/**
 * Gives the root the names of its looks; true where one is new, and the room may have another size.
 * @param {HTMLElement} root
 * @param {import("../types.js").State} state
 * @param {number} columns of the widest map, beside which a sentence may stand
 */
export function turned({ classList }, { view, present: isLarge }, columns) {
  const before = classList.value;
  classList.toggle("all", view === "all");
  classList.toggle("present", isLarge);
  classList.toggle("wide", view !== "lines" && columns > MOST_BESIDE);
  return classList.value !== before;
}
