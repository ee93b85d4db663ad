import assert from "node:assert/strict";
import { test } from "node:test";
import { CODECS, DEFAULTS, readLink, write } from "../src/core/state.js";
import { gone, less, moved, nextKind, opened, stepped } from "../src/core/walk.js";
import { pinned } from "../src/core/pointing.js";
import { fixture, trace } from "./fixture.js";

const OTHERS = {
  heads: [["c0.1"], ["e1.2", "d0.0"]],
  view: ["lines", "all"],
  words: [true, false],
  hide_special: [true, false],
  method: ["scores", "gradient@3"],
  shift: ["read"],
  threshold: [0.05, 0.5, 1, 0],
  log: [true, false],
  scale: ["own", "common"],
  together: ["difference", "mean", "max"],
  rows: [["s0", "t-1"], []],
  columns: [["t3"], []],
  theme: ["dark", "light", ""],
  present: [true, false],
};

test("every choice is read as it was written, and no two have one letter", () => {
  assert.deepEqual(Object.keys(OTHERS), Object.keys(CODECS));
  assert.equal(new Set(Object.values(CODECS).map(({ letter }) => letter)).size, Object.keys(CODECS).length);
  for (const [name, values] of Object.entries(OTHERS)) {
    for (const value of values) {
      const state = { ...DEFAULTS, heads: ["c1.1"], [name]: value };
      const opening = { ...DEFAULTS, words: true, rows: ["s4"], threshold: 0.1 };
      assert.deepEqual(readLink(write(state, opening), opening), state, `${name} ${value}`);
    }
  }
});

test("a link that Python wrote is written the same here", () => {
  assert.equal(fixture.links.length, 4);
  for (const link of fixture.links) assert.equal(write(readLink(link)), link);
  assert.notEqual(write(readLink("x=sum")), "x=sum");
});

test("what a link says wrongly is as it was", () => {
  const bad = "h=<img>&v=pie&d=a%20b&w=yes&s=2&r=x&t=7&g=&o=none&x=sum&p=s0,<b>&q=&c=pink&z=1&&=&h";
  assert.deepEqual(readLink(bad), DEFAULTS);
  assert.equal(readLink("#t=0.25").threshold, 0.25);
});

const state = { ...DEFAULTS, heads: ["c0.1"] };

test("arrows go round the ends, digits to what is there", () => {
  assert.deepEqual(stepped(trace, state, 0, 1).heads, ["c0.0"]);
  assert.deepEqual(stepped(trace, state, -1, 0).heads, ["c1.1"]);
  assert.deepEqual(gone(trace, state, 0, false).heads, ["c0.0"]);
  assert.deepEqual(gone(trace, state, 1, true).heads, ["c1.1"]);
  assert.deepEqual(gone(trace, state, 7, false), {});
  assert.deepEqual(stepped(trace, { ...state, heads: ["c0.1", "e0.0"] }, 1, 0).heads, ["c1.1", "e0.0"]);
  assert.deepEqual(stepped(trace, { ...state, heads: ["c0.1", "c0.0"], together: "mean" }, 1, 0), {
    heads: ["c1.1"],
    together: "side",
  });
  assert.deepEqual(nextKind(trace, state).heads, ["e0.1"]);
  assert.deepEqual(moved(trace, { ...state, heads: ["e1.2"] }, trace.header.kinds[1]).heads, ["d0.1"]);
});

test("a click opens, with Shift it adds and takes away, a name takes a whole layer", () => {
  const [, , cross] = trace.header.kinds;
  assert.deepEqual(opened({ ...state, view: "all" }, cross, { layer: 1, head: 0 }, false), {
    view: "map",
    heads: ["c1.0"],
    together: "side",
  });
  assert.deepEqual(opened(state, cross, { layer: 1, head: 0 }, true).heads, ["c0.1", "c1.0"]);
  assert.deepEqual(opened({ ...state, heads: ["c0.1", "c1.0"] }, cross, { layer: 1, head: 0 }, true).heads, ["c0.1"]);
  assert.deepEqual(opened(state, cross, { layer: 0, head: 1 }, true).heads, ["c0.1"]);
  const layer = opened(state, cross, { layer: 1, head: null }, false);
  assert.deepEqual([layer.heads, layer.together], [["c1.0", "c1.1"], "mean"]);
  assert.deepEqual(opened(state, cross, { layer: null, head: 1 }, false).heads, ["c0.1", "c1.1"]);
});

test("Escape takes one thing away at a time", () => {
  const full = { ...state, rows: ["s1"], heads: ["c0.1", "c0.0"], view: "lines" };
  const after = { ...full, ...less(full) };
  assert.deepEqual([after.rows, after.heads.length, after.view], [[], 2, "lines"]);
  const next = { ...after, ...less(after) };
  assert.deepEqual([next.heads, next.view], [["c0.1"], "lines"]);
  assert.equal(less(next).view, "map");
});

test("pins are set, moved, added to and lifted", () => {
  assert.deepEqual(pinned([], ["s1"], false), ["s1"]);
  assert.deepEqual(pinned(["s1"], ["s1"], false), []);
  assert.deepEqual(pinned(["s1"], ["s2"], false), ["s2"]);
  assert.deepEqual(pinned(["s1"], ["s2"], true), ["s1", "s2"]);
  assert.deepEqual(pinned(["s1", "s2"], ["s1"], true), ["s2"]);
});
