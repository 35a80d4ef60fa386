/** The stream of a run, opened when there is something to show or somebody to see it. */

import { terminalEvent } from "../engine/reduce/engine-events.js";
import type { WorkflowEvent } from "../event/event.js";
import { EventStream } from "../stream/event-stream.js";
import type { Runner } from "./runner.js";

export function openStream(runner: Runner): EventStream {
  if (runner.stream !== null) return runner.stream;
  const { state, host } = runner;
  const { compiled } = host;
  const { outcome, streamed } = state;
  const isOver = outcome !== null && !runner.live;
  const stream = new EventStream({
    limit: compiled.options.streamBuffer,
    nextSequence: isOver ? streamed - 1 : runner.published,
    types: compiled.types,
  });
  runner.stream = stream;
  if (isOver)
    stream.publish({
      sequence: streamed - 1,
      event: terminalEvent(outcome) as WorkflowEvent,
      origin: null,
      promptId: null,
    });
  if (!runner.live) stream.end();
  return stream;
}
