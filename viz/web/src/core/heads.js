// Heads by their codes, and the maps that a state asks for.
import { rawMap, valuesOf } from "./payload.js";
import { axesOf, combine, largest, read } from "./reading.js";

/** @import { Trace, State, Head, Panel } from "../types.js" */
/** @typedef {{ rows: import("../types.js").Label[], columns: import("../types.js").Label[] }} Axes */

/**
 * @typedef {object} Kept Readings of a kind's heads; a hole where none was asked for.
 * @property {import("../types.js").SortPart} sort
 * @property {Axes} axes
 * @property {import("../types.js").Reading[]} readings
 */

export const MOST_BESIDE = 6;
const MOST_KEPT = 12; // readings of all heads of a kind
const BLANK = { text: "", special: false, places: [], keys: [], beside: "" };

/**
 * @param {Trace} trace
 * @param {string} code
 * @returns {Head | null}
 */
export function headOf({ header }, code) {
  const kind = header.kinds.find(({ letter }) => letter === code[0]);
  const [layer, head] = code.slice(1).split(".").map(Number);
  return kind && layer < kind.layers && head < kind.heads ? { code, kind, layer, head } : null;
}

/** @param {import("../types.js").KindPart} kind @param {number} layer @param {number} head */
export function codeOf(kind, layer, head) {
  return `${kind.letter}${layer}.${head}`;
}

/** @param {Head} head */
export function titleOf({ layer, head }) {
  return `L${layer} H${head}`;
}

/** @param {Trace} trace @param {string} method */
export function sortOf({ header }, method) {
  return header.sorts.find(({ name }) => name === method) ?? header.sorts[0];
}

/** Whether the maps of a sort are there. @param {Trace} trace @param {string} method */
export function has({ header }, method) {
  return header.sorts.some(({ name }) => name === method);
}

/**
 * The state without what this trace does not have; with a head, whatever it was.
 * @param {Trace} trace
 * @param {State} state
 * @returns {State}
 */
export function settled(trace, state) {
  const sort = sortOf(trace, state.method);
  const kinds = trace.header.kinds.filter(({ kind }) => kind in sort.maps);
  const known = state.heads.filter((code) => kinds.some(({ letter }) => letter === headOf(trace, code)?.kind.letter));
  const heads = known.length ? known : [codeOf(kinds[kinds.length - 1], 0, 0)];
  const shift = sort.written ? "written" : state.shift; // such a row is about what its step writes
  const together = trace.supply?.holds(heads.length) === false ? "side" : state.together;
  return {
    ...state,
    shift,
    method: sort.name,
    together,
    heads: together === "side" ? heads.slice(0, MOST_BESIDE) : heads,
  };
}

/** Reads maps of a trace when they are asked for, and keeps what it has read. */
export class Reader {
  /** @param {Trace} trace */
  constructor(trace) {
    this.trace = trace;
    /** @type {Map<string, Kept>} */
    this.kept = new Map();
  }

  /**
   * One head, read as the state asks.
   * @param {Head} head
   * @param {State} state
   * @returns {import("../types.js").Reading}
   */
  one(head, state) {
    const { kind, layer, head: number } = head;
    const kept = this.keptOf(kind, state);
    const at = layer * kind.heads + number;
    const wide = this.trace.header.tokens[kind.columns].texts.length;
    if (kept.readings[at]) return kept.readings[at];
    const { supply } = this.trace;
    const found = read(rawMap(this.trace, kept.sort, head), wide, kept.axes, kept.sort, state.hide_special);
    if (!supply) kept.readings[at] = found;
    return found;
  }

