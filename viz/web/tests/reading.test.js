import assert from "node:assert/strict";
import { test } from "node:test";
import { headOf, Reader, settled, sortOf } from "../src/core/heads.js";
import { readMessage } from "../src/core/payload.js";
import { DEFAULTS } from "../src/core/state.js";
import { pinsSaid, spotSaid, strongest, sumsOf } from "../src/core/tell.js";
import { close, fixture, trace } from "./fixture.js";

const reader = new Reader(trace);
const stateOf = (asked) => ({ ...DEFAULTS, heads: ["c0.1"], ...asked });

test("every map is read as Python reads it, for every switch", () => {
  assert.equal(fixture.cases.length, (3 * 3 + 2) * 8);
  for (const { head, rows, columns, values, ...asked } of fixture.cases) {
    const found = reader.one(headOf(trace, head), stateOf(asked));
    const texts = (labels) => labels.map(({ text }) => text);
    assert.deepEqual([texts(found.rows), texts(found.columns)], [rows, columns], JSON.stringify(asked));
    assert.ok(close(found.values, values), `${head} ${JSON.stringify(asked)}`);
  }
});

test("the switches change numbers, so that the comparison could fail", () => {
  const [plain, ...others] = fixture.cases.filter(
    ({ head, method, shift }) => head === "c0.1" && method === "weights" && shift === "written",
  );
  assert.equal(others.length, 3);
  for (const other of others) assert.ok(!close(other.values, plain.values));
});

test("heads are combined and subtracted as Python does", () => {
  const { heads, mean, max, difference } = fixture.together;
  const panels = (together) => reader.panels(stateOf({ heads, together, hide_special: true }));
  assert.ok(close(panels("mean")[0].reading.values, mean.values));
  assert.ok(close(panels("max")[0].reading.values, max.values));
  const [a, b, gap] = panels("difference");
  assert.ok(close(gap.reading.values, difference.values));
  assert.ok(gap.signed && !a.signed && !b.signed);
  assert.ok(!close(panels("mean")[0].reading.values, max.values));
});

test("a trace with one kind of attention only is shown", () => {
  const kinds = trace.header.kinds.filter(({ kind }) => kind === "encoder_self");
  const sorts = trace.header.sorts.map((sort) => ({ ...sort, maps: { encoder_self: sort.maps.encoder_self } }));
  const one = { ...trace, header: { ...trace.header, kinds, sorts } };
  const state = settled(one, stateOf({ heads: ["c0.1"] }));
  assert.deepEqual(state.heads, ["e0.0"]);
  assert.equal(new Reader(one).panels(state)[0].reading.rows.length, 5);
});

test("what a link asks and the trace does not have is settled", () => {
  const state = settled(trace, stateOf({ heads: ["c9.9", "x0.0", "e1.2"], method: "luck" }));
  assert.deepEqual([state.heads, state.method], [["e1.2"], "weights"]);
  assert.equal(headOf(trace, "d1.0"), null);
  assert.equal(sortOf(trace, "scores").signed, true);
});

test("a sort of the whole model has one map, rows named after what they write, and no encoder", () => {
  const asked = { heads: ["e0.0"], method: "frozen", shift: "read" };
  const state = settled(trace, stateOf(asked));
  assert.deepEqual([state.heads, state.shift], [["c0.0"], "written"]);
  const [first, last] = [reader.one(headOf(trace, "c0.0"), state), reader.one(headOf(trace, "c1.1"), state)];
  assert.deepEqual(first.values, last.values);
  assert.equal(reader.panels(state)[0].title, "Cross · the whole model");
  assert.equal(reader.panels(stateOf({ method: "rollout" }))[0].title, "Cross · all heads, L0 up to L0");
});

test("a message of another version is refused", () => {
  const header = new TextEncoder().encode(JSON.stringify({ version: 99 }));
  const buffer = new ArrayBuffer(4 + header.length);
  new DataView(buffer).setUint32(0, header.length, true);
  new Uint8Array(buffer, 4).set(header);
  assert.throws(() => readMessage(buffer), /version 99/);
});

test("what is pointed at, and sums of what is pinned, are told in numbers", () => {
  const label = (text, beside = "") => ({ text, beside, special: false, places: [0], keys: [text] });
  const reading = {
    rows: [label("a", "z"), label("b")],
    columns: [label("x"), label("y")],
    values: Float32Array.of(0.25, 0.75, 0.5, -0.5),
  };
  const words = { ...trace.header.words, writes: "writes {token}", has_read: "read {token}", strongest: "top {pair}" };
  assert.equal(spotSaid(reading, words, { row: 0, column: 0 }, false), "a → x 0.25 · writes z");
  assert.equal(spotSaid(reading, words, { row: 0, column: 0 }, true), "a → x 0.25 · read z");
  assert.equal(strongest(reading, words, { row: 1, column: null }), "top b → x 0.50");
  assert.equal(strongest({ rows: [], columns: [], values: new Float32Array() }, words), words.nothing);
  assert.deepEqual(sumsOf(reading, [0, 1], [1]), { below: [0.75, 0.25], beside: [0.75, -0.5] });
  assert.equal(pinsSaid(reading, words, [0, 1], []), "Σ a + b → x 0.75");
  assert.equal(pinsSaid(reading, words, [0, 1], [0, 1]), "Σ a + b → x + y 1.00");
  assert.equal(pinsSaid(reading, words, [0], []), "a → y 0.75", "one row is no sum");
  assert.equal(pinsSaid(reading, words, [], []), "");
});
