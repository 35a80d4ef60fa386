/**
 * The rows of a durable run as a tree has stored them: the ticks, snapshots that were written between them, and the code.
 *
 * `npx tsx packages/core/test/golden/write-rows.ts v1` writes them. By hand, once for a form.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { memoryStore, type RunStore, type StoredRun, type StoredSnapshot, type TickBatch } from "../../src/entries/runtime.js";
import type { Flow } from "../support/flows.js";
import { driveHandle, runtimeOf, TurnClock } from "../support/runtimes.js";

export const rowsKey = { tenant: "", runId: "run" };

export interface KeptRows {
  readonly flow: string;
  readonly run: StoredRun;
  /** Text of the blob with the code, by the hash that the run names. */
  readonly code: string;
  readonly batches: readonly TickBatch[];
  readonly snapshots: readonly StoredSnapshot[];
}

/** So many ticks lie between two snapshots: many are written while steps are at work. */
const every = 3;

export async function keepRows(flow: Flow): Promise<KeptRows> {
  const clock = new TurnClock();
  const inner = memoryStore();
  const snapshots: StoredSnapshot[] = [];
  const store = new Proxy(inner, {
    get(target, name) {
      if (name === "close") return async () => {};
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (name === "commit")
          for (const { key, snapshot } of args[0] as Parameters<RunStore["commit"]>[0])
            if (snapshot !== undefined && key.runId === rowsKey.runId) snapshots.push(snapshot);
        return (member as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const runtime = runtimeOf(flow, store, { clock, snapshotEvery: every });
  await driveHandle(flow, runtime.run("flow", (flow.input ?? {}) as never, { runId: rowsKey.runId }), clock);
  await runtime.stop({ drainMs: 0 });
  const run = (await inner.run(rowsKey)) as StoredRun;
  const code = (await inner.blob(run.code)) as string;
  const batches = await inner.ticks(rowsKey, { after: 0, limit: 10_000 });
  return { flow: flow.name, run, code, batches, snapshots };
}

export function writeRows(kept: KeptRows, folder: URL, name: string): void {
  mkdirSync(folder, { recursive: true });
  const file = new URL(name, folder);
  if (existsSync(file)) throw new Error(`${file.pathname} is there already: kept rows stay as they are.`);
  const lines = (rows: readonly object[]): string => `[\n${rows.map((row) => `    ${textOf(row)}`).join(",\n")}\n  ]`;
  const { flow, run, code, batches, snapshots } = kept;
  const parts = { flow: textOf(flow), run: textOf(run), code: textOf(code), batches: lines(batches), snapshots: lines(snapshots) };
  const members = Object.entries(parts).map(([part, text]) => `  "${part}": ${text}`);
  writeFileSync(file, `{\n${members.join(",\n")}\n}\n`);
}

/** Stacks without the lines that differ from machine to machine. */
function textOf(row: unknown): string {
  return JSON.stringify(row).replaceAll(/\\\\n +at (?:[^"\\]|\\(?!\\*"))*/g, "");
}
