/** The stream of a run as events of the pipeline's catalogue. */
import {
  StopEvent,
  WorkflowCancelledEvent,
  type WorkflowEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "millrace";
import type { RunHandle } from "millrace/runtime";
import { Shown } from "../compile/pipeline-events.js";
import { baseOf, cancelledEvents, completedFields, errorFields } from "./end-events.js";
import type { PipelineRunOutput } from "./run-output.types.js";
import type { RunView } from "./run-view.js";

/** One event of the catalogue. */
export interface PipelineEvent {
  readonly event: string;
  /** Whose event it is: the pipeline's run, or the run of an agent, a team or a nested pipeline in it. */
  readonly runId: string;
  /** The run of the outermost pipeline. */
  readonly pipelineRunId: string;
  readonly pipelineId: string;
  readonly pipelineName: string;
  /** Grows from event to event; where a reader can go on. */
  readonly eventIndex: number;
  readonly [field: string]: unknown;
}

export interface EventSources {
  readonly handle: RunHandle;
  readonly view: RunView;
}

interface ReadOptions {
  readonly after?: number;
}

export async function* readEvents(sources: EventSources, options: ReadOptions): AsyncGenerator<PipelineEvent, void> {
  const { handle, view } = sources;
  const stream = handle.streamEvents(options)[Symbol.asyncIterator]();
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
        paused = whenPaused(view); // it was answered while its events were read
        continue;
      }
      const { value, done } = await next;
      if (done === true) return;
      next = stream.next();
      position = value.sequence;
      for (const event of eventsIn(sources, value.event)) yield { ...event, eventIndex: position } as PipelineEvent;
    }
  } finally {
    await stream.return?.();
  }
}

/** Where the stream stands when nothing is left to do but for somebody to answer. Never, when the run ends before. */
async function whenPaused(view: RunView): Promise<number> {
  const outcome = await view.outcome();
  return outcome.status === "waiting" ? view.lastEvent() : new Promise<never>(() => {});
}

type Fields = Readonly<Record<string, unknown>>;

function eventsIn(sources: EventSources, event: WorkflowEvent): Fields[] {
  if (event instanceof Shown) return [event.data as Fields];
  if (StopEvent.is(event)) return [lastEvent(sources, event.result as PipelineRunOutput)];
  if (WorkflowCancelledEvent.is(event)) return [...cancelledEvents(runOf(sources), event.reason)];
  if (WorkflowFailedEvent.is(event))
    return [{ event: "WorkflowError", ...baseOf(runOf(sources)), error: messageOf(event.error), stepName: null }];
  if (WorkflowTimedOutEvent.is(event))
    return [{ event: "WorkflowError", ...baseOf(runOf(sources)), error: "The run took too long.", stepName: null }];
  return [];
}

function lastEvent(sources: EventSources, output: PipelineRunOutput): Fields {
  const hasFailed = output.status === "ERROR";
  const told = hasFailed ? errorFields(output) : completedFields(output);
  const { sessionId } = output;
  return { event: hasFailed ? "WorkflowError" : "WorkflowCompleted", ...baseOf(runOf(sources)), sessionId, ...told };
}

function pausedEvent(sources: EventSources, output: PipelineRunOutput): Fields {
  const { status, content, requirements, stepResults, sessionId } = output;
  return { event: "WorkflowPaused", ...baseOf(runOf(sources)), sessionId, status, content, requirements, stepResults };
}

function runOf({ handle: { runId }, view: { pipeline } }: EventSources) {
  return { runId, pipeline };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
