// Makes what dist holds of everything in src: a script for the viewer, one for all components, and one of both; each one's first
// line says of which sources, so that a stale one is seen; and a table of style sheets, a component's with those of all
// that it imports.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const into = process.argv[2] ?? `${here}dist`;
const SHARED = { bundle: true, charset: "utf8", target: "es2022", logLevel: "warning" };

/** The sum of all sources, in the order of their paths. */
function sum() {
  const hash = createHash("sha256");
  const files = readdirSync(`${here}src`, { recursive: true }).filter((name) => /\.(js|css)$/.test(name));
  for (const name of files.map((each) => each.replaceAll("\\", "/")).sort()) {
    hash.update(`${name}\n`).update(readFileSync(`${here}src/${name}`));
  }
  return hash.digest("hex");
}

const js = `/* Headlight's scripts, made by npm run build of sources ${sum()} */`;
await build({
  ...SHARED,
  entryPoints: ["viewer", "components", "stage"].map((name) => `${here}src/entry/${name}.js`),
  outdir: into,
  format: "esm",
  minify: true,
  banner: { js },
  loader: { ".css": "empty" },
});

const components = readdirSync(`${here}src/components`).map((name) => `${here}src/components/${name}/${name}.js`);
const made = await build({ ...SHARED, entryPoints: components, outdir: into, write: false });
const styles = made.outputFiles.filter(({ path }) => path.endsWith(".css"));
const named = Object.fromEntries(styles.map(({ path, text }) => [basename(path, ".css"), text]));
writeFileSync(`${into}/styles.json`, `${JSON.stringify(named, null, 1)}\n`);
