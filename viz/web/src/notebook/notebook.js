// In a notebook: one viewer in the output of a cell. It tells Python what is chosen, and follows what Python chooses.
import { Supply } from "../core/supply.js";
import { readMessage } from "../core/payload.js";
import { write } from "../core/state.js";
import { Component } from "../ui/component.js";
import { make } from "../ui/dom.js";
import { Viewer } from "../viewer/viewer.js";

/**
 * @typedef {object} Model What anywidget hands over: the traits of the widget in Python.
 * @property {(name: string) => any} get
 * @property {(name: string, value: unknown) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, heard: (...said: any[]) => void) => void} on
 * @property {(event: string, heard: (...said: any[]) => void) => void} off
 * @property {(said: unknown) => void} send
 */

const THEMES = ["class", "data-theme", "data-jp-theme-light", "data-vscode-theme-kind"]; // who says which theme there is

/** Whether the notebook is dark: JupyterLab, VS Code and marimo each say it in their own way. */
function isDark({ documentElement, body } = document) {
  const { jpThemeLight, vscodeThemeKind } = body.dataset;
  if (jpThemeLight) return jpThemeLight === "false";
  if (vscodeThemeKind) return vscodeThemeKind !== "vscode-light" && vscodeThemeKind !== "vscode-high-contrast-light";
  const said = [documentElement, body].map((each) => `${each.className} ${each.dataset.theme ?? ""}`).join(" ");
  if (/(^|\s)(dark|dark-theme|light|light-theme)(\s|$)/.test(said)) return /(^|\s)dark/.test(said);
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @extends {Component<Model>} */
class Notebook extends Component {
  /** @param {HTMLElement} root @param {Model} model */
  constructor(root, model) {
    super(root);
    this.data = model;
    /** @type {Viewer | null} */
    this.viewer = null;
    this.hear("change:link", () => this.viewer?.follow(model.get("link")));
    this.hear("change:_message", () => this.show());
    this.hear("msg:custom", (said, buffers) => this.got(said, buffers));
    const observer = new MutationObserver(() => this.viewer?.turn(isDark()));
    for (const each of [document.documentElement, document.body])
      observer.observe(each, { attributes: true, attributeFilter: THEMES });
    this.ends.push(() => observer.disconnect());
    this.listen(matchMedia("(prefers-color-scheme: dark)"), "change", () => this.viewer?.turn(isDark()));
    this.show();
  }

  /** @param {string} event @param {(...said: any[]) => void} heard */
  hear(event, heard) {
    this.data.on(event, heard);
    this.ends.push(() => this.data.off(event, heard));
  }

  show() {
    this.viewer?.dispose();
    const sent = this.data.get("_message");
    const trace = readMessage(new Uint8Array(sent.buffer ?? sent, sent.byteOffset ?? 0, sent.byteLength));
    if (this.data.get("_asks")) trace.supply = new Supply(trace, (code) => this.data.send({ ask: code }));
    const onSay = (/** @type {Viewer} */ viewer) => this.say(write(viewer.state));
    const link = this.data.get("link");
    this.viewer = new Viewer(this.root, trace, { link, dark: isDark(), onSay, asks: false, inside: true });
    this.root.dataset.ready = "true";
  }

  /** @param {string} link */
  say(link) {
    if (link === this.data.get("link")) return;
    this.data.set("link", link);
    this.data.save_changes();
  }

  /** A head's values, or those of all heads in few pixels. @param {{ head: string }} said @param {DataView[]} buffers */
  got({ head }, [values]) {
    if (!this.viewer?.trace.supply || !values) return;
    this.viewer.trace.supply.take(head, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.viewer.arrived(head);
  }

  dispose() {
    this.viewer?.dispose();
    super.dispose();
  }
}

/** What anywidget calls for every place that the widget is shown in. @param {{ model: Model, el: HTMLElement }} given */
export function render({ model, el }) {
  const host = make("div", { className: "headlight" });
  host.dataset.lmSuppressShortcuts = "true"; // keys that are meant for a head are none of JupyterLab's
  host.style.height = `${model.get("height")}px`;
  const style = make("style", { textContent: model.get("_style") });
  const root = make("div", { className: "viewer" });
  host.attachShadow({ mode: "open" }).append(style, root);
  el.append(host);
  const shown = new Notebook(root, model);
  return () => shown.dispose();
}
