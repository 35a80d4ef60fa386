import type { ShownCall } from "../shown/agent-calls.js";

interface Place {
  count: number;
  /** Kind and part of the last text; `null` after a call of a tool. */
  part: string | null;
  id: string | null;
}

/** Ids of the messages that a call of a model writes: one for each of its texts, with the calls of tools behind it. */
export class CallMessages {
  readonly #runId: string;
  readonly #places: Map<string, Place> = new Map();

  constructor(runId: string) {
    this.#runId = runId;
  }

  ofText(call: ShownCall, kind: "text" | "reasoning", part: string): string {
    const place = this.#placeOf(call);
    if (place.part === `${kind}.${part}` && place.id !== null) return place.id;
    place.part = `${kind}.${part}`;
    return this.#next(call, place);
  }

  /** Calls of tools stand in the message of the text before them. */
  ofCalls(call: ShownCall): string {
    const place = this.#placeOf(call);
    const isOfText = place.id !== null && place.part?.startsWith("reasoning") !== true;
    place.part = null;
    return isOfText ? (place.id as string) : this.#next(call, place);
  }

  forget({ id }: ShownCall): void {
    this.#places.delete(id);
  }

  #placeOf({ id }: ShownCall): Place {
    const place = this.#places.get(id) ?? { count: 0, part: null, id: null };
    this.#places.set(id, place);
    return place;
  }

  #next(call: ShownCall, place: Place): string {
    place.id = `${this.#runId}:${call.id}.${++place.count}`;
    return place.id;
  }
}
