/** One function per tool: each builds src/<form>.ts, minified, and gives the module that came out. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import swc from "@swc/core";
import * as esbuild from "esbuild";

export const matrix = import.meta.dirname;
export const source = (form) => join(matrix, "src", `${form}.ts`);
const bin = (name) => join(matrix, "node_modules", ".bin", name);

/** No build of one small workflow takes this long, nor a run of it. */
const buildLimitMs = 180_000;
const runLimitMs = 120_000;

/** Standard output of a program; what it said, when it fails. */
export function output(program, args, { limitMs = buildLimitMs, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: "1", NEXT_TELEMETRY_DISABLED: "1", ...options.env };
    const child = spawn(program, args, { cwd: matrix, ...options, env, stdio: ["ignore", "pipe", "pipe"] });
    const stop = setTimeout(() => child.kill("SIGKILL"), limitMs);
    let printed = "";
    let said = "";
    child.stdout.on("data", (data) => (printed += data));
    child.stderr.on("data", (data) => (said += data));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(stop);
      if (code === 0) resolve(printed);
      else reject(new Error(signal ? `stopped after ${limitMs / 1000} s` : `${printed}\n${said}`));
    });
  });
}

const call = (file) => `console.log(await (await import(${JSON.stringify(pathToFileURL(file).href)})).runShop())`;
/** `program`: another Node than this one. */
export const inNode = (file, { program = process.execPath, flags = [], env } = {}) =>
  output(program, [...flags, "--input-type=module", "--eval", call(file)], { limitMs: runLimitMs, env });

/** Bundles and minifies; `target` lowers decorators when the input has them. */
export async function bundle(input, folder, options = {}) {
  const outfile = join(folder, "bundle.mjs");
  const shared = { bundle: true, minify: true, format: "esm", platform: "node", outfile, logLevel: "silent" };
  await esbuild.build({ entryPoints: [input], ...shared, ...options });
  return outfile;
}

/** tsc lowers file by file; then esbuild makes the minified bundle of its plain JavaScript. */
export async function tsc(form, folder, { compiler = "typescript", flags = [] } = {}) {
  const script = join(matrix, "node_modules", compiler, "bin", "tsc");
  await output(process.execPath, [script, "--project", matrix, "--outDir", join(folder, "js"), ...flags]);
  return bundle(join(folder, "js", `${form}.js`), folder, {
    absWorkingDir: matrix,
    nodePaths: [join(matrix, "node_modules")],
  });
}

/** SWC lowers, esbuild joins the files, SWC minifies. */
export async function viaSwc(form, folder, transform) {
  const jsc = { target: "es2022", parser: { syntax: "typescript", decorators: true }, transform };
  const plugin = {
    name: "swc",
    setup: (build) =>
      build.onLoad({ filter: /matrix\/src\/.*\.ts$/ }, async ({ path }) => {
        const { code } = await swc.transform(readFileSync(path, "utf8"), { filename: path, swcrc: false, jsc });
        return { contents: code, loader: "js" };
      }),
  };
  const file = await bundle(source(form), folder, { minify: false, plugins: [plugin] });
  const minified = await swc.minify(readFileSync(file, "utf8"), { module: true, mangle: true, compress: true });
  writeFileSync(file, minified.code);
  return file;
}

/** Vite 7 or 8, as a library with everything in it. `options` are of Vite's config. */
export async function vite(form, folder, { version = "vite", ...options } = {}) {
  const { build } = await import(version);
  await build({
    root: matrix,
    configFile: false,
    logLevel: "silent",
    ssr: { noExternal: true },
    ...options,
    build: { ssr: source(form), outDir: folder, emptyOutDir: true, minify: true, target: "es2022" },
  });
  return join(folder, `${form}.js`);
}

export async function tsup(form, folder) {
  const config = join(folder, "tsup.config.json");
  const options = {
    entry: [source(form)],
    format: "esm",
    minify: true,
    noExternal: ["millrace", "zod"],
    outDir: folder,
  };
  writeFileSync(config, JSON.stringify(options));
  await output(bin("tsup"), ["--config", config]);
  return join(folder, `${form}.js`);
}

/** The plugin of docs/reference/toolchains.md for tools that pass decorators on as they are. */
export const lowering = {
  name: "lower-decorators",
  enforce: "pre",
  transform(code, id) {
    if (/\.ts$/.test(id))
      return esbuild.transform(code, { loader: "ts", target: "es2022", sourcefile: id, sourcemap: true });
  },
};

export async function tsdown(form, folder, compilerOptions = {}) {
  const tsconfig = join(folder, "tsconfig.json");
  writeFileSync(tsconfig, JSON.stringify({ extends: "../../tsconfig.json", compilerOptions }));
  const flags = "--format esm --minify --no-config --no-dts --no-clean".split(" ");
  await output(bin("tsdown"), [source(form), ...flags, "--tsconfig", tsconfig, "--out-dir", folder]);
  return join(folder, `${form}.mjs`);
}

export const inBun = (file, { env } = {}) => output(bin("bun"), ["--eval", call(file)], { limitMs: runLimitMs, env });

export async function bunBuild(form, folder) {
  await output(bin("bun"), ["build", source(form), "--minify", "--target=bun", `--outdir=${folder}`]);
  return join(folder, `${form}.js`);
}

export async function inDeno(file, folder, options = {}) {
  const entry = join(folder, "main.ts");
  writeFileSync(entry, call(file));
  const env = { DENO_DIR: join(matrix, "out", ".deno"), DENO_NO_UPDATE_CHECK: "1", ...options.env };
  return output(bin("deno"), ["run", "--allow-all", "--node-modules-dir=manual", entry], { env, limitMs: runLimitMs });
}
