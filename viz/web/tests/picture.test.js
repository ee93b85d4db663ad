import assert from "node:assert/strict";
import { test } from "node:test";
import { isUpright } from "../src/core/text.js";
import { colourAt, css, inksOf, tableOf } from "../src/core/colours.js";
import { pooled, steps, stretched } from "../src/map/pooling.js";
import { escaped, pictureOf, wrapped } from "../src/map/picture.js";
import { Reader } from "../src/core/heads.js";
import { pixelsOf, shareOf } from "../src/core/colours.js";
import { DEFAULTS } from "../src/core/state.js";
import { fixture, ruler, trace } from "./fixture.js";

const HOSTILE = "</script><img src=x onerror=alert(1)>";
const method = (asked) =>
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
    ({ head, method: sort, words, hide_special: hidden, shift }) =>
      head === "c0.1" && sort === "weights" && !words && !hidden && shift === "written",
  );
  const table = tableOf(trace.header.looks.light.scale);
  assert.deepEqual(
    fills(method({})),
    values.map((value) => css(colourAt(table, value))),
  );
  assert.notDeepEqual(fills(method({ heads: ["c0.0"] })), fills(method({})));
  assert.equal(fills(method({ heads: ["c0.1", "c0.0"], together: "difference" })).length, 3 * values.length);
});

test("a hostile token is text in a picture of every sort", () => {
  for (const asked of [{}, { view: "lines" }, { words: true }, { heads: ["e0.0", "c0.0"] }]) {
    const svg = method(asked);
    assert.ok(!svg.includes("<img") && !svg.includes("</script"));
    assert.ok(svg.includes(escaped(HOSTILE)));
  }
  assert.equal(escaped("a\u0000b&'"), "a�b&#38;&#39;");
});

test("the caption names sentence, model, head, sort and rows", () => {
  const text = [...method({ hide_special: true }).matchAll(/<text x="28"[^>]*>([^<]*)</g)]
    .map(([, line]) => line)
    .join(" ");
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
  const found = pooled({ rows: labels, columns: labels, values, top: 0.9 }, { wide: 2, high: 2 });
  assert.deepEqual(
    [...found.values].map((value) => +value.toFixed(2)),
    [-0.9, 0, 0, 0],
  );
  assert.equal(pooled({ rows: labels, columns: labels, values, top: 0.9 }, { wide: 9, high: 9 }).values, values);
});

test("a small map with more pixels than cells repeats them", () => {
  const into = new Uint32Array(9);
  stretched(Uint32Array.of(1, 2, 3, 4), { down: 2, across: 2 }, { wide: 3, high: 3 }, into);
  assert.deepEqual([...into], [1, 1, 2, 1, 1, 2, 3, 3, 4]);
  const tall = new Uint32Array(8);
  stretched(Uint32Array.of(1, 2, 3, 4), { down: 2, across: 2 }, { wide: 2, high: 4 }, tall);
  assert.deepEqual([...tall], [1, 2, 1, 2, 3, 4, 3, 4]);
});

test("a pixel has the colour that a cell of a picture has, on every scale", () => {
  const table = tableOf(trace.header.looks.dark.scale);
  const inks = inksOf(table, "#010203");
  const values = Float32Array.from({ length: 60 }, (_, i) => (i - 20) / 40);
  const scales = [{}, { signed: true }, { hidden: 0.3 }, { bottom: 1e-4 }, { top: 0.4 }, { hidden: 0.2, signed: true }];
  for (const asked of scales) {
    const scale = { top: 1, bottom: 0, hidden: 0, signed: false, ...asked };
    const bytes = new Uint8Array(pixelsOf(values, scale, inks).buffer);
    values.forEach((value, i) => {
      if (value < 0 && !scale.signed && !scale.bottom && !scale.hidden) return; // such a sort has none
      const share = shareOf(value, scale);
      const expected = share === null ? [1, 2, 3] : colourAt(table, share);
      assert.deepEqual([...bytes.subarray(4 * i, 4 * i + 4)], [...expected, 255], `${value} ${JSON.stringify(asked)}`);
    });
  }
});

test("Chinese stands upright, and what has other letters in it does not", () => {
  assert.deepEqual(["自行车", "（因为）", "3月", "车。"].map(isUpright), [true, true, true, true]);
  assert.deepEqual(["tired", "<eos>", "。", "42", "T恤", ""].map(isUpright), [
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});
