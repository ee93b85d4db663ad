import { Component, mounted } from "../../ui/component.js";
import { Preview } from "../../ui/preview.js";
import { bytesOf, colourAt, colourTable, make, makeButton, unpackCoarse, whenPointed } from "../../ui/shared.js";
import { smallPainter } from "../../map/small_map.js";
import "./head_list.css";

const SIDE = 70; // of a small map, in CSS pixels

class HeadList extends Component {
  constructor(root) {
    super(root);
    this.cards = this.part("cards");
    this.preview = new Preview(root);
    const card = (event) => event.target.closest?.(".card") ?? null;
    whenPointed(this.cards, card, (found) => this.point(found));
    this.cards.addEventListener("click", (event) => card(event) && this.setTriggerValue("open", card(event).place));
  }

  update(data) {
    this.table = colourTable(data.look.scale);
    this.shades = Array.from({ length: 256 }, (_, byte) => colourAt(this.table, (byte / 255) ** 2));
    this.cards.setAttribute("aria-label", data.labels.list);
    this.cards.replaceChildren(...data.heads.map((head, i) => this.item(head, i)));
    this.point(null);
  }

  item(head, rank) {
    const { axes, labels, selected } = this.data;
    const card = makeButton("card");
    const { kind, layer, head: number } = head;
    card.place = { kind, layer, head: number };
    Object.assign(card.dataset, { kind, layer, head: number, rank, value: head.value });
    const chosen = selected && selected.kind === kind && selected.layer === layer && selected.head === number;
    card.classList.toggle("selected", Boolean(chosen));
    const bar = make("span", "bar");
    bar.style.setProperty("--share", `${Math.round(100 * Math.min(1, Math.max(0, head.share)))}%`);
    card.map = { rows: axes[kind].rows, columns: axes[kind].columns, values: unpackCoarse(head.map), low: 0, high: 1 };
    card.append(this.picture(axes[kind], bytesOf(head.map)), make("b", "", head.title));
    card.append(make("span", "value", head.said), bar, make("span", "note", head.note));
    card.setAttribute("aria-label", `${rank + 1}. ${head.title}: ${head.said}. ${head.note} ${labels.open}`);
    const item = make("li");
    item.append(card);
    return item;
  }

  // The map at a fixed size.
  picture(axes, bytes) {
    const canvas = make("canvas");
    canvas.setAttribute("aria-hidden", "true");
    canvas.style.width = canvas.style.height = `${SIDE}px`;
    const pixels = Math.round(SIDE * (window.devicePixelRatio || 1));
    canvas.width = canvas.height = pixels;
    const context = canvas.getContext("2d");
    const image = context.createImageData(pixels, pixels);
    if (bytes.length) smallPainter(image, [axes.rows.length, axes.columns.length], 0)(bytes, this.shades);
    context.putImageData(image, 0, 0);
    return canvas;
  }

  point(card) {
    if (!card) {
      this.preview.hide();
      return;
    }
    const map = { ...card.map, table: this.table };
    const head = this.data.heads[Number(card.dataset.rank)];
    this.preview.show(map, this.data.look, head.title, head.said, card.dataset);
    this.preview.stand(card, this.cards);
  }
}

export default mounted(HeadList);
