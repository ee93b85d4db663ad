// Where a talk stands and what comes next; nothing here draws.

/**
 * @typedef {object} Predict What the audience is asked before a scene's picture is shown.
 * @property {string} ask
 * @property {string[]} options two to four
 * @property {number} answer place of the right one
 */

/**
 * @typedef {object} Scene
 * @property {string} title
 * @property {number} message which of the talk's messages it shows
 * @property {string} link what is chosen, as the viewer's link writes it
 * @property {string[]} steps what each click changes of it; "" changes nothing
 * @property {string[]} note what is said before the first click, after it, and so on
 * @property {Predict | null} predict
 * @property {number} minutes planned; 0: nobody planned any
 * @property {string[]} points sentences that stand beside the picture, one more with each click
 * @property {number} place among the scenes of its storyboard; a sentence from the hall has that of the scene it came to
 * @property {boolean} live another sentence can be typed in it, where a translator came with the talk
 * @property {string} still where the picture is one of a view: what its parts in the page are called; else ""
 */

/**
 * @typedef {object} TalkPart What Python packs beside the messages.
 * @property {string} language
 * @property {string} title
 * @property {number} minutes planned; 0: nobody planned any
 * @property {string[]} messages
 * @property {Scene[]} scenes
 * @property {Record<string, Record<string, import("./still.js").StillPart[]>>} stills by what they are called, then by look
 * @property {Record<string, string>} words
 * @property {import("./hall.js").LivePart | null} live the translator of its live scenes
 */

/** @typedef {{ scene: number, stop: number }} At a scene that asks has a stop of its own for the question */

/** @param {Scene} scene */
export function clicksOf({ steps, note, points }) {
  return Math.max(steps.length, note.length - 1, points.length - 1, 0);
}

/** @param {Scene} scene */
export function lastStop(scene) {
  return clicksOf(scene) + (scene.predict ? 1 : 0);
}

/** Whether the question stands, and the picture is hidden. @param {Scene} scene @param {number} stop */
export function isAsking({ predict }, stop) {
  return predict !== null && stop === 0;
}

/** Clicks that have been made in a scene. @param {Scene} scene @param {number} stop */
export function clicked({ predict }, stop) {
  return Math.max(0, stop - (predict ? 1 : 0));
}

/** The next stop; the same at the end. @param {Scene[]} scenes @param {At} at @returns {At} */
export function onward(scenes, { scene, stop }) {
  if (stop < lastStop(scenes[scene])) return { scene, stop: stop + 1 };
  return scene + 1 < scenes.length ? { scene: scene + 1, stop: 0 } : { scene, stop };
}

/** The stop before; the same at the beginning. @param {Scene[]} scenes @param {At} at @returns {At} */
export function back(scenes, { scene, stop }) {
  if (stop > 0) return { scene, stop: stop - 1 };
  return scene > 0 ? { scene: scene - 1, stop: lastStop(scenes[scene - 1]) } : { scene, stop };
}

/** What a scene shows after so many clicks. @param {Scene} scene @param {number} clicks */
export function linkAt({ link, steps }, clicks) {
  return [link, ...steps.slice(0, clicks)].filter(Boolean).join("&");
}

/**
 * A scene's link for another sentence: nothing of the first one's tokens, and weights in place of a method that there is not.
 * @param {string} link
 * @param {string[]} methods that there are
 * @returns {{ link: string, lacks: string }} and the method that it lacks, or ""
 */
export function retold(link, methods) {
  let lacks = "";
  const parts = link.split("&").filter((part) => part && !/^[pq]=/.test(part));
  const said = parts.map((part) => {
    if (!part.startsWith("d=")) return part;
    const [method, token] = part.slice(2).split("@");
    lacks = token === undefined && methods.includes(method) ? "" : method;
    return lacks ? "d=weights" : part;
  });
  return { link: said.join("&"), lacks };
}

/**
 * How many questions were answered, and how many rightly.
 * @param {Scene[]} scenes
 * @param {Map<number, number>} picked options by scene
 */
export function tally(scenes, picked) {
  const right = [...picked].filter(([scene, option]) => scenes[scene].predict?.answer === option);
  return { right: right.length, asked: picked.size };
}

/**
 * Where the talk stands, and how the audience has guessed.
 * @param {Scene[]} scenes
 * @param {At} at
 * @param {Map<number, number>} picked options by scene
 */
export function standing(scenes, { scene }, picked) {
  const { right, asked } = tally(scenes, picked);
  const place = `${scene + 1} / ${scenes.length}`;
  return asked ? `✓ ${right} / ${asked} · ${place}` : place;
}

/** Where the storyboard's own scene stands; those from the hall come behind it. @param {Scene[]} scenes @param {number} place */
function ownScene(scenes, place) {
  return scenes.findIndex((scene) => scene.place === place);
}

/** A place as a link says it: the storyboard's scene from 1, the clicks, and how manyth from the hall after that scene.
 * @param {At} at @param {Scene[]} scenes */
export function linkOf({ scene, stop }, scenes) {
  const { place } = scenes[scene];
  const hall = scene - ownScene(scenes, place);
  return `scene=${place + 1}&click=${stop}${hall ? `&hall=${hall}` : ""}`;
}

/** The place that a link names; null where it names none. @param {string} link @param {Scene[]} scenes @returns {At | null} */
export function placeIn(link, scenes) {
  const said = new URLSearchParams(link.replace(/^[#?]/, ""));
  const number = (/** @type {string} */ name) => Number(/^\d{1,4}$/.exec(said.get(name) ?? "")?.[0] ?? 0);
  const place = number("scene") - 1;
  const own = ownScene(scenes, place);
  if (place < 0 || own < 0) return null;
  const hall = own + number("hall");
  if (scenes[hall]?.place !== place) return { scene: own, stop: 0 }; // the hall's scenes do not outlive the page
  return { scene: hall, stop: Math.min(number("click"), lastStop(scenes[hall])) };
}

/** Minutes and seconds. @param {number} seconds */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
