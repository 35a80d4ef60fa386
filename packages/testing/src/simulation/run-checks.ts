/**
 * Checks of the runs of a cluster, read from its store.
 *
 * @module
 */
import type { RawHistoryEntry, RunStore, Runtime, StoredEvent, StoredRun } from "millrace/runtime";
import type { Cluster } from "./cluster.js";
import type { Process } from "./process.js";
import type { StartedRun } from "./simulation.types.js";
import { formatTime } from "./trace.js";

/** Longer than any fault keeps the whole cluster from a run. */
const PATIENCE_MS = 30 * 60_000;
const PAGE = 1_000;
const LIVE = ["scheduled", "running", "waiting"] as const;

/** Runs that have been due for too long: no process will claim them. */
export async function lateRuns({ clock, store }: Cluster<Process>, leaseMs: number): Promise<string[]> {
  const nowMs = clock.now();
  const problems: string[] = [];
  for (const tenant of await store.tenants())
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await store.list({ tenant, status: LIVE, limit: PAGE, ...(cursor !== undefined && { cursor }) });
      for (const run of page.runs) {
        const dueAtMs = run.queue === null ? await dueSince(store, run) : null;
        if (dueAtMs !== null && nowMs - dueAtMs > lateAfterMs(leaseMs))
          problems.push(
            `Run "${run.key.runId}" has been due for ${formatTime(nowMs - dueAtMs)}, and no process claims it.`,
          );
      }
      cursor = page.cursor;
    }
  return problems;
}

/** Since when a run needs an owner, or will, in epoch milliseconds; `null` if it waits for no time and no post. */
async function dueSince(store: RunStore, { key, lease, status, wakeAtMs }: StoredRun): Promise<number | null> {
  if (lease !== null) return lease.untilMs;
  const [post] = status === "waiting" ? await store.posts(key) : [];
  return post === undefined ? wakeAtMs : Math.min(post.atMs, wakeAtMs ?? post.atMs);
}

/** How long something may be due. */
function lateAfterMs(leaseMs: number): number {
  return PATIENCE_MS + 2 * leaseMs;
}

interface Scheduling {
  readonly tenants: Iterable<string>;
  readonly nowMs: number;
  readonly leaseMs: number;
}

/** Schedules that should have occurred long ago. */
export async function lateSchedules(runtime: Runtime, { tenants, nowMs, leaseMs }: Scheduling): Promise<string[]> {
  const problems: string[] = [];
  for (const tenant of tenants)
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await runtime.schedules.list({ tenant, limit: PAGE, ...(cursor !== undefined && { cursor }) });
      for (const { name, nextAtMs } of page.schedules)
        if (nextAtMs !== null && nowMs - nextAtMs > lateAfterMs(leaseMs))
          problems.push(
            `Schedule "${name}" has been due for ${formatTime(nowMs - nextAtMs)}, and no process starts it.`,
          );
      cursor = page.cursor;
    }
  return problems;
}

/** Problems of runs at the end, when each must have ended. */
export async function unfinishedRuns(
  runtime: Runtime,
  store: RunStore,
  started: readonly StartedRun[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const { runId, tenant } of started) {
    const key = { tenant, runId };
    const run = await store.run(key);
    if (run === null) problems.push(`Run "${runId}" was stored and is lost.`);
    else if (run.outcome === null)
      problems.push(`Run "${runId}" has not ended: it is ${run.status}, after tick ${run.ticks}.`);
    else {
      problems.push(...gapsIn(runId, run.lastEvent, await eventsOf(store, key)));
      problems.push(...(await recordedTwice(runtime, runId, tenant)));
    }
  }
  return problems;
}

async function eventsOf(store: RunStore, key: Parameters<RunStore["events"]>[0]): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let page = PAGE; page === PAGE; ) {
    const more = await store.events(key, { after: events.at(-1)?.sequence ?? -1, limit: PAGE });
    events.push(...more);
    page = more.length;
  }
  return events;
}

function gapsIn(runId: string, lastEvent: number, events: readonly StoredEvent[]): string[] {
  const sequences = events.map(({ sequence }) => sequence);
  const isWhole = sequences.every((sequence, index) => sequence === index) && sequences.length === lastEvent + 1;
  return isWhole ? [] : [`The stream of run "${runId}" to ${lastEvent} has a gap: ${sequences.join(", ")}.`];
}

async function recordedTwice(runtime: Runtime, runId: string, tenant: string): Promise<string[]> {
  const seen = new Set<string>();
  const problems: string[] = [];
  for await (const { tick, runId: of } of runtime.history(runId, {
    raw: true,
    tenant,
  }) as AsyncIterable<RawHistoryEntry>) {
    if (tick.type !== "effect.recorded") continue;
    const call = `${of} ${tick["item"]} ${tick["call"]}`;
    if (seen.has(call))
      problems.push(`Run "${runId}" has recorded the effect "${tick["call"]}" of item ${tick["item"]} twice.`);
    seen.add(call);
  }
  return problems;
}
