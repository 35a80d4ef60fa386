/** The attempts of a run, as the server of its target tells them. */
import { toldError } from "../output/cli-error.js";
import type { Target } from "../target/target.types.js";
import { type ItemStatus, type StepChange, type StepListener, waitText } from "./step-tree.js";

/** An attempt as `GET /handlers/{id}/attempts` gives it. */
export interface AttemptRecord {
  readonly run_id: string;
  readonly workflow_name: string;
  readonly step: string;
  readonly item: number;
  readonly attempt: number;
  readonly started_at: string;
  readonly started_tick: number;
  readonly ended_at: string | null;
  readonly status: ItemStatus;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly waits: readonly {
    readonly kind: "event" | "sleep" | "child";
    readonly to: string | null;
    readonly until?: string;
  }[];
}

/** All attempts of a run, in the order in which they began. */
async function attemptsOf(target: Target, runId: string): Promise<AttemptRecord[]> {
  const all: AttemptRecord[] = [];
  for (let after = -1; ; ) {
    const query = after < 0 ? "?limit=1000" : `?limit=1000&after=${after}`;
    const path = `/handlers/${encodeURIComponent(runId)}/attempts${query}`;
    const { attempts, next } = await target.ask<{ attempts: AttemptRecord[]; next: number | null }>(path);
    all.push(...attempts);
    if (next === null) return all;
    after = next;
  }
}

function changeOf({
  run_id,
  step,
  item,
  attempt,
  status,
  started_at,
  ended_at,
  error,
  waits,
}: AttemptRecord): StepChange {
  const atMs = Date.parse(started_at);
  const open = status === "waiting" ? waits.find(({ to }) => to === null) : undefined;
  const wait = open && waitText(open.kind, open.until === undefined ? null : Date.parse(open.until));
  return {
    runId: run_id,
    step,
    item,
    attempt,
    status,
    atMs,
    elapsedMs: ended_at === null ? null : Date.parse(ended_at) - atMs,
    note: error?.message ?? wait ?? null,
  };
}

interface ChildRecord {
  readonly run_id: string;
  readonly parent_id: string;
  readonly workflow_name: string;
  readonly step: string;
}

/** Tells each change once. */
export class AttemptReader {
  readonly #target: Target;
  readonly #runId: string;
  readonly #listener: StepListener;
  readonly #told: Map<string, ItemStatus> = new Map();

  constructor(target: Target, runId: string, listener: StepListener) {
    this.#target = target;
    this.#runId = runId;
    this.#listener = listener;
  }

  /** A run that is only being started is not there yet, and a server may be older than the list of attempts. */
  async read(): Promise<readonly AttemptRecord[]> {
    try {
      const attempts = await attemptsOf(this.#target, this.#runId);
      if (attempts.some((one) => !this.#listener.has(one.run_id))) await this.#addChildren();
      for (const one of attempts) this.#tell(one);
      return attempts;
    } catch (error) {
      if (!/^(NOT_FOUND|RUN_UNKNOWN|NETWORK_FAILED|SERVER_UNREACHABLE)$/.test(toldError(error).code)) throw error;
      return [];
    }
  }

  async #addChildren(): Promise<void> {
    const path = `/handlers/${encodeURIComponent(this.#runId)}?children=true`;
    const { children = [] } = await this.#target.ask<{ children?: ChildRecord[] }>(path);
    for (const { run_id, parent_id, workflow_name, step } of children)
      this.#listener.add({ parentRunId: parent_id, step, runId: run_id, workflow: workflow_name });
  }

  #tell(attempt: AttemptRecord): void {
    const key = `${attempt.run_id} ${attempt.item} ${attempt.attempt}`;
    if (this.#told.get(key) === attempt.status) return;
    this.#told.set(key, attempt.status);
    this.#listener.change(changeOf(attempt));
  }
}
