/**
 * Looks for an order of the core's modules in which a bundle is smaller, gzipped, and writes it to packages/core/module-order.json,
 * which a build follows: gzip finds a repetition only within 32 kB, so modules that look alike should be near each other. An order
 * that was found for one version of the code is nearly as good for the next.
 *
 *     node scripts/order-modules.mjs [seconds]     after a build; a few minutes find most of it
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import { root } from "./setup/console.mjs";

const core = join(root, "packages", "core");
const list = join(core, "module-order.json");
const endsAtMs = Date.now() + Number(process.argv[2] ?? 240) * 1000;

const bundles = await Promise.all(["{ Workflow, event, step, StartEvent, StopEvent }", "*"].map(bundleOf));
const { inputs } = bundles[1].metafile;
const isOurs = (path) => path.startsWith("src/") && path !== "src/index.ts";
const chunks = chunksFrom("index.js");

let order = withoutGaps(JSON.parse(readFileSync(list, "utf8")).map((name) => `src/${name}.ts`));
let best = sizesOf(order);
console.log(`before: ${best.join(" and ")} bytes`);
while (Date.now() < endsAtMs) {
  const next = withOneMove(order);
  const sizes = sizesOf(next);
  if (sum(sizes) <= sum(best)) [order, best] = [next, sizes];
}
console.log(`after: ${best.join(" and ")} bytes`);
const names = inLine(order)
  .filter(isOurs)
  .map((path) => path.slice("src/".length, -".ts".length));
writeFileSync(list, `${JSON.stringify(names, null, 2)}\n`);

/** What a program that imports these names bundles, minified, by module. */
async function bundleOf(names) {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export ${names} from "./src/index.ts"`, resolveDir: core },
    absWorkingDir: core,
    bundle: true,
    minifySyntax: true,
    minifyIdentifiers: true,
    format: "esm",
    platform: "browser",
    metafile: true,
    write: false,
  });
  const modules = outputFiles[0].text.split(/\n(?=\/\/ |export \{)/).filter((text) => text.startsWith("// "));
  const parts = modules.map(async (text) => {
    const [heading] = text.split("\n", 1);
    return [heading.slice("// ".length), (await transform(text, { minifyWhitespace: true })).code.trim()];
  });
  return { metafile, parts: new Map(await Promise.all(parts)) };
}

/** The built files, in the order in which they run, each with its modules: an order holds within one of them. */
function chunksFrom(file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(join(core, "dist", file), "utf8");
  const before = [...text.matchAll(/^(?:import|export|\}) ?.*?["']\.\/(.*?)["'];?$/gm)];
  const modules = new Set([...text.matchAll(/^\/\/ (src\/.*)$/gm)].map(([, path]) => path));
  return [...before.flatMap(([, imported]) => chunksFrom(imported, seen)), modules];
}

/** Modules that have gone are left out, and new ones come last. */
function withoutGaps(paths) {
  const known = paths.filter((path) => inputs[path]);
  return [...known, ...Object.keys(inputs).filter((path) => isOurs(path) && !known.includes(path))];
}

function withOneMove(paths) {
  const next = [...paths];
  const random = (below) => Math.floor(Math.random() * below);
  const moved = next.splice(random(next.length), 1 + Math.floor(Math.random() ** 2 * 6));
  next.splice(random(next.length + 1), 0, ...moved);
  return next;
}

/** The order as a bundler makes it: what a module imports stands before it, and each built file is one piece. */
function inLine(paths) {
  const line = new Set();
  const place = (path) => {
    if (line.has(path)) return;
    for (const imported of inputs[path].imports) place(imported.path);
    line.add(path);
  };
  for (const path of paths) place(path);
  const all = [...line];
  return [...all.filter((path) => !isOurs(path)), ...chunks.flatMap((chunk) => all.filter((path) => chunk.has(path)))];
}

function sizesOf(paths) {
  const line = inLine(paths);
  return bundles.map(({ parts }) => gzipSync(line.map((path) => parts.get(path) ?? "").join(""), { level: 9 }).length);
}

function sum([first, second]) {
  return first + second;
}
