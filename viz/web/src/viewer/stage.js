// Lays out the middle of the viewer: the chosen heads large, or every head of every kind.
import { make } from "../ui/dom.js";
import { drawingOf, PanelView } from "./panel.js";
import { hallTimes } from "./keys.js";
import { abreast, roomOf } from "../core/place.js";
import { scalesOf } from "../core/colours.js";

/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("../types.js").Panel} Panel */

const GAP = 20; // between panels
const HEAD = 56; // title and line of a panel
const LINE = 30; // of both on one line, under the map
const LARGE_HEAD = 48; // of presenter mode, where both stand on one line
const MARGIN = 28; // beside a map, for the sums of what is pinned
const RAIL = { width: 292, height: 400 };
const [SMALLEST, LARGEST, LARGEST_BESIDE] = [12, 88, 40]; // side of a small map
const [TALLER, TALLEST] = [1.7, 2.2]; // than wide, where there is room below; and in a hall
const KIND = { width: 34, height: 64 }; // of a grid, what is not maps

/** Every head of every kind. @param {Viewer} viewer */
export function drawAll({ grids: every, offered, room, panels, size, state }) {
  panels.length = 0;
  const grids = every.filter(({ kind }) => offered.includes(kind.kind));
  const across = grids.reduce((sum, { kind }) => sum + kind.heads, 0);
  const deep = Math.max(...grids.map(({ kind }) => kind.layers));
  const times = state.present ? hallTimes() : 1;
  const wide = (size.width - 8 - (KIND.width * times + GAP) * grids.length) / across - 3;
  const high = (size.height - KIND.height * times) / deep - 3;
  const largest = LARGEST * times;
  const side = Math.max(SMALLEST, Math.min(largest, wide, high));
  const tile = {
    wide: Math.floor(side),
    high: Math.floor(Math.max(side, Math.min(largest, (state.present ? TALLEST : TALLER) * side, high))),
  };
  const titled = (/** @type {import("../grid/grid.js").Grid} */ { kind, element }) => {
    const title = make("h2", { className: "panel-title", textContent: kind.title });
    return make("section", { className: "kind" }, title, element);
  };
  if (room.querySelectorAll(".kind").length !== grids.length) room.replaceChildren(...grids.map(titled));
  laid(room, grids.length);
  for (const grid of grids) grid.draw(tile, true);
}

/** The chosen heads large, and all of their kind small beside them. @param {Viewer} viewer */
export function drawChosen(viewer) {
  const { shown, room, small, panels, state } = viewer;
  const grid = viewer.grids.find(({ kind }) => kind === viewer.kind);
  if (!grid) return;
  if (grid.element.parentElement !== small) small.replaceChildren(grid.element);
  const side = Math.max(SMALLEST, Math.min(LARGEST_BESIDE, grid.sideFor(RAIL.width, RAIL.height)));
  if (!state.present) grid.draw({ wide: side, high: side }, false); // its rail is not seen then
  panels.length = Math.min(panels.length, shown.length);
  while (panels.length < shown.length) panels.push(new PanelView(viewer));
  const same = room.children.length === panels.length && panels.every(({ element }, i) => room.children[i] === element);
  if (!same) room.replaceChildren(...panels.map(({ element }) => element));
  lay(viewer, shown);
}

/** @param {Viewer} viewer @param {Panel[]} shown */
function lay(viewer, shown) {
  const { asks, room, ruler, state, panels, size } = viewer;
  const [large, ratio] = [state.present ? hallTimes() : 0, window.devicePixelRatio || 1];
  const all = { width: size.width - 4, height: size.height - 4, ratio, large };
  const head = large ? LARGE_HEAD * large : asks ? LINE : HEAD;
  const widest = shown.reduce((a, b) => (a.reading.columns.length >= b.reading.columns.length ? a : b)).reading;
  const axes = { rows: ruler.widths(widest.rows), columns: ruler.widths(widest.columns) };
  const columns = abreast(shown.length, all, { axes, gap: GAP, head });
  laid(room, columns);
  const one = roomOf(shown.length, columns, all, GAP, head);
  const scales = scalesOf(shown, state);
  shown.forEach((panel, i) => {
    const drawing = drawingOf(viewer, panel, scales[i]);
    panels[i].take(drawing, { ...one, width: one.width - MARGIN }, state.view === "lines" ? "lines" : "map");
  });
}

/** So many beside each other. @param {HTMLElement} room @param {number} columns */
function laid(room, columns) {
  const said = `repeat(${columns}, max-content)`;
  if (room.style.gridTemplateColumns !== said) room.style.gridTemplateColumns = said;
}
