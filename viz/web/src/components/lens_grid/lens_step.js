import { fill, make, smallPercent, svg } from "../../ui/shared.js";

// One step of the logit lens from layer to layer: the rank of the token written, and the candidates.
export const NAMES = 94; // pixels left of the first level, as in the table below the curve
const CURVE = 96; // pixels from rank 1 down to the last

// Ranks on a logarithmic scale, rank 1 on top; an arrow says whether the token climbs or falls.
export function rankCurve(place, data, step, width) {
  const { ranks, written } = data.steps[step];
  const wide = (Math.max(width, 704) - NAMES) / ranks.length;
  const x = (level) => NAMES + (level + 0.5) * wide;
  const y = (rank) => 24 + (CURVE * Math.log(rank)) / Math.log(data.vocabulary);
  const points = ranks.map((rank, level) => [x(level), y(rank)]);
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
  const path = svg("polyline", { class: "path", points: points.map((point) => point.join(",")).join(" ") });
  place.setAttribute("height", CURVE + 44);
  const told = ranks.map((rank) => rank.toLocaleString("en")).join(" → ");
  place.setAttribute("aria-label", fill(data.labels.curve, { token: data.writes[step], ranks: told }));
  place.replaceChildren(...marks, path, ...dots);
}

// Rows: name of the level, probability of the token written, then the candidates, best first.
export function levelTable(data, step, names) {
  const { candidates, probabilities, written, ranks } = data.steps[step];
  const line = (title, cells, tag = "td") => {
    const row = make("tr");
    const head = make(title ? "th" : "td", title ? "" : "corner", title);
    if (title) head.scope = "row";
    row.append(head, ...cells.map((cell) => (cell instanceof Node ? cell : make(tag, "", cell))));
    return row;
  };
  const heads = names.map((name) => make("th", "", name));
  for (const head of heads) head.scope = "col";
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
  const own = line(
    `p(${data.writes[step]})`,
    written.map((probability) => smallPercent(probability, 1)),
    "th",
  );
  return [line("", heads), own, ...rows];
}
