/**
 * The shape of snapshots: their fields, and what each may hold. Their types follow from it, for those who write them and who read them.
 *
 * The fields are those of the run: a new one of a run, an item or a call does not compile until it has a shape or is left out by name.
 * Events, values and errors are checked where they are decoded, and references where they are followed.
 *
 * @module
 */
import { runLimits } from "../engine/definition.js";
import type {
  Arrival,
  ChildRecord,
  DoneRecord,
  EffectRecord,
  Failure,
  FanOutState,
  Gathered,
  JoinBuffer,
  PendingEvent,
  RunState,
  SleepRecord,
  StepLoad,
  WaitRecord,
  WorkItem,
} from "../engine/state.js";
import type { ErrorRecord } from "../value/error-record.js";
import { isLabel } from "../value/option-rules.js";
import {
  anyObject,
  anything,
  count,
  flag,
  integer,
  is,
  list,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  type Shaped,
  type ShapesOf,
  text,
  time,
  tuple,
  union,
} from "../value/shape.js";
import { isVersion } from "../value/version.js";
import { checkShape, SNAPSHOT_FORMAT } from "./format.js";

/** Absent and `null` mean the same. */
// @__NO_SIDE_EFFECTS__
function absent<Value>(shape: Shape<Value>): Shape<Value | null | undefined> {
  return optional(nullable(shape));
}

/** Empty lists may be left out. */
// @__NO_SIDE_EFFECTS__
function listOf<Item>(item: Shape<Item>): Shape<readonly Item[] | undefined> {
  return optional(list(item));
}

/** Further fields of a snapshot. */
type Named<Name extends string> = { readonly [Field in Name]: unknown };
type DerivedOfRun = "waits" | "runTimer" | "unused" | "leadMs";
type OfSnapshot = "format" | "version" | "stateVersion" | "unfired" | "leftovers" | "children";
type DerivedOfScope = "open" | "items" | "inner" | "pending" | "generator" | "closed";
/** A call that releases the worker slot. */
type Slotless<Call> = Omit<Call, "kind" | "item" | "awaitedIn" | "timer"> & Named<"awaited">;

const texts = listOf(text);
const label: Shape<string> = is("a label", isLabel);

export const errorShape = object({
  name: text,
  message: text,
  stack: optional(text),
  code: optional(text),
  hint: optional(text),
  details: optional(anyObject),
  cause: anything,
  errors: listOf(anything),
} satisfies ShapesOf<ErrorRecord>);

export const failureShape = object({
  stepName: absent(text),
  error: anything,
  attempts: number,
  elapsedMs: number,
  failedAtMs: time,
  input: listOf(anything),
  shape: ((value) => (value === "batch" ? null : texts(value))) as Shape<Failure["shape"]>,
} satisfies ShapesOf<Failure>);

export const outcomeShape = union("status", {
  completed: { event: anything },
  failed: { failure: failureShape },
  cancelled: { reason: anything },
  timedOut: { timeoutMs: number, activeSteps: list(text), deadlineMs: optional(number) },
});

const member = object({
  index: number,
  status: oneOf("ok", "empty", "failed"),
  event: anything,
  failure: optional(failureShape),
});

const input = union("kind", {
  event: { event: anything },
  batch: { members: listOf(anything) },
  settled: { members: listOf(member) },
  set: { slots: listOf(tuple(text, anything)) },
});

/** `awaited`: the current attempt awaits the call, or has. Version 2. */
const opened = { call: text, openedAtMs: time, awaited: anything, race: optional(text), reason: anything };
const answer = { call: text, value: anything, hasShown: anything } satisfies ShapesOf<Omit<DoneRecord, "kind">>;

// @__NO_SIDE_EFFECTS__
function recordShape() {
  return union("kind", {
    wait: {
      ...opened,
      order: count,
      accepts: texts,
      where: anything,
      promptId: absent(text),
      prompt: anything,
      dueAtMs: absent(number),
      status: oneOf("open", "resolved", "timedOut", "closed"),
      event: anything,
    } satisfies ShapesOf<Slotless<WaitRecord>>,
    sleep: {
      ...opened,
      dueAtMs: number,
      status: oneOf("open", "done", "closed"),
    } satisfies ShapesOf<Slotless<SleepRecord>>,
    child: {
      ...opened,
      name: text,
      runId: text,
      start: anything,
      sharesStore: optional(flag), // its snapshot has no state: it uses that of the surrounding run
      timeoutMs: optional(number),
      status: oneOf("open", "completed", "failed", "closed"),
      result: anything,
      error: anything,
    } satisfies ShapesOf<Slotless<ChildRecord>>,
    effect: {
      ...opened,
      label: optional(label),
      override: optional<object>(anyObject),
      status: oneOf("working", "open", "failed", "closed"),
      attempts: count,
      failures: count,
      sinceMs: time,
      lastError: anything,
      dueAtMs: absent(number),
    } satisfies ShapesOf<Slotless<EffectRecord>>,
    send: { call: text },
    edit: answer,
    run: answer,
    set: { call: text, events: absent(list(anything)) },
    yield: { call: text, digest: text },
    race: { call: text, open: texts, decided: flag },
  });
}
const record = recordShape();

const recoveries = absent(mapOf(number));

const pendingEvent = object({
  event: anything,
  scope: absent(number),
  index: count,
  recoveries,
  step: absent(text),
} satisfies ShapesOf<PendingEvent>);

