// Makes dist/viewer.js of everything in src; its first line says of which sources, so that a stale one is seen.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The sum of all sources, in the order of their paths. */
function sum() {
  const hash = createHash("sha256");
  const files = readdirSync(`${here}src`, { recursive: true }).filter((name) => name.endsWith(".js"));
  for (const name of files.map((each) => each.replaceAll("\\", "/")).sort()) {
    hash.update(`${name}\n`).update(readFileSync(`${here}src/${name}`));
  }
  return hash.digest("hex");
}

await build({
  entryPoints: [`${here}src/main.js`],
  bundle: true,
  format: "esm",
  minify: true,
  charset: "utf8",
  target: "es2022",
  banner: { js: `/* Headlight's viewer, made by npm run build of sources ${sum()} */` },
  outfile: process.argv[2] ?? `${here}dist/viewer.js`,
});
