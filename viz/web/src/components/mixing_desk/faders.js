// Gains of every head in percent, by kind; in a place null stands for all layers or heads.

/** @typedef {{ kind: number, layer: number | null, head: number | null }} Place */
/** @typedef {{ kind: string, title: string, layers: number, heads: number, gains: number[] }} DeskKind */

export class Faders {
  /** @param {DeskKind[]} kinds */
  constructor(kinds) {
    this.kinds = kinds;
    this.gains = kinds.map(({ gains }) => [...gains]);
  }

  get all() {
    return this.gains.flat();
  }

  reset() {
    for (const gains of this.gains) gains.fill(100);
  }

  /** Places of the gains that a head, a layer or a kind stands for. @param {Place} place */
  indices({ kind, layer, head }) {
    const { layers, heads } = this.kinds[kind];
    if (layer === null) return Array.from({ length: layers * heads }, (_, i) => i);
    return head === null ? Array.from({ length: heads }, (_, i) => layer * heads + i) : [layer * heads + head];
  }

  /** The gain that all of it has, or null. @param {Place} place */
  common(place) {
    const gains = this.indices(place).map((i) => this.gains[place.kind][i]);
    return gains.every((gain) => gain === gains[0]) ? gains[0] : null;
  }

  /** @param {Place} place @param {number} gain */
  set(place, gain) {
    for (const i of this.indices(place)) this.gains[place.kind][i] = gain;
  }

  /** The other heads of its layer, layers of its kind, or kinds. @param {Place} place @returns {Place[]} */
  siblings({ kind, layer, head }) {
    const { layers, heads } = this.kinds[kind];
    const places = (/** @type {number} */ count, /** @type {(i: number) => Place} */ place) =>
      Array.from({ length: count }, (_, i) => place(i));
    if (layer === null)
      return places(this.gains.length, (i) => ({ kind: i, layer, head })).filter((each) => each.kind !== kind);
    if (head === null) return places(layers, (i) => ({ kind, layer: i, head })).filter((each) => each.layer !== layer);
    return places(heads, (i) => ({ kind, layer, head: i })).filter((each) => each.head !== head);
  }

  /** @param {Place} place */
  isOnlyMuted(place) {
    return this.common(place) === 0 && this.all.filter((gain) => gain !== 100).length === this.indices(place).length;
  }

  /** This at 0 and all else at 1; where it is so already, all at 1. @param {Place} place */
  muteOnly(place) {
    const gain = this.isOnlyMuted(place) ? 100 : 0;
    this.reset();
    this.set(place, gain);
  }

  /** @param {Place} place */
  isSolo(place) {
    const others = this.siblings(place);
    return others.length > 0 && this.common(place) !== 0 && others.every((each) => this.common(each) === 0);
  }

  /** @param {Place} place */
  solo(place) {
    const gain = this.isSolo(place) ? 100 : 0;
    for (const each of this.siblings(place)) this.set(each, gain);
    if (this.common(place) === 0) this.set(place, 100);
  }
}
