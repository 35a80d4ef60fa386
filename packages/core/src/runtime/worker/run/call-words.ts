import { inParent, type LiveCall, type LiveRunCore, PiecesEvent, type StreamedEvent } from "../../../host.js";

/** What the calls of a run have written: for readers in this process, and for the store, which forgets it once a call is recorded. */

const none: readonly never[] = [];

/** A call at work in the run, or in a child of it. */
interface SeenCall extends LiveCall {
  readonly origin: string | null;
}

export class CallWords {
  readonly #atWork: Map<string, SeenCall> = new Map();
  /** Sequence numbers of stored events, by call. */
  readonly #stored: Map<string, number[]> = new Map();

  /** Calls at work, with all that they have written. */
  get atWork(): Iterable<SeenCall> {
    return this.#atWork.values();
  }

  showing(run: LiveRunCore, written: LiveCall): void {
    const seen = fromRoot(run, written);
    this.#atWork.set(placeOf(seen.origin, seen), seen);
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

/** As its events are in the stream of the outermost run, which those of children reach level by level. */
function fromRoot(run: LiveRunCore, { writer, ...written }: LiveCall): SeenCall {
  let seen = { origin: null as string | null, writer };
  for (let at = run; at.parent !== null; at = at.parent.run) seen = inParent(at, seen);
  // The list of pieces grows: it is the same one.
  return { ...written, ...seen };
}

function placeOf(origin: string | null, { call, writer }: Pick<LiveCall, "call" | "writer">): string {
  return `${origin ?? ""} ${writer} ${call}`;
}
