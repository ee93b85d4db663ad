// A page of its own: reads the message that is packed in it, and shows it; or a talk, which is several.
import { unpack } from "./reckon/payload.js";
import { startTalk } from "./talk/start.js";
import { Viewer } from "./viewer.js";

const root = /** @type {HTMLElement} */ (document.querySelector("#viewer, #talk"));

async function start() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  if (root.id === "talk") return startTalk(root, { dark, onLink: said });
  const packed = /** @type {HTMLElement} */ (document.getElementById("message"));
  const trace = await unpack(packed.textContent ?? "");
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
