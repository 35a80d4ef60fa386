/** Reading a stream to its end. */
import type { WorkflowEventData } from "../event.js";
import { WorkflowStream } from "../stream.js";

/** @deprecated Use `stream.toArray()`. */
export const nothing = async (stream: ReadableStream | WorkflowStream): Promise<void> => {
  await WorkflowStream.fromReadableStream(stream).forEach(() => {});
};

/** @deprecated Use `stream.toArray()`. */
export const collect = <T extends WorkflowEventData<any>>(
  stream: ReadableStream<T> | WorkflowStream,
): Promise<WorkflowEventData<any>[]> => WorkflowStream.fromReadableStream<WorkflowEventData<any>>(stream).toArray();
