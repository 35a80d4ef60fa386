/** The attempts of a run, from its server. */
import type { ChildRun, RunAttempt } from "@millrace/client";
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

interface StepInput {
  readonly type: string;
  /** The event with which a failed step was called, in the event of its failure. */
  readonly input?: { readonly type?: unknown };
}

/** Whether a step that gets this event moves a pipeline on, so that nobody wrote it. */
export function isInnerEvent({ type, input }: StepInput): boolean {
  if (type === failure) return isOfPipeline(input?.type);
  return /^pipeline\.(start|finish|gather|again|converse|cancel)\b/.test(type);
}

/** Whether a pipeline calls a step with events of this type. */
export function isOfPipeline(type: unknown): boolean {
  return typeof type === "string" && type.startsWith("pipeline.");
}

const failure = "StepFailedEvent";

/** The attempts of steps that somebody wrote, and of the groups of pipelines. */
function withoutInner(attempts: readonly RunAttempt[]): readonly RunAttempt[] {
  const pipelines = new Set(attempts.filter(({ eventType }) => isOfPipeline(eventType)).map(({ runId }) => runId));
  return attempts.filter(({ eventType, step, runId }) => {
    if (eventType === null) return !step.endsWith(": gather");
    return eventType === failure ? !pipelines.has(runId) : !isInnerEvent({ type: eventType });
  });
}

/** Reports each change once. */
export class AttemptReader {
  readonly #target: Target;
  readonly #runId: string;
  readonly #listener: StepListener;
  readonly #shown: Map<string, string> = new Map();
  readonly #children: Map<string, ChildRun> = new Map();

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
      for (const one of withoutInner(attempts)) {
        await this.#addRun(one.runId); // behind the steps before it
        this.#report(one);
      }
      return attempts;
    } catch (error) {
      if (!/^(RUN_UNKNOWN|SERVER_UNREACHABLE)$/.test(describeError(error).code)) throw error;
      return [];
    }
  }

  async #addRun(runId: string): Promise<void> {
    if (this.#listener.has(runId)) return;
    if (!this.#children.has(runId))
      for (const child of await this.#target.client.children(this.#runId)) this.#children.set(child.runId, child);
    const child = this.#children.get(runId);
    if (child === undefined) return;
    const { parentId, workflow, step } = child;
    await this.#addRun(parentId);
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