  /** A head in the few pixels that were sent of it; null where all of it was sent. @param {Head} head @returns {Panel | null} */
  small({ kind, layer, head }) {
    const { supply, header } = this.trace;
    if (!supply) return null;
    const { bytes, down, across } = supply.small(kind, layer, head);
    const { signed, maps } = header.sorts[0];
    const { high } = maps[kind.kind];
    const values = valuesOf(bytes, { signed }, high);
    const blank = (/** @type {number} */ length) => Array.from({ length }, () => BLANK);
    const reading = { rows: blank(down), columns: blank(across), values, top: largest(values) };
    return { title: "", kind, reading, signed, high: Math.max(high, reading.top), unit: high / 255 };
  }

  /** @param {import("../types.js").KindPart} kind @param {State} state @returns {Kept} */
  keptOf(kind, state) {
    const name = [kind.kind, state.method, state.words, state.hide_special, state.shift].join();
    const axes = () => axesOf(this.trace.header, kind, state);
    const found = this.kept.get(name) ?? { sort: sortOf(this.trace, state.method), axes: axes(), readings: [] };
    this.kept.delete(name);
    this.kept.set(name, found);
    if (this.kept.size > MOST_KEPT) this.kept.delete(/** @type {string} */ (this.kept.keys().next().value));
    return found;
  }

  /**
   * The maps that are drawn large: one a head, two heads and their difference, or several heads as one.
   * @param {State} state
   * @returns {Panel[]}
   */
  panels(state) {
    const { words } = this.trace.header;
    const found = state.heads.map((code) => headOf(this.trace, code));
    const heads = /** @type {Head[]} */ (found.filter(Boolean));
    const alike = heads.filter(({ kind }) => kind === heads[0].kind);
    if (state.together === "side" || alike.length < 2)
      return heads.slice(0, MOST_BESIDE).map((head) => this.panel(head, state));
    if (state.together === "difference") {
      const [a, b] = alike.slice(0, 2).map((head) => this.panel(head, state));
      const values = a.reading.values.map((value, i) => value - b.reading.values[i]);
      const reading = { ...a.reading, values, top: largest(values) };
      const title = `${titleOf(alike[0])} − ${titleOf(alike[1])}`;
      return [a, b, { ...a, title, reading, signed: true, unit: 2 * a.unit }];
    }
    const name = words[`${state.together}_of`].replace("{heads}", named(alike));
    return [this.combined(alike, state.together, state, `${alike[0].kind.title} · ${name}`)];
  }

  /**
   * @param {Head[]} heads of one kind
   * @param {"mean" | "max"} how
   * @param {State} state
   * @param {string} title
   */
  combined(heads, how, state, title) {
    const sort = sortOf(this.trace, state.method);
    const raw = combine(
      heads.map((head) => rawMap(this.trace, sort, head)),
      how,
    );
    const wide = this.trace.header.tokens[heads[0].kind.columns].texts.length;
    const reading = read(raw, wide, axesOf(this.trace.header, heads[0].kind, state), sort, state.hide_special);
    const one = this.panel(heads[0], state);
    return { ...one, title, reading, high: Math.max(sort.maps[one.kind.kind].high, reading.top) };
  }

  /** @param {Head} head @param {State} state @returns {Panel} */
  panel(head, state) {
    const sort = sortOf(this.trace, state.method);
    const { high } = sort.maps[head.kind.kind];
    const reading = this.one(head, state);
    const whose = sort.whose ? sort.whose.replace("{layer}", String(head.layer)) : titleOf(head);
    const title = `${head.kind.title} · ${whose}`;
    const unit = high / (sort.signed ? 254 : 255);
    return {
      title,
      kind: head.kind,
      reading,
      signed: sort.signed,
      high: Math.max(high, reading.top),
      unit,
    };
  }
}

/** @param {Head[]} heads */
function named(heads) {
  const { kind } = heads[0];
  if (heads.length === kind.layers * kind.heads) return `${kind.layers} × ${kind.heads}`;
  const layers = [...new Set(heads.map(({ layer }) => layer))];
  if (heads.length === layers.length * kind.heads) return layers.map((layer) => `L${layer}`).join(", ");
  return heads.map(titleOf).join(", ");
}
