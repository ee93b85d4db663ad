// The bundle of the page that a phone opens in a class: what is asked, an answer, a sentence for the lecturer, the way to
// what is on stage, and the code by which a learner is known again.
import { follow, tell, wordOf } from "../phone/news.js";
import { choices, numberField, table } from "../phone/question.js";
import { make } from "../ui/dom.js";

/** @import { Both, News } from "../phone/news.js" */

const TRIES = 6; // to send an answer
const CLOSED_MS = 10000; // until a class that is closed, or full, is asked again
const LEARNER = "headlight-learner"; // where a learner's code is kept, which outlives a class

const one = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const field = (/** @type {string} */ id) => /** @type {HTMLInputElement | null} */ (document.getElementById(id));
const there = /** @type {HTMLAnchorElement} */ (one("there"));
const sentence = /** @type {HTMLTextAreaElement} */ (one("sentence"));
const earlier = /** @type {HTMLInputElement} */ (one("earlier"));
/** @type {{ words: Record<string, Record<string, string>>, number: number }} */
const { words: texts, number: mostNumber } = JSON.parse(one("settings").textContent ?? "");
const root = location.pathname.replace(/\/+$/, "");
const seat = `headlight-class-${root}`; // the page that translates by itself knows it, too

let language = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
/** @type {News | null} */
let now = null;
let word = "joining"; // what is said, by its name
let isLost = false;
/** @type {string | undefined} */
let drawn; // the question that stands on the page, by its name

/**
 * What the browser keeps by a name; with a value, it keeps that from now on, "" for nothing.
 * @param {string} place
 * @param {string | null} [value]
 * @param {"localStorage" | "sessionStorage"} [store]
 * @returns {string | null}
 */
function kept(place, value, store = "localStorage") {
  try {
    if (value === undefined) return window[store].getItem(place);
    if (value) window[store].setItem(place, value);
    else window[store].removeItem(place);
  } catch {
    /* a browser that keeps nothing: the seat is the page's */
  }
  return null;
}
let phone = kept(seat);
let learner = kept(LEARNER);

/** Where the phone was taken last, and what was being typed, outlive the way there and back. */
const stays = (/** @type {string} */ name, /** @type {string} */ value) =>
  kept(`${seat}-${name}`, value, "sessionStorage");
const stayed = (/** @type {string} */ name) => kept(`${seat}-${name}`, undefined, "sessionStorage");
/** @type {{ sentence?: string, question?: string, number?: string }} */
const draft = JSON.parse(stayed("draft") ?? "{}");
sentence.value = draft.sentence ?? "";
addEventListener("pagehide", () => {
  const typed = { sentence: sentence.value, question: now?.question, number: field("number")?.value };
  stays("draft", JSON.stringify(typed));
});

const words = () => texts[language];
const both = (/** @type {Both} */ [en, zh]) => (language === "zh" ? zh || en : en || zh);
const post = (/** @type {string} */ verb, /** @type {Record<string, unknown>} */ said) =>
  tell(root, verb, { ...said, phone });

/** @param {string} name */
function say(name) {
  word = name;
  one("said").textContent = name ? (words()[name] ?? words().failed) : "";
}

/** The scene on this phone: a link, and where the lecturer's file lets it, the way there without a tap, once a scene. */
function own() {
  const { link = "", opens } = now?.scene ?? {};
  one("own").hidden = !link;
  there.href = `${root.replace(/\/class\/[^/]*$/, "")}/${link}&lang=${language}&class=${root.split("/").pop()}`;
  if (!link || !opens || stayed("opened") === link || sentence.value) return;
  stays("opened", link);
  if (stayed("opened") === link) location.assign(there.href); // else a browser that keeps nothing would go there for ever
}

