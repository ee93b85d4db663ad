// A page of its own: reads the message that is packed in it, and shows it.
import { unpack } from "./reckon/payload.js";
import { Viewer } from "./viewer.js";

const root = /** @type {HTMLElement} */ (document.getElementById("viewer"));

async function start() {
  const packed = /** @type {HTMLElement} */ (document.getElementById("message"));
  const trace = await unpack(packed.textContent ?? "");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const viewer = new Viewer(root, trace, { link: location.hash, dark: dark.matches, onLink: said });
  dark.addEventListener("change", () => viewer.turn(dark.matches));
  window.addEventListener("hashchange", () => viewer.follow(decodeURIComponent(location.hash)));
  root.dataset.ready = "true";
}

/** @param {string} link */
function said(link) {
  try {
    history.replaceState(null, "", `#${link}`);
  } catch {
    // a page within another page may have no address of its own
  }
}

start().catch((reason) => (root.textContent = String(reason)));
