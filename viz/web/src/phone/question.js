// What is asked, as it stands on a phone: options to choose from or a field for a number, and a map below.
import { make } from "../ui/dom.js";

/** @import { Both, News, Picture } from "./news.js" */
/** @typedef {{ news: News, words: Record<string, string>, both: (texts: Both) => string, send: (answer: number) => void }} Asked */

const LETTERS = "ABCD";

/** A list of options; the one chosen by this phone is checked. @param {Asked} asked */
export function choices({ news, words, both, send }) {
  const list = make("div", { id: "options" });
  list.setAttribute("role", "radiogroup");
  list.setAttribute("aria-labelledby", "question");
  const options = news.options ?? [];
  if (news.kind !== "choice") list.className = news.kind ?? "";
  let columns = 1;
  if (news.kind === "head") {
    const layer = (/** @type {Both} */ option) => option[0].split(" ")[0]; // a row a layer
    columns = options.filter((option) => layer(option) === layer(options[0])).length;
    list.style.gridTemplateColumns = `repeat(${columns}, minmax(34px, 1fr))`;
  }
  options.forEach((option, i) => {
    const letter = news.kind === "choice" ? make("b", { textContent: LETTERS[i] }) : "";
    const text = make("span", { textContent: both(option) });
    const button = make("button", { type: "button", className: "option", disabled: !news.asking }, letter, text);
    button.setAttribute("role", "radio");
    if (news.kind !== "choice") button.setAttribute("aria-label", both(option));
    button.setAttribute("aria-checked", String(news.mine === String(i)));
    if (news.right === i) {
      button.classList.add("right");
      button.append(make("span", { textContent: `✓ ${words.right}` }));
    }
    button.addEventListener("click", () => send(i));
    list.append(button);
  });
  walked(list, columns, Number(news.mine ?? 0));
  return list;
}

/**
 * Arrow keys walk the options, row by row; Tab reaches the one where they came to.
 * @param {HTMLElement} list
 * @param {number} columns
 * @param {number} first where they are at first
 */
function walked(list, columns, first) {
  const cells = /** @type {HTMLElement[]} */ ([...list.children]);
  const place = (/** @type {Event} */ event) => cells.indexOf(/** @type {HTMLElement} */ (event.target));
  const rest = (/** @type {number} */ at) => cells.forEach((cell, i) => (cell.tabIndex = i === at ? 0 : -1));
  rest(first);
  list.addEventListener("focusin", (event) => rest(place(event)));
  list.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (!step) return;
    event.preventDefault(); // the page stays where it is
    const at = place(event);
    const isSideways = columns > 1 && Math.abs(step) === 1;
    const isOver = isSideways && Math.floor(at / columns) !== Math.floor((at + step) / columns);
    if (!isOver) cells[at + step]?.focus(); // at an edge it stays
  });
}

/**
 * A field for a number.
 * @param {Asked} asked
 * @param {string} value what stands in it
 * @param {number} most how large a number may be
 */
export function numberField({ news, words, send }, value, most) {
  const disabled = !news.asking;
  const limits = { step: "any", min: String(-most), max: String(most), inputMode: "decimal", required: true };
  const field = make("input", { type: "number", ...limits, value, disabled, id: "number" });
  field.setAttribute("aria-labelledby", "question");
  const form = make("form", {}, field, make("button", { className: "send", textContent: words.send, disabled }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (Number.isFinite(field.valueAsNumber)) send(field.valueAsNumber);
  });
  return form;
}

/**
 * A map as a table: the more of the largest number, the stronger the colour.
 * @param {Picture} picture
 * @param {Pick<Asked, "words" | "both">} said
 */
export function table({ title, rows, columns, values }, { words, both }) {
  const most = Math.max(1, ...values.flat().map(Math.abs));
  const cell = (/** @type {number} */ value) => {
    const share = Math.round((100 * Math.abs(value)) / most);
    const shown = make("td", { textContent: value ? String(value).replace("-", "−") : "" });
    const colour = value < 0 ? "against" : "mark";
    shown.style.background = `color-mix(in srgb, var(--${colour}) ${share}%, var(--page))`;
    shown.style.color = `var(--${share > 55 ? "on" : "ink"})`;
    return shown;
  };
  const named = (/** @type {string} */ name, /** @type {string} */ scope) => make("th", { textContent: name, scope });
  const head = make("tr", {}, make("td", {}), ...columns.map((name) => named(name, "col")));
  const body = values.map((row, i) => make("tr", {}, named(rows[i], "row"), ...row.map(cell)));
  const caption = make("caption", { textContent: `${both(title)} · ${words.hundredths}` });
  const parts = [caption, make("thead", {}, head), make("tbody", {}, ...body)];
  const wide = make("div", { className: "wide", tabIndex: 0 }, make("table", { className: "map" }, ...parts));
  wide.setAttribute("role", "region");
  wide.setAttribute("aria-label", both(title));
  return wide;
}
