import assert from "node:assert/strict";
import { test } from "node:test";
import { Faders } from "../src/components/mixing_desk/faders.js";
import { floatsOf, unpackCoarse, unpackFine } from "../src/core/codes.js";
import { inkOn } from "../src/core/colours.js";
import { decimals, fill, percent, smallPercent } from "../src/core/text.js";
import { neighbour } from "../src/grid/roving.js";
import { pooled, stretched } from "../src/map/pooling.js";
import { follow, Refused, wordOf } from "../src/phone/news.js";
import { isTaken } from "../src/ui/keys.js";
import { close } from "./fixture.js";

const packed = (array) => Buffer.from(array.buffer).toString("base64");

test("what Python packs in a byte, in two and in four comes back", () => {
  assert.deepEqual([...unpackCoarse(packed(Uint8Array.of(0, 255)))], [0, 1]);
  assert.ok(close([...unpackCoarse(packed(Uint8Array.of(51)))], [0.04]));
  assert.deepEqual([...unpackFine(packed(Int16Array.of(-32767, 0, 32767)))], [-1, 0, 1]);
  const floats = Float32Array.of(1.5, -2.25, NaN);
  assert.deepEqual(floatsOf(packed(floats)), floats);
});

test("the ink on a colour has a contrast of 4.5 or more, also where both come near", () => {
  const light = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  for (let grey = 0; grey < 256; grey++) {
    const ink = inkOn([grey, grey, grey]) === "#000000" ? 0 : 1;
    const [low, high] = [light(grey), ink].sort((a, b) => a - b);
    assert.ok((high + 0.05) / (low + 0.05) >= 4.5, String(grey));
  }
});

test("numbers are written as a visitor reads them", () => {
  assert.deepEqual([decimals(-0.001), decimals(-0.5), decimals(2)], ["0.00", "−0.50", "2.00"]);
  assert.deepEqual([percent(0.123), percent(0.123, 1), smallPercent(0.0001, 1)], ["12 %", "12.3 %", "< 0.1 %"]);
  assert.equal(fill("{a} of {b}{c}", { a: 0, b: "<b>" }), "0 of <b>{c}");
});

test("arrow keys walk a grid, and stay in it", () => {
  const size = { rows: 2, columns: 3 };
  assert.deepEqual(
    ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "x"].map((key) => neighbour(1, key, size)),
    [2, 4, 0, 1, null],
  );
  assert.equal(neighbour(2, "ArrowRight", size), 2, "no cell of the next row");
});

test("small maps keep the strongest of the cells that share a pixel, and large ones repeat theirs", () => {
  const reading = { rows: [{}, {}], columns: [{}, {}, {}, {}], values: Float32Array.of(0, 1, -3, 2, 4, 0, 0, -1) };
  const small = pooled(reading, { wide: 2, high: 1 });
  assert.deepEqual([small.down, small.across, ...small.values], [1, 2, 4, -3]);
  const into = new Uint32Array(8);
  stretched(Uint32Array.of(7, 9), { down: 1, across: 2 }, { wide: 4, high: 2 }, into);
  assert.deepEqual([...into], [7, 7, 9, 9, 7, 7, 9, 9]);
});

test("a key belongs to the browser or a widget before it belongs to a picture", () => {
  globalThis.Element = class {};
  const event = { key: "ArrowLeft", composedPath: () => [{}] };
  assert.equal(isTaken(event), false);
  for (const held of ["altKey", "ctrlKey", "metaKey", "defaultPrevented"])
    assert.ok(isTaken({ ...event, [held]: true }));
  globalThis.HTMLInputElement = class extends Element {};
  const box = Object.assign(new HTMLInputElement(), { type: "checkbox", closest: () => box });
  const inBox = (key) => isTaken({ key, composedPath: () => [box] });
  assert.deepEqual([inBox("a"), inBox(" ")], [false, true]);
  const radio = new Element();
  radio.closest = (selector) => (selector.includes('"radio"') ? radio : null);
  const inRadio = (key) => isTaken({ key, composedPath: () => [radio] });
  assert.deepEqual([inRadio("ArrowLeft"), inRadio("End"), inRadio("g"), inRadio("Escape")], [true, true, false, false]);
});

test("faders mute and solo a head, a layer or a kind, and give all back", () => {
  const kinds = [2, 1].map((layers) => ({ layers, heads: 2, gains: Array(2 * layers).fill(100) }));
  const faders = new Faders(kinds);
  const head = { kind: 0, layer: 1, head: 0 };
  faders.muteOnly(head);
  assert.deepEqual(faders.all, [100, 100, 0, 100, 100, 100]);
  assert.ok(faders.isOnlyMuted(head) && !faders.isSolo(head));
  assert.equal(faders.common({ kind: 0, layer: 1, head: null }), null);
  faders.muteOnly(head);
  faders.solo({ kind: 0, layer: 0, head: null });
  assert.deepEqual(faders.all, [100, 100, 0, 0, 100, 100]);
  assert.ok(faders.isSolo({ kind: 0, layer: 0, head: null }));
});

test("news of a class is asked for again and again, ever later where there is no answer, and never after a last word", async () => {
  const [heard, refusals, pauses] = [[], [], []];
  const failed = () => Promise.reject(new TypeError("no network"));
  const refuses = (word) => () => Promise.reject(new Refused(word));
  const answers = [
    async () => "first",
    async () => null,
    failed,
    failed,
    async () => "second",
    failed,
    refuses("full"),
  ];
  const all = [...answers, ...Array(5).fill(failed), refuses("closed"), async () => "never"];
  const refused = (word) => (refusals.push(word), word === "closed" ? null : word === "full" ? 3000 : 0);
  await follow(
    () => all.shift()(),
    (news) => heard.push(news),
    refused,
    async (milliseconds) => pauses.push(milliseconds),
  );
  assert.deepEqual(heard, ["first", "second"]);
  assert.deepEqual(refusals, ["", "", "", "full", "", "", "", "", "", "closed"]);
  assert.deepEqual(pauses, [500, 1000, 500, 3000, 2000, 4000, 8000, 10000, 10000]);
  assert.equal(all.length, 1);
  assert.equal(wordOf(new Refused("seat")), "seat");
});
