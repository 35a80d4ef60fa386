/**
 * Decodes the parts of a run that refer to no other part: events, values, failures and inputs.
 *
 * @module
 */

import type { CompiledWorkflow } from "../compile/compile.js";
import type { Failure, Outcome, SettledMember, StepInput } from "../engine/state.js";
import { decodeEvent, decodeValue } from "../event/decode.js";
import type { WorkflowEvent } from "../event/event.js";
import type { ErrorRecord } from "../value/error-record.js";
import { guardJson } from "../value/guard.js";
import { unmeasured } from "../value/limits.js";
import { readEach } from "./lists.js";
import { checkShape, invalidSnapshot } from "./snapshot-errors.js";
import {
  errorShape,
  type FailureJson,
  type InputJson,
  type MemberJson,
  type OutcomeJson,
  outcomeShape,
} from "./snapshot-shape.js";

/** How a run ended, as `encodeOutcome` wrote it. */
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
