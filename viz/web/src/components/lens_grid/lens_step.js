import { fill, smallPercent } from "../../core/text.js";
import { make, svg } from "../../ui/dom.js";

// One step of the logit lens from layer to layer: the rank of the token written, and the candidates.
export const NAMES = 94; // pixels left of the first level, as in the table below the curve
const CURVE = 96; // pixels from rank 1 down to the last

/** @typedef {import("./lens_grid.js").Sent} Sent */

/**
 * Ranks on a logarithmic scale, rank 1 on top; an arrow says whether the token climbs or falls.
 * @param {SVGSVGElement} place
 * @param {Sent} data
 * @param {number} step
 * @param {number} width
 */
export function rankCurve(place, data, step, width) {
  const { ranks, written } = data.steps[step];
  const wide = (Math.max(width, 704) - NAMES) / ranks.length;
  const x = (/** @type {number} */ level) => NAMES + (level + 0.5) * wide;
  const y = (/** @type {number} */ rank) => 24 + (CURVE * Math.log(rank)) / Math.log(data.vocabulary);
  const points = ranks.map((rank, level) => `${x(level)},${y(rank)}`).join(" ");
  const marks = [1, 10, 100, 1000]
    .filter((rank) => rank < data.vocabulary)
    .flatMap((rank) => [
      svg("line", { class: "guide", x1: NAMES - 20, x2: NAMES + wide * ranks.length, y1: y(rank), y2: y(rank) }),
      svg("text", { class: "quiet", x: NAMES - 42, y: y(rank) + 4 }, rank.toLocaleString("en")),
    ]);
  const dots = ranks.flatMap((rank, level) => {
    const dot = svg("circle", { cx: x(level), cy: y(rank), r: 5, class: rank === 1 ? "first" : "" });
    Object.assign(dot.dataset, { level, rank, probability: written[level] });
    const before = level ? ranks[level - 1] : rank;
    const arrow = rank < before ? "↗ " : rank > before ? "↘ " : "";
    const above = rank === 1 ? 20 : -10;
    return [dot, svg("text", { x: x(level), y: y(rank) + above }, `${arrow}${rank.toLocaleString("en")}`)];
  });
  place.setAttribute("height", String(CURVE + 44));
  const told = ranks.map((rank) => rank.toLocaleString("en")).join(" → ");
  place.setAttribute("aria-label", fill(data.labels.curve, { token: data.writes[step], ranks: told }));
  place.replaceChildren(...marks, svg("polyline", { class: "path", points }), ...dots);
}

/**
 * Rows: name of the level, probability of the token written, then the candidates, best first.
 * @param {Sent} data
 * @param {number} step
 * @param {string[]} names
 */
export function levelTable(data, step, names) {
  const { candidates, probabilities, written, ranks } = data.steps[step];
  const line = (/** @type {string} */ title, /** @type {HTMLElement[]} */ cells) => {
    const head = title ? make("th", { scope: "row", textContent: title }) : make("td", "corner");
    return make("tr", "", head, ...cells);
  };
  const heads = names.map((name) => make("th", { scope: "col", textContent: name }));
  const rows = candidates[0].map((_, place) =>
    line(
      place ? `${place + 1}.` : data.labels.candidates,
      candidates.map((level, l) => {
        const cell = make("td", ranks[l] === place + 1 ? "same" : "", data.tokens[level[place]]);
        cell.append(make("span", "", smallPercent(probabilities[l][place], 1)));
        Object.assign(cell.dataset, { level: l, place, probability: probabilities[l][place] });
        return cell;
      }),
    ),
  );
  const own = written.map((probability) => make("th", "", smallPercent(probability, 1)));
  return [line("", heads), line(`p(${data.writes[step]})`, own), ...rows];
}
