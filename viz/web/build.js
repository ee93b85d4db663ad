// Makes what dist holds of everything in src: scripts for the viewer, for all components, for notebooks, for a talk
// with stills of views, for the page that translates by itself and for its worker, and for phones in a class, each of
// whose first line says of which sources, so that a stale one is seen; and a table of style sheets, a component's with
// those of all that it imports. A component's markup and its own style sheet are one file, its .html; a script imports
// that, and gets the style sheet.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const into = process.argv[2] ?? `${here}dist`;
/** The style sheet at the head of a component's markup. @param {string} path */
const styleIn = (path) => readFileSync(path, "utf8").match(/^<style>\n(.*)<\/style>\n/s)[1];
const looks = {
  name: "looks",
  /** @param {import("esbuild").PluginBuild} each */
  setup: (each) =>
    each.onLoad({ filter: /\.html$/ }, ({ path }) => ({
      contents: styleIn(path),
      loader: each.initialOptions.loader?.[".css"] ?? "css",
      resolveDir: dirname(path),
    })),
};
const SHARED = { bundle: true, charset: "utf8", target: "es2022", logLevel: "warning", plugins: [looks] };

/** The sum of all sources, in the order of their paths, and of the table that Python has too. */
function sum() {
  const hash = createHash("sha256");
  const files = readdirSync(`${here}src`, { recursive: true }).filter((name) => /\.(js|css|html)$/.test(name));
  for (const name of files.map((each) => each.replaceAll("\\", "/")).sort()) {
    hash.update(`${name}\n`).update(readFileSync(`${here}src/${name}`));
  }
  hash.update(readFileSync(`${here}../core/selection.json`));
  return hash.digest("hex");
}

const js = `/* Headlight's scripts, made by npm run build of sources ${sum()} */`;
const scripts = (names) => ({
  ...SHARED,
  entryPoints: names.map((name) => `${here}src/entry/${name}.js`),
  outdir: into,
  minify: true,
  banner: { js },
  loader: { ".css": "empty" },
});
await build({ ...scripts(["viewer", "components", "notebook", "stage", "live"]), format: "esm" });
// A page from disk may start no worker that is a module, and its script has no address; a phone's stands in its page.
await build({ ...scripts(["engine", "phone"]), format: "iife", define: { "import.meta.url": '"blob:"' } });

const components = readdirSync(`${here}src/components`).map((name) => `${here}src/components/${name}/${name}.js`);
const made = await build({ ...SHARED, entryPoints: components, outdir: into, write: false });
const styles = made.outputFiles.filter(({ path }) => path.endsWith(".css"));
const named = Object.fromEntries(styles.map(({ path, text }) => [basename(path, ".css"), text]));
writeFileSync(`${into}/styles.json`, `${JSON.stringify(named, null, 1)}\n`);
