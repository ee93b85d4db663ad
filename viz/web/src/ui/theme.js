// The look of the page: a theme's colours for style sheets, and painted elements.
import { css, gradient, inkOn } from "../core/colours.js";

const COLOURS = /** @type {const} */ (["background", "surface", "text", "muted", "grid", "accent"]);

/** Gives an element a theme's colours, for its style sheet. @param {HTMLElement} element @param {import("../types.js").Look} look */
export function dress({ style }, look) {
  for (const name of COLOURS) style.setProperty(`--hl-${name}`, look[name]);
  style.setProperty("--hl-scale", gradient(look.scale));
  style.setProperty("--hl-diverging", gradient(look.diverging));
}

/** A colour as the ground of an element, with the ink that reads on it. @param {HTMLElement} element @param {number[]} colour */
export function paint({ style }, colour) {
  style.setProperty("--hl-fill", css(colour));
  style.setProperty("--hl-ink", inkOn(colour));
}
