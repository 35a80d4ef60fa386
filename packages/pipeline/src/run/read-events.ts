/** Reads the stream of a run as events of the pipeline. */
import {
  StopEvent,
  WorkflowCancelledEvent,
  type WorkflowEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "millrace";
import type { RunHandle } from "millrace/runtime";
import { factsOf } from "../attempts/event-facts.js";
import { fromStoredEvent, type StoredEvent } from "../data/stored-event.js";
import { baseOf, type EndedRun, endOf } from "../output/end-events.js";
import type { PipelineEvent } from "../output/pipeline-event.types.js";
import type { PipelineRunOutput } from "../output/run-output.types.js";
import { PipelineStreamEvent } from "../plan/pipeline-events.js";
import { EventClock } from "../state/event-clock.js";
import type { RecordedEvent } from "../state/pipeline-state.types.js";
import type { RunView } from "./run-view.js";

export interface ReadFrom {
  readonly handle: RunHandle;
  readonly view: RunView;
}

interface EventSources extends ReadFrom {
  /** Follows what the reader has seen. */
  readonly clock: EventClock;
  /** Fields of every event of the run. */
  readonly base: () => Promise<Fields>;
  /** The event before. */
  before: StoredEvent | null;
}

interface ReadOptions {
  readonly after?: number;
}

export async function* readEvents(from: ReadFrom, options: ReadOptions): AsyncGenerator<PipelineEvent, void> {
  const { handle, view } = from;
  let base: Promise<Fields> | null = null;
  const clock = new EventClock();
  const sources: EventSources = { ...from, clock, base: () => (base ??= baseFields(from)), before: null };
  const stream = handle.streamEvents(fromBefore(options))[Symbol.asyncIterator]();
  let paused = whenPaused(view);
  let position = options.after ?? -1;
  let next = stream.next();
  try {
    for (;;) {
      const found = await Promise.race([next, paused]);
      if (typeof found === "number" && position >= found) {
        const output = await view.now();
        if (output.status === "PAUSED") {
          yield { ...pausedEvent(sources, output), eventIndex: position } as PipelineEvent;
          return;
        }
        paused = whenPaused(view); // answered while its events were read
        continue;
      }
      const { value, done } = await next;
      if (done === true) return;
      next = stream.next();
      position = value.sequence;
      const isEnd = StopEvent.is(value.event) || WorkflowCancelledEvent.is(value.event);
      for (const [at, event] of (await eventsIn(sources, value.event)).entries()) {
        const eventIndex = isEnd ? position + at : position;
        if (options.after === undefined || eventIndex > options.after) yield { ...event, eventIndex } as PipelineEvent;
      }
    }
  } finally {
    await stream.return?.();
  }
}

/**
 * The stored end of a run can represent two events, of which the reader may have seen one, and an event can be about the output of the
 * one before it.
 */
function fromBefore({ after }: ReadOptions): ReadOptions {
  if (after === undefined || after === 0) return {};
  return { after: Number.isSafeInteger(after) && after > 0 ? after - 1 : after };
}

async function baseFields({ handle, view }: ReadFrom): Promise<Fields> {
  const { labels } = await handle.summary();
  const { runId } = handle;
  return factsOf({ runId, pipeline: view.pipeline, sessionId: labels["session"] ?? runId });
}

/** Number of the last event when the run waits only for answers. Never resolves when the run ends first. */
async function whenPaused(view: RunView): Promise<number> {
  const outcome = await view.outcome();
  return outcome.status === "waiting" ? view.lastEvent() : new Promise<never>(() => {});
}

type Fields = Readonly<Record<string, unknown>>;

async function eventsIn(sources: EventSources, event: WorkflowEvent): Promise<readonly Fields[]> {
  if (event instanceof PipelineStreamEvent) {
    const shown = fromStoredEvent(event, await sources.base(), sources.before) as RecordedEvent;
    sources.before = event;
    // Events of nested runs reach the stream a moment after they were emitted.
    const { createdAt, createdAtMs } = sources.clock.next(Number(shown["createdAtMs"] ?? 0));
    return [{ ...shown, createdAt, createdAtMs }];
  }
  if (StopEvent.is(event)) {
    const output = event.result as PipelineRunOutput;
    return endOf(runOf(sources, output), { output, reason: output.cancelReason });
  }
  if (WorkflowCancelledEvent.is(event)) {
    const output = await sources.view.settled();
    return endOf(runOf(sources, output), { output, reason: event.reason });
  }
  if (WorkflowFailedEvent.is(event)) {
    const output = await sources.view.failed();
    if (output === null) return [await errorEvent(sources, messageOf(event.error))];
    return endOf(runOf(sources, output), { output, reason: null });
  }
  if (WorkflowTimedOutEvent.is(event)) return [await errorEvent(sources, "The run took too long.")];
  return [];
}

/** Event for a run without an output: it could not begin, or was stopped from outside. */
async function errorEvent(sources: EventSources, error: string): Promise<Fields> {
  const { labels, endedAtMs } = await sources.handle.summary();
  const run = runOf(sources, { sessionId: labels["session"] as string, endedAtMs });
  return { event: "WorkflowError", ...baseOf(run), error, stepName: null };
}

function pausedEvent(sources: EventSources, output: PipelineRunOutput): Fields {
  const { status, content, requirements, stepResults } = output;
  return { event: "WorkflowPaused", ...baseOf(runOf(sources, output)), status, content, requirements, stepResults };
}

function runOf(
  { handle: { runId }, view: { pipeline }, clock }: EventSources,
  { sessionId, endedAtMs }: { readonly sessionId: string; readonly endedAtMs?: number | null },
): EndedRun {
  // A paused run has not ended, nor do outputs say so that were stored before they did.
  return { runId, pipeline, sessionId, clock, atMs: endedAtMs ?? Date.now() };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
