/**
 * The built package as a browser bundler sees it: every entry bundles for a platform without Node,
 * asks for nothing that is not in it, and keeps working when it is minified. And what a program does not use is dropped, and no
 * syntax is lowered that its target has.
 */
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../setup/console.mjs";
import { finish } from "./gate.mjs";

const core = join(root, "packages", "core");
const problems = [];

const entries = ["index.js", "engine.js", "graph.js", "runtime.js", "wire.js"];
for (const entry of entries) {
  const result = await bundle({ entryPoints: [join(core, "dist", entry)] }).catch((error) => error);
  for (const { text, location } of result.errors ?? [])
    problems.push(`dist/${entry}: ${text} (${location?.file ?? "?"})`);
  for (const output of Object.values(result.metafile?.outputs ?? {})) {
    for (const { path } of output.imports) problems.push(`dist/${entry}: asks for "${path}" at run time`);
  }
  if (result.outputFiles?.some(({ text }) => text.includes('"optionalAccess"')))
    problems.push(`dist/${entry}: every \`?.\` is a call with closures, which takes twice the time`);
}

/**
 * Minified bytes of bundles that name one export. Each must stay far below the whole of 240 kB, and what has a file of its own has no
 * part in the rest: a statement of a module that a bundler cannot drop (a call without `@__PURE__`, a `static` block, a property put on a class) brings along all that it names.
 */
const limits = { WorkflowError: 1_500, event: 10_000, retryPolicy: 18_000, Workflow: 195_000 };
for (const [name, limit] of Object.entries(limits)) {
  const contents = `export { ${name} } from "./dist/index.js"`;
  const { outputFiles } = await bundle({ stdin: { contents, resolveDir: core } });
  const size = outputFiles[0].contents.length;
  if (size > limit) problems.push(`import { ${name} }: ${size} bytes minified, limit ${limit}`);
}
/** What Node reads for `import "millrace"`: files and bytes are the same on every machine, unlike milliseconds. */
const most = { files: 5, bytes: 535_000 };
const { inputs } = (await bundle({ entryPoints: [join(core, "dist", "index.js")] })).metafile;
const bytes = Object.values(inputs).reduce((sum, input) => sum + input.bytes, 0);
const loaded = `import "millrace" reads ${Object.keys(inputs).length} files, ${bytes} bytes`;
console.log(loaded);
if (Object.keys(inputs).length > most.files || bytes > most.bytes)
  problems.push(`${loaded}; the limit is ${most.files} files, ${most.bytes} bytes`);
finish("every entry bundles for browsers, imports nothing from outside and drops what is not used", problems);

function bundle(input) {
  return build({
    ...input,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    logLevel: "silent",
  });
}
