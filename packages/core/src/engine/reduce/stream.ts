/** Publishes events to readers of the stream. */
import type { EventData } from "../state.js";
import { decide, type Work } from "./work.js";

export interface Shown {
  readonly promptId: string | null;
  readonly origin: string | null;
}
const plain: Shown = { promptId: null, origin: null };

export function publish(work: Work, event: EventData, { promptId, origin }: Shown = plain): void {
  decide(work, { type: "stream.publish", sequence: work.state.streamed++, event, origin, promptId });
}
