// A page of its own: reads the message that is packed in it, and shows it; or a talk, which is several.
import { unpack } from "../core/payload.js";
import { startTalk } from "../talk/start.js";
import { write } from "../core/state.js";
import { Viewer } from "./viewer.js";

/** Nothing, where there is no such page. @param {Record<string, import("../talk/still.js").Mount>} [mounts] of what a talk's stills show */
export function start(mounts = {}) {
  const packed = document.querySelector('script#message[type="application/octet-stream"]');
  const root = document.getElementById("viewer");
  const talk = document.getElementById("talk");
  if (packed && root) show(root, packed.textContent ?? "").catch((reason) => (root.textContent = String(reason)));
  else if (talk) startTalk(talk, mounts).catch((reason) => (talk.textContent = String(reason)));
}

/** @param {HTMLElement} root @param {string} packed */
async function show(root, packed) {
  const trace = await unpack(packed);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const viewer = new Viewer(root, trace, { link: location.hash, dark: dark.matches, onSay: said, asks: false });
  dark.addEventListener("change", () => viewer.turn(dark.matches));
  window.addEventListener("hashchange", () => viewer.follow(decodeURIComponent(location.hash)));
  root.dataset.ready = "true";
}

/** @param {Viewer} viewer */
function said({ state, opening }) {
  try {
    history.replaceState(null, "", `#${write(state, opening)}`);
  } catch {
    // a page within another page may have no address of its own
  }
}
