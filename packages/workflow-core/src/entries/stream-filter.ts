/** `stream.filter` as a function. */
import type { WorkflowEventData } from "../event.js";
import { WorkflowStream } from "../stream.js";

/** @deprecated Use `stream.filter`. */
export function filter<Event extends WorkflowEventData<any>, Final extends Event>(
  stream: ReadableStream<Event> | WorkflowStream<Event>,
  cond: (event: Event) => event is Final,
): ReadableStream<Final> | WorkflowStream<Final> {
  return WorkflowStream.fromReadableStream<Event>(stream).filter(cond as never) as unknown as WorkflowStream<Final>;
}
