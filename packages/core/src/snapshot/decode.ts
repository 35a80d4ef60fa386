/**
 * Plain JSON from anywhere to the state of a run: all of it checked before any of it is used.
 *
 * @module
 */
import { createRunState, type Failure, type JoinBuffer, type Outcome, type Parcel, type Recoveries, type RunState, type Scope, type SettledMember, type StepInput, type WaitRecord, type WorkItem } from "../engine/state.js";
import { Timers } from "../engine/timers.js";
import type { ErrorRecord } from "../errors/error-record.js";
import { decodeEvent } from "../event/event-codec.js";
import type { WorkflowEvent } from "../event/event.js";
import { decodeValue } from "../value/codec.js";
import { freezeState } from "../state/freeze-state.js";
import type { CompiledWorkflow } from "../workflow/compile.js";
import { decodeRecord } from "./decode-record.js";
import { invalidSnapshot, Reader } from "./reader.js";

const STATUSES = ["running", "completed", "failed", "cancelled", "timedOut"] as const;

export function decodeState(compiled: CompiledWorkflow, dict: Reader): RunState {
  return new StateDecoder(compiled, dict).state();
}

export class StateDecoder {
  readonly compiled: CompiledWorkflow;
  private readonly dict: Reader;
  private readonly scopes: Map<number, Scope> = new Map();

  constructor(compiled: CompiledWorkflow, dict: Reader) {
    this.compiled = compiled;
    this.dict = dict;
  }

  state(): RunState {
    const { dict } = this;
    const store = freezeState(this.value(dict.raw("store"), dict.at("store")));
    const state = createRunState({ runId: dict.text("runId"), workflow: dict.text("workflow"), store });
    state.status = dict.oneOf("status", STATUSES);
    state.outcome = dict.nullable("outcome", (name) => this.outcome(new Reader(dict.raw(name), dict.at(name))));
    if ((state.outcome === null) !== (state.status === "running") || (state.outcome && state.outcome.status !== state.status)) {
      throw invalidSnapshot(dict.at("outcome"), `at odds with the status "${state.status}"`);
    }
    for (const name of ["ticks", "atMs", "startedAtMs", "activeMs", "nextId", "streamed"] as const) state[name] = dict.number(name);
    state.timeoutMs = dict.nullable("timeoutMs", (name) => dict.number(name));
    state.deadlineMs = dict.nullable("deadlineMs", (name) => dict.number(name));
    this.readScopes(state);
    for (const item of dict.each("items", (reader) => this.item(reader))) this.addItem(state, item);
    this.listWaits(state);
    this.fillScopes();
    this.readKept(state);
    this.readTimers(state);
    return state;
  }

  event(encoded: unknown, path: string): WorkflowEvent {
    return decodeEvent(encoded, this.compiled.registry, path);
  }

  value(encoded: unknown, path: string): unknown {
    return decodeValue(encoded, path, this.compiled.types);
  }

  private events(reader: Reader, name: string): WorkflowEvent[] {
    return reader.array(name).map((event, index) => this.event(event, `${reader.at(name)}.${index}`));
  }

  private outcome(reader: Reader): Outcome {
    const status = reader.oneOf("status", ["completed", "failed", "cancelled", "timedOut"]);
    switch (status) {
      case "completed": return { status, event: this.event(reader.raw("event"), reader.at("event")) };
      case "failed": return { status, failure: this.failure(reader.raw("failure"), reader.at("failure")) };
      case "cancelled": return { status, reason: this.value(reader.raw("reason"), reader.at("reason")) };
      case "timedOut": return { status, timeoutMs: reader.number("timeoutMs"), activeSteps: reader.texts("activeSteps") };
    }
  }

  private failure(value: unknown, path: string): Failure {
    const reader = new Reader(value, path);
    return {
      stepName: reader.nullable("stepName", (name) => reader.text(name)),
      error: this.error(reader.raw("error"), reader.at("error")),
      attempts: reader.number("attempts"),
      elapsedMs: reader.number("elapsedMs"),
      failedAtMs: reader.number("failedAtMs"),
      input: this.events(reader, "input"),
    };
  }

  error(value: unknown, path: string): ErrorRecord {
    const reader = new Reader(value, path);
    reader.text("name");
    reader.text("message");
    return value as ErrorRecord;
  }