const join = object({
  key: text,
  step: text,
  arrivals: listOf(pendingEvent),
} satisfies ShapesOf<Omit<JoinBuffer, "size"> & Named<"key">>);

const arrival = object({
  index: count,
  path: listOf(integer), // absent when it arose in that fan-out itself
  event: anything,
  recoveries,
} satisfies ShapesOf<Arrival>);

const gathered = object({
  step: text,
  fired: flag,
  arrivals: listOf(arrival),
} satisfies ShapesOf<Gathered & Named<"step">>);

const leftover = union("kind", {
  join: { step: text, arrived: list(text), missing: list(text) },
  collect: { step: text, arrived: text },
  fanOut: { step: text },
  nothing: { step: text },
});

// @__NO_SIDE_EFFECTS__
function timed<Fields>(fields: Fields) {
  return { dueAtMs: number, order: count, ...fields };
}

const size: Shape<number> = is("a count that a fan-out may have", (value) => {
  return count(value) === null && Number(value) <= runLimits.elements;
});

const item = object({
  id: count,
  step: text,
  scope: absent(number),
  input,
  index: count,
  recoveries,
  status: oneOf("ready", "delayed", "failed", "running", "suspended", "resuming"),
  attempt: count,
  failures: count,
  firstStartedAtMs: time,
  lastError: anything,
  lastFailedAtMs: time,
  calls: listOf(record),
  // The calls that its attempt awaits, and those whose answer it has not got. Version 2.
  open: optional(count),
  answered: absent(list(text)),
  fanOut: absent(number), // `null` for one that was cancelled
} satisfies ShapesOf<Omit<WorkItem, "retryTimer">>);
const scope = object({
  id: count,
  opener: text,
  parent: absent(number),
  parentIndex: count,
  collects: texts,
  size,
  counted: flag, // whether open work is counted by element
  paused: optional(flag), // version 2
  gathered: listOf(gathered),
  failures: listOf(tuple(count, failureShape)),
  joins: listOf(join),
} satisfies ShapesOf<Omit<FanOutState, DerivedOfScope> & Named<"counted">>);
const load = object({
  step: text,
  workers: count,
  running: count,
  resuming: listOf(integer),
  ready: listOf(integer),
} satisfies ShapesOf<StepLoad & Named<"step">>);
const snapshot = object({
  format: oneOf(SNAPSHOT_FORMAT),
  version: number,
  workflow: text,
  runId: text,
  status: oneOf("running", "completed", "failed", "cancelled", "timedOut"),
  outcome: absent(outcomeShape),
  ticks: count,
  atMs: time,
  startedAtMs: time,
  timeoutMs: absent(number),
  deadlineMs: absent(number),
  activeMs: number,
  active: optional(count),
  activeSinceMs: absent(number),
  nextId: count,
  streamed: count,
  continuations: optional(count),
  trace: absent(object({ traceparent: text, tracestate: optional(text) })),
  store: anything, // absent for a child that shares the store of its parent
  stateVersion: optional(is<number>("a version", isVersion)),
  items: listOf(item),
  loads: listOf(load), // slots and queues of steps: version 2
  scopes: listOf(scope),
  joins: listOf(join),
  sets: listOf(tuple(text, list(anything))),
  inbox: listOf(pendingEvent),
  // Open prompts that steps have emitted.
  prompts: listOf(object({ promptId: text, event: anything, step: absent(text), askedAtMs: time })),
  timers: listOf(
    union("kind", {
      call: timed({ item: number, call: text }),
      retry: timed({ item: number }),
      send: timed({ pendingEvent }),
      deadline: timed({}),
      timeout: timed({}), // version 2
    }),
  ),
  // Collect steps without a batch, and events that led to nothing: for the error `RUN_STUCK`.
  unfired: texts,
  leftovers: listOf(leftover),
  children: optional(mapOf(anything)),
} satisfies ShapesOf<Omit<RunState, DerivedOfRun> & Named<OfSnapshot>>);

export type Snapshot = Shaped<typeof snapshot>;
export type ItemJson = NonNullable<Snapshot["items"]>[number];
export type ScopeJson = NonNullable<Snapshot["scopes"]>[number];
export type RecordJson = Shaped<typeof record>;
export type FailureJson = Shaped<typeof failureShape>;
export type MemberJson = Shaped<typeof member>;
export type InputJson = Shaped<typeof input>;
export type OutcomeJson = Shaped<typeof outcomeShape>;
export type PendingEventJson = Shaped<typeof pendingEvent>;
export type ArrivalJson = Shaped<typeof arrival>;
export type JoinJson = Shaped<typeof join>;
export type TimerJson = NonNullable<Snapshot["timers"]>[number];

/** @throws {WorkflowError} `SNAPSHOT_INVALID` naming every problem. @param path Names the snapshot in the error. */
export function readSnapshot(json: unknown, path = "snapshot"): Snapshot {
  return checkShape(snapshot, json, path);
}

const marks = object({ format: oneOf(SNAPSHOT_FORMAT), version: number });

/** Returns the version of a snapshot, of which nothing else is known. @throws {WorkflowError} `SNAPSHOT_INVALID` for other data. */
export function versionIn(json: unknown, path: string): number {
  return checkShape(marks, json, path).version;
}
