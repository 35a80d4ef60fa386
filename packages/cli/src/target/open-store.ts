import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { RunStore } from "millrace/runtime";
import type { Kit } from "../code/user-millrace.js";
import { CliError, invalidOption } from "../output/cli-error.js";

export type StorePlace =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string }
  /** As the config of the project opens it. */
  | { readonly kind: "config"; readonly open: () => RunStore | Promise<RunStore> };

/** @throws {CliError} `OPTION_INVALID` for a URL of another kind. */
export function storePlace(given: string, cwd: string): StorePlace {
  if (/^postgres(ql)?:\/\//.test(given)) return { kind: "postgres", url: given };
  if (given !== "" && !/^[a-z][a-z0-9+.-]+:\/\//i.test(given)) return { kind: "sqlite", path: resolve(cwd, given) };
  throw invalidOption(
    `\`--store\` is ${JSON.stringify(given)}, which is neither a file nor a PostgreSQL URL.`,
    "Pass a SQLite file or `postgres://…`; a server is `--url`.",
    { store: given },
  );
}

/** As `--store` takes it. */
export function placeText(place: Exclude<StorePlace, { readonly kind: "config" }>): string {
  return place.kind === "sqlite" ? place.path : place.url;
}

interface OpenOptions {
  /** Creates the file if there is none. */
  readonly creates: boolean;
}

/** @throws {CliError} `FILE_UNKNOWN`; what the store throws. */
export async function openStore(kit: Kit, place: StorePlace, { creates }: OpenOptions): Promise<RunStore> {
  if (place.kind === "config") return openConfigured(place.open);
  if (place.kind === "postgres") return (await kit.postgres()).postgresStore({ connectionString: place.url });
  if (!existsSync(place.path)) {
    if (!creates) throw noStore(place.path);
    mkdirSync(dirname(place.path), { recursive: true });
  }
  return (await kit.sqlite()).sqliteStore(place.path);
}

/** Errors of stores say what to do; of others, whose code it was. */
async function openConfigured(open: () => RunStore | Promise<RunStore>): Promise<RunStore> {
  const hint = "Correct the function `store` of the config, or name another store with `--store`.";
  const store: unknown = await Promise.resolve()
    .then(open)
    .catch((cause: unknown) => {
      if (typeof (cause as Partial<CliError> | null)?.hint === "string") throw cause;
      const text = cause instanceof Error ? cause.message : String(cause);
      throw new CliError({
        code: "CODE_FAILED",
        message: `The config could not open its store: ${text}.`,
        hint,
        cause,
      });
    });
  if (typeof store === "object" && store !== null) return store as RunStore;
  throw invalidOption(`\`store\` of the config returned ${String(store)}.`, hint);
}

function noStore(path: string): CliError {
  return new CliError({
    code: "FILE_UNKNOWN",
    message: `There is no store ${path}.`,
    hint: "Start a run first, or name the store with `--store`, or a server with `--url`.",
    details: { path },
  });
}
