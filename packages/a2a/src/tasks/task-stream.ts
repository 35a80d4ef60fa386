/**
 * Reads a run as the updates of its task.
 *
 * ```
 * task, as it is now ──► artifact updates ──► status update: input required, or the end
 * ```
 *
 * Everything is read from the store, so any process may continue what another one has begun.
 *
 * @module
 */
import type { StreamResponse, TaskArtifactUpdateEvent } from "@a2a-js/sdk";
import type { StreamedEvent } from "millrace";
import { roleOf } from "millrace/engine";
import type { RunHandle } from "millrace/runtime";
import { type ArtifactChange, Artifacts } from "./artifacts.js";
import { isOver, needsInput, outcomeParts, type ShowOptions, statusOf, taskOf } from "./run-task.js";
import { type Standing, standingOf } from "./task-state.js";

export interface TaskStreamOptions extends ShowOptions {
  readonly signal: AbortSignal;
  /** `true`: ends where the task needs input. `false`: only with the task. */
  readonly untilInput: boolean;
}

/** The task, then its updates. The run does not need a reader. */
export async function* taskUpdates(
  handle: RunHandle,
  options: TaskStreamOptions,
): AsyncGenerator<StreamResponse, void, undefined> {
  const left = new AbortController();
  const signal = AbortSignal.any([options.signal, left.signal]);
  const reader = new TaskReader(options);
  const isDone = (standing: Standing): boolean => isOver(standing) || (options.untilInput && needsInput(standing));
  try {
    const first = await standingOf(handle);
    const events = handle.streamEvents({ signal })[Symbol.asyncIterator]();
    await reader.catchUp(events, first);
    yield reader.task(first);
    let standing = first;
    while (!isDone(standing)) {
      const { done, value } = await events.next();
      if (done !== true) yield* reader.take(value);
      if (done !== true && !reader.mayChange(value, standing)) continue;
      standing = await standingOf(handle);
      yield* reader.change(standing);
      if (done === true) return;
    }
  } finally {
    left.abort();
  }
}

/** Where a task stands, as far as readers see it. */
function statusKey({ state, prompts }: Standing): string {
  return `${state} ${prompts.map(({ promptId }) => promptId).join(" ")}`;
}

const endsRuns: ReadonlySet<string> = new Set(["stop", "terminal"]);

class TaskReader {
  readonly #options: ShowOptions;
  readonly #artifacts: Artifacts;
  #shownStatus = "";
  #ids: Pick<TaskArtifactUpdateEvent, "taskId" | "contextId"> = { taskId: "", contextId: "" };

  constructor(options: ShowOptions) {
    this.#options = options;
    this.#artifacts = new Artifacts(options.map);
  }

  /** Reads what the task already has. */
  async catchUp(events: AsyncIterator<StreamedEvent>, { summary, outcome }: Standing): Promise<void> {
    for (let seen = -1; seen < summary.lastEvent; ) {
      const { done, value } = await events.next();
      if (done === true) break;
      seen = value.sequence;
      this.#artifacts.take(value);
    }
    this.#artifacts.finish(outcomeParts(outcome, summary.workflow, this.#options));
  }

  task(standing: Standing): StreamResponse {
    this.#shownStatus = statusKey(standing);
    const value = taskOf(standing, this.#artifacts.list(), this.#options);
    this.#ids = { taskId: value.id, contextId: value.contextId };
    return { payload: { $case: "task", value } };
  }

  *take(streamed: StreamedEvent): Generator<StreamResponse> {
    for (const change of this.#artifacts.take(streamed)) yield this.#artifactUpdate(change);
  }

  /** Whether the run may stand elsewhere since this event. A question that was asked may be answered before any event. */
  mayChange({ promptId, event, origin }: StreamedEvent, before: Standing): boolean {
    return promptId !== null || needsInput(before) || (origin === null && endsRuns.has(roleOf(event)));
  }

  *change(standing: Standing): Generator<StreamResponse> {
    if (statusKey(standing) === this.#shownStatus) return;
    this.#shownStatus = statusKey(standing);
    const { summary, outcome } = standing;
    for (const change of this.#artifacts.finish(outcomeParts(outcome, summary.workflow, this.#options)))
      yield this.#artifactUpdate(change);
    const status = statusOf(standing, this.#options);
    yield { payload: { $case: "statusUpdate", value: { ...this.#ids, status, metadata: undefined } } };
  }

  #artifactUpdate(change: ArtifactChange): StreamResponse {
    const value: TaskArtifactUpdateEvent = { ...change, ...this.#ids, metadata: undefined };
    return { payload: { $case: "artifactUpdate", value } };
  }
}
