import assert from "node:assert/strict";
import { test } from "node:test";
import { coloursOf } from "../src/core/colours.js";
import { Reader } from "../src/core/heads.js";
import { pixelsOf } from "../src/core/colours.js";
import { DEFAULTS } from "../src/core/state.js";
import { typed, walked } from "../src/talk/overview.js";
import { smallOf } from "../src/talk/small.js";
import { trace } from "./fixture.js";

const { light } = trace.header.looks;
const small = (asked) => smallOf(new Reader(trace), { ...DEFAULTS, heads: ["c0.1"], ...asked }, light);

test("arrows walk through rows of four, of which the last has two, and stay within", () => {
  const from = (at, ...keys) => keys.reduce((place, key) => walked(place, `arrow${key}`, 4, 10), at);
  assert.deepEqual(
    [from(0, "right"), from(3, "right"), from(4, "left"), from(1, "down"), from(5, "up")],
    [1, 4, 3, 5, 1],
  );
  assert.equal(from(7, "down"), 9, "below stands nothing: the last");
  assert.deepEqual([from(0, "left"), from(2, "up"), from(9, "right"), from(8, "down")], [0, 2, 9, 8]);
  assert.deepEqual([walked(5, "home", 4, 10), walked(5, "end", 4, 10), walked(5, "x", 4, 10)], [0, 9, 5]);
});

test("digits make a number as long as a scene has it", () => {
  const after = (digits, count) => [...digits].reduce((number, digit) => typed(number, Number(digit), count), 0);
  assert.deepEqual([after("1", 12), after("12", 12), after("123", 12), after("13", 12)], [1, 12, 3, 3]);
  assert.deepEqual([after("0", 12), after("9", 7), after("03", 7), after("10", 9)], [0, 0, 3, 0]);
});

test("a small picture has a pixel a cell, in the colour of the large one", () => {
  const { width, height, pixels } = small({});
  const [{ reading }] = new Reader(trace).panels({ ...DEFAULTS, heads: ["c0.1"] });
  assert.deepEqual([width, height], [reading.columns.length, reading.rows.length]);
  const scale = { top: 1, bottom: 0, hidden: 0, signed: false };
  assert.deepEqual(pixels, pixelsOf(reading.values, scale, coloursOf(light).inks.scale));
  assert.notDeepEqual(small({ heads: ["c0.0"] }).pixels, pixels);
});

test("where all heads are shown the small picture has one square each, and nothing between", () => {
  const { width, pixels } = small({ view: "all" });
  const heads = [2 * 3, 1 * 2, 2 * 2].reduce((sum, count) => sum + count);
  const corners = pixels.filter((ink, i) => ink && !pixels[i - 1] && (i < width || !pixels[i - width]));
  assert.equal(corners.length, heads);
});
