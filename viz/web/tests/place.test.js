import assert from "node:assert/strict";
import { test } from "node:test";
import { colourAt, inkOn, tableOf } from "../src/core/colours.js";
import { decimals } from "../src/core/text.js";
import { abreast, fitted, opening, panned, roomOf, spotAt, visible, zoomed } from "../src/core/place.js";
import { scalesOf, shareOf } from "../src/core/colours.js";

const ROOM = { width: 900, height: 520, ratio: 1 };
const axesOf = (rows, columns) => ({ rows: Array(rows).fill(2), columns: Array(columns).fill(4) });

test("a map of 16 tokens is wholly seen, and its labels are never smaller than 14 px", () => {
  for (const [rows, columns] of [
    [1, 1],
    [5, 4],
    [16, 16],
    [27, 24],
    [60, 60],
    [140, 68],
  ]) {
    const place = fitted(ROOM, axesOf(rows, columns));
    assert.ok(place.type >= 14);
    assert.ok(place.left + place.width <= ROOM.width && place.top + place.height <= ROOM.height);
    if (rows < 100) assert.ok(Math.abs(place.height - rows * place.cell) < 1e-9 && place.x === 0 && place.y === 0);
  }
  assert.ok(fitted({ ...ROOM, width: 1500, height: 900 }, axesOf(16, 16)).cell > fitted(ROOM, axesOf(16, 16)).cell);
});

test("on a screen half as large again a hall sees the same picture half as large again", () => {
  const axes = axesOf(5, 6);
  const [small, large] = [1, 1.5].map((large) =>
    fitted({ width: 1000 * large, height: 420 * large, ratio: 1000, large }, axes),
  );
  for (const name of ["cell", "wide", "type", "width", "height"])
    assert.ok(Math.abs(large[name] / small[name] - 1.5) < 0.02, name);
  assert.ok(small.type > fitted({ width: 1000, height: 420, ratio: 1000 }, axes).type, "larger than on a desk");
});

test("a long sentence opens with every label readable, from its beginning", () => {
  const place = opening(ROOM, axesOf(140, 68));
  assert.ok(place.cell >= 14 && place.x === 0 && place.y === 0);
  assert.deepEqual(opening(ROOM, axesOf(20, 20)), fitted(ROOM, axesOf(20, 20)));
});

test("zooming keeps the cell under the pointer, panning stops at the ends", () => {
  const axes = axesOf(60, 60);
  const whole = fitted(ROOM, axes);
  const within = { room: ROOM, axes, least: whole.cell };
  const about = { x: 400, y: 300 };
  const near = zoomed(whole, about, 4, within);
  assert.ok(near.cell > 2 * whole.cell);
  assert.deepEqual(spotAt(near, about.x, about.y), spotAt(whole, about.x, about.y));
  const end = panned(near, -1e6, -1e6, within);
  assert.deepEqual(spotAt(end, end.left + end.width - 1, end.top + end.height - 1), { row: 59, column: 59 });
  assert.deepEqual([panned(near, 1e6, 1e6, within).x, panned(near, 1e6, 1e6, within).y], [0, 0]);
  assert.equal(zoomed(near, about, 0.001, within).cell, whole.cell);
});

test("labels and cells are told apart", () => {
  const place = {
    ...fitted(ROOM, axesOf(4, 4)),
    left: 50,
    top: 40,
    cell: 10,
    wide: 20,
    width: 80,
    height: 40,
    x: 0,
    y: 0,
  };
  assert.deepEqual(spotAt(place, 91, 55), { row: 1, column: 2 });
  assert.deepEqual(spotAt(place, 10, 55), { row: 1, column: null });
  assert.deepEqual(spotAt(place, 91, 10), { row: null, column: 2 });
  assert.equal(spotAt(place, 10, 10), null);
  assert.equal(spotAt(place, 131, 55), null);
  assert.deepEqual(visible(-25, 40, 10, 60), [2, 7]);
});

test("panels stand so that their maps are largest", () => {
  const each = { axes: axesOf(20, 20), gap: 20, head: 60 };
  assert.equal(abreast(2, ROOM, each), 2);
  assert.equal(abreast(6, { ...ROOM, width: 1500 }, each) >= 3, true);
  assert.deepEqual(roomOf(4, 2, { width: 820, height: 620, ratio: 1 }, 20, 60), { width: 400, height: 240, ratio: 1 });
});

const panel = (values, signed = false) => ({
  signed,
  high: 1,
  reading: { values: Float32Array.from(values), top: Math.max(...values.map(Math.abs)) },
});

test("a scale ends where it is asked to, and hides what is small", () => {
  const panels = [panel([0.5, 0.001]), panel([0.25])];
  const tops = (scale) => scalesOf(panels, { scale, log: false, threshold: 0 }).map(({ top }) => top);
  assert.deepEqual(
    [tops("full"), tops("own"), tops("common")],
    [
      [1, 1],
      [0.5, 0.25],
      [0.5, 0.5],
    ],
  );
  const [scale] = scalesOf(panels, { scale: "own", log: false, threshold: 0.1 });
  assert.equal(shareOf(0.25, scale), 0.5);
  assert.equal(shareOf(0.09, scale), null);
  const [log] = scalesOf(panels, { scale: "full", log: true, threshold: 0 });
  assert.ok(Math.abs(shareOf(0.01, log) - 0.5) < 1e-9);
  assert.equal(shareOf(0, log), null);
  const [signed] = scalesOf([panel([-2, 1], true)], { scale: "own", log: true, threshold: 0 });
  assert.deepEqual([shareOf(-2, signed), shareOf(0, signed), shareOf(2, signed)], [0, 0.5, 1]);
});

test("colours run from stop to stop, and inks can be read on them", () => {
  const table = tableOf([
    [0, "#000000"],
    [0.5, "#800000"],
    [1, "#ffffff"],
  ]);
  assert.deepEqual(
    [colourAt(table, -1), colourAt(table, 1)],
    [
      [0, 0, 0],
      [255, 255, 255],
    ],
  );
  assert.ok(Math.abs(colourAt(table, 0.5)[0] - 128) <= 1);
  assert.deepEqual([inkOn([255, 255, 255]), inkOn([0, 0, 0])], ["#000000", "#FFFFFF"]);
  assert.deepEqual([decimals(-0.001), decimals(-1.5)], ["0.00", "−1.50"]);
});
