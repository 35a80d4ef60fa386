import { existsSync, statSync } from "node:fs";
import type { EndedStatus } from "millrace/runtime";
import { durationOf } from "../option-values.js";
import { CliError, invalidOption } from "../output/cli-error.js";
import type { Terminal } from "../output/terminal.js";
import { localOf, openTarget, withTarget } from "../target/open-target.js";
import type { LocalTarget, RunStatus, TargetOptions } from "../target/target.types.js";
import { statusOf } from "./run-filter.js";

type StoreOptions = Pick<TargetOptions, "store">;

/** Opening a store checks its version; SQLite also looks at every page. */
export async function checkStore(terminal: Terminal, options: StoreOptions): Promise<number> {
  return withTarget(openTarget(terminal, options), async (target) => {
    const { place } = localOf(target);
    const problems = place.kind === "sqlite" ? await integrityOf(place.path) : [];
    const counts = await countsOf(localOf(target));
    const sizeBytes = place.kind === "sqlite" ? sizeOf(place.path) : null;
    if (terminal.isJson) terminal.json({ store: target.name, size_bytes: sizeBytes, runs: counts, problems });
    else {
      terminal.line(`${target.name}${sizeBytes === null ? "" : `  ${megabytes(sizeBytes)}`}`);
      for (const [status, count] of Object.entries(counts)) terminal.line(`  ${String(count).padStart(7)} ${status}`);
      if (Object.keys(counts).length === 0) terminal.line("  no runs");
      for (const problem of problems) terminal.line(`${terminal.paint("red", "✖")} ${problem}`);
      if (problems.length === 0) terminal.line(`${terminal.paint("green", "✔")} nothing is wrong with it`);
    }
    return problems.length === 0 ? 0 : 1;
  });
}

/** Of all tenants. */
async function countsOf({ runtime, store }: LocalTarget): Promise<Partial<Record<RunStatus, number>>> {
  const counts: Partial<Record<RunStatus, number>> = {};
  for (const tenant of await store.tenants()) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await runtime.runs({ tenant, limit: 1_000, ...(cursor !== undefined && { cursor }) });
      for (const { status } of page.runs) counts[status] = (counts[status] ?? 0) + 1;
      cursor = page.cursor;
    }
  }
  return counts;
}

async function integrityOf(path: string): Promise<string[]> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare("PRAGMA integrity_check(20)").all() as { readonly integrity_check: string }[];
    return rows.map(({ integrity_check }) => integrity_check).filter((text) => text !== "ok");
  } finally {
    database.close();
  }
}

/** With its log of writes. */
function sizeOf(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 2 : 0)} MB`;

export async function vacuumStore(terminal: Terminal, { store }: StoreOptions): Promise<number> {
  // Opening the store reports problems before anything is written.
  const target = await openTarget(terminal, { store });
  const { place } = localOf(target);
  await target.close();
  if (place.kind !== "sqlite") throw notVacuumed(place.kind);
  const before = sizeOf(place.path);
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(place.path, { timeout: 5_000 });
  try {
    database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
  const after = sizeOf(place.path);
  if (terminal.isJson) terminal.json({ store: target.name, before_bytes: before, after_bytes: after });
  else terminal.line(`${target.name}: ${megabytes(before)} before, ${megabytes(after)} now`);
  return 0;
}

interface RetainOptions extends StoreOptions {
  readonly olderThan: string;
  readonly status: readonly string[];
}

const ended: ReadonlySet<RunStatus> = new Set(["completed", "failed", "cancelled", "timedOut"]);

export async function retainStore(terminal: Terminal, options: RetainOptions): Promise<number> {
  const olderThan = durationOf("older-than", options.olderThan);
  const status = options.status.map(endedStatus);
  return withTarget(openTarget(terminal, options), async (target) => {
    const deleted = await localOf(target).runtime.retain({
      olderThan: olderThan as never,
      ...(status.length > 0 && { status }),
    });
    if (terminal.isJson) terminal.json({ store: target.name, deleted });
    else terminal.line(`${deleted} ${deleted === 1 ? "run" : "runs"} deleted`);
    return 0;
  });
}

function endedStatus(text: string): EndedStatus {
  const status = statusOf(text);
  if (ended.has(status)) return status as EndedStatus;
  throw invalidOption(`A run that is ${status} has not ended.`, `Use one of ${[...ended].join(", ")}.`);
}

function notVacuumed(kind: "postgres" | "config"): CliError {
  if (kind === "config")
    return new CliError({
      code: "STORE_UNSUPPORTED",
      message: "The store is one that the config opens, and not a file.",
      hint: "Name its file with `--store`.",
    });
  return new CliError({
    code: "STORE_UNSUPPORTED",
    message: "PostgreSQL frees space automatically.",
    hint: "Its autovacuum does that; `VACUUM FULL` in `psql` shrinks tables, and locks them.",
  });
}
