/**
 * One attempt at a place of a run, from its beginning to its end.
 *
 * One rule for all ends (it returns, fails, times out, or its run ends first): what it has done until then counts, what it took
 * always counts, what it does later does not. See "The end of an attempt" in docs/how-to/pipelines.md.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { ExecutorRun } from "../data/executor-run.types.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { AnsweredRequirement } from "../human/requirement.types.js";
import type { PipelineNode } from "../nodes/node.types.js";
import type { OwnState, Place, RecordedEvent, SpentExecution } from "../state/pipeline-state.types.js";

export interface AttemptSetup {
  readonly ctx: { readonly runId: string; readonly signal: AbortSignal };
  /** Null: of the agent of a conversational pipeline. */
  readonly node: PipelineNode | null;
  readonly place: Place;
  /** Its time may be up while the run goes on. */
  readonly isLimited: boolean;
}

/** What has been done of a step so far, by whoever does it. */
export interface OpenWork {
  /** Told to stop, it says what it took: the end of the run waits for that, but not for long. */
  readonly answersSignal: boolean;
  /** What has been said so far. */
  readonly text: string;
  /** A person is asked. */
  readonly isWaiting: boolean;
  /** The run ends without its result: notes what it took, if that is not noted yet. */
  cutOff(): void;
}

export class OpenAttempt {
  readonly runId: string;
  readonly node: PipelineNode | null;
  readonly place: Place;
  readonly notes: PendingNotes = new PendingNotes();
  /** Null: it does no work of a step, as a decision of a group. */
  work: OpenWork | null = null;
  /** What its step gave, where nobody is asked about it and it tells of nothing else. */
  output: StepOutput | null = null;
  isSettled = false;
  /** Its result is on its way into the store: nothing ends it any more. */
  isStoring = false;
  /** What it tells is heard no more. */
  isMuted = false;
  /** Its end is stored, with what it took. */
  isClosed = false;
  readonly #ctx: AttemptSetup["ctx"];
  readonly #listeners: ((error: () => unknown) => void)[] = [];
  #controller: AbortController | null = null;
  #follows = false;
  #over: (() => unknown) | null = null;
  #settled: Promise<void> | null = null;
  #tellSettled: () => void = () => {};

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

  /** Resolves when the code of the attempt has come to its end, counted or not. Made when it is first read. */
  get settled(): Promise<void> {
    this.#settled ??= this.isSettled ? Promise.resolve() : new Promise((resolve) => (this.#tellSettled = resolve));
    return this.#settled;
  }

  settle(): void {
    this.isSettled = true;
    this.#tellSettled();
  }

  /** @throws {WorkflowError} `ATTEMPT_ENDED` */
  assertAlive(): void {
    if (this.#over !== null) throw this.#over();
  }

  /** @param listener Is given what makes the error: most attempts end without anybody who wants it. Called now where it is over. */
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
    if (this.isStoring) this.settle(); // its code has come to its end, and its turn to store may never come
  }

  /** It has come to its end by itself, and all of it is stored. */
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

/** What one attempt has told and taken: stored with its result, or when it has ended without one. */
export class PendingNotes {
  readonly events: RecordedEvent[] = [];
  readonly spent: SpentExecution[] = [];
  readonly executorRuns: ExecutorRun[] = [];
  /** Of a nested pipeline. */
  readonly answered: AnsweredRequirement[] = [];

  get isEmpty(): boolean {
    return [this.events, this.spent, this.executorRuns, this.answered].every(({ length }) => length === 0);
  }

  /** Within the edit that stores a result. */
  keepIn(state: Pick<OwnState, "events" | "spent" | "executorRuns" | "answered">): void {
    if (this.events.length > 0) state.events.push(...this.events.splice(0));
    if (this.spent.length > 0) state.spent.push(...this.spent.splice(0));
    if (this.executorRuns.length > 0) state.executorRuns.push(...this.executorRuns.splice(0));
    if (this.answered.length > 0) state.answered.push(...this.answered.splice(0));
  }
}
