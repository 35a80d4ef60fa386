/**
 * Encodes the state of a run as plain JSON. The cost depends on what is live, not on the past.
 *
 * The result shares immutable data with the state, and nothing that changes.
 *
 * @module
 */

import { compiledChild } from "../compile/child.js";
import type { CompiledWorkflow } from "../compile/compile.js";
import { type GatheredInput, optionalModules } from "../engine/optional-modules.js";
import type {
  Arrival,
  CallRecord,
  Failure,
  FanOutState,
  JoinBuffer,
  Outcome,
  PendingEvent,
  RunState,
  StepInput,
  Timer,
  WorkItem,
} from "../engine/state.js";
import type { WorkflowEvent } from "../event/event.js";
import { type EncodedEvent, encodeEvent } from "../event/event-codec.js";
import { encodeFrozen, encodeValue } from "../value/codec.js";
import type { ValueType } from "../value/storable.js";
import { SNAPSHOT_FORMAT, SNAPSHOT_VERSION, STORED_VERSION, statusAtRest } from "./format.js";
import type {
  ArrivalJson,
  FailureJson,
  InputJson,
  ItemJson,
  JoinJson,
  OutcomeJson,
  PendingEventJson,
  RecordJson,
  ScopeJson,
  Snapshot,
  TimerJson,
} from "./snapshot-shape.js";

/** What an encoder writes: every field, except for those that it may leave out. */
type Written<Json, MayLack extends keyof Json = never> = Required<Omit<Json, MayLack>> & Pick<Json, MayLack>;
type WaitJson = Extract<RecordJson, { readonly kind: "wait" }>;

/** Facts about the snapshot around a state. */
export interface Around {
  readonly children: { readonly [runId: string]: Snapshot };
  /** `true` if the surrounding snapshot has the store. */
  readonly sharesStore?: boolean;
  /** Whether the work under way is encoded, for a journal that continues it. @default false */
  readonly isStored?: boolean;
  /** Returns the version of the state of a run that was not migrated yet. @default the version of the code */
  readonly stateVersionOf?: (runId: string) => number;
}

export function encodeState(state: RunState, compiled: CompiledWorkflow, around: Around = alone): Snapshot {
  return new StateEncoder(compiled, around.isStored).state(state, around);
}
const alone: Around = { children: {} };

export function encodeOutcome(outcome: Outcome, compiled: CompiledWorkflow): OutcomeJson {
  return new StateEncoder(compiled).outcome(outcome);
}

/** Its public members are for parts that contain others. */
class StateEncoder {
  readonly #compiled: CompiledWorkflow;
  readonly #types: readonly ValueType[];
  /** `false` if a load starts the running work over. */
  readonly isStored: boolean;

  constructor(compiled: CompiledWorkflow, isStored = false) {
    this.#compiled = compiled;
    this.isStored = isStored;
    this.#types = compiled.values;
  }

