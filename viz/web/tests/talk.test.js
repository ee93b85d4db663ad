import assert from "node:assert/strict";
import { test } from "node:test";
import { optionOf } from "../src/talk/ask.js";
import {
  back,
  clicked,
  clock,
  clicksOf,
  isAsking,
  lastStop,
  linkAt,
  linkOf,
  onward,
  placeIn,
  tally,
  retold,
} from "../src/talk/plan.js";

const plain = {
  title: "a",
  message: 0,
  link: "h=c0.1",
  steps: ["p=t1", "", "h=c0.0"],
  note: ["now"],
  predict: null,
  minutes: 0,
  points: [],
  still: "",
  place: 0,
};
const asks = {
  ...plain,
  place: 1,
  link: "",
  steps: [],
  note: ["one", "two"],
  predict: { ask: "?", options: ["x", "y"], answer: 1 },
};
const scenes = [plain, asks, { ...plain, steps: [], note: [], place: 2 }];

test("a talk goes through every click of every scene, and back the same way", () => {
  const found = [{ scene: 0, stop: 0 }];
  for (let i = 0; i < 20; i++) found.push(onward(scenes, found[found.length - 1]));
  const seen = found.map(({ scene, stop }) => `${scene}.${stop}`);
  assert.deepEqual([...new Set(seen)], ["0.0", "0.1", "0.2", "0.3", "1.0", "1.1", "1.2", "2.0"]);
  assert.deepEqual(found[20], { scene: 2, stop: 0 });
  const again = [found[20]];
  for (let i = 0; i < 20; i++) again.push(back(scenes, again[again.length - 1]));
  assert.deepEqual([...new Set(again.map(({ scene, stop }) => `${scene}.${stop}`))], [...new Set(seen)].reverse());
});

test("a question is a stop of its own, before the first click", () => {
  assert.deepEqual(scenes.map(clicksOf), [3, 1, 0]);
  assert.deepEqual(scenes.map(lastStop), [3, 2, 0]);
  assert.equal(isAsking(asks, 0), true);
  assert.equal(isAsking(asks, 1), false);
  assert.equal(isAsking(plain, 0), false);
  assert.deepEqual(
    [0, 1, 2].map((stop) => clicked(asks, stop)),
    [0, 0, 1],
  );
  assert.equal(clicked(plain, 2), 2);
});

test("each click changes what the scene shows, one after the other", () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((clicks) => linkAt(plain, clicks)),
    ["h=c0.1", "h=c0.1&p=t1", "h=c0.1&p=t1", "h=c0.1&p=t1&h=c0.0"],
  );
});

test("guesses are counted, and letters beyond the options mean nothing", () => {
  assert.deepEqual(tally(scenes, new Map()), { right: 0, asked: 0 });
  assert.deepEqual(tally(scenes, new Map([[1, 1]])), { right: 1, asked: 1 });
  assert.deepEqual(tally(scenes, new Map([[1, 0]])), { right: 0, asked: 1 });
  assert.deepEqual(
    ["a", "B", "c", "Escape", " "].map((key) => optionOf(key, 2)),
    [0, 1, null, null, null],
  );
});

test("a link opens the place that it was written at, and nonsense none; a clock counts minutes", () => {
  for (const at of [
    { scene: 0, stop: 3 },
    { scene: 1, stop: 0 },
    { scene: 2, stop: 0 },
  ])
    assert.deepEqual(placeIn(`#${linkOf(at, scenes)}`, scenes), at);
  assert.deepEqual(
    placeIn("?storyboard=x&scene=2&click=99", scenes),
    { scene: 1, stop: 2 },
    "no click beyond the last",
  );
  assert.deepEqual(placeIn("h=c0.0&scene=1&click=<b>", scenes), { scene: 0, stop: 0 });
  for (const link of ["#scene=4", "#scene=0", "#scene=x", "", "#scene=99999", "#click=1", "obscene=1"])
    assert.equal(placeIn(link, scenes), null, link);
  assert.deepEqual([0, 59.9, 60, 601, -3].map(clock), ["0:00", "0:59", "1:00", "10:01", "0:00"]);
});

test("scenes of the hall come between, and the file's own keep their numbers", () => {
  const hall = { ...plain, steps: [], place: 1 };
  const played = [plain, asks, hall, { ...hall, title: "b" }, scenes[2]];
  const links = played.map((_, scene) => linkOf({ scene, stop: 0 }, played));
  assert.deepEqual(links, [
    "scene=1&click=0",
    "scene=2&click=0",
    "scene=2&click=0&hall=1",
    "scene=2&click=0&hall=2",
    "scene=3&click=0",
  ]);
  assert.deepEqual(
    links.map((link) => placeIn(link, played)?.scene),
    [0, 1, 2, 3, 4],
  );
  assert.deepEqual(placeIn(links[3], scenes), { scene: 1, stop: 0 }, "a page that is loaded anew has none of them");
});

test("a point more stands beside the picture with each click", () => {
  const told = { ...plain, steps: [], note: [], points: ["one", "two", "three"] };
  assert.equal(clicksOf(told), 2);
  assert.deepEqual(onward([told], { scene: 0, stop: 1 }), { scene: 0, stop: 2 });
  assert.deepEqual(onward([told], { scene: 0, stop: 2 }), { scene: 0, stop: 2 }, "the last scene ends there");
});

test("a link keeps its heads for another sentence, and loses what was of the first one's tokens", () => {
  const methods = ["weights", "votes"];
  assert.deepEqual(retold("h=c2.5&d=votes&p=t1&q=s2&w=1", methods), { link: "h=c2.5&d=votes&w=1", lacks: "" });
  assert.deepEqual(retold("h=c2.5&d=votes&d=norms", methods), { link: "h=c2.5&d=votes&d=weights", lacks: "norms" });
  assert.deepEqual(retold("d=votes@3&h=c0.0", methods), { link: "d=weights&h=c0.0", lacks: "votes" });
  assert.deepEqual(retold("d=norms&d=votes", methods), { link: "d=weights&d=votes", lacks: "" });
  assert.deepEqual(retold("", methods), { link: "", lacks: "" });
});
