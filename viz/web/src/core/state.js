// What is chosen, and how a link says it: one codec a choice, each of which writes what it reads.

/** @typedef {import("../types.js").State} State */

/** @type {State} */
export const DEFAULTS = {
  heads: [],
  view: "map",
  method: "weights",
  words: false,
  special: false,
  shift: "written",
  threshold: 0,
  log: false,
  scale: "full",
  together: "side",
  rows: [],
  columns: [],
  theme: "",
  present: false,
};

const flag = {
  write: (/** @type {boolean} */ value) => (value ? "1" : "0"),
  read: (/** @type {string} */ said) => (/^[01]$/.test(said) ? said === "1" : undefined),
};

/** @param {string[]} options */
const one = (options) => ({
  write: (/** @type {string} */ value) => value,
  read: (/** @type {string} */ said) => (options.includes(said) ? said : undefined),
});

/** @param {RegExp} form */
const list = (form) => ({
  write: (/** @type {string[]} */ value) => value.join(","),
  read: (/** @type {string} */ said) => {
    const found = said ? said.split(",") : [];
    return found.every((each) => form.test(each)) ? [...new Set(found)] : undefined;
  },
});

const part = {
  write: (/** @type {number} */ value) => String(value),
  read: (/** @type {string} */ said) => (/^0(\.\d{1,4})?$|^1$/.test(said) ? Number(said) : undefined),
};

/** @type {Record<keyof State, { letter: string, write: (value: any) => string, read: (said: string) => any }>} */
export const CODECS = {
  heads: { letter: "h", ...list(/^[a-z]\d{1,3}\.\d{1,3}$/) },
  view: { letter: "v", ...one(["map", "lines", "all"]) },
  method: {
    letter: "d",
    write: (name) => name,
    read: (said) => (/^\w{1,40}(@\d{1,4})?$/.test(said) ? said : undefined),
  },
  words: { letter: "w", ...flag },
  special: { letter: "s", ...flag },
  shift: { letter: "r", ...one(["written", "read"]) },
  threshold: { letter: "t", ...part },
  log: { letter: "g", ...flag },
  scale: { letter: "o", ...one(["full", "own", "common"]) },
  together: { letter: "x", ...one(["side", "difference", "mean", "max"]) },
  rows: { letter: "p", ...list(/^[st]-?\d{1,4}$/) },
  columns: { letter: "q", ...list(/^[st]-?\d{1,4}$/) },
  theme: { letter: "c", ...one(["", "light", "dark"]) },
  present: { letter: "f", ...flag },
};

const NAMES = /** @type {(keyof State)[]} */ (Object.keys(CODECS));

/**
 * The link of a state: what differs from where it began.
 * @param {State} state
 * @param {State} from
 */
export function write(state, from = DEFAULTS) {
  const said = NAMES.filter((name) => String(state[name]) !== String(from[name]));
  return said.map((name) => `${CODECS[name].letter}=${CODECS[name].write(state[name])}`).join("&");
}

/**
 * The state that a link says; what it says wrongly is as it was.
 * @param {string} link
 * @param {State} from
 * @returns {State}
 */
export function readLink(link, from = DEFAULTS) {
  const state = { ...from };
  const pairs = link.replace(/^#/, "").split("&");
  for (const [letter, said] of pairs.map((pair) => pair.split("=", 2))) {
    const name = NAMES.find((each) => CODECS[each].letter === letter);
    const value = name && said !== undefined ? CODECS[name].read(said) : undefined;
    if (name && value !== undefined) Object.assign(state, { [name]: value });
  }
  return state;
}
