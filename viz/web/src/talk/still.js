// A scene that is a picture of some view, as it was pinned: its parts lie in the page, its components are mounted here.
import { dress } from "../ui/theme.js";
import { make } from "../ui/dom.js";

/** @typedef {import("../types.js").Look} Look */
/** @typedef {(given: import("../types.js").Mounting<any>) => () => void} Mount */
/** @typedef {{ newPlot: (element: HTMLElement, data: unknown, layout: unknown, config: unknown) => Promise<unknown> }} Plotly */

/**
 * @typedef {object} StillPart What is drawn at one place of a still.
 * @property {string} name of the component; "figure" for one of Plotly's
 * @property {Record<string, any>} data
 */

const [LEAST, MOST] = [0.5, 2.4]; // how small and how large a still may be shown; at LEAST it scrolls
const STEPS = 6; // of the search for the largest size at which all is seen
const MOST_WAITED = 120; // ms, for what is mounted to draw itself at a width; a page out of sight draws nothing

export class Still {
  /**
   * @param {string} id of its template
   * @param {Record<string, StillPart[]>} parts by its look, "light" or "dark"
   * @param {Record<string, Mount>} mounts
   */
  constructor(id, parts, mounts) {
    this.id = id;
    this.parts = parts;
    this.mounts = mounts;
    this.look = "";
    this.fitted = ""; // size and look that it was last fitted to
    this.inner = make("div", { className: "still-inner" });
    this.element = make("div", { className: "still" }, this.inner);
    this.inner.inert = true; // nothing in it leads anywhere
  }

  /** Shows it in a look, mounted only then, since nothing has a size out of sight. @param {Look} look @param {boolean} dark */
  show(look, dark) {
    const wanted = dark ? "dark" : "light";
    dress(this.element, look);
    if (this.look === wanted) return void this.fit();
    this.look = wanted;
    const template = document.getElementById(`${this.id}-${wanted}`);
    const host = make("div");
    this.inner.replaceChildren(host);
    const shadow = host.attachShadow({ mode: "open" });
    if (template instanceof HTMLTemplateElement) shadow.append(document.importNode(template.content, true));
    for (const place of shadow.querySelectorAll("[data-part]"))
      this.mount(/** @type {HTMLElement} */ (place), this.parts[wanted][Number(place.getAttribute("data-part"))]);
    void this.fit();
  }

  /** @param {HTMLElement} place @param {StillPart | undefined} part */
  mount(place, part) {
    if (!part) return;
    if (part.name === "figure") return void drawn(place, part.data);
    const markup = document.getElementById(`component-${part.name}`);
    const shadow = place.attachShadow({ mode: "open" });
    if (markup instanceof HTMLTemplateElement) shadow.append(document.importNode(markup.content, true));
    const nothing = () => {};
    this.mounts[part.name]?.({
      data: part.data,
      parentElement: /** @type {any} */ (shadow),
      setTriggerValue: nothing,
      setStateValue: nothing,
    });
  }

  /** As large as its room allows: from the width at which all of it is seen. What is mounted measures itself unscaled. */
  async fit() {
    const { clientWidth: wide, clientHeight: high } = this.element;
    const asked = [wide, high, this.look].join();
    if (!wide || !high || asked === this.fitted) return;
    this.fitted = asked;
    const { inner } = this;
    inner.style.visibility = "hidden";
    let [low, top] = [LEAST, MOST];
    for (let i = 0; i <= STEPS; i++) {
      const scale = i < STEPS ? (low + top) / 2 : low;
      inner.style.transform = "none";
      inner.style.width = `${wide / scale}px`;
      await settled();
      if (this.fitted !== asked) return; // another size came meanwhile
      const fits = inner.scrollHeight * scale <= high && inner.scrollWidth <= inner.clientWidth + 1;
      if (fits) low = scale;
      else top = scale;
    }
    const left = Math.max(0, (wide - inner.scrollWidth * low) / 2);
    inner.style.transform = `translateX(${left}px) scale(${low})`;
    inner.style.visibility = "";
  }

  /** The same, small, without being mounted anew: its name stands for it. @param {string} textContent */
  static card(textContent) {
    return make("b", { className: "still-card", textContent });
  }
}

/** When what was given another size has drawn itself anew. @returns {Promise<void>} */
function settled() {
  return new Promise((resolve) => {
    setTimeout(resolve, MOST_WAITED);
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });
}

/** @param {HTMLElement} place @param {Record<string, any>} figure */
async function drawn(place, { data, layout }) {
  const plotly = /** @type {{ Plotly?: Plotly }} */ (/** @type {unknown} */ (window)).Plotly;
  await plotly?.newPlot(place, data, layout, { staticPlot: true, responsive: true });
}
