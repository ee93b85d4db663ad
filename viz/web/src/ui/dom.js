// Elements. A visitor's text only ever becomes textContent, an attribute, or pixels.

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string | Record<string, unknown>} properties its class, or set on the element: `className`, `title` …
 * @param {...(Node | string | undefined)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, properties = "", ...children) {
  const element = document.createElement(tag);
  if (typeof properties === "object") Object.assign(element, properties);
  else if (properties) element.className = properties;
  for (const child of children) if (child) element.append(child);
  return element;
}

/** @param {string} className @param {...(Node | string | undefined)} children */
export function makeButton(className, ...children) {
  const button = make("button", className, ...children);
  button.type = "button";
  return button;
}

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {string} [text]
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, attributes = {}, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/**
 * What an event happened in: the nearest element that a selector names, or null.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export function within({ target }, selector) {
  return target instanceof Element ? target.closest(selector) : null;
}

/** The button that was clicked. @param {Event} event */
export function buttonOf(event) {
  return /** @type {HTMLButtonElement | null} */ (within(event, "button"));
}

/**
 * Says which thing of a box the pointer is over or the keyboard has come to; null for none.
 * @template T
 * @param {HTMLElement} box
 * @param {(event: Event) => T | null} of finds the thing
 * @param {(thing: T | null) => void} point
 */
export function whenPointed(box, of, point) {
  box.addEventListener("pointerover", (event) => point(of(event)));
  box.addEventListener("pointerleave", () => point(null));
  box.addEventListener("focusin", (event) => {
    if (/** @type {Element} */ (event.target).matches(":focus-visible")) point(of(event));
  });
  box.addEventListener("focusout", () => point(null));
}
