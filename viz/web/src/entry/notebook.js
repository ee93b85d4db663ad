// The bundle of the viewer in a notebook: what anywidget imports.
import { render } from "../notebook/notebook.js";

export default { render };
