// What is drawn large as one SVG: on white, with a caption that says everything a reader must know.
import { colourAt, css, inkOn, rgbOf, scalesOf, shareOf, tableOf } from "../core/colours.js";
import { decimals, fill, isUpright } from "../core/text.js";
import { sortOf } from "../core/heads.js";

/** @import { Panel, Scale, Look } from "../types.js" */
/** @typedef {{ ruler: { width: (text: string) => number }, look: Look, fonts: string }} Tools */

const TYPE = 14;
const CELL = 26;
const PRINTED = 16; // maps of at most so many rows and columns say their numbers
const GAP = 28;
const LINES = 320; // room for lines between two lists

/** @param {string} text */
export function escaped(text) {
  return text.replace(/\p{Cc}/gu, "�").replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {string} [text] a visitor's, escaped here
 */
function node(tag, attributes, text = "") {
  const said = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${escaped(String(typeof value === "number" ? +value.toFixed(2) : value))}"`,
  );
  return `<${tag}${said.join("")}>${escaped(text)}</${tag}>`;
}

/**
 * How a column's label stands that is wider than its column: Chinese sign under sign, the rest on its side.
 * @param {string} text
 * @param {number} x
 * @param {number} y of its lower end
 * @returns {Record<string, string | number>}
 */
function standing(text, x, y) {
  if (!isUpright(text)) return { transform: `translate(${(x + 5).toFixed(2)} ${y.toFixed(2)}) rotate(-90)` };
  const signs = [...text];
  const each = (/** @type {(i: number) => number} */ at) => signs.map((_, i) => at(i).toFixed(2)).join(" ");
  return { x: each(() => x), y: each((i) => y - TYPE * (signs.length - 1 - i)), "text-anchor": "middle" };
}

/**
 * One map with its labels, and how large it is.
 * @param {Panel} panel
 * @param {Scale} scale
 * @param {Tools} tools
 */
function mapParts({ title, reading }, scale, { ruler, look }) {
  const { rows, columns, values } = reading;
  const cell = Math.max(rows.length, columns.length) <= PRINTED ? 34 : CELL;
  const longest = (/** @type {import("../types.js").Label[]} */ labels) =>
    TYPE * Math.max(0, ...labels.map(({ text }) => ruler.width(text)));
  const across = longest(columns) < cell - 4;
  const [left, top] = [longest(rows) + 8, 26 + (across ? TYPE : longest(columns)) + 10];
  const table = tableOf(scale.signed ? look.diverging : look.scale);
  const parts = [node("text", { x: 0, y: TYPE, "font-weight": 600, "font-size": TYPE + 1 }, title)];
  values.forEach((value, i) => {
    const [x, y] = [left + (i % columns.length) * cell, top + Math.floor(i / columns.length) * cell];
    const share = shareOf(value, scale);
    const rgb = share === null ? rgbOf(look.surface) : colourAt(table, share);
    parts.push(
      node("rect", { x, y, width: cell, height: cell, fill: css(rgb), stroke: look.grid, "stroke-width": 0.5 }),
    );
    if (cell === CELL || share === null || Math.abs(value) < 0.005) return;
    parts.push(
      node(
        "text",
        { x: x + cell / 2, y: y + cell / 2 + 4, "text-anchor": "middle", "font-size": 11, fill: inkOn(rgb) },
        decimals(value),
      ),
    );
  });
  rows.forEach(({ text }, i) =>
    parts.push(node("text", { x: left - 6, y: top + (i + 0.5) * cell + 5, "text-anchor": "end" }, text)),
  );
  columns.forEach(({ text }, i) => {
    const [x, y] = [left + (i + 0.5) * cell, top - 6];
    parts.push(node("text", across ? { x, y, "text-anchor": "middle" } : standing(text, x, y), text));
  });
  const width = Math.max(left + cell * columns.length + 1, (TYPE + 1) * ruler.width(title));
  return { parts, width, height: top + cell * rows.length + 1 };
}

/**
 * One map as lines between its tokens.
 * @param {Panel} panel
 * @param {Scale} scale
 * @param {Tools} tools
 */
