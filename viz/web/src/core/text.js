// Numbers and sentences as a visitor reads them.

/**
 * @param {string} template
 * @param {Record<string, unknown>} values
 */
export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Whether a label can stand upright, sign under sign: Chinese, with whatever points and digits are in it. @param {string} text */
export function isUpright(text) {
  return /^[\p{Script=Han}\p{P}\p{Nd}…]+$/u.test(text) && /\p{Script=Han}/u.test(text);
}

/** @param {number} value */
export function decimals(value) {
  return value.toFixed(2).replace("-0.00", "0.00").replace("-", "−");
}

/** @param {number} share @param {number} [digits] */
export function percent(share, digits = 0) {
  return `${(100 * share).toFixed(digits)} %`;
}

/** The same of what may be too small to be seen. @param {number} share @param {number} digits */
export function smallPercent(share, digits) {
  return share < 0.0005 ? "< 0.1 %" : percent(share, digits);
}
