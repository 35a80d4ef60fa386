/** Events in the form that travels over HTTP. */

import { type EventClass, StopEvent, type StreamedEvent, type ValueType, type WorkflowEvent } from "millrace";
import { classOf, encodeEvent, isEvent, roleOf } from "millrace/engine";
import type { Envelope, StreamedEnvelope } from "millrace/wire";

export interface EnvelopeOptions {
  /** Value types of the user, for encoding. */
  readonly types: readonly ValueType[];
  /** @default true */
  readonly withQualifiedName?: boolean;
}

export function toEnvelope(event: WorkflowEvent, { types, withQualifiedName = true }: EnvelopeOptions): Envelope {
  const { type, data, meta, version } = encodeEvent(event, event.type, types);
  return {
    value: data,
    type,
    types: basesOf(classOf(event)),
    ...(withQualifiedName && { qualified_name: type }),
    ...(meta !== undefined && { meta }),
    ...(version !== undefined && { version }),
  };
}

export function toStreamedEnvelope(item: StreamedEvent, options: EnvelopeOptions): StreamedEnvelope {
  const { event, promptId, ...place } = item;
  return { ...toEnvelope(event, options), ...place, ...(promptId !== null && { prompt_id: promptId }) };
}

/** Envelope of a result: of a plain stop event around the value, or of the stop event itself. */
export function resultEnvelope(result: unknown, types: readonly ValueType[]): Envelope {
  const isStop = isEvent(result) && roleOf(result) === "stop";
  return toEnvelope(isStop ? result : new StopEvent({ result: result ?? null }), { types });
}

const roleBases: Readonly<Record<string, string>> = {
  start: "StartEvent",
  stop: "StopEvent",
  terminal: "StopEvent",
  inputRequired: "InputRequiredEvent",
  external: "ExternalEvent",
  humanResponse: "HumanResponseEvent",
};

const knownBases: WeakMap<EventClass, string[]> = new WeakMap();

function basesOf(eventClass: EventClass): string[] | null {
  let bases = knownBases.get(eventClass);
  if (bases === undefined) knownBases.set(eventClass, (bases = findBases(eventClass)));
  return bases.length === 0 ? null : bases;
}

/** Lists the types that the event extends, nearest first, then the class of its role. */
function findBases(eventClass: EventClass): string[] {
  const types = new Set<string>();
  for (let base = Object.getPrototypeOf(eventClass); typeof base?.type === "string"; base = Object.getPrototypeOf(base))
    types.add(base.type);
  const role = roleBases[roleOf(eventClass)];
  if (role !== undefined) types.add(role);
  types.delete(eventClass.type);
  return [...types];
}
