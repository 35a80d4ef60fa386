/** Messages as lines of JSON. */
import { eventSource, type WorkflowEvent, type WorkflowEventData } from "./event.js";
import { warn } from "./warn.js";

export function encodeEvents(): TransformStream<WorkflowEventData<any>, string> {
  return new TransformStream({
    transform(message, controller) {
      const line = { data: message.data as unknown, uniqueId: eventSource(message)?.uniqueId };
      controller.enqueue(`${JSON.stringify(line)}\n`);
    },
  });
}

export async function* decodeEvents(
  body: ReadableStream<Uint8Array>,
  events: readonly WorkflowEvent<any>[],
): AsyncGenerator<WorkflowEventData<any>, void> {
  for await (const line of lines(body)) {
    const { data, uniqueId } = JSON.parse(line) as { readonly data?: unknown; readonly uniqueId?: string };
    const event = events.find((known) => known.uniqueId === uniqueId);
    if (event) yield event.with(data);
    else warn(`Unknown event: ${uniqueId}`);
  }
}

async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const parts = rest.split("\n");
      rest = done ? "" : (parts.pop() ?? "");
      for (const part of parts) if (part.trim() !== "") yield part;
      if (done) return;
    }
  } finally {
    void reader.cancel().catch(() => {}); // the body has failed, and its reader knows
  }
}
