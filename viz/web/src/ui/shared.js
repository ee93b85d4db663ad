// What every component uses. A visitor's text only ever becomes textContent, an attribute, or pixels.

const OWN_KEYS =
  "input, textarea, select, [contenteditable], [role=radio], [role=slider], [role=combobox], [role=option]";

// How far an arrow key goes: rows down, columns to the right.
export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export function bytesOf(packed) {
  const raw = atob(packed);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// round(255·√w), one byte each
export function unpackCoarse(packed) {
  const square = new Float32Array(256);
  for (let i = 0; i < 256; i++) square[i] = (i / 255) ** 2;
  return Float32Array.from(bytesOf(packed), (byte) => square[byte]);
}

// round(32767·v), two bytes each, little-endian
export function unpackFine(packed) {
  const bytes = bytesOf(packed);
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 2 }, (_, i) => view.getInt16(2 * i, true) / 32767);
}

// 256 colours between the stops of a scale, as one flat array r, g, b, r, g, b …
export function colourTable(stops) {
  const channels = stops.map(([at, hex]) => [at, [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16))]);
  const table = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; i++) {
    let upper = 1;
    while (upper < channels.length - 1 && channels[upper][0] < i / 255) upper++;
    const [[from, low], [to, high]] = [channels[upper - 1], channels[upper]];
    const share = (i / 255 - from) / (to - from);
    for (let c = 0; c < 3; c++) table[3 * i + c] = low[c] + share * (high[c] - low[c]);
  }
  return table;
}

export function colourAt(table, share) {
  const i = 3 * Math.round(255 * Math.min(1, Math.max(0, share)));
  return [table[i], table[i + 1], table[i + 2]];
}

// The ink that reads better on a colour (relative luminance of WCAG 2): a contrast of 4.58 or more.
export function inkOn([r, g, b]) {
  const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z > 0.179 ? "#000000" : "#FFFFFF";
}

export function css([r, g, b]) {
  return `rgb(${r}, ${g}, ${b})`;
}

// A colour as the ground of an element, with the ink that reads on it.
export function paint(element, colour) {
  element.style.setProperty("--hl-fill", css(colour));
  element.style.setProperty("--hl-ink", inkOn(colour));
}

function gradient(stops) {
  return `linear-gradient(to right, ${stops.map(([at, hex]) => `${hex} ${100 * at}%`).join(", ")})`;
}

export function dress(root, look) {
  for (const name of ["background", "surface", "text", "muted", "grid", "accent"]) {
    root.style.setProperty(`--hl-${name}`, look[name]);
  }
  root.style.setProperty("--hl-scale", gradient(look.scale));
  root.style.setProperty("--hl-diverging", gradient(look.diverging));
}

export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

export function makeButton(className, text) {
  const button = make("button", className, text);
  button.type = "button";
  return button;
}

export function svg(tag, attributes = {}, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Says which thing of a box the pointer is over or the keyboard has come to: `of` finds it, `none` stands for no such.
export function whenPointed(box, of, point, none = null) {
  box.addEventListener("pointerover", (event) => point(of(event)));
  box.addEventListener("pointerleave", () => point(none));
  box.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && point(of(event)));
  box.addEventListener("focusout", () => point(none));
}

// Whether a key that the whole page hears belongs to somebody else: to a widget, or to the browser.
export function isTaken(event) {
  const { defaultPrevented, altKey, ctrlKey, metaKey, shiftKey } = event;
  return Boolean(
    defaultPrevented || altKey || ctrlKey || metaKey || shiftKey || event.composedPath()[0].closest?.(OWN_KEYS),
  );
}

// Nobody else is to act on it.
export function seize(event) {
  event.preventDefault();
  event.stopPropagation();
}

export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

export function decimals(value) {
  return value.toFixed(2).replace("-0.00", "0.00").replace("-", "\u2212");
}

export function percent(share, digits = 0) {
  return `${(100 * share).toFixed(digits)} %`;
}

// The same of what may be too small to be seen.
export function smallPercent(share, digits) {
  return share < 0.0005 ? "< 0.1 %" : percent(share, digits);
}
