/**
 * Decodes the parts of a run that refer to no other part: events, values, failures and inputs.
 *
 * @module
 */

import { compiledChild } from "../compile/child.js";
import type { CompiledWorkflow } from "../compile/compile.js";
import type { CallRecord, Failure, Outcome, SettledMember, SlotlessRecord, StepInput } from "../engine/state.js";
import type { WorkflowEvent } from "../event/event.js";
import { decodeEvent, decodeValue } from "../event/event-codec.js";
import type { ErrorRecord } from "../value/error-record.js";
import { guardJson } from "../value/guard.js";
import { isRecord } from "../value/kind.js";
import { unmeasured } from "../value/limits.js";
import { readEach } from "./encode.js";
import { checkShape, invalidSnapshot } from "./format.js";
import {
  errorShape,
  type FailureJson,
  type InputJson,
  type MemberJson,
  type OutcomeJson,
  outcomeShape,
  type RecordJson,
} from "./snapshot-shape.js";

/** Decodes an outcome that `encodeOutcome` wrote. */
export function decodeOutcome(compiled: CompiledWorkflow, json: unknown): Outcome {
  return new PartDecoder(compiled).outcome(checkShape(outcomeShape, json, "outcome"), "outcome");
}

/** Paths name the parts in errors. */
export class PartDecoder {
  readonly compiled: CompiledWorkflow;

  constructor(compiled: CompiledWorkflow) {
    this.compiled = compiled;
  }

  event(encoded: unknown, path: string): WorkflowEvent {
    return decodeEvent(encoded, this.compiled.registry, path);
  }

  value(encoded: unknown, path: string): unknown {
    return decodeValue(encoded, path, this.compiled.values);
  }

  events(encoded: readonly unknown[] | undefined, path: string): WorkflowEvent[] {
    return readEach(encoded, path, (event, at) => this.event(event, at));
  }

  outcome(json: OutcomeJson, path: string): Outcome {
    const { status } = json;
    switch (status) {
      case "completed":
        return { status, event: this.event(json.event, `${path}.event`) };
      case "failed":
        return { status, failure: this.failure(json.failure, `${path}.failure`) };
      case "cancelled":
        return { status, reason: this.value(json.reason, `${path}.reason`) };
      case "timedOut":
        return json as Extract<Outcome, { readonly status: "timedOut" }>;
    }
  }

  failure(
    { stepName = null, error, attempts, elapsedMs, failedAtMs, input, shape }: FailureJson,
    path: string,
  ): Failure {
    if (Array.isArray(shape) && shape.length !== (input?.length ?? 0))
      throw invalidSnapshot(`${path}.shape`, "no name for each event of a set");
    return {
      stepName,
      error: this.error(error, `${path}.error`),
      attempts,
      elapsedMs,
      failedAtMs,
      input: this.events(input, `${path}.input`),
      ...(shape !== undefined && { shape }),
    };
  }

  error(value: unknown, path: string): ErrorRecord {
    guardJson(value, { code: "SNAPSHOT_HOSTILE", path, limits: unmeasured });
    return this.#guardedError(value, path);
  }

  #guardedError(value: unknown, path: string): ErrorRecord {
    const { cause, errors } = checkShape(errorShape, value, path);
    if (cause !== undefined) this.#guardedError(cause, `${path}.cause`);
    readEach(errors, `${path}.errors`, (error, at) => this.#guardedError(error, at));
    return value as ErrorRecord;
  }

  input(json: InputJson, path: string): StepInput {
    const { kind } = json;
    switch (kind) {
      case "event":
        return { kind, event: this.event(json.event, `${path}.event`) };
      case "batch":
        return { kind, members: Object.freeze(this.events(json.members, `${path}.members`)) };
      case "settled":
        return {
          kind,
          members: readEach(json.members, `${path}.members`, (one, at) => this.#member(one, at)),
        };
      case "set":
        return {
          kind,
          slots: Object.fromEntries(
            readEach(json.slots, `${path}.slots`, ([slot, event], at) => [slot, this.event(event, at)]),
          ),
        };
    }
  }

  #member({ status, index, event, failure }: MemberJson, path: string): SettledMember {
    if (status === "ok") return { status, index, event: this.event(event, `${path}.event`) };
    if (status === "empty") return { status, index };
    if (failure === undefined) throw invalidSnapshot(`${path}.failure`, "missing");
    return { status, index, failure: this.failure(failure, `${path}.failure`) };
  }
}

// ---- decodes the calls of a work item

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
      return { kind, ...slotless(decoder, json, place), dueAtMs, status, timer: null };
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

/** Fields of every call that releases the worker slot. */
function slotless(
  decoder: PartDecoder,
  { call, openedAtMs, awaited, race, reason }: Awaited,
  { path, attempt }: RecordPlace,
): Pick<SlotlessRecord, "call" | "openedAtMs" | "awaitedIn" | "race" | "reason"> {
  return {
    call,
    openedAtMs,
    awaitedIn: awaited === true ? attempt : 0,
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
    ...slotless(decoder, json, place),
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
  };
}

function effectRecord(decoder: PartDecoder, json: Json<"effect">, place: RecordPlace): CallRecord {
  const { path } = place;
  const { awaited: _, lastError = null, dueAtMs, ...kept } = json;
  const isOpen = kept.status === "open";
  if (isOpen && typeof dueAtMs !== "number") throw invalidSnapshot(`${path}.dueAtMs`, "not a number");
  return {
    ...kept,
    ...slotless(decoder, json, place),
    lastError: lastError === null ? null : decoder.error(lastError, `${path}.lastError`),
    dueAtMs: isOpen ? (dueAtMs as number) : null,
    timer: null,
  } as CallRecord;
}

/** Start and result of a child are events of the child, which the parent may lack. */
function childRecord(decoder: PartDecoder, json: Json<"child">, place: RecordPlace): CallRecord {
  const { path } = place;
  const { kind, name, runId, start, sharesStore = false, timeoutMs = null, status, result, error } = json;
  const { registry } = compiledChild(decoder.compiled, name, `${path}.name`);
  return {
    kind,
    ...slotless(decoder, json, place),
    name,
    runId,
    start: decodeEvent(start, registry, `${path}.start`),
    sharesStore,
    timeoutMs,
    status,
    result: status === "completed" ? decodeEvent(result, registry, `${path}.result`) : null,
    error: status === "failed" ? decoder.error(error, `${path}.error`) : null,
  };
}
