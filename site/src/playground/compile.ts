/** TypeScript with decorators to a module that a browser runs: esbuild, from this site. */
import type { BuildFailure, Plugin } from "esbuild-wasm";
import wasmUrl from "esbuild-wasm/esbuild.wasm?url";
import { modules, openedRun } from "./modules.ts";

export type Compiled =
  | { readonly type: "compiled"; readonly code: string }
  /** Lines such as `program.ts:3:5: Expected ";"`. */
  | { readonly type: "refused"; readonly messages: readonly string[] };

const file = "program.ts";
let loading: Promise<typeof import("esbuild-wasm")> | null = null;

async function load(): Promise<typeof import("esbuild-wasm")> {
  const esbuild = await import("esbuild-wasm/esm/browser.js");
  await esbuild.initialize({ wasmURL: wasmUrl });
  return esbuild;
}

export interface CompileOptions {
  /** The address of a file of the site. */
  readonly addressOf: (path: string) => string;
  /** JSON of the run file that programs import; `null`: none is open. */
  readonly run: string | null;
}

export async function compile(source: string, options: CompileOptions): Promise<Compiled> {
  loading ??= load();
  loading.catch(() => {
    loading = null; // the next try loads it again
  });
  const { build } = await loading;
  try {
    const { outputFiles } = await build({
      stdin: { contents: source, loader: "ts", sourcefile: file },
      bundle: true,
      write: false,
      format: "esm",
      target: "es2022",
      logLevel: "silent",
      tsconfigRaw: {},
      plugins: [served(options)],
    });
    return { type: "compiled", code: outputFiles[0]?.text ?? "" };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    const messages = error.errors.map(({ text, location }) =>
      location === null ? text : `${file}:${location.line}:${location.column + 1}: ${text}`,
    );
    return { type: "refused", messages };
  }
}

const isBuildFailure = (error: unknown): error is BuildFailure => error instanceof Error && "errors" in error;

function served({ addressOf, run }: CompileOptions): Plugin {
  return {
    name: "served",
    setup: ({ onLoad, onResolve }) => {
      onLoad({ filter: /.*/, namespace: "run" }, () => ({ contents: run ?? "null", loader: "json" }));
      onResolve({ filter: /.*/ }, ({ path, kind }) => {
        if (kind === "entry-point") return null;
        if (path === openedRun) {
          const missing = { errors: [{ text: `There is no ${openedRun}: choose a file at "Open a run".` }] };
          return run === null ? missing : { path, namespace: "run" };
        }
        const module = Object.hasOwn(modules, path) ? modules[path] : undefined;
        if (module !== undefined) return { path: addressOf(`/playground/${module}`), external: true };
        const text = `The playground has no module "${path}". It has ${Object.keys(modules).join(", ")}.`;
        return { errors: [{ text }] };
      });
    },
  };
}
