/** Decodes the calls of a work item. */

import { compiledChild } from "../compile/child.js";
import type { CallRecord, SlotlessRecord, WaitRecord } from "../engine/state.js";
import { decodeEvent } from "../event/decode.js";
import { isRecord } from "../value/kind.js";
import type { PartDecoder } from "./decode-parts.js";
import { invalidSnapshot } from "./snapshot-errors.js";
import type { RecordJson } from "./snapshot-shape.js";

type Json<Kind extends RecordJson["kind"]> = Extract<RecordJson, { readonly kind: Kind }>;

/** Where a record is. */
export interface RecordPlace {
  readonly path: string;
  /** Id of the item that made the calls. */
  readonly item: number;
  /** The attempt that the ticks after the snapshot belong to; 0 when the work starts over. */
  readonly attempt: number;
}

export function decodeRecord(decoder: PartDecoder, json: RecordJson, place: RecordPlace): CallRecord {
  const { kind, call } = json;
  const { path } = place;
  switch (kind) {
    case "wait":
      return waitRecord(decoder, json, place);
    case "sleep": {
      const { dueAtMs, status } = json;
      return { kind, call, ...opened(json, place), dueAtMs, status, timer: null, ...closing(decoder, json, place) };
    }
    case "child":
      return childRecord(decoder, json, place);
    case "effect":
      return effectRecord(decoder, json, place);
    case "edit":
    case "run": {
      const value = decoder.value(json.value, `${path}.value`);
      return { kind, call, value, ...(json.hasShown === true && { hasShown: true }) };
    }
    case "set":
      return { kind, call, events: json.events ? decoder.events(json.events, `${path}.events`) : null };
    case "send":
    case "yield":
      return json;
    case "race":
      return { kind, call, open: [...(json.open ?? [])], decided: json.decided };
  }
}

type Awaited = Json<"wait" | "sleep" | "child" | "effect">;

function opened(
  { openedAtMs, awaited }: Awaited,
  { attempt }: RecordPlace,
): Pick<WaitRecord, "openedAtMs" | "awaitedIn"> {
  return { openedAtMs, awaitedIn: awaited === true ? attempt : 0 };
}

function closing(
  decoder: PartDecoder,
  { race, reason }: Awaited,
  { path }: RecordPlace,
): Pick<SlotlessRecord, "race" | "reason"> {
  return {
    ...(race !== undefined && { race }),
    ...(reason !== undefined && { reason: decoder.error(reason, `${path}.reason`) }),
  };
}

function waitRecord(decoder: PartDecoder, json: Json<"wait">, place: RecordPlace): CallRecord {
  const { path } = place;
  const { kind, order, accepts = [], where = null, promptId = null, dueAtMs = null, status } = json;
  const fields = where === null ? null : decoder.value(where, `${path}.where`);
  if (fields !== null && !isRecord(fields)) throw invalidSnapshot(`${path}.where`, "no record of fields");
  return {
    kind,
    call: json.call,
    ...opened(json, place),
    item: place.item,
    order,
    accepts,
    where: fields,
    promptId,
    prompt: json.promptId === null ? null : decoder.event(json.prompt, `${path}.prompt`),
    dueAtMs,
    status,
    event: status === "resolved" ? decoder.event(json.event, `${path}.event`) : null,
    timer: null,
    ...closing(decoder, json, place),
  };
}

function effectRecord(decoder: PartDecoder, json: Json<"effect">, place: RecordPlace): CallRecord {
  const { path } = place;
  const { awaited: _, lastError = null, dueAtMs, ...kept } = json;
  const isOpen = kept.status === "open";
  if (isOpen && typeof dueAtMs !== "number") throw invalidSnapshot(`${path}.dueAtMs`, "not a number");
  return {
    ...kept,
    ...opened(json, place),
    lastError: lastError === null ? null : decoder.error(lastError, `${path}.lastError`),
    dueAtMs: isOpen ? (dueAtMs as number) : null,
    timer: null,
    ...closing(decoder, json, place),
  } as CallRecord;
}

/** Start and result of a child are events of the child, which the parent may lack. */
function childRecord(decoder: PartDecoder, json: Json<"child">, place: RecordPlace): CallRecord {
  const { path } = place;
  const { kind, name, runId, start, sharesStore = false, timeoutMs = null, status, result, error } = json;
  const { registry } = compiledChild(decoder.compiled, name, `${path}.name`);
  return {
    kind,
    call: json.call,
    ...opened(json, place),
    name,
    runId,
    start: decodeEvent(start, registry, `${path}.start`),
    sharesStore,
    timeoutMs,
    status,
    result: status === "completed" ? decodeEvent(result, registry, `${path}.result`) : null,
    error: status === "failed" ? decoder.error(error, `${path}.error`) : null,
    ...closing(decoder, json, place),
  };
}