  private item(reader: Reader): WorkItem {
    const step = reader.text("step");
    const id = reader.number("id");
    const scope = this.scope(reader, "scope");
    const item: WorkItem = {
      id, step, scope,
      input: this.input(new Reader(reader.raw("input"), reader.at("input"))),
      index: reader.number("index"),
      recoveries: this.recoveries(reader),
      status: reader.oneOf("status", ["ready", "delayed", "failed"]),
      attempt: reader.number("attempt"),
      failures: reader.number("failures"),
      firstStartedAtMs: reader.number("firstStartedAtMs"),
      lastError: reader.nullable("lastError", (name) => this.error(reader.raw(name), reader.at(name))),
      lastFailedAtMs: reader.number("lastFailedAtMs"),
      memory: null, open: 0, answered: null, retryTimer: null,
      fan: reader.raw("fan") === undefined ? null : this.scope(reader, "fan"),
    };
    const records = reader.each("memory", (record) => decodeRecord(this, record, id));
    if (records.length > 0) item.memory = new Map(records.map((record) => [record.call, record]));
    return item;
  }

  private input(reader: Reader): StepInput {
    const kind = reader.oneOf("kind", ["event", "batch", "settled", "set"]);
    switch (kind) {
      case "event": return { kind, event: this.event(reader.raw("event"), reader.at("event")) };
      case "batch": return { kind, members: Object.freeze(this.events(reader, "members")) };
      case "settled": return { kind, members: reader.each("members", (member) => this.member(member)) };
      case "set": return { kind, slots: Object.fromEntries(reader.array("slots").map((entry, index) => this.slot(entry, `${reader.at("slots")}.${index}`))) };
    }
  }

  private slot(entry: unknown, path: string): readonly [string, WorkflowEvent] {
    if (!Array.isArray(entry) || typeof entry[0] !== "string") throw invalidSnapshot(path, "no slot");
    return [entry[0], this.event(entry[1], path)];
  }

  private member(reader: Reader): SettledMember {
    const index = reader.number("index");
    const status = reader.oneOf("status", ["ok", "empty", "failed"]);
    if (status === "ok") return { status, index, event: this.event(reader.raw("event"), reader.at("event")) };
    return status === "failed" ? { status, index, failure: this.failure(reader.raw("failure"), reader.at("failure")) } : { status, index };
  }

  private recoveries(reader: Reader): Recoveries | null {
    return reader.nullable("recoveries", (name) => {
      const counts = new Reader(reader.raw(name), reader.at(name));
      const entries = Object.keys(reader.raw(name) as object).map((handler) => [handler, counts.number(handler)]);
      return Object.fromEntries(entries) as Recoveries;
    });
  }

  private scope(reader: Reader, name: string): Scope | null {
    const id = reader.nullable(name, () => reader.number(name));
    if (id === null) return null;
    const scope = this.scopes.get(id);
    if (!scope) throw invalidSnapshot(reader.at(name), `${id}, a fan-out that is not open`);
    return scope;
  }

  /** Outer scopes come before inner ones: ids rise. */
  private readScopes(state: RunState): void {
    for (const reader of this.dict.each("scopes", (scope) => scope)) {
      const parent = this.scope(reader, "parent");
      const scope: Scope = {
        id: reader.number("id"),
        opener: reader.text("opener"),
        parent,
        parentIndex: reader.number("parentIndex"),
        collects: reader.texts("collects"),
        open: reader.number("open"),
        size: reader.number("size"),
        items: new Set(),
        inner: new Set(),
        pending: reader.nullable("pending", (name) => new Map(this.pairs(reader, name) as [number, number][])),
        generator: reader.nullable("generator", (name) => reader.number(name)),
        paused: reader.flag("paused"),
        closed: false,
        gathered: null,
        failures: null,
        joins: null,
      };
      parent?.inner.add(scope);
      this.scopes.set(scope.id, scope);
    }
    if (this.scopes.size > 0) state.scopes = this.scopes;
  }

  /** Arrivals name scopes, so all scopes are there first. */
  private fillScopes(): void {
    for (const reader of this.dict.each("scopes", (scope) => scope)) {
      const scope = this.scopes.get(reader.number("id")) as Scope;
      for (const gathered of reader.each("gathered", (entry) => entry)) {
        scope.gathered ??= new Map();
        const arrivals = gathered.each("arrivals", (arrival) => ({
          index: arrival.number("index"),
          event: this.event(arrival.raw("event"), arrival.at("event")),
          recoveries: this.recoveries(arrival),
        }));
        scope.gathered.set(gathered.text("step"), { fired: gathered.flag("fired"), arrivals });
      }
      for (const [index, failure] of this.pairs(reader, "failures")) {
        scope.failures ??= new Map();
        scope.failures.set(index as number, this.failure(failure, reader.at("failures")));
      }
      scope.joins = this.joins(reader);
    }
  }

