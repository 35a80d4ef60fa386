/**
 * Writes the golden files of this version: `npx tsx packages/core/test/golden/write.ts v1`, with a TypeScript runner that knows decorators.
 *
 * Run by hand, once for a released version, and never again for it: a file that is there is not written over.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { record } from "../support/drive.js";
import { goldenFlow } from "./play.js";

const [version = "v1"] = process.argv.slice(2);
const folder = new URL(`./${version}/`, import.meta.url);

interface Snapshot {
  readonly items?: readonly { readonly status: string; readonly calls?: readonly { readonly kind: string; readonly status?: string }[] }[];
  readonly scopes?: readonly object[];
  readonly timers?: readonly { readonly kind: string }[];
}

/** A prompt is open, so is a fan-out; a retry, a send and a sleep wait for their time. */
function hasEverything(text: string): boolean {
  const { items = [], scopes = [], timers = [] } = JSON.parse(text) as Snapshot;
  const waits = items.some(({ calls = [] }) => calls.some(({ kind, status }) => kind === "wait" && status === "open"));
  const kinds = new Set(timers.map(({ kind }) => kind));
  return waits && scopes.length > 0 && items.some(({ status }) => status === "delayed") && isDeepStrictEqual(kinds, new Set(["call", "retry", "send"]));
}

const { ending, journal, snapshots } = await record(goldenFlow);
const snapshot = snapshots.findLast(hasEverything);
if (snapshot === undefined) throw new Error("No moment of the run has everything open at once.");

mkdirSync(folder, { recursive: true });
write("snapshot.json", JSON.parse(snapshot));
write("journal.json", journal.map((line) => JSON.parse(line)));
write("result.json", ending);

function write(name: string, json: unknown): void {
  const file = new URL(name, folder);
  if (existsSync(file)) throw new Error(`${file.pathname} is there already: released files stay as they are.`);
  writeFileSync(file, `${JSON.stringify(json, withoutPaths, 2)}\n`);
}

/** Of a stack, the line that is the same on every machine. */
function withoutPaths(key: string, value: unknown): unknown {
  return key === "stack" ? (value as string).split("\n")[0] : value;
}
