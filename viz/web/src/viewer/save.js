// Pictures of what is drawn large, as files.
import { make } from "../ui/dom.js";
import { pictureOf } from "../map/picture.js";

const PIXELS = 3; // of a PNG for each unit of its drawing

/** @param {Blob} blob @param {string} name */
function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * A drawing as pixels.
 * @param {string} svg
 * @returns {Promise<Blob>}
 */
export async function pixelsOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = make("canvas", { width: image.width * PIXELS, height: image.height * PIXELS });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ made) => canvas.toBlob(made, "image/png"));
  if (!blob) throw new Error("the picture is too large for this browser");
  return blob;
}

/** @param {import("./viewer.js").Viewer} viewer @param {string} format "png" or "svg" */
export async function save(viewer, format) {
  const svg = pictureOf(viewer);
  const blob = format === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await pixelsOf(svg);
  download(blob, `headlight-${viewer.state.heads.slice(0, 6).join("-")}-${viewer.state.method}.${format}`);
}
