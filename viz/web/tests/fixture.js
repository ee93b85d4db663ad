// The message that Python wrote, and how Python reads it.
import { readFileSync } from "node:fs";
import { unpack } from "../src/core/payload.js";

export const fixture = JSON.parse(readFileSync(new URL("fixture.json", import.meta.url), "utf8"));
export const trace = await unpack(fixture.message);

/** Text as wide as it is long. */
export const ruler = { width: (text) => 0.5 * text.length };

export function close(found, expected, within = 2e-6) {
  return found.length === expected.length && expected.every((value, i) => Math.abs(value - found[i]) <= within);
}
