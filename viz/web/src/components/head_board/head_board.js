import { mounted } from "../../ui/component.js";
import { HeadCells } from "../../grid/head_cells.js";
import { colourAt, paint } from "../../ui/shared.js";
import "./head_board.css";

class HeadBoard extends HeadCells {
  update(data) {
    const size = (values) => ({ layers: values.length, heads: values[0]?.length ?? 0 });
    this.lay(
      data.kinds.map(({ kind, values }) => ({ kind, ...size(values) })),
      data.signed,
    );
    this.part("low").textContent = data.low;
    this.part("high").textContent = data.high;
    this.blocks.forEach((block, i) => this.describe(block, data.kinds[i]));
    this.point(null);
  }

  build(kinds) {
    super.build(kinds);
    this.blocks.forEach(({ grid }, i) => {
      grid.style.gridTemplateColumns = `1.75rem repeat(${kinds[i].heads}, minmax(0, 1fr))`;
    });
  }

  // Colours and numbers of one kind's cells.
  describe({ title, grid, cells }, { title: name, values, texts, long }) {
    title.textContent = name;
    grid.setAttribute("aria-label", name);
    const { selected, top, signed } = this.data;
    cells.forEach((row, layer) =>
      row.forEach((cell, head) => {
        const value = values[layer][head];
        const part = value === null ? 0 : value / (top || 1);
        paint(cell, colourAt(this.table, signed ? 0.5 + 0.5 * part : part));
        cell.classList.toggle("nothing", value === null);
        cell.textContent = texts[layer][head];
        cell.dataset.value = value ?? "";
        cell.said = `${name} L${layer} H${head}: ${long[layer][head]}`;
        this.mark(cell, selected);
        cell.setAttribute("aria-label", cell.said);
      }),
    );
  }

  said(cell) {
    return cell.said;
  }
}

export default mounted(HeadBoard);
