/** What the calls of a run have written: for readers in this process, and for the store, which forgets it once a call is recorded. */
import { PiecesEvent } from "../../event/built-in-events.js";
import type { LiveCall } from "../../run/run.types.js";
import type { StreamedEvent } from "../../stream/streamed-event.js";

const none: readonly never[] = [];

export class CallWords {
  readonly #atWork: Map<string, LiveCall> = new Map();
  /** Sequence numbers of stored events, by call. */
  readonly #stored: Map<string, number[]> = new Map();

  /** Calls at work, with all that they have written. */
  get atWork(): Iterable<LiveCall> {
    return this.#atWork.values();
  }

  showing(written: LiveCall): void {
    this.#atWork.set(placeOf(null, written), written);
  }

  /** Notes an event. Returns the numbers of those that are in the way from now on, because this one has all. */
  note({ sequence, event, origin, writer = "" }: StreamedEvent): readonly number[] {
    if (!PiecesEvent.is(event)) return none;
    const place = placeOf(origin, { call: event.call, writer });
    const sequences = this.#stored.get(place) ?? none;
    if (event.isAll !== true) {
      this.#stored.set(place, [...sequences, sequence]);
      return none;
    }
    this.#stored.delete(place);
    this.#atWork.delete(place);
    return sequences;
  }
}

function placeOf(origin: string | null, { call, writer }: Pick<LiveCall, "call" | "writer">): string {
  return `${origin ?? ""} ${writer} ${call}`;
}
