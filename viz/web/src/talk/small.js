// What a scene shows first, small: its first map with one pixel a cell, or every head where it shows all of them.
import { coloursOf, pixelsOf, scalesOf } from "../core/colours.js";
import { pooled, stretched } from "../map/pooling.js";
import { make } from "../ui/dom.js";
import { Reader, settled } from "../core/heads.js";
import { DEFAULTS, readLink } from "../core/state.js";
import { linkAt } from "./plan.js";
import { Still } from "./still.js";

/** @typedef {import("../types.js").Panel} Panel */
/** @typedef {{ panel: Panel, x: number, y: number, wide: number, high: number }} Tile a map, and where it stands in pixels */

const SIDE = 9; // of one among all heads
const GAP = 2;
const BETWEEN = 7; // kinds

/** @param {Reader} reader @param {import("../types.js").State} state @returns {Tile[]} */
function tilesOf(reader, state) {
  if (state.view !== "all") {
    const [panel] = reader.panels(state);
    return [{ panel, x: 0, y: 0, wide: panel.reading.columns.length, high: panel.reading.rows.length }];
  }
  const { kinds, sorts } = reader.trace.header;
  const maps = sorts.find(({ name }) => name === state.method)?.maps ?? {};
  /** @type {Tile[]} */
  const tiles = [];
  let left = 0;
  for (const kind of kinds.filter((each) => each.kind in maps)) {
    for (let i = 0; i < kind.layers * kind.heads; i++) {
      const [layer, head] = [Math.floor(i / kind.heads), i % kind.heads];
      const panel = reader.panel({ code: "", kind, layer, head }, state);
      tiles.push({ panel, x: left + head * (SIDE + GAP), y: layer * (SIDE + GAP), wide: SIDE, high: SIDE });
    }
    left += kind.heads * (SIDE + GAP) + BETWEEN;
  }
  return tiles;
}

/**
 * The pixels of a state's small picture; 0 where there is no map.
 * @param {Reader} reader
 * @param {import("../types.js").State} state
 * @param {import("../types.js").Look} look
 */
export function smallOf(reader, state, look) {
  const tiles = tilesOf(reader, state);
  const scales = scalesOf(
    tiles.map(({ panel }) => panel),
    state,
  );
  const [width, height] = [
    Math.max(1, ...tiles.map(({ x, wide }) => x + wide)),
    Math.max(1, ...tiles.map(({ y, high }) => y + high)),
  ];
  const pixels = new Uint32Array(width * height);
  const inks = coloursOf(look).inks[tiles[0].panel.signed ? "diverging" : "scale"];
  tiles.forEach(({ panel, x, y, wide, high }, i) => {
    if (!panel.reading.values.length) return;
    const small = pooled(panel.reading, { wide, high });
    const into = new Uint32Array(wide * high);
    stretched(pixelsOf(small.values, scales[i], inks), small, { wide, high }, into);
    for (let row = 0; row < high; row++) pixels.set(into.subarray(row * wide, (row + 1) * wide), (y + row) * width + x);
  });
  return { width, height, pixels };
}

export class Small {
  /** @param {import("./plan.js").Scene[]} scenes @param {import("../types.js").Trace[]} traces of the messages */
  constructor(scenes, traces) {
    this.scenes = scenes;
    this.readers = traces.map((trace) => new Reader(trace));
  }

  /** A message that came later. @param {import("../types.js").Trace} trace @param {number} message */
  take(trace, message) {
    this.readers[message] = new Reader(trace);
  }

  /** A canvas with a scene's small picture, to be shown larger; the name of one that is a still. @param {number} at the scene @param {import("../types.js").Look} look */
  picture(at, look) {
    const scene = this.scenes[at];
    if (scene.still) return Still.card(scene.title);
    const reader = this.readers[scene.message];
    const state = settled(reader.trace, readLink(linkAt(scene, 0), readLink(reader.trace.header.start, DEFAULTS)));
    const { width, height, pixels } = smallOf(reader, state, look);
    const canvas = make("canvas", { className: "small-picture", width, height });
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const image = context.createImageData(width, height);
    new Uint32Array(image.data.buffer).set(pixels);
    context.putImageData(image, 0, 0);
    return canvas;
  }
}
