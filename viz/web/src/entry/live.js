// The bundle of the page that translates by itself: shows the sentence that came with it at once, and opens the
// translator meanwhile.
import { unpack } from "../core/payload.js";
import { canOpen, engine, mark, partsOf, taken, wasEnded } from "../live/open.js";
import { LivePage } from "../live/page.js";

/** @param {HTMLElement} root */
async function start(root) {
  const settings = JSON.parse(taken("settings"));
  const page = new LivePage(root, settings, await unpack(taken("message")));
  if (!canOpen()) return page.fail(page.words.simd);
  const open = async () => {
    mark(true);
    page.open(await engine(), partsOf(settings.files));
  };
  window.addEventListener("pagehide", () => mark(false)); // who leaves was not ended
  if (wasEnded()) page.giveUp(() => void open());
  else await open();
}

const root = document.getElementById("live");
if (root) start(root).catch((reason) => (root.textContent = String(reason)));
