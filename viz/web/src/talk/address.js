// Where a talk's place stands: in its own file's link, or in that of the app whose page it lies in.

/** The app's window; null for a file of its own. */
export function ofApp() {
  try {
    return location.href === "about:srcdoc" && window.parent.location.href ? window.parent : null;
  } catch {
    return null; // of another origin
  }
}

/** The link that says the place. */
export function said() {
  return ofApp()?.location.search ?? location.hash;
}

/** Lets the link say a place. @param {string} place */
export function say(place) {
  const { location: where, history } = ofApp() ?? window;
  const link = new URL(where.href);
  if (ofApp()) {
    link.searchParams.delete("hall"); // only some places have it
    for (const [name, value] of new URLSearchParams(place)) link.searchParams.set(name, value);
  } else link.hash = place;
  try {
    history.replaceState(history.state, "", link);
  } catch {
    // some browsers keep the address of a page from disk
  }
}

/** Lets the app know what is chosen on the slide, and of which sentence. @param {string} shown @param {string} text */
export function tell(shown, text) {
  const frame = /** @type {HTMLElement | null} */ (ofApp() && window.frameElement);
  if (frame) Object.assign(frame.dataset, { shown, text });
}

/** Takes the keyboard, where nobody types anything. */
export function focus() {
  const around = ofApp()?.document;
  if (!around || around.activeElement === around.body) window.focus();
}
