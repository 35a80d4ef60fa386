import type { GraphNode, StepNode } from "./describe.js";
import type { AttemptTrace, RunTrace, TracedEvent } from "./trace.js";

/** An attempt of a step that the author of a pipeline wrote. */
export interface WrittenAttempt {
  readonly id: string;
  readonly label: string;
  readonly trace: AttemptTrace;
  /** Ids of what led to it: attempts, or the start event as `event:1`. */
  readonly after: readonly string[];
}

export interface WrittenRun {
  readonly attempts: readonly WrittenAttempt[];
  /** What led to the stop event, as in `after`. Empty for a run that has none. */
  readonly last: readonly string[];
}

/** The run of a pipeline without the attempts by which the pipeline moves on. */
export function writtenRun(nodes: readonly GraphNode[], run: RunTrace): WrittenRun {
  const written = new Map(nodes.filter(isWritten).map(({ name, label }) => [name, label]));
  const idOf = new Map(run.attempts.map((trace, at) => [trace, `attempt:${at + 1}`]));
  const emitters = new Map(run.attempts.flatMap((trace) => trace.emitted.map((event) => [event.id, trace] as const)));
  const stops = new Set(nodes.flatMap((node) => (node.kind === "event" && node.role === "stop" ? [node.name] : [])));
  const known = new Map<number, readonly string[]>();
  const attempts = run.attempts.flatMap((trace): WrittenAttempt[] => {
    const label = written.get(trace.step);
    if (label === undefined) return [];
    return [{ id: idOf.get(trace) as string, label, trace, after: originsOf(trace.accepted) }];
  });
  const ends = run.attempts.flatMap(({ emitted }) => emitted.filter(({ type }) => stops.has(type)));
  return { attempts, last: originsOf(ends) };

  function originsOf(events: readonly TracedEvent[]): readonly string[] {
    return [...new Set(events.flatMap(originOf))];
  }

  function originOf(event: TracedEvent): readonly string[] {
    const before = known.get(event.id) ?? found(event);
    known.set(event.id, before);
    return before;
  }

  function found(event: TracedEvent): readonly string[] {
    const emitter = emitters.get(event.id);
    if (emitter === undefined) return event.id === run.received[0]?.id ? [`event:${event.id}`] : [];
    return written.has(emitter.step) ? [idOf.get(emitter) as string] : originsOf(emitter.accepted);
  }
}

function isWritten(node: GraphNode): node is StepNode {
  return node.kind === "step" && node.executor !== null;
}
