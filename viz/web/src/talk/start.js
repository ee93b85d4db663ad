// A page that holds a talk: reads what is packed in it, and begins.
import { unpack } from "../core/payload.js";
import { focus, said, say } from "./address.js";
import { Talk } from "./talk.js";

/** @param {HTMLElement} root */
export async function startTalk(root) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const packed = /** @type {HTMLElement} */ (document.getElementById("scenes"));
  /** @type {import("./plan.js").TalkPart} */
  const part = JSON.parse(packed.textContent ?? "");
  const traces = await Promise.all(part.messages.map(unpack));
  for (const { header } of traces) header.words.keys = `${part.words.keys}\n${header.words.keys}`;
  const talk = new Talk(root, part, traces, { dark: dark.matches, link: said(), onLink: say });
  dark.addEventListener("change", () => talk.turn(dark.matches));
  window.addEventListener("hashchange", () => talk.follow(said()));
  root.dataset.ready = "true";
  focus();
}
