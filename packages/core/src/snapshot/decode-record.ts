/** Decodes the memory of a work item. */

import { compiledChild } from "../compile/child.js";
import type { CallRecord, SlotlessRecord, WaitRecord } from "../engine/state.js";
import { decodeEvent } from "../event/decode.js";
import { isLabel } from "../value/label.js";
import { isRecord } from "../value/plain.js";
import type { PartDecoder } from "./decode-parts.js";
import { invalidSnapshot, mismatch, type Reader } from "./reader.js";

const KINDS = ["wait", "sleep", "child", "effect", "send", "edit", "run", "set", "yield", "race"] as const;

/** The item whose memory it is. */
export interface Owner {
  readonly id: number;
  /** The attempt that the ticks after the snapshot belong to; 0 when the work starts over. */
  readonly attempt: number;
}

export function decodeRecord(decoder: PartDecoder, reader: Reader, { id, attempt }: Owner): CallRecord {
  const kind = reader.oneOf("kind", KINDS);
  const call = reader.text("call");
  const awaitedIn = reader.raw("awaited") === true ? attempt : 0;
  switch (kind) {
    case "wait":
      return waitRecord(decoder, reader, { item: id, awaitedIn });
    case "sleep":
      return {
        kind,
        call,
        openedAtMs: reader.time("openedAtMs"),
        awaitedIn,
        dueAtMs: reader.number("dueAtMs"),
        status: reader.oneOf("status", ["open", "done", "closed"]),
        timer: null,
        ...closing(decoder, reader),
      };
    case "child":
      return childRecord(decoder, reader, awaitedIn);
    case "effect":
      return effectRecord(decoder, reader, awaitedIn);
    case "send":
      return { kind, call };
    case "edit":
    case "run":
      return {
        kind,
        call,
        value: decoder.value(reader.raw("value"), reader.at("value")),
        ...(reader.raw("hasShown") === true && { hasShown: true }),
      };
    case "set":
      return {
        kind,
        call,
        events: reader.nullable("events", (name) => decoder.events(reader, name)),
      };
    case "yield":
      return { kind, call, digest: reader.text("digest") };
    case "race":
      return { kind, call, open: reader.texts("open"), decided: reader.flag("decided") };
  }
}

function waitRecord(decoder: PartDecoder, reader: Reader, owner: Pick<WaitRecord, "item" | "awaitedIn">): CallRecord {
  for (const type of reader.texts("accepts"))
    if (!decoder.compiled.registry.get(type))
      throw mismatch(reader.at("accepts"), `names ${type}, which is not an event of it`);
  return {
    kind: "wait",
    call: reader.text("call"),
    openedAtMs: reader.time("openedAtMs"),
    ...owner,
    order: reader.count("order"),
    accepts: reader.texts("accepts"),
    where: reader.nullable("where", (name) =>
      whereOf(decoder.value(reader.raw(name), reader.at(name)), reader.at(name)),
    ),
    promptId: reader.nullable("promptId", (name) => reader.text(name)),
    prompt: reader.raw("promptId") === null ? null : decoder.event(reader.raw("prompt"), reader.at("prompt")),
    dueAtMs: reader.nullable("dueAtMs", (name) => reader.number(name)),
    status: reader.oneOf("status", ["open", "resolved", "timedOut", "closed"]),
    event: reader.raw("status") === "resolved" ? decoder.event(reader.raw("event"), reader.at("event")) : null,
    timer: null,
    ...closing(decoder, reader),
  };
}

function effectRecord(decoder: PartDecoder, reader: Reader, awaitedIn: number): CallRecord {
  const label = reader.raw("label");
  if (label !== undefined && !isLabel(label)) throw invalidSnapshot(reader.at("label"), "no label");
  const status = reader.oneOf("status", ["working", "open", "failed", "closed"]);
  const isOpen = status === "open";
  return {
    kind: "effect",
    call: reader.text("call"),
    ...(label !== undefined && { label }),
    openedAtMs: reader.time("openedAtMs"),
    awaitedIn,
    status,
    attempts: reader.count("attempts"),
    failures: reader.count("failures"),
    sinceMs: reader.time("sinceMs"),
    lastError: reader.nullable("lastError", (name) => decoder.error(reader.raw(name), reader.at(name))),
    dueAtMs: isOpen ? reader.number("dueAtMs") : null,
    timer: null,
    ...closing(decoder, reader),
  };
}

function closing(decoder: PartDecoder, reader: Reader): Pick<SlotlessRecord, "race" | "reason"> {
  return {
    ...(reader.raw("race") !== undefined && { race: reader.text("race") }),
    ...(reader.raw("reason") !== undefined && { reason: decoder.error(reader.raw("reason"), reader.at("reason")) }),
  };
}

function whereOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw invalidSnapshot(path, "no record of fields");
}

/** Start and result of a child are events of the child, which the parent may lack. */
function childRecord(decoder: PartDecoder, reader: Reader, awaitedIn: number): CallRecord {
  const name = reader.text("name");
  const { registry } = compiledChild(decoder.compiled, name, reader.at("name"));
  return {
    kind: "child",
    call: reader.text("call"),
    openedAtMs: reader.time("openedAtMs"),
    awaitedIn,
    name,
    runId: reader.text("runId"),
    start: decodeEvent(reader.raw("start"), registry, reader.at("start")),
    sharesStore: reader.raw("sharesStore") !== undefined && reader.flag("sharesStore"),
    timeoutMs: reader.raw("timeoutMs") === undefined ? null : reader.number("timeoutMs"),
    status: reader.oneOf("status", ["open", "completed", "failed", "closed"]),
    result:
      reader.raw("status") === "completed" ? decodeEvent(reader.raw("result"), registry, reader.at("result")) : null,
    error: reader.raw("status") === "failed" ? decoder.error(reader.raw("error"), reader.at("error")) : null,
    ...closing(decoder, reader),
  };
}
