import { Component, mounted } from "../shared/component.js";

// Plotly's mode bar downloads one format only; here its button is pressed with the format asked for.
function download({ chart, filename, scale }, format) {
  const plot = document.querySelector(`.st-key-${CSS.escape(chart)} .js-plotly-plot`);
  const camera = plot?.querySelector('.modebar-btn[data-title^="Download"]');
  if (!camera) return;
  const before = plot._context.toImageButtonOptions;
  plot._context.toImageButtonOptions = { format, filename, scale: format === "png" ? scale : 1 };
  camera.click();
  plot._context.toImageButtonOptions = before;
}

class PictureButtons extends Component {
  update(data) {
    for (const button of this.root.querySelectorAll("[data-format]")) {
      button.setAttribute("aria-label", data.labels[button.dataset.format]);
      button.title = data.labels[button.dataset.format];
      button.onclick = () => download(data, button.dataset.format);
    }
  }
}

export default mounted(PictureButtons);