function label() {
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  for (const each of document.querySelectorAll("[data-word]")) {
    each.textContent = words()[each.getAttribute("data-word") ?? ""];
  }
  one("language").textContent = language === "zh" ? "English" : "中文";
  one("language").lang = language === "zh" ? "en" : "zh-Hans";
  one("hall").hidden = !now;
  one("mine").hidden = !now || !learner;
  one("code").textContent = learner ? `${learner.slice(0, 4)}-${learner.slice(4)}` : "";
}

/** The question and where it is answered. @param {News} news @returns {HTMLElement[]} */
function asked(news) {
  const said = { news, words: words(), both, send };
  const typed = draft.question === news.question ? draft.number : "";
  const answer = news.kind === "number" ? numberField(said, typed || (news.mine ?? ""), mostNumber) : choices(said);
  return [make("h2", { id: "question", textContent: both(news.ask ?? ["", ""]) }), answer];
}

function draw() {
  label();
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const at = focused?.closest("#options") ? [...one("options").children].indexOf(focused) : -1;
  const typing = focused?.id === "number" ? /** @type {HTMLInputElement} */ (focused) : null;
  one("ask").replaceChildren(...(now?.question ? asked(now) : []));
  const half = now?.half && make("p", { className: "small", textContent: words().half.replace("{half}", now.half) });
  one("picture").replaceChildren(...(now?.picture ? [table(now.picture, { words: words(), both })] : []), half || "");
  if (at >= 0) /** @type {HTMLElement | undefined} */ (one("options")?.children[at])?.focus();
  const number = typing && field("number");
  if (number) {
    if (drawn === now?.question) number.value = typing.value; // news while a number is being typed
    number.focus();
  }
  drawn = now?.question;
  own();
  say(word);
}

/** What is to be said of the question as it stands. @param {News} news */
function state({ question, asking, mine }) {
  if (!question) return "wait";
  if (!asking) return "over";
  return mine === null ? "choose" : "counted";
}

/** @param {number} answer */
async function send(answer) {
  const question = now?.question;
  draft.number = "";
  say("sending");
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const { counted } = await post("answer", { question, answer });
      if (!now || now.question !== question) return;
      now.mine = counted;
      word = "counted";
      draw();
      return;
    } catch (error) {
      const why = wordOf(error);
      if (why && why !== "slow") return say(why);
      await pause(500 * 2 ** tries); // the network, or the server, comes back
    }
  }
  say("failed");
}

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((after) => setTimeout(after, milliseconds));

/** @param {string} code */
function learn(code) {
  learner = code;
  kept(LEARNER, code);
}

one("hall").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = sentence.value.trim();
  if (!text) return;
  try {
    await post("say", { text });
    sentence.value = "";
    say("queued");
  } catch (error) {
    say(wordOf(error) || "failed");
  }
});
one("mine").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    learn((await post("mine", { learner: earlier.value })).learner);
    earlier.value = "";
    word = "mine_taken";
    draw();
  } catch (error) {
    say(wordOf(error) || "failed");
  }
  one("said").scrollIntoView({ block: "nearest" }); // the form is far below what is said
});
there.addEventListener("click", () => stays("opened", now?.scene?.link ?? ""));
one("language").addEventListener("click", () => {
  language = language === "zh" ? "en" : "zh";
  draw();
});

async function ask() {
  if (!phone) {
    const joined = await post("join", { learner });
    phone = String(joined.phone);
    kept(seat, phone);
    learn(joined.learner);
  }
  const found = await post("now", { version: isLost ? "" : (now?.version ?? "") });
  isLost = false;
  return found;
}

/** @param {News} news */
function hear(news) {
  const before = now;
  now = news;
  if (news.question !== before?.question || news.asking !== before?.asking) word = state(news);
  draw();
}

/** @param {string} why @returns {number} */
function refused(why) {
  if (why === "closed" || why === "full") {
    now = null;
    word = why;
    draw();
    return CLOSED_MS;
  }
  if (why === "seat") {
    phone = null;
    kept(seat, "");
  } else {
    isLost = true;
    say(why || "lost");
  }
  return 0;
}

draw();
void follow(ask, hear, refused, pause);