  state(state: RunState, { children, sharesStore = false, stateVersionOf }: Around): Snapshot {
    const { isStored } = this;
    const running = isStored || state.activeSinceMs === null ? 0 : state.atMs - state.activeSinceMs;
    const emitted = [...(state.prompts?.values() ?? [])].filter((prompt) => prompt.wait === null);
    const stateVersion = stateVersionOf?.(state.runId) ?? this.#compiled.stateVersion.version;
    const timers = (state.timers?.toArray() ?? []).filter(({ kind }) => isStored || kind !== "timeout");
    return {
      format: SNAPSHOT_FORMAT,
      version: isStored ? STORED_VERSION : SNAPSHOT_VERSION,
      workflow: state.workflow,
      runId: state.runId,
      status: state.status,
      outcome: state.outcome === null ? null : this.outcome(state.outcome),
      ticks: state.ticks,
      atMs: state.atMs,
      startedAtMs: state.startedAtMs,
      timeoutMs: state.timeoutMs,
      deadlineMs: state.deadlineMs,
      activeMs: state.activeMs + running,
      nextId: state.nextId,
      streamed: state.streamed,
      ...(isStored && {
        active: state.active,
        activeSinceMs: state.activeSinceMs,
        ...each("loads", state.loads, ([step, { workers, running, resuming, ready }]) => ({
          step,
          workers,
          running,
          resuming: resuming?.toArray() ?? [],
          ready: ready?.toArray() ?? [],
        })),
      }),
      ...(sharesStore ? null : { store: encodeFrozen(state.store, "state", this.#types) }),
      ...(sharesStore || stateVersion === 1 ? null : { stateVersion }),
      ...each("items", state.items.values(), (item) => this.#item(item)),
      ...each("scopes", state.scopes?.values(), (scope) => gathered().scope(scope, this)),
      ...list("joins", state.joins === null ? [] : gathered().joins(state.joins, this)),
      ...each("sets", state.sets, ([key, events]) => [key, this.events(events, key)] as const),
      ...each("inbox", state.inbox, (pendingEvent) => this.pendingEvent(pendingEvent)),
      ...each("prompts", emitted, ({ promptId, event, step, askedAtMs }) => ({
        promptId,
        event: this.event(event, "prompt"),
        ...(step !== null && { step }),
        askedAtMs,
      })),
      ...each("timers", timers, (timer) => this.#timer(timer)),
      ...list("unfired", [...(state.unused?.unfired ?? [])]),
      ...list("leftovers", [...(state.unused?.leftovers.values() ?? [])]),
      ...(state.trace === null ? null : { trace: state.trace }),
      ...(state.continuations === 0 ? null : { continuations: state.continuations }),
      ...(Object.keys(children).length === 0 ? {} : { children }),
    };
  }

  event(event: { readonly type: string }, path: string): EncodedEvent {
    return encodeEvent(event as WorkflowEvent, `${path}: ${event.type}`, this.#types);
  }

  events(events: readonly { readonly type: string }[], path: string): EncodedEvent[] {
    return events.map((event) => this.event(event, path));
  }

  outcome(outcome: Outcome): OutcomeJson {
    switch (outcome.status) {
      case "completed":
        return { status: "completed", event: this.event(outcome.event, "result") };
      case "failed":
        return { status: "failed", failure: this.failure(outcome.failure) };
      case "cancelled":
        return { status: "cancelled", reason: encodeValue(outcome.reason ?? null, "reason", this.#types) };
      case "timedOut":
        return outcome;
    }
  }

  failure(failure: Failure): FailureJson {
    return { ...failure, input: this.events(failure.input, `input of ${failure.stepName}`) };
  }

  #item(item: WorkItem): Written<ItemJson, "calls" | "open" | "answered" | "fanOut"> {
    const { id, step, scope, index, recoveries, attempt, failures, firstStartedAtMs, lastError, lastFailedAtMs } = item;
    return {
      id,
      step,
      input: this.#input(item.input, step),
      scope: scope?.id ?? null,
      index,
      recoveries,
      status: this.isStored ? item.status : statusAtRest(item.status),
      attempt,
      failures,
      firstStartedAtMs,
      lastError,
      lastFailedAtMs,
      ...each("calls", item.calls?.values(), (record) => this.#record(record, item)),
      ...(this.isStored && { open: item.open, answered: item.answered }),
      ...(item.fanOut === null ? {} : { fanOut: openId(item.fanOut) }),
    };
  }

  #input(input: StepInput, step: string): InputJson {
    if (input.kind === "event") return { kind: "event", event: this.event(input.event, step) };
    return gathered().input(input, step, this);
  }

  #record(record: CallRecord, of: WorkItem): RecordJson {
    const path = `${of.step}: ${record.call}`;
    const isAwaited = this.isStored && "awaitedIn" in record && record.awaitedIn === of.attempt;
    const awaited = isAwaited && { awaited: true as const };
    switch (record.kind) {
      case "wait": {
        const { kind, call, openedAtMs, order, accepts, where, promptId, prompt } = record;
        const { dueAtMs, status, event, race, reason } = record;
        return {
          kind,
          call,
          openedAtMs,
          order,
          accepts,
          promptId,
          dueAtMs,
          status,
          ...(race !== undefined && { race }),
          ...(reason !== undefined && { reason }),
          where: where === null ? null : encodeValue(where, path, this.#types),
          prompt: prompt === null ? null : this.event(prompt, path),
          event: event === null ? null : this.event(event, path),
          ...awaited,
        } satisfies Written<WaitJson, "race" | "reason" | "awaited">;
      }
      case "sleep":
      case "effect": {
        const { awaitedIn: _, timer: __, ...kept } = record;
        return { ...kept, ...awaited };
      }
      case "child": {
        const { awaitedIn: _, sharesStore, timeoutMs, start, result, ...kept } = record;
        // The events of a child use the types that the child registers.
        const child = new StateEncoder(compiledChild(this.#compiled, kept.name, path));
        return {
          ...kept,
          ...(sharesStore && { sharesStore }),
          ...(timeoutMs !== null && { timeoutMs }),
          start: child.event(start, path),
          result: result === null ? null : child.event(result, path),
          ...awaited,
        };
      }
      case "edit":
      case "run":
        return { ...record, value: encodeValue(record.value, path, this.#types) };
      case "set":
        return {
          kind: "set",
          call: record.call,
          events: record.events === null ? null : this.events(record.events, path),
        };
      case "race":
        return { ...record };
      default:
        return record;
    }
  }

  pendingEvent({ event, scope, index, recoveries, step }: PendingEvent): Written<PendingEventJson> {
    return { event: this.event(event, "kept event"), scope: openId(scope), index, recoveries, step };
  }

  #timer(timer: Timer): TimerJson {
    const { dueAtMs, order } = timer;
    switch (timer.kind) {
      case "call":
        return { dueAtMs, order, kind: "call", item: timer.item, call: timer.call };
      case "retry":
        return { dueAtMs, order, kind: "retry", item: timer.item };
      case "send":
        return { dueAtMs, order, kind: "send", pendingEvent: this.pendingEvent(timer.pendingEvent) };
      default:
        return { dueAtMs, order, kind: timer.kind };
    }
  }
}

/** A run has such parts only where this was registered. */
function gathered(): typeof encodingGathered {
  return optionalModules.snapshot as typeof encodingGathered;
}

/** A kept event may outlive its fan-out. */
function openId(scope: FanOutState | null): number | null {
  return scope === null || scope.closed ? null : scope.id;
}

// ---- fan-outs, batches and sets
// Programs with `many()`, `collect()` or `join()` register this part, so that other programs do not bundle it.

export const encodingGathered: {
  readonly input: typeof input;
  readonly scope: typeof scope;
  readonly joins: typeof joins;
} = { input, scope, joins };

function input(given: GatheredInput, step: string, encoder: StateEncoder): InputJson {
  switch (given.kind) {
    case "batch":
      return { kind: "batch", members: encoder.events(given.members, step) };
    case "settled": {
      const members = given.members.map((member) => {
        if (member.status === "ok") return { ...member, event: encoder.event(member.event, step) };
        return member.status === "failed" ? { ...member, failure: encoder.failure(member.failure) } : member;
      });
      return { kind: "settled", members };
    }
    case "set":
      return {
        kind: "set",
        slots: Object.entries(given.slots).map(([slot, event]) => [slot, encoder.event(event, step)] as const),
      };
  }
}

function scope(
  given: FanOutState,
  encoder: StateEncoder,
): Written<ScopeJson, "paused" | "gathered" | "failures" | "joins"> {
  const { id, opener, parent, parentIndex, collects, size, pending } = given;
  return {
    id,
    opener,
    parent: parent?.id ?? null,
    parentIndex,
    collects,
    size,
    counted: pending !== null,
    ...(encoder.isStored && { paused: given.paused }),
    ...each("gathered", given.gathered, ([step, { fired, arrivals }]) => ({
      step,
      fired,
      arrivals: fired ? [] : arrivals.map((one) => arrival(one, step, encoder)),
    })),
    ...each("failures", given.failures, ([index, failure]) => [index, encoder.failure(failure)] as const),
    ...list("joins", given.joins === null ? [] : joins(given.joins, encoder)),
  };
}

function arrival(
  { index, path, event, recoveries }: Arrival,
  step: string,
  encoder: StateEncoder,
): Written<ArrivalJson, "path"> {
  return { index, ...(path !== null && { path }), event: encoder.event(event, step), recoveries };
}

function joins(given: ReadonlyMap<string, JoinBuffer>, encoder: StateEncoder): JoinJson[] {
  return Array.from(given, ([key, { step, arrivals }]) => ({
    key,
    step,
    arrivals: [...arrivals.values()].flat().map((pendingEvent) => encoder.pendingEvent(pendingEvent)),
  }));
}

/** Lists of a snapshot. Empty ones are left out: a small run has a small snapshot. */
function list<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
): { readonly [Key in Name]?: readonly Item[] } {
  return items.length === 0 ? {} : ({ [name]: items } as never);
}

/** Encodes every item into the field `name`; leaves the field out if there are no items. */
function each<Name extends string, Given, Item>(
  name: Name,
  given: Iterable<Given> | null | undefined,
  encode: (one: Given) => Item,
): { readonly [Key in Name]?: readonly Item[] } {
  return list(name, Array.from(given ?? [], encode));
}

/** Reads every item of a list that may be left out. @param read Gets the path of the item, for errors. */
export function readEach<Item, Value>(
  items: readonly Item[] | undefined,
  path: string,
  read: (item: Item, path: string) => Value,
): Value[] {
  return (items ?? []).map((item, index) => read(item, `${path}.${index}`));
}
