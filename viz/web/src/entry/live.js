// The bundle of the page that translates by itself: has the translator opened, and shows the sentence that came with it
// meanwhile.
import { unpack } from "../core/payload.js";
import { canOpen, engine, mark, sendParts, taken, wasEnded } from "../live/open.js";
import { LivePage } from "../live/page.js";

/** @param {HTMLElement} root */
async function start(root) {
  const settings = JSON.parse(taken("settings"));
  const drawn = unpack(taken("message")).then((trace) => new LivePage(root, settings, trace));
  if (!canOpen()) {
    const page = await drawn;
    return page.fail(page.words.simd);
  }
  const open = async () => {
    mark(true);
    const worker = await engine();
    // Told before there is a page to hear it, an answer waits.
    worker.addEventListener("message", async ({ data }) => (await drawn).hear(data));
    worker.addEventListener("error", async ({ message }) => (await drawn).failed(message));
    sendParts(worker, settings.files, settings.languages[settings.language].header);
    (await drawn).open(worker);
  };
  window.addEventListener("pagehide", () => mark(false)); // who leaves was not ended
  if (wasEnded()) (await drawn).giveUp(() => void open());
  else await open();
}

const root = document.getElementById("live");
if (root) start(root).catch((reason) => (root.textContent = String(reason)));
