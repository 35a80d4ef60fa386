/** The stream of a run, opened with its first event or its first reader. */

import { terminalEvent } from "../engine/reduce/engine-events.js";
import type { WorkflowEvent } from "../event/event.js";
import { EventStream } from "../stream/event-stream.js";
import type { LiveRun } from "./run.types.js";

export function openStream(run: Pick<LiveRun, "host" | "state" | "live" | "published" | "stream">): EventStream {
  if (run.stream !== null) return run.stream;
  const { state, host } = run;
  const { compiled } = host;
  const { outcome, streamed } = state;
  const isOver = outcome !== null && !run.live;
  const stream = new EventStream({
    limit: compiled.options.streamBuffer,
    nextSequence: isOver ? streamed - 1 : run.published,
    types: compiled.types,
  });
  run.stream = stream;
  if (isOver)
    stream.publish({
      sequence: streamed - 1,
      event: terminalEvent(outcome) as WorkflowEvent,
      origin: null,
      promptId: null,
    });
  if (!run.live) stream.end();
  return stream;
}
