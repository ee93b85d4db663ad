import { Component, mounted } from "../../ui/component.js";
import "./pin_keeper.html";

const NAME = "headlight-pinboard";

/**
 * Keeps the pinboard in this browser, where a reload does not reach it. What it finds there it hands over once; Python
 * reads it as it reads any file.
 * @extends {Component<{ board: string, known: boolean }>}
 */
class PinKeeper extends Component {
  /** @type {string | null} */
  handed = null;

  /** @param {{ board: string, known: boolean }} data */
  update({ board, known }) {
    const kept = stored();
    if (!known && kept && kept !== board) this.hand(kept);
    else if (board !== kept) keep(board);
  }

  /** @param {string} kept */
  hand(kept) {
    if (this.handed === kept) return;
    this.handed = kept;
    this.setTriggerValue("found", { board: kept });
  }
}

function stored() {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return ""; // a browser may keep nothing
  }
}

/** @param {string} board */
function keep(board) {
  try {
    if (board) localStorage.setItem(NAME, board);
    else localStorage.removeItem(NAME);
  } catch {
    // it lasts as long as the page
  }
}

export default mounted(PinKeeper);
