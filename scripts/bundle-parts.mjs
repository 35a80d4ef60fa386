/**
 * What each part of `millrace` takes of a bundle: `node scripts/bundle-parts.mjs`, after a build. Parts are minified kB before
 * compression, for a hello world and for everything; the sums above them are those of `size-limit`, gzipped.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./setup/console.mjs";

const core = join(root, "packages", "core");
const programs = { "hello world": "{ Workflow, event, step, StartEvent, StopEvent }", everything: "*" };

const { stdout } = spawnSync("npx", ["size-limit", "--json"], { cwd: core, encoding: "utf8" });
const measured = JSON.parse(stdout);
for (const { name, size } of measured) console.log(`${kilobytes(size)} kB gzipped: ${name}`);

const columns = await Promise.all(Object.values(programs).map(partsOf));
console.log(Object.keys(programs).join(", "));
const sizeIn = (column, part) => column.get(part) ?? 0;
for (const part of [...columns[1].keys()].toSorted(
  (left, right) => sizeIn(columns[1], right) - sizeIn(columns[1], left),
))
  console.log(`${columns.map((column) => kilobytes(sizeIn(column, part))).join(" ")} kB  ${part}`);

/** From the sources: the built files are no longer told apart by folder. */
async function partsOf(names) {
  const { metafile } = await build({
    stdin: { contents: `export ${names} from "./src/index.ts"`, resolveDir: core },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    metafile: true,
    write: false,
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const parts = new Map();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const part = partOf(path);
    if (bytesInOutput > 0) parts.set(part, (parts.get(part) ?? 0) + bytesInOutput);
  }
  return parts;
}

function partOf(path) {
  const dependency = path.match(/.*node_modules\/([^/]+)\//);
  if (dependency) return dependency[1];
  return `src/${path.replace(/.*packages\/core\/src\//, "").split("/")[0]}`;
}

function kilobytes(bytes) {
  return (bytes / 1000).toFixed(1).padStart(7);
}
