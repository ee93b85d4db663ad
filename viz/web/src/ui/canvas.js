// Canvases as sharp as the screen, the cells of a map on them, and how wide texts are.
import { pixelsOf } from "../core/colours.js";

/**
 * A canvas of so many CSS pixels, cleared, ready to draw in them.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  if (canvas.width !== wide || canvas.height !== high) {
    [canvas.width, canvas.height] = [wide, high];
    canvas.style.width = `${wide / ratio}px`;
    canvas.style.height = `${high / ratio}px`;
  } else {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, wide, high);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

const small = typeof document === "undefined" ? null : document.createElement("canvas");

/**
 * A map with one pixel a cell, on a canvas that the next call uses again; to be drawn larger without smoothing.
 * @param {Float32Array} values row by row
 * @param {number} wide columns
 * @param {import("../types.js").Scale} scale
 * @param {Uint32Array} inks
 */
export function pixelated(values, wide, scale, inks) {
  const canvas = /** @type {HTMLCanvasElement} */ (small);
  [canvas.width, canvas.height] = [wide, values.length / wide];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = context.createImageData(canvas.width, canvas.height);
  pixelsOf(values, scale, inks, new Uint32Array(image.data.buffer));
  context.putImageData(image, 0, 0);
  return canvas;
}

const MOST_KNOWN = 5000; // widths, and as many texts cut short

/** Measures texts, each once. */
export class Ruler {
  /** @param {string} fonts */
  constructor(fonts) {
    this.context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
    this.context.font = `100px ${fonts}`;
    /** @type {Map<string, number>} */
    this.known = new Map();
  }

  /** Width of a text in type of 1 px. @param {string} text */
  width(text) {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    if (this.known.size > MOST_KNOWN) this.known.clear();
    const width = this.context.measureText(text).width / 100;
    this.known.set(text, width);
    return width;
  }

  /** @param {{ text: string }[]} labels */
  widths(labels) {
    return labels.map(({ text }) => this.width(text));
  }

  /**
   * The text, cut short where its room is too small.
   * @param {string} text
   * @param {number} room in px
   * @param {number} type in px
   */
  elided(text, room, type) {
    if (this.width(text) * type <= room) return text;
    const letters = Array.from(text);
    while (letters.length > 1 && (this.width(letters.join("")) + this.width("…")) * type > room) letters.pop();
    return `${letters.join("")}…`;
  }
}
