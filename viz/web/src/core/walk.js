// From one head to another: what a click, an arrow or a digit changes of what is chosen.
import { codeOf, headOf, sortOf } from "./heads.js";

/** @import { State, Trace, KindPart } from "../types.js" */
/** @typedef {Partial<State>} Patch */

/** @param {Trace} trace @param {State} state */
function first(trace, state) {
  return /** @type {import("../types.js").Head} */ (headOf(trace, state.heads[0]));
}

/**
 * The state with another first head; heads beside it stay, a combination ends.
 * @param {State} state
 * @param {string} code
 * @returns {Patch}
 */
function led(state, code) {
  if (state.together === "mean" || state.together === "max") return { heads: [code], together: "side" };
  return { heads: [code, ...state.heads.slice(1).filter((other) => other !== code)] };
}

/**
 * A head that was clicked; a whole layer, or the same head of all layers, where a name was.
 * @param {State} state
 * @param {KindPart} kind
 * @param {import("../grid/grid.js").Cell} cell
 * @param {boolean} more beside those that are chosen
 * @returns {Patch}
 */
export function opened(state, kind, { layer, head }, more) {
  const view = state.view === "all" && !more ? "map" : state.view;
  if (layer === null || head === null) {
    const count = layer === null ? kind.layers : kind.heads;
    const codes = Array.from({ length: count }, (_, i) => codeOf(kind, layer ?? i, head ?? i));
    const together = state.together === "max" ? "max" : "mean";
    const others = more ? state.heads.filter((code) => code[0] === kind.letter && !codes.includes(code)) : [];
    return { view, together, heads: [...others, ...codes] };
  }
  const code = codeOf(kind, layer, head);
  if (!more) return { view, heads: [code], together: "side" };
  const left = state.heads.filter((other) => other !== code);
  return { view, heads: left.length < state.heads.length && left.length ? left : [...left, code] };
}

/**
 * So many layers down and heads to the right, round the ends.
 * @param {Trace} trace
 * @param {State} state
 * @param {number} down
 * @param {number} right
 */
export function stepped(trace, state, down, right) {
  const { kind, layer, head } = first(trace, state);
  const at = (/** @type {number} */ place, /** @type {number} */ count) => (place + count) % count;
  return led(state, codeOf(kind, at(layer + down, kind.layers), at(head + right, kind.heads)));
}

/**
 * Head `digit` of the same layer, or layer `digit` of the same head; as it was where there is none.
 * @param {Trace} trace
 * @param {State} state
 * @param {number} digit
 * @param {boolean} isLayer
 */
export function gone(trace, state, digit, isLayer) {
  const { kind, layer, head } = first(trace, state);
  const code = isLayer ? codeOf(kind, digit, head) : codeOf(kind, layer, digit);
  return headOf(trace, code) ? led(state, code) : {};
}

/**
 * The same place in another kind, or the nearest that it has.
 * @param {Trace} trace
 * @param {State} state
 * @param {KindPart} kind
 * @returns {Patch}
 */
export function moved(trace, state, kind) {
  const { layer, head } = first(trace, state);
  const code = codeOf(kind, Math.min(layer, kind.layers - 1), Math.min(head, kind.heads - 1));
  return { heads: [code], together: "side", view: state.view === "all" ? "map" : state.view };
}

/** @param {Trace} trace @param {State} state */
export function nextKind(trace, state) {
  const { maps } = sortOf(trace, state.method);
  const kinds = trace.header.kinds.filter(({ kind }) => kind in maps);
  const at = kinds.indexOf(first(trace, state).kind);
  return moved(trace, state, kinds[(at + 1) % kinds.length]);
}

/**
 * One thing less: what is pinned, then the heads beside the first, then another view.
 * @param {State} state
 * @returns {Patch}
 */
export function less(state) {
  if (state.rows.length || state.columns.length) return { rows: [], columns: [] };
  if (state.heads.length > 1) return { heads: state.heads.slice(0, 1), together: "side" };
  return state.present ? { present: false } : { view: "map" };
}