  private pairs(reader: Reader, name: string): [number, unknown][] {
    return reader.array(name).map((pair) => {
      if (!Array.isArray(pair) || typeof pair[0] !== "number") throw invalidSnapshot(reader.at(name), "no list of pairs");
      return pair as [number, unknown];
    });
  }

  private addItem(state: RunState, item: WorkItem): void {
    if (state.items.has(item.id)) throw invalidSnapshot(this.dict.at("items"), `a list with item ${item.id} twice`);
    state.items.set(item.id, item);
    item.scope?.items.add(item.id);
  }

  /** The oldest first, whichever item it is of. */
  private listWaits(state: RunState): void {
    const records = [...state.items.values()].flatMap((item) => [...(item.memory?.values() ?? [])]);
    const open = records.filter((record) => record.kind === "wait" && record.status === "open") as WaitRecord[];
    for (const record of open.sort((left, right) => left.order - right.order)) {
      state.waits ??= new Map();
      for (const type of record.accepts) {
        const waits = state.waits.get(type);
        if (waits) waits.add(record);
        else state.waits.set(type, new Set([record]));
      }
      if (record.promptId === null || record.prompt === null) continue;
      state.prompts ??= new Map();
      state.prompts.set(record.promptId, { promptId: record.promptId, event: record.prompt, wait: record });
    }
  }

  private parcel(reader: Reader): Parcel {
    return {
      event: this.event(reader.raw("event"), reader.at("event")),
      scope: this.scope(reader, "scope"),
      index: reader.number("index"),
      recoveries: this.recoveries(reader),
      step: reader.nullable("step", (name) => reader.text(name)),
    };
  }

  private joins(reader: Reader): Map<string, JoinBuffer> | null {
    const joins = reader.each("joins", (entry): readonly [string, JoinBuffer] => {
      const arrivals = new Map<string, Parcel[]>();
      const parcels = entry.each("arrivals", (parcel) => this.parcel(parcel));
      for (const parcel of parcels) arrivals.set(parcel.event.type, [...(arrivals.get(parcel.event.type) ?? []), parcel]);
      return [entry.text("key"), { step: entry.text("step"), arrivals, size: parcels.length }];
    });
    return joins.length === 0 ? null : new Map(joins);
  }

  private readKept(state: RunState): void {
    const { dict } = this;
    state.joins = this.joins(dict);
    const inbox = dict.each("inbox", (parcel) => this.parcel(parcel));
    if (inbox.length > 0) state.inbox = inbox;
    for (const [index, set] of dict.array("sets").entries()) {
      const path = `${dict.at("sets")}.${index}`;
      if (!Array.isArray(set) || typeof set[0] !== "string" || !Array.isArray(set[1])) throw invalidSnapshot(path, "no set");
      state.sets ??= new Map();
      state.sets.set(set[0], set[1].map((event) => this.event(event, path)));
    }
    for (const prompt of dict.each("prompts", (reader) => reader)) {
      const promptId = prompt.text("promptId");
      state.prompts ??= new Map();
      state.prompts.set(promptId, { promptId, event: this.event(prompt.raw("event"), prompt.at("event")), wait: null });
    }
  }

  private readTimers(state: RunState): void {
    for (const reader of this.dict.each("timers", (timer) => timer)) {
      state.timers ??= new Timers();
      const base = { dueAtMs: reader.number("dueAtMs"), order: reader.number("order"), position: 0 };
      const kind = reader.oneOf("kind", ["call", "retry", "send", "deadline"]);
      if (kind === "deadline") state.timers.add({ ...base, kind });
      else if (kind === "send") state.timers.add({ ...base, kind, parcel: this.parcel(new Reader(reader.raw("parcel"), reader.at("parcel"))) });
      else {
        const item = state.items.get(reader.number("item"));
        if (!item) throw invalidSnapshot(reader.at("item"), `${reader.number("item")}, an item that is not there`);
        if (kind === "retry") item.retryTimer = state.timers.add({ ...base, kind, item: item.id });
        else {
          const call = reader.text("call");
          const timer = state.timers.add({ ...base, kind, item: item.id, call });
          const record = item.memory?.get(call);
          if (record?.kind !== "wait" && record?.kind !== "sleep") throw invalidSnapshot(reader.at("call"), `"${call}", a call that is not there`);
          record.timer = timer;
        }
      }
    }
  }
}
