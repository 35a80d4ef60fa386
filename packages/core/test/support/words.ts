import { PiecesEvent, StepRestartedEvent, type StreamedEvent } from "../../src/index.js";

/** The texts that a reader ends with that takes back what a restarted step streams again. */
export function wordsThatCount(items: readonly StreamedEvent[]): string[] {
  let shown: StreamedEvent[] = [];
  for (const item of items) {
    const { event, writer } = item;
    if (event instanceof StepRestartedEvent)
      shown = shown.filter((old) => old.writer !== writer || event.kept?.includes(old.call ?? "") === true);
    else if (PiecesEvent.is(event) && event.isAll === true && event.pieces.length === 0)
      shown = shown.filter((old) => old.writer !== writer || old.call !== item.call);
    else if ("text" in event) shown.push(item);
  }
  return shown.map(({ event }) => (event as unknown as { text: string }).text);
}
