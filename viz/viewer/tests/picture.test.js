import assert from "node:assert/strict";
import { test } from "node:test";
import { escaped, pictureOf, wrapped } from "../src/draw/picture.js";
import { pooled, steps } from "../src/draw/grid.js";
import { Reader } from "../src/reckon/heads.js";
import { colourAt, css, tableOf } from "../src/reckon/scale.js";
import { DEFAULTS } from "../src/reckon/state.js";
import { fixture, ruler, trace } from "./fixture.js";

const HOSTILE = "</script><img src=x onerror=alert(1)>";
const drawn = (asked) =>
  pictureOf({
    trace,
    state: { ...DEFAULTS, heads: ["c0.1"], ...asked },
    ruler,
    fonts: "sans-serif",
    reader: new Reader(trace),
  });
const fills = (svg) => [...svg.matchAll(/<rect x="[^>]* fill="(rgb\([\d,]+\))"/g)].map(([, fill]) => fill);

test("a picture has the colour of every weight", () => {
  const { values } = fixture.cases.find(
    ({ head, drawn: sort, words, special, shift }) =>
      head === "c0.1" && sort === "weights" && !words && !special && shift === "written",
  );
  const table = tableOf(trace.header.looks.light.scale);
  assert.deepEqual(
    fills(drawn({})),
    values.map((value) => css(colourAt(table, value))),
  );
  assert.notDeepEqual(fills(drawn({ heads: ["c0.0"] })), fills(drawn({})));
  assert.equal(fills(drawn({ heads: ["c0.1", "c0.0"], together: "difference" })).length, 3 * values.length);
});

test("a hostile token is text in a picture of every sort", () => {
  for (const asked of [{}, { view: "lines" }, { words: true }, { heads: ["e0.0", "c0.0"] }]) {
    const svg = drawn(asked);
    assert.ok(!svg.includes("<img") && !svg.includes("</script"));
    assert.ok(svg.includes(escaped(HOSTILE)));
  }
  assert.equal(escaped("a\u0000b&'"), "a�b&#38;&#39;");
});

test("the caption names sentence, model, head, sort and rows", () => {
  const text = [...drawn({ special: true }).matchAll(/<text x="28"[^>]*>([^<]*)</g)].map(([, line]) => line).join(" ");
  for (const said of ["undo it", "撤销ab", "made up", "L0 H1", "attention weights", "divided", "writes"])
    assert.ok(text.includes(said), said);
  assert.ok(!text.includes("merged"));
});

test("captions are broken between words and between Chinese letters", () => {
  assert.deepEqual(
    wrapped("one two 三四五", 30, { ruler }),
    ["one ", "two ", "三四五"].map((line) => line),
  );
  assert.deepEqual(wrapped("", 30, { ruler }), [""]);
});

test("a small map shows the strongest of the cells that share a pixel", () => {
  assert.deepEqual(steps(4, 2), [
    [0, 2],
    [2, 4],
  ]);
  assert.deepEqual(steps(2, 4), [
    [0, 1],
    [0, 1],
    [1, 2],
    [1, 2],
  ]);
  const labels = Array(4).fill({ text: "", keys: [] });
  const values = Float32Array.from({ length: 16 }, (_, i) => (i === 5 ? -0.9 : i === 0 ? 0.5 : 0));
  assert.deepEqual(
    [...pooled({ rows: labels, columns: labels, values }, 2)].map((value) => +value.toFixed(2)),
    [-0.9, 0, 0, 0],
  );
});