function lineParts({ title, reading }, scale, { ruler, look }) {
  const { rows, columns, values } = reading;
  const longest = (/** @type {import("../types.js").Label[]} */ labels) =>
    TYPE * Math.max(0, ...labels.map(({ text }) => ruler.width(text)));
  const [left, top, pitch] = [longest(rows) + 8, 34, 22];
  const table = tableOf(scale.signed ? look.diverging : look.scale);
  const y = (/** @type {number} */ i) => top + (i + 0.5) * pitch;
  const parts = [node("text", { x: 0, y: TYPE, "font-weight": 600, "font-size": TYPE + 1 }, title)];
  values.forEach((value, i) => {
    const share = shareOf(value, scale);
    const strength = share === null ? 0 : scale.signed ? Math.abs(2 * share - 1) : share;
    if (strength < 0.02) return;
    const stroke = css(colourAt(table, value < 0 ? 0.1 : 0.85));
    const ends = { x1: left, y1: y(Math.floor(i / columns.length)), x2: left + LINES, y2: y(i % columns.length) };
    parts.push(
      node("line", {
        ...ends,
        stroke,
        "stroke-width": 1 + 1.5 * strength,
        "stroke-opacity": Math.min(1, 0.08 + strength),
      }),
    );
  });
  rows.forEach(({ text }, i) => parts.push(node("text", { x: left - 6, y: y(i) + 5, "text-anchor": "end" }, text)));
  columns.forEach(({ text }, i) => parts.push(node("text", { x: left + LINES + 6, y: y(i) + 5 }, text)));
  const width = left + LINES + 8 + longest(columns);
  return { parts, width, height: top + pitch * Math.max(rows.length, columns.length) };
}

/**
 * What the picture shows, in sentences.
 * @param {import("../types.js").Trace} trace
 * @param {import("../types.js").State} state
 * @param {Panel[]} panels
 * @returns {string[]}
 */
function captionOf(trace, state, panels) {
  const { source, translation, model, words } = trace.header;
  const method = sortOf(trace, state.method).title;
  const said = [
    fill(words.caption, { source, translation, model, method, heads: panels.map(({ title }) => title).join("; ") }),
  ];
  if (state.words) said.push(words.merged);
  if (state.hide_special) said.push(sortOf(trace, state.method).shares ? words.renormalised : words.hidden);
  if (panels.some(({ kind }) => kind.shifts)) said.push(`${words.rows}: ${words[state.shift]}.`);
  if (state.threshold) said.push(`${words.threshold}: ${decimals(state.threshold)}.`);
  return said;
}

/** Words, or where there are no spaces letters, in lines that fit. @param {string} text @param {number} room @param {Tools} tools */
export function wrapped(text, room, { ruler }) {
  const lines = [""];
  for (const piece of text.match(/[\p{Script=Han}\p{P}]|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? []) {
    const line = lines[lines.length - 1] + piece;
    if (lines[lines.length - 1] && ruler.width(line) * TYPE > room) lines.push(piece.trimStart());
    else lines[lines.length - 1] = line;
  }
  return lines;
}

/**
 * The file.
 * @param {{ trace: import("../types.js").Trace, state: import("../types.js").State, ruler: Tools["ruler"], fonts: string,
 *   reader: import("../core/heads.js").Reader }} viewer
 */
export function pictureOf({ trace, state, ruler, fonts, reader }) {
  const tools = { ruler, fonts, look: trace.header.looks.light };
  const panels = reader.panels(state);
  const scales = scalesOf(panels, state);
  const blocks = panels.map((panel, i) => (state.view === "lines" ? lineParts : mapParts)(panel, scales[i], tools));
  const abreast = Math.ceil(Math.sqrt(blocks.length));
  const parts = [];
  let [y, width] = [GAP, 480];
  for (let i = 0; i < blocks.length; i += abreast) {
    let x = GAP;
    for (const block of blocks.slice(i, i + abreast)) {
      parts.push(`<g transform="translate(${x.toFixed(2)} ${y.toFixed(2)})">${block.parts.join("")}</g>`);
      x += block.width + GAP;
    }
    width = Math.max(width, x);
    y += Math.max(...blocks.slice(i, i + abreast).map(({ height }) => height)) + GAP;
  }
  for (const line of wrapped(captionOf(trace, state, panels).join(" "), width - 2 * GAP, tools)) {
    parts.push(node("text", { x: GAP, y: (y += 20) - 20 + TYPE }, line));
  }
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(y + GAP / 2)}"`;
  const opening = `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${escaped(fonts)}" font-size="${TYPE}" fill="${tools.look.text}">`;
  return `${opening}<rect width="100%" height="100%" fill="#FFFFFF"/>${parts.join("")}</svg>`;
}
