/**
 * A run file as the parts that `runtime.import` takes.
 *
 * @module
 */
import type { ExportedHead, ExportedPart } from "millrace/runtime";
import { ClientError } from "../client-error.js";
import type { RunFile } from "./run-file.types.js";

/** A run and all ticks of it and its children, in order. */
export interface TickedRun extends Pick<ExportedHead, "move" | "workflow" | "runId" | "version" | "labels" | "queue"> {
  readonly ticks: readonly TickOf[];
  /** The state of a run that was continued after its last tick, as `context.toDict()` returns it. @default that of the ticks */
  readonly continued?: Continued | null;
}

interface Continued {
  readonly atMs: number;
  readonly [field: string]: unknown;
}

interface TickOf {
  readonly runId: string;
  readonly tick: { readonly type: string; readonly atMs: number; readonly [field: string]: unknown };
}

/**
 * The parts of the run of a file, for `runtime.import`. A run that has not ended continues in the store that imports it.
 *
 * @throws {ClientError} `RUN_FILE_UNFIT` for a file with replaced texts, of a fork, or without the first ticks of the run.
 * @example
 * await runtime.import(partsOf(await readRunFile(bytes)));
 */
export function partsOf(file: RunFile): ExportedPart[] {
  const { handler, entries, saved_at, redacted } = file;
  const { handler_id: runId, workflow_name: workflow, version, labels, queue } = handler;
  if (redacted.length > 0)
    throw unfit(`the texts of ${redacted.join(", ")} were replaced`, "Export the run again without `--redact`.");
  if (handler.forked_from !== null) throw unfit("the run is a fork", "Move it with `millrace store export`.");
  if (entries[0]?.number !== 1)
    throw unfit("the first ticks of the run are not in it", "Move the run with `millrace store export`.");
  return partsOfTicks({
    move: `file ${saved_at}`,
    workflow,
    runId,
    version,
    labels,
    queue: queue === null ? null : { name: queue.name, key: queue.key, priority: queue.priority },
    ticks: entries.map(({ run_id, at, tick }) => ({ runId: run_id, tick: { ...tick, atMs: Date.parse(at) } })),
    continued: continuedIn(file),
  });
}

/** The snapshot, if it has more ticks of the run than the file: the run was continued where there is no journal. */
function continuedIn({ handler, entries, snapshot }: RunFile): Continued | null {
  const own = entries.filter(({ run_id }) => run_id === handler.handler_id).length;
  return Number(snapshot?.["ticks"] ?? 0) > own ? (snapshot as Continued) : null;
}

/** The parts of a run whose ticks are known, for `runtime.import`. */
export function partsOfTicks({ ticks, continued = null, ...facts }: TickedRun): ExportedPart[] {
  const { tick: start } = ticks[0] as TickOf;
  const startedAtMs = start.atMs;
  const head: ExportedHead = {
    type: "run",
    format: 1,
    ...facts,
    tenant: "",
    status: null,
    input: { ...start, atMs: 0 },
    code: "",
    ticks: ticks.length,
    createdAtMs: startedAtMs,
    startAtMs: startedAtMs,
    updatedAtMs: ticks.at(-1)?.tick.atMs ?? startedAtMs,
    forkedFrom: null,
    waiting: null,
  };
  const paths = new ChildPaths(facts.runId);
  const list = ticks.map(({ runId, tick }, index): ExportedPart => {
    const path = paths.of(runId, tick);
    const entry = path.length === 0 ? tick : { run: runId, path, tick };
    return { type: "ticks", first: index + 1, last: index + 1, atMs: tick.atMs, entries: [entry] };
  });
  const snapshots = continued === null ? [] : [snapshotAfter(ticks.length, continued)];
  const parts = [head, ...list, ...snapshots];
  return [...parts, { type: "end", parts: parts.length + 1 }];
}

function snapshotAfter(tick: number, run: Continued): ExportedPart {
  return { type: "snapshot", tick, atMs: run.atMs, snapshot: { code: "", run } };
}

type Tick = TickOf["tick"];

interface Opened {
  readonly name: string;
  readonly start: string;
}

/** Names of the children on the way from the run to each run below it. The id of a child is that of its parent, `/` and a number. */
class ChildPaths {
  readonly #known: Map<string, readonly string[]>;
  /** Children that were opened and have no tick yet, by their parent. */
  readonly #opened: Map<string, Opened[]> = new Map();

  constructor(runId: string) {
    this.#known = new Map([[runId, []]]);
  }

  of(runId: string, tick: Tick): readonly string[] {
    const path = this.#known.get(runId) ?? this.#found(runId, tick);
    this.#known.set(runId, path);
    if (tick.type === "child.opened") {
      const opened = { name: String(tick["name"]), start: JSON.stringify(tick["start"]) };
      this.#opened.set(runId, [...(this.#opened.get(runId) ?? []), opened]);
    }
    return path;
  }

  #found(runId: string, tick: Tick): readonly string[] {
    const parent = runId.slice(0, runId.lastIndexOf("/"));
    const opened = this.#opened.get(parent) ?? [];
    const start = JSON.stringify(tick["event"]);
    const at = Math.max(
      0,
      opened.findIndex((one) => one.start === start),
    );
    const [child] = opened.splice(at, 1);
    return [...(this.#known.get(parent) ?? []), child?.name ?? ""];
  }
}

function unfit(why: string, hint: string): ClientError {
  return new ClientError({
    code: "RUN_FILE_UNFIT",
    message: `This run file cannot be imported: ${why}.`,
    hint,
  });
}
