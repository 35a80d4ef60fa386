/**
 * Sees everything that the store takes, and says what no store may take from any runtime.
 *
 * @module
 */
import type { ClaimedRun, CommitResult, RunCommit, RunStore } from "millrace/runtime";
import { idOf, QueueWatch } from "./queue-watch.js";
import type { Trace } from "./trace.js";

/** A process, as far as it matters to the runs that it holds. */
interface Holder {
  readonly name: string;
  /** Null: it has not ended. */
  readonly endedAtMs: number | null;
}

interface SeenRun {
  ticks: number;
  /** Of the last commit that was stored. */
  epoch: number;
  owner: string | null;
}

export class InvariantChecks {
  readonly violations: string[] = [];
  ticks = 0;
  commits = 0;
  claims = 0;
  renewals = 0;
  /** How long runs of ended processes had no owner. */
  readonly recoveriesMs: number[] = [];
  /** Runs that have ended. */
  readonly ended: Set<string> = new Set();
  readonly #runs = new Map<string, SeenRun>();
  readonly queues: QueueWatch;
  readonly #trace: Trace;
  readonly #holders = new Map<string, Holder>();

  constructor(trace: Trace, store: RunStore) {
    this.#trace = trace;
    this.queues = new QueueWatch(store);
  }

  onClaimed(process: Holder, claimed: readonly ClaimedRun[], elapsedMs: number): void {
    this.claims += claimed.length;
    for (const { run } of claimed) {
      const id = idOf(run.key);
      const endedAtMs = this.#holders.get(id)?.endedAtMs ?? null;
      if (endedAtMs !== null) this.recoveriesMs.push(elapsedMs - endedAtMs);
      this.#holders.set(id, process);
    }
  }

  /** Called for what the store answered, also when the answer does not reach the process. */
  onCommits(process: Holder, commits: readonly RunCommit[], results: readonly CommitResult[]): void {
    for (const [index, commit] of commits.entries()) {
      const status = results[index]?.status;
      this.#trace.add(`${process.name} commit ${commit.key.runId} ${commit.ticks?.last ?? "-"} ${status}`);
      if (status === "stored") this.#onStored(process, commit);
    }
  }

  #onStored(process: Holder, { key, epoch, owner, ticks, create, summary, release }: RunCommit): void {
    this.commits++;
    const id = idOf(key);
    if (release === true || owner === null) this.#holders.delete(id);
    else this.#holders.set(id, process);
    if (summary !== undefined && summary.outcome !== null) this.ended.add(id);
    if (create !== undefined && this.#runs.has(id)) this.violations.push(`Run "${key.runId}" was created twice.`);
    if (create === undefined) this.queues.onTaken(id);
    else this.queues.onCreated(id, create);
    const run = this.#runs.get(id) ?? { ticks: 0, epoch: 0, owner: null };
    this.#runs.set(id, run);
    const said = `Run "${key.runId}": ${process.name}`;
    if (epoch < run.epoch)
      this.violations.push(`${said} wrote in epoch ${epoch}, after a commit of epoch ${run.epoch}.`);
    if (create === undefined && epoch === run.epoch && run.owner !== null && owner !== run.owner)
      this.violations.push(`${said} wrote in epoch ${epoch}, in which another owner has written.`);
    if (ticks !== undefined && ticks.first !== run.ticks + 1)
      this.violations.push(`${said} stored tick ${ticks.first} after tick ${run.ticks}.`);
    run.epoch = epoch;
    run.owner = owner;
    if (ticks === undefined) return;
    this.ticks += ticks.last - ticks.first + 1;
    run.ticks = ticks.last;
  }
}
