/** The attempts of a run, from its server. */
import type { RunAttempt } from "@millrace/client";
import { describeError } from "../output/cli-error.js";
import type { Target } from "../target/target.types.js";
import { type StepChange, type StepListener, waitText } from "./step-tree.js";

function changeOf(attempt: RunAttempt): StepChange {
  const { status, startedAtMs, endedAtMs, error, waits } = attempt;
  const open = status === "waiting" ? waits.find(({ toMs }) => toMs === null) : undefined;
  const wait = open && waitText(open.kind, open.untilMs ?? null);
  const elapsedMs = endedAtMs === null ? null : endedAtMs - startedAtMs;
  return { ...attempt, atMs: startedAtMs, elapsedMs, note: error?.message ?? wait ?? null };
}

/** The event of a step by which a pipeline moves on. */
export function isInnerEvent(type: string): boolean {
  return /^pipeline\.(start|finish|gather|again|converse|cancel)\b/.test(type);
}

/** A step by which a pipeline moves on, and which nobody wrote. */
function isInner({ eventType, step }: RunAttempt): boolean {
  return eventType === null ? step.endsWith(": gather") : isInnerEvent(eventType);
}

/** Reports each change once. */
export class AttemptReader {
  readonly #target: Target;
  readonly #runId: string;
  readonly #listener: StepListener;
  readonly #shown: Map<string, string> = new Map();

  constructor(target: Target, runId: string, listener: StepListener) {
    this.#target = target;
    this.#runId = runId;
    this.#listener = listener;
  }

  /** Returns no attempts for a run that is only being started. */
  async read(): Promise<readonly RunAttempt[]> {
    const attempts: RunAttempt[] = [];
    try {
      for await (const one of this.#target.client.attempts(this.#runId)) attempts.push(one);
      if (attempts.some((one) => !this.#listener.has(one.runId))) await this.#addChildren();
      for (const one of attempts) if (!isInner(one)) this.#report(one);
      return attempts;
    } catch (error) {
      if (!/^(RUN_UNKNOWN|SERVER_UNREACHABLE)$/.test(describeError(error).code)) throw error;
      return [];
    }
  }

  async #addChildren(): Promise<void> {
    for (const { runId, parentId, workflow, step } of await this.#target.client.children(this.#runId))
      this.#listener.add({ parentRunId: parentId, step, runId, workflow });
  }

  #report(attempt: RunAttempt): void {
    const key = `${attempt.runId} ${attempt.item} ${attempt.attempt}`;
    const { status, calls } = attempt;
    const state = [status, ...calls.map((call) => `${call.status} ${call.attempts}`)].join();
    if (this.#shown.get(key) === state) return;
    this.#shown.set(key, state);
    this.#listener.change(changeOf(attempt));
  }
}
