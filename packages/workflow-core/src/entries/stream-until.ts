/** `stream.until` as a function. */
import type { WorkflowEvent, WorkflowEventData } from "../event.js";
import { WorkflowStream } from "../stream.js";

/** @deprecated Use `stream.until`. */
export function until(
  stream: WorkflowStream | ReadableStream<WorkflowEventData<any>>,
  cond: (event: WorkflowEventData<any>) => boolean | Promise<boolean>,
): WorkflowStream;
export function until<Stop>(
  stream: WorkflowStream | ReadableStream<WorkflowEventData<any>>,
  cond: WorkflowEvent<Stop>,
): WorkflowStream;
export function until(stream: WorkflowStream | ReadableStream<WorkflowEventData<any>>, cond: unknown): WorkflowStream {
  return WorkflowStream.fromReadableStream(stream).until(cond as never);
}
