// A page that holds a talk: reads what is packed in it, and begins.
import { readMessage, unpack } from "../core/payload.js";
import { focus, said, say, tell } from "./address.js";
import { linkOf } from "./plan.js";
import { Talk } from "./talk.js";

/** @param {HTMLElement} root @param {Record<string, import("./still.js").Mount>} mounts of what stills show */
export async function startTalk(root, mounts) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const packed = /** @type {HTMLElement} */ (document.getElementById("scenes"));
  /** @type {import("./plan.js").TalkPart} */
  const part = JSON.parse(packed.textContent ?? "");
  const traces = await Promise.all(part.messages.map(unpack));
  for (const { header } of traces) header.words.keys = `${part.words.keys}\n${header.words.keys}`;
  if (part.live) part.live.header.words.keys = `${part.words.keys}\n${part.live.header.words.keys}`;
  const talk = new Talk(root, part, traces, { dark: dark.matches, link: said(), onLink: say, onShown: tell, mounts });
  dark.addEventListener("change", () => talk.turn(dark.matches));
  window.addEventListener("hashchange", () => talk.follow(said()));
  window.addEventListener("message", (event) => {
    const found = talk.hall.answered(event);
    if (found?.scene) talk.add(found.scene, readMessage(found.message));
  });
  if (said().includes("hall=")) say(linkOf(talk.at, part.scenes)); // of a page before this one
  root.dataset.ready = "true";
  talk.live?.open();
  focus();
}
