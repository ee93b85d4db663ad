// Maps that come when somebody looks: small ones at once, whole ones by asking once, and no more kept than there is room.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Reader, settled } from "../src/core/heads.js";
import { DEFAULTS } from "../src/core/state.js";
import { SIDE, Supply } from "../src/core/supply.js";

const LONG = 40; // tokens, more than a small map has pixels

function made(length = LONG) {
  const texts = Array.from({ length }, (_, i) => `t${i}`);
  const tokens = { texts, words: texts.map((_, i) => i), starts: texts.map(() => 0), ends: texts.map(() => 1) };
  const kind = {
    kind: "encoder_self",
    letter: "e",
    title: "E",
    layers: 2,
    heads: 3,
    rows: "src",
    columns: "src",
    writes: null,
    shifts: false,
  };
  const maps = { encoder_self: { offset: 0, layers: 2, heads: 3, high: 1 } };
  const sort = { name: "weights", title: "", whose: "", signed: false, averaged: false, shares: true, maps };
  const none = { texts: [], words: [], starts: [], ends: [] };
  const side = Math.min(SIDE, length);
  const bytes = new Uint8Array(6 * side * side).map((_, i) => Math.floor(i / (side * side)));
  return {
    header: { tokens: { src: tokens, inputs: none, outputs: none }, kinds: [kind], sorts: [sort], words: {} },
    bytes,
  };
}

test("a small map is that of its head, and a whole one is asked for once", () => {
  const trace = made();
  const asked = [];
  trace.supply = new Supply(trace, (code) => asked.push(code));
  const reader = new Reader(trace);
  const head = { code: "e1.2", kind: trace.header.kinds[0], layer: 1, head: 2 };
  const small = reader.small(head);
  assert.equal(small.reading.rows.length, SIDE);
  assert.ok(small.reading.values.every((value) => Math.abs(value - (5 / 255) ** 2) < 1e-6));
  assert.ok(reader.one(head, DEFAULTS).values.every((value) => value === 0));
  reader.one(head, DEFAULTS);
  assert.deepEqual(asked, ["e1.2"]);
  trace.supply.take("e1.2", new Uint8Array(LONG * LONG).fill(255));
  assert.ok(reader.one(head, DEFAULTS).values.every((value) => value === 1));
  assert.deepEqual(asked, ["e1.2"]);
});

test("what was sent whole has no small maps of its own", () => {
  const trace = made();
  const head = { code: "e0.0", kind: trace.header.kinds[0], layer: 0, head: 0 };
  assert.equal(new Reader(trace).small(head), null);
});

test("the oldest maps go when there is no room, and are asked for anew", () => {
  const trace = made();
  const asked = [];
  const supply = new Supply(trace, (code) => asked.push(code));
  const large = 30 * 2 ** 20;
  for (const code of ["e0.0", "e0.1", "e0.2"]) supply.take(code, new Uint8Array(large));
  assert.equal(supply.of("e0.0"), null);
  assert.equal(supply.of("e0.2")?.length, large);
  assert.deepEqual(asked, ["e0.0"]);
});

test("heads are drawn as one only as long as all of them can be kept", () => {
  const state = { ...DEFAULTS, heads: ["e0.0", "e0.1", "e1.0"], together: /** @type {const} */ ("mean") };
  const [short, long] = [made(), made(6000)];
  for (const trace of [short, long]) trace.supply = new Supply(trace, () => {});
  assert.equal(settled(short, state).together, "mean");
  assert.equal(settled(long, state).together, "side");
});

test("maps that may be looked at next are asked for one at a time, and only where they are small", () => {
  const asked = [];
  const supply = new Supply(made(), (code) => asked.push(code));
  const map = () => new Uint8Array(LONG * LONG);
  supply.of("e0.0");
  supply.foresee(["e0.1"]); // a head that was chosen is on its way
  assert.deepEqual(asked, ["e0.0"]);
  supply.take("e0.0", map());
  const next = ["e0.0", "e0.1", "e0.2"];
  supply.foresee(next);
  supply.foresee(next);
  assert.deepEqual(asked, ["e0.0", "e0.1"]);
  supply.take("e0.1", map());
  supply.foresee(next);
  supply.take("e0.2", map());
  supply.foresee(next);
  assert.deepEqual(asked, ["e0.0", "e0.1", "e0.2"]);
  new Supply(made(1025), (code) => asked.push(code)).foresee(["e1.0"]);
  assert.equal(asked.length, 3);
});
