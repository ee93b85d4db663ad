// Memory of large arrays, given back now and not when the browser comes to it.

/** Let go of what arrays hold; they are empty afterwards. @param {({ buffer: ArrayBufferLike } | undefined)[]} arrays */
export function letGo(...arrays) {
  for (const each of arrays) {
    if (each?.buffer.byteLength) /** @type {any} */ (each.buffer).transfer?.(0); // beams share what they came from
  }
}
