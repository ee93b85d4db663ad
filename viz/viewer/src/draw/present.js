// The whole screen for the picture, where the browser lets the page have it.

/** @param {Document} document @param {boolean} on */
export function fullScreen(document, on) {
  const asked = on
    ? document.documentElement.requestFullscreen?.()
    : document.fullscreenElement && document.exitFullscreen();
  Promise.resolve(asked).catch(() => {}); // a page within a page may not; its presenter mode fills its frame
}

/** Whoever leaves the full screen by the browser's own key leaves presenter mode. @param {import("../viewer.js").Viewer} viewer */
export function whenFullScreenEnds(viewer) {
  const { ownerDocument } = viewer.root;
  ownerDocument.addEventListener("fullscreenchange", () => {
    if (!ownerDocument.fullscreenElement && viewer.state.present && !viewer.root.inert)
      viewer.change({ present: false });
  });
}
