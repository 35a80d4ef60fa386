/**
 * Loads a file of the user, TypeScript and decorators included, as `tsx` compiles it.
 *
 * Hooks are set once for the process, and not in a separate namespace: so the file gets the very copy of `millrace`
 * that this command loads, too.
 *
 * @module
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CliError } from "../output/cli-error.js";
import { loadError } from "./load-error.js";
import { nearest } from "./nearest.js";
import { toItsEnd } from "./never-settles.js";
import { isOfMillrace } from "./user-millrace.js";

export type ModuleExports = Readonly<Record<string, unknown>>;

const loaded = new Set<string>();
let isRegistered = false;

/** Files that were loaded, without those of packages. */
export function loadedFiles(): string[] {
  return [...loaded];
}

/** @throws {CliError} `FILE_UNKNOWN`, `SYNTAX_INVALID`, `CODE_FAILED` */
export async function loadModule(path: string): Promise<ModuleExports> {
  await register(path);
  loaded.add(path);
  try {
    const exported = (await toItsEnd(path, import(pathToFileURL(path).href))) as ModuleExports;
    return flattened(exported, isCommonJs(path));
  } catch (error) {
    throw loadError(path, error, loadedFiles());
  }
}

async function register(path: string): Promise<void> {
  if (isRegistered) return;
  isRegistered = true;
  const tsconfig = nearest(dirname(path), "tsconfig.json");
  // The hooks of `require` read it from here.
  if (tsconfig !== null) process.env["TSX_TSCONFIG_PATH"] = tsconfig;
  const { register: registerRequire } = await import("tsx/cjs/api");
  const { register: registerImport } = await import("tsx/esm/api");
  registerRequire();
  registerImport({
    ...(tsconfig !== null && { tsconfig }),
    onImport: (url) => {
      if (url.startsWith("file:") && !url.includes("/node_modules/"))
        loaded.add(fileURLToPath(url.split("?")[0] ?? url));
    },
  });
}

/** What a CommonJS file exports comes as `default`, and by name where Node could read the names. */
function flattened(exported: ModuleExports, isCommonJsFile: boolean): ModuleExports {
  const { default: whole } = exported;
  return isCommonJsFile && typeof whole === "object" && whole !== null && !isOfMillrace(whole)
    ? { ...(whole as ModuleExports) }
    : exported;
}

function isCommonJs(path: string): boolean {
  if (/\.[cm]/.test(extname(path))) return extname(path).startsWith(".c");
  const manifest = nearest(dirname(path), "package.json");
  return (
    manifest !== null && (JSON.parse(readFileSync(manifest, "utf8")) as { readonly type?: string }).type !== "module"
  );
}

/** @throws {CliError} `FILE_UNKNOWN` */
export function existingPath(cwd: string, given: string): { readonly path: string; readonly isFolder: boolean } {
  const path = resolve(cwd, given);
  if (existsSync(path)) return { path, isFolder: statSync(path).isDirectory() };
  throw new CliError({
    code: "FILE_UNKNOWN",
    message: `There is no file ${given}.`,
    hint: path === given ? "Correct the path." : `It was looked for at ${path}.`,
    details: { path },
  });
}
