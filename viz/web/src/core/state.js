// What is chosen, and how a link says it: made of the table that Python has too.
import TABLE from "../../../core/selection.json" with { type: "json" };

/** @typedef {import("../types.js").State} State */
/** @typedef {keyof State} Name */

const FIELDS = TABLE.filter(({ letter }) => letter);
const NAMES = FIELDS.map(({ name }) => /** @type {Name} */ (name));
const NONE = FIELDS.map((field) => [field.name, field.default]);
export const DEFAULTS = /** @type {State} */ (Object.fromEntries(NONE));

/** @type {Record<string, { write: (value: any) => string, read: (said: string) => unknown }>} */
const TYPES = {
  text: { write: String, read: (said) => said },
  flag: { write: (value) => String(Number(value)), read: (said) => said === "1" },
  number: { write: String, read: Number },
  list: { write: (value) => value.join(","), read: (said) => [...new Set(said ? said.split(",") : [])] },
};

/** What a choice's part of a link means; undefined where it means nothing. @param {(typeof FIELDS)[number]} field */
function codecOf({ letter, type, legal }) {
  const form = new RegExp(`^(?:${legal})$`);
  const { write, read } = TYPES[type];
  const isLegal = (/** @type {string} */ said) =>
    type === "list" ? !said || said.split(",").every((each) => form.test(each)) : form.test(said);
  return { letter, write, read: (/** @type {string} */ said) => (isLegal(said) ? read(said) : undefined) };
}

const CODECS_BY_NAME = FIELDS.map((field) => [field.name, codecOf(field)]);
export const CODECS = /** @type {Record<Name, ReturnType<typeof codecOf>>} */ (Object.fromEntries(CODECS_BY_NAME));

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
