/**
 * One attempt at a place of a run, from its beginning to its end.
 *
 * One rule for all ends (it returns, fails, times out, or its run ends first): its effects until then count, its usage
 * always counts, what it does later does not. See "The end of an attempt" in docs/how-to/pipeline-failures.md.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { ExecutorRun } from "../data/executor-run.types.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { AnsweredRequirement } from "../human/requirement.types.js";
import type { PipelineNode } from "../nodes/node.types.js";
import type { DiscardedExecution, OwnState, Place, RecordedEvent } from "../state/pipeline-state.types.js";

export interface AttemptSetup {
  readonly ctx: { readonly runId: string; readonly signal: AbortSignal };
  /** Null: of the agent of a conversational pipeline. */
  readonly node: PipelineNode | null;
  readonly place: Place;
  /** Whether its timeout may end it while the run continues. */
  readonly isLimited: boolean;
}

/** Progress of the work of a step. */
export interface OpenWork {
  /** After an abort, the end of the run waits up to 1 s for its usage. */
  readonly answersSignal: boolean;
  /** Text written so far. */
  readonly text: string;
  /** A person is asked. */
  readonly isWaiting: boolean;
  /** Called when the run ends without its result: notes its usage, once. */
  cutOff(): void;
}

export class OpenAttempt {
  readonly runId: string;
  readonly node: PipelineNode | null;
  readonly place: Place;
  readonly notes: PendingNotes = new PendingNotes();
  /** Null: it does no work of a step, as a decision of a group. */
  work: OpenWork | null = null;
  /** Output of its step, if no question follows and it has no other events. */
  output: StepOutput | null = null;
  isSettled = false;
  /** Whether its result is being stored: then nothing ends it. */
  isStoring = false;
  /** Whether its events are ignored. */
  isMuted = false;
  /** Whether its end is stored, with its usage. */
  isClosed = false;
  readonly #ctx: AttemptSetup["ctx"];
  readonly #listeners: ((error: () => unknown) => void)[] = [];
  #controller: AbortController | null = null;
  #follows = false;
  #over: (() => unknown) | null = null;
  #settled: Promise<void> | null = null;
  #resolveSettled: () => void = () => {};

  constructor({ ctx, node, place, isLimited }: AttemptSetup) {
    this.#ctx = ctx;
    this.runId = ctx.runId;
    this.node = node;
    this.place = place;
    if (isLimited) this.#follow();
  }

  /** Made when it is first read: most steps never ask. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      this.#follow();
      if (this.#over !== null) this.#controller.abort(this.#over());
    }
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.#over !== null;
  }

  /** Resolves when the code of the attempt has ended, with or without effect. Created on first use. */
  get settled(): Promise<void> {
    this.#settled ??= this.isSettled ? Promise.resolve() : new Promise((resolve) => (this.#resolveSettled = resolve));
    return this.#settled;
  }

  settle(): void {
    this.isSettled = true;
    this.#resolveSettled();
  }

  /** @throws {WorkflowError} `ATTEMPT_ENDED` */
  assertAlive(): void {
    if (this.#over !== null) throw this.#over();
  }

  /** @param listener Gets a function that creates the error, as most attempts end without a use for it. Called at once if it has ended. */
  onEnd(listener: (error: () => unknown) => void): void {
    if (this.#over !== null) listener(this.#over);
    else this.#listeners.push(listener);
  }

  /** Once: from here on nothing that it does counts. */
  end(makeError: () => unknown): void {
    if (this.#over !== null) return;
    let made: { readonly error: unknown } | null = null;
    const error = (): unknown => (made ??= { error: makeError() }).error;
    this.#over = error;
    for (const listener of this.#listeners) listener(error);
    this.#controller?.abort(error());
    if (this.isStoring) this.settle(); // its code has ended, and its turn to store may never come
  }

  /** Called when it has ended by itself, and all of it is stored. */
  close(): void {
    this.isClosed = true;
    this.end(() => attemptEnded(this.node?.name ?? "agent", "it has returned or failed"));
  }

  /** @throws {WorkflowError} `ATTEMPT_ENDED` */
  beginStoring(): void {
    this.assertAlive();
    this.isStoring = true;
  }

  #follow(): void {
    if (this.#follows) return;
    this.#follows = true;
    const { signal } = this.#ctx;
    const end = (): void => {
      this.isMuted = true;
      this.end(() => signal.reason);
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  }
}

export function attemptEnded(step: string, reason: string): WorkflowError {
  return new WorkflowError({
    code: "ATTEMPT_ENDED",
    message: `The attempt at the step "${step}" is over: ${reason}.`,
    hint: "Await everything that a step starts before it returns, and stop when `context.signal` aborts.",
    details: { step, reason },
  });
}

/** Events and usage of one attempt: stored with its result, or when it has ended without one. */
export class PendingNotes {
  readonly events: RecordedEvent[] = [];
  readonly discarded: DiscardedExecution[] = [];
  readonly executorRuns: ExecutorRun[] = [];
  /** Of a nested pipeline. */
  readonly answered: AnsweredRequirement[] = [];

  get isEmpty(): boolean {
    return [this.events, this.discarded, this.executorRuns, this.answered].every(({ length }) => length === 0);
  }

  /** Within the edit that stores a result. */
  keepIn(state: Pick<OwnState, "events" | "discarded" | "executorRuns" | "answered">): void {
    if (this.events.length > 0) state.events.push(...this.events.splice(0));
    if (this.discarded.length > 0) state.discarded.push(...this.discarded.splice(0));
    if (this.executorRuns.length > 0) state.executorRuns.push(...this.executorRuns.splice(0));
    if (this.answered.length > 0) state.answered.push(...this.answered.splice(0));
  }
}
