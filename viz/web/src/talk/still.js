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
    this.inner = make("div", { className: "still-inner" });
    this.element = make("div", { className: "still" }, this.inner);
  }

  /** Shows it in a look, mounted only then, since nothing has a size out of sight. @param {Look} look @param {boolean} dark */
  show(look, dark) {
    const wanted = dark ? "dark" : "light";
    dress(this.element, look);
    if (this.look === wanted) return this.fit();
    this.look = wanted;
    const template = document.getElementById(`${this.id}-${wanted}`);
    const host = make("div");
    this.inner.replaceChildren(host);
    const shadow = host.attachShadow({ mode: "open" });
    if (template instanceof HTMLTemplateElement) shadow.append(document.importNode(template.content, true));
    for (const place of shadow.querySelectorAll("[data-part]"))
      this.mount(/** @type {HTMLElement} */ (place), this.parts[wanted][Number(place.getAttribute("data-part"))]);
    this.fit();
    setTimeout(() => this.fit(), 60); // once what was mounted has measured itself
    setTimeout(() => this.fit(), 400);
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

  /** As large as its room allows, from a width at which all of it is seen. */
  fit() {
    const { clientWidth: wide, clientHeight: high } = this.element;
    if (!wide || !high) return;
    const { style } = this.inner;
    let [low, top] = [LEAST, MOST];
    for (let i = 0; i < 7; i++) {
      const zoom = (low + top) / 2;
      if (this.needs(zoom, wide) <= high) low = zoom;
      else top = zoom;
    }
    this.needs(low, wide);
    style.zoom = String(low);
  }

  /** The height that it takes at a zoom. @param {number} zoom @param {number} wide */
  needs(zoom, wide) {
    const { inner } = this;
    inner.style.zoom = String(zoom);
    inner.style.width = `${wide / zoom}px`;
    const isTooWide = inner.scrollWidth > inner.clientWidth + 1;
    return isTooWide ? Infinity : inner.getBoundingClientRect().height;
  }

  /** The same, small, without being mounted anew: its name stands for it. @param {string} textContent */
  static card(textContent) {
    return make("b", { className: "still-card", textContent });
  }
}

/** @param {HTMLElement} place @param {Record<string, any>} figure */
async function drawn(place, { data, layout }) {
  const plotly = /** @type {{ Plotly?: Plotly }} */ (/** @type {unknown} */ (window)).Plotly;
  await plotly?.newPlot(place, data, layout, { staticPlot: true, responsive: true });
}
