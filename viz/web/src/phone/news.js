// What a class tells its phones: asked for again and again, by the phones' page and by the page that translates by itself.

/**
 * @typedef {[string, string]} Both English and Chinese; one of them may be empty.
 * @typedef {{ title: Both, rows: string[], columns: string[], values: number[][] }} Picture A map, [row][column], in hundredths.
 * @typedef {object} News What the class tells a phone.
 * @property {string} version
 * @property {boolean} asking whether answers are taken
 * @property {string} [question] its name; without one nothing is asked
 * @property {"choice" | "token" | "head" | "number"} [kind]
 * @property {Both} [ask]
 * @property {Both[]} [options]
 * @property {number | null} [right] which option is, once that has been shown
 * @property {string | null} [mine] this phone's answer
 * @property {string} [half] of a hall of two
 * @property {Picture} [picture] of that half
 * @property {{ link: string, opens: boolean }} [scene] what is on stage
 */

const [SOON, LATE] = [500, 10000]; // milliseconds until it is asked again, where there is no answer

/** The class refuses, and says by which word. */
export class Refused extends Error {}

/**
 * Says something to a class.
 * @param {string | URL} root the address of the class
 * @param {string} verb
 * @param {Record<string, unknown>} said
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} its answer, or null for no news
 */
export async function tell(root, verb, said, signal) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${root}/${verb}`, { method: "POST", headers, body: JSON.stringify(said), signal });
  if (answer.status === 204) return null;
  const found = await answer.json();
  if (!answer.ok) throw new Refused(found.error);
  return found;
}

/** The word that a class refuses by; "" where it was the network, or the server. @param {unknown} error */
export function wordOf(error) {
  return error instanceof Refused ? error.message : "";
}

/**
 * Hears the news of a class until it is given up.
 * @param {() => Promise<News | null>} ask
 * @param {(news: News) => void} hear
 * @param {(word: string) => number | null} refused hears why there is no answer; milliseconds to wait at least, null to give up
 * @param {(milliseconds: number) => Promise<unknown>} pause
 */
export async function follow(ask, hear, refused, pause) {
  for (let wait = SOON; ;) {
    let least;
    try {
      const news = await ask();
      wait = SOON;
      if (news) hear(news);
      continue;
    } catch (error) {
      least = refused(wordOf(error));
    }
    if (least === null) return;
    await pause(Math.max(wait, least));
    wait = Math.min(2 * wait, LATE);
  }
}
