// Whose a key is: the picture's that listens, or the widget's that it was pressed in.

/** @type {Record<string, [number, number]>} rows down, columns to the right; those first that are likeliest */
export const ARROWS = { ArrowRight: [0, 1], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowUp: [-1, 0] };

// What takes keys itself, wherever it stands; those that move mean something to more than to boxes of text.
const WRITES = ["combobox", "listbox", "slider", "spinbutton"];
const MOVES = ["radio", "tab", "menuitem", "option", "grid"];
const rolesOf = (/** @type {string[]} */ names) => names.map((name) => `[role="${name}"]`).join(", ");
const OWN_KEYS = `input, select, textarea, summary, iframe, [contenteditable], ${rolesOf(WRITES)}`;
const OWN_MOVES = `${OWN_KEYS}, ${rolesOf(MOVES)}`;
const MOVING = new Set([...Object.keys(ARROWS), "Home", "End"]);

/**
 * Whether what it was pressed in, or the browser, acts on a key that the whole page hears.
 * @param {KeyboardEvent} event
 */
export function isTaken(event) {
  const { key, altKey, ctrlKey, metaKey, defaultPrevented } = event;
  if (altKey || ctrlKey || metaKey || defaultPrevented) return true;
  const [target] = event.composedPath(); // the target itself is that of the page, wherever a shadow begins
  const own = target instanceof Element && target.closest(MOVING.has(key) ? OWN_MOVES : OWN_KEYS);
  return Boolean(
    own && key !== "Escape" && !(own instanceof HTMLInputElement && own.type === "checkbox" && key !== " "),
  );
}

/** Nobody else is to act on it. @param {Event} event */
export function seize(event) {
  event.preventDefault();
  event.stopPropagation();
}
