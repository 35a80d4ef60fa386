/** The first message of an event. */
import { nameOf, type WorkflowEvent, type WorkflowEventData } from "../event.js";
import { WorkflowStream } from "../stream.js";

/** The first message of an event in a stream. Rejects if the stream ends before it. */
export async function find<T>(
  stream: ReadableStream<WorkflowEventData<any>> | WorkflowStream,
  event: WorkflowEvent<T>,
): Promise<WorkflowEventData<T>> {
  const [found] = await WorkflowStream.fromReadableStream<WorkflowEventData<T>>(stream)
    .filter(event as never)
    .take(1)
    .toArray();
  if (!found) throw new Error(`Event ${nameOf(event)} not found`);
  return found;
}
