/**
 * Decodes the parts of a run that refer to no other part: events, values, failures and inputs.
 *
 * @module
 */

import type { CompiledWorkflow } from "../compile/compile.js";
import type { Failure, Outcome, Recoveries, SettledMember, StepInput } from "../engine/state.js";
import { decodeEvent, decodeValue } from "../event/decode.js";
import type { WorkflowEvent } from "../event/event.js";
import type { ErrorRecord } from "../value/error-record.js";
import { guardJson } from "../value/guard.js";
import { unmeasured } from "../value/limits.js";
import { invalidSnapshot, Reader } from "./reader.js";

/** How a run ended, as `encodeOutcome` wrote it. */
export function decodeOutcome(compiled: CompiledWorkflow, json: unknown): Outcome {
  return new PartDecoder(compiled).outcome(new Reader(json, "outcome"));
}

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

  events(reader: Reader, name: string): WorkflowEvent[] {
    return reader.array(name).map((event, index) => this.event(event, `${reader.at(name)}.${index}`));
  }

  outcome(reader: Reader): Outcome {
    const status = reader.oneOf("status", ["completed", "failed", "cancelled", "timedOut"]);
    switch (status) {
      case "completed":
        return { status, event: this.event(reader.raw("event"), reader.at("event")) };
      case "failed":
        return { status, failure: this.failure(reader.raw("failure"), reader.at("failure")) };
      case "cancelled":
        return { status, reason: this.value(reader.raw("reason"), reader.at("reason")) };
      case "timedOut":
        return {
          status,
          timeoutMs: reader.number("timeoutMs"),
          activeSteps: reader.texts("activeSteps"),
          ...(reader.raw("deadlineMs") !== undefined && { deadlineMs: reader.number("deadlineMs") }),
        };
    }
  }

  failure(value: unknown, path: string): Failure {
    const reader = new Reader(value, path);
    return {
      stepName: reader.nullable("stepName", (name) => reader.text(name)),
      error: this.error(reader.raw("error"), reader.at("error")),
      attempts: reader.number("attempts"),
      elapsedMs: reader.number("elapsedMs"),
      failedAtMs: reader.time("failedAtMs"),
      ...this.#failedInput(reader),
    };
  }

  #failedInput(reader: Reader): Pick<Failure, "input" | "shape"> {
    const input = this.events(reader, "input");
    const shape = reader.raw("shape");
    if (shape === undefined) return { input };
    if (shape === "batch") return { input, shape };
    const slots = reader.texts("shape");
    if (slots.length !== input.length) throw invalidSnapshot(reader.at("shape"), "no name for each event of a set");
    return { input, shape: slots };
  }

  error(value: unknown, path: string): ErrorRecord {
    guardJson(value, { code: "SNAPSHOT_HOSTILE", path, limits: unmeasured });
    const reader = new Reader(value, path);
    reader.text("name");
    reader.text("message");
    for (const name of ["stack", "code", "hint"]) if (reader.raw(name) !== undefined) reader.text(name);
    if (reader.raw("details") !== undefined) new Reader(reader.raw("details"), reader.at("details"));
    if (reader.raw("cause") !== undefined) this.error(reader.raw("cause"), reader.at("cause"));
    if (reader.raw("errors") !== undefined)
      for (const [index, error] of reader.array("errors").entries())
        this.error(error, `${reader.at("errors")}.${index}`);
    return value as ErrorRecord;
  }

  input(reader: Reader): StepInput {
    const kind = reader.oneOf("kind", ["event", "batch", "settled", "set"]);
    switch (kind) {
      case "event":
        return { kind, event: this.event(reader.raw("event"), reader.at("event")) };
      case "batch":
        return { kind, members: Object.freeze(this.events(reader, "members")) };
      case "settled":
        return { kind, members: reader.each("members", (member) => this.#member(member)) };
      case "set":
        return {
          kind,
          slots: Object.fromEntries(
            reader.array("slots").map((entry, index) => this.#slot(entry, `${reader.at("slots")}.${index}`)),
          ),
        };
    }
  }

  #slot(entry: unknown, path: string): readonly [string, WorkflowEvent] {
    if (!Array.isArray(entry) || typeof entry[0] !== "string") throw invalidSnapshot(path, "no slot");
    return [entry[0], this.event(entry[1], path)];
  }

  #member(reader: Reader): SettledMember {
    const index = reader.number("index");
    const status = reader.oneOf("status", ["ok", "empty", "failed"]);
    if (status === "ok") return { status, index, event: this.event(reader.raw("event"), reader.at("event")) };
    return status === "failed"
      ? { status, index, failure: this.failure(reader.raw("failure"), reader.at("failure")) }
      : { status, index };
  }

  recoveries(reader: Reader): Recoveries | null {
    return reader.nullable("recoveries", (name) => {
      const counts = new Reader(reader.raw(name), reader.at(name));
      const entries = Object.keys(reader.raw(name) as object).map((handler) => [handler, counts.number(handler)]);
      return Object.fromEntries(entries) as Recoveries;
    });
  }
}
