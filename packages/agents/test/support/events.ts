import type { ExecutorEvent } from "../../src/index.js";

export async function readAll(
  events: AsyncIterable<ExecutorEvent>,
): Promise<{ events: ExecutorEvent[]; error: unknown }> {
  const read: ExecutorEvent[] = [];
  try {
    for await (const event of events) read.push(event);
    return { events: read, error: null };
  } catch (error) {
    return { events: read, error };
  }
}

export const namesOf = (events: readonly ExecutorEvent[]): string[] => events.map(({ event }) => event);

/** The text of all content events. */
export function textOf(events: readonly ExecutorEvent[]): string {
  return events
    .map((event) => ("content" in event && event.event.endsWith("RunContent") ? event.content : ""))
    .join("");
}
