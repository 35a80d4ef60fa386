/**
 * Decodes the state of a run from untrusted JSON: all of it is checked before any of it is used.
 *
 * @module
 */

import type { CompiledWorkflow } from "../compile/compile.js";
import { toCurrent } from "../compile/state-version.js";
import { Fifo } from "../engine/fifo.js";
import { acceptedTypes } from "../engine/routing.js";
import { runLimits } from "../engine/run-limits.js";
import { SmallMap } from "../engine/small-map.js";
import {
  createFanOutState,
  createRunState,
  type EventData,
  type FanOutState,
  type JoinBuffer,
  type Leftover,
  type PendingEvent,
  type RunState,
  shareStore,
  type TraceContext,
  type WorkItem,
} from "../engine/state.js";
import { Timers } from "../engine/timers.js";
import { decodeOwn } from "../event/decode.js";
import { freezeState } from "../state/freeze-state.js";
import { isRecord } from "../value/plain.js";
import { isVersion } from "../value/version.js";
import { PartDecoder } from "./decode-parts.js";
import { decodeRecord } from "./decode-record.js";
import { STORED_VERSION } from "./format.js";
import { invalidSnapshot, mismatch, Reader } from "./reader.js";
import { checkTimers, countOpen, listWaits } from "./relink.js";
import { takesInput } from "./takes-input.js";

const STATUSES = ["running", "completed", "failed", "cancelled", "timedOut"] as const;
const AT_REST = ["ready", "delayed", "failed"] as const;
const UNDER_WAY = [...AT_REST, "running", "suspended", "resuming"] as const;
const TIMERS = ["call", "retry", "send", "deadline"] as const;
const TIMERS_UNDER_WAY = [...TIMERS, "timeout"] as const;

export interface DecodeOptions {
  /** `true` if the user's state keeps its version and active work continues. */
  readonly asStored: boolean;
  /** The run whose store this one shares; `null` for a run with its own store. */
  readonly owner: RunState | null;
}

export function decodeState(compiled: CompiledWorkflow, dict: Reader, options: DecodeOptions = alone): RunState {
  return new StateDecoder(compiled, dict, options.asStored).state(options);
}
const alone: DecodeOptions = { asStored: false, owner: null };

class StateDecoder extends PartDecoder {
  readonly #dict: Reader;
  readonly #scopes: Map<number, FanOutState> = new Map();
  /** `true`: the journal continues the work that the snapshot has under way. */
  readonly #continues: boolean;

  constructor(compiled: CompiledWorkflow, dict: Reader, asStored: boolean) {
    super(compiled);
    this.#dict = dict;
    this.#continues = asStored && dict.raw("version") === STORED_VERSION;
  }

  state({ asStored, owner }: DecodeOptions): RunState {
    const { compiled } = this;
    const dict = this.#dict;
    const store = owner === null ? this.#store(asStored) : null;
    const workflow = asStored ? compiled.name : dict.text("workflow");
    const state = createRunState({ runId: dict.text("runId"), workflow, store });
    if (owner !== null) shareStore(state, owner);
    state.status = dict.oneOf("status", STATUSES);
    state.outcome = dict.nullable("outcome", (name) => this.outcome(new Reader(dict.raw(name), dict.at(name))));
    if (
      (state.outcome === null) !== (state.status === "running") ||
      (state.outcome && state.outcome.status !== state.status)
    ) {
      throw invalidSnapshot(dict.at("outcome"), `at odds with the status "${state.status}"`);
    }
    for (const name of ["ticks", "nextId", "streamed"] as const) state[name] = dict.count(name);
    for (const name of ["atMs", "startedAtMs"] as const) state[name] = dict.time(name);
    state.ends = dict.raw("ends") === undefined ? 0 : dict.count("ends");
    state.trace = dict.nullable("trace", (name) => this.#trace(new Reader(dict.raw(name), dict.at(name))));
    state.activeMs = dict.number("activeMs");
    state.timeoutMs = dict.nullable("timeoutMs", (name) => dict.number(name));
    state.deadlineMs = dict.nullable("deadlineMs", (name) => dict.number(name));
    this.#readScopes(state);
    for (const item of dict.each("items", (reader) => this.#item(reader))) this.#addItem(state, item);
    if (state.ticks === 0 && state.items.size > 0) throw invalidSnapshot(dict.at("ticks"), "0, and there is work");
    listWaits(state);
    this.#fillScopes();
    this.#readKept(state);
    this.#readUnused(state);
    this.#readTimers(state);
    if (this.#continues) this.#readWork(state);
    checkTimers(state, dict.path);
    countOpen(state, dict.path);
    return state;
  }

  /** The ids are not checked here: tracers check them. */
  #trace(reader: Reader): TraceContext {
    const traceparent = reader.text("traceparent");
    return reader.raw("tracestate") === undefined
      ? { traceparent }
      : { traceparent, tracestate: reader.text("tracestate") };
  }

  #store(asStored: boolean): unknown {
    const { compiled } = this;
    const dict = this.#dict;
    const store = freezeState(decodeOwn(dict.raw("store"), dict.at("store"), compiled.values));
    if (!isRecord(store)) throw invalidSnapshot(dict.at("store"), "no state");
    const version = dict.raw("stateVersion") === undefined ? 1 : dict.raw("stateVersion");
    if (!isVersion(version))
      throw invalidSnapshot(
        dict.at("stateVersion"),
        `${JSON.stringify(version)?.slice(0, 60)}, no version there ever was`,
      );
    return asStored ? store : toCurrent(compiled, store, version);
  }

  #item(reader: Reader): WorkItem {
    const step = reader.text("step");
    const id = reader.count("id", this.#dict.count("nextId"));
    const scope = this.#scope(reader, "scope");
    const item: WorkItem = {
      id,
      step,
      scope,
      input: this.input(new Reader(reader.raw("input"), reader.at("input"))),
      index: elementIndex(reader, scope),
      recoveries: this.recoveries(reader),
      status: reader.oneOf("status", this.#continues ? UNDER_WAY : AT_REST),
      attempt: reader.count("attempt"),
      failures: reader.count("failures"),
      firstStartedAtMs: reader.time("firstStartedAtMs"),
      lastError: reader.nullable("lastError", (name) => this.error(reader.raw(name), reader.at(name))),
      lastFailedAtMs: reader.time("lastFailedAtMs"),
      memory: null,
      open: this.#continues ? reader.count("open") : 0,
      answered: this.#continues ? reader.nullable("answered", (name) => reader.texts(name)) : null,
      retryTimer: null,
      fan: reader.raw("fan") === undefined ? null : (this.#scope(reader, "fan") ?? cancelledFan(step)),
    };
    const owner = { id, attempt: this.#continues ? item.attempt : 0 };
    const records = reader.each("memory", (record) => decodeRecord(this, record, owner));
    for (const record of records) (item.memory ??= new SmallMap()).set(record.call, record);
    this.#feed(item, reader);
    if (!this.compiled.registry.newer && !takesInput(this.compiled, item))
      throw mismatch(reader.at("input"), `is nothing that the step "${step}" takes`);
    if (item.status === "failed" && this.#dict.raw("status") === "running")
      throw invalidSnapshot(reader.at("status"), '"failed", but the run has not ended');
    return item;
  }

  /** A fan-out stays open while the step that opened it is at work. */
  #feed({ id, scope, index, fan, memory }: WorkItem, reader: Reader): void {
    if (fan === null || fan.closed) return;
    if (fan.open > 0) throw invalidSnapshot(reader.at("fan"), `${fan.id}, which another item feeds`);
    if (fan.parent !== scope || fan.parentIndex !== index)
      throw invalidSnapshot(reader.at("fan"), `${fan.id}, which is not open where the item is`);
    fan.open = 1;
    const isGenerator = [...(memory?.values() ?? [])].some(({ kind }) => kind === "yield");
    if (isGenerator) fan.generator = id;
  }

  #scope(reader: Reader, name: string): FanOutState | null {
    const id = reader.nullable(name, () => reader.number(name));
    if (id === null) return null;
    const scope = this.#scopes.get(id);
    if (!scope) throw invalidSnapshot(reader.at(name), `${id}, a fan-out that is not open`);
    return scope;
  }

  /** Outer scopes come before inner ones, because ids rise. */
  #readScopes(state: RunState): void {
    for (const reader of this.#dict.each("scopes", (scope) => scope)) {
      const parent = this.#scope(reader, "parent");
      const id = reader.count("id", this.#dict.count("nextId"));
      if (this.#scopes.has(id)) throw invalidSnapshot(reader.at("id"), `${id} a second time`);
      const scope = createFanOutState({
        id,
        opener: reader.text("opener"),
        parent,
        parentIndex: elementIndex(reader, parent, "parentIndex"),
        collects: reader.texts("collects"),
        counted: reader.flag("counted"),
      });
      scope.size = reader.count("size", runLimits.elements + 1);
      scope.paused = this.#continues && reader.flag("paused");
      parent?.inner.add(scope);
      this.#scopes.set(scope.id, scope);
    }
    if (this.#scopes.size > 0) state.scopes = this.#scopes;
  }

  /** Arrivals name scopes, so all scopes are made first. */
  #fillScopes(): void {
    for (const reader of this.#dict.each("scopes", (scope) => scope)) {
      const scope = this.#scopes.get(reader.number("id")) as FanOutState;
      for (const name of scope.collects) this.#checkCollect(name, reader.at("collects"));
      for (const gathered of reader.each("gathered", (entry) => entry)) {
        scope.gathered ??= new Map();
        const arrivals = gathered.each("arrivals", (arrival) => ({
          index: elementIndex(arrival, scope),
          path: pathOf(arrival),
          event: this.event(arrival.raw("event"), arrival.at("event")),
          recoveries: this.recoveries(arrival),
        }));
        this.#checkCollect(gathered.text("step"), gathered.at("step"), arrivals);
        scope.gathered.set(gathered.text("step"), { fired: gathered.flag("fired"), arrivals });
      }
      for (const pair of reader.array("failures")) {
        if (!Array.isArray(pair) || !Number.isSafeInteger(pair[0]) || pair[0] < 0 || pair[0] >= scope.size)
          throw invalidSnapshot(reader.at("failures"), "not a list of failures by element");
        scope.failures ??= new Map();
        scope.failures.set(pair[0], this.failure(pair[1], reader.at("failures")));
      }
      scope.joins = this.#joins(reader);
    }
  }

  #checkCollect(name: string, path: string, arrivals: readonly { readonly event: EventData }[] = []): void {
    const trigger = this.compiled.steps.get(name)?.definition.trigger;
    if (trigger?.kind !== "collect") throw mismatch(path, `names "${name}", which collects nothing`);
    const foreign = arrivals.find(({ event }) => !trigger.accepts.includes(event.type));
    if (foreign) throw mismatch(path, `names "${name}", which does not collect ${foreign.event.type}`);
  }

  /** With another key, later events would never meet earlier ones. */
  #checkJoin(entry: Reader, parcels: readonly PendingEvent[]): void {
    const step = entry.text("step");
    const definition = this.compiled.steps.get(step)?.definition;
    if (definition?.trigger.kind !== "join") throw mismatch(entry.at("step"), `names "${step}", which joins nothing`);
    if (!entry.text("key").startsWith(definition.trigger.by === null ? `${step}#` : `${step}=`))
      throw mismatch(entry.at("key"), `is "${entry.text("key")}", which is not how "${step}" pairs`);
    const accepts = acceptedTypes(definition);
    const foreign = parcels.find(({ event }) => !accepts.includes(event.type));
    if (foreign) throw mismatch(entry.at("arrivals"), `has ${foreign.event.type}, which "${step}" does not take`);
  }

  #addItem(state: RunState, item: WorkItem): void {
    if (state.items.has(item.id)) throw invalidSnapshot(this.#dict.at("items"), `a list with item ${item.id} twice`);
    state.items.set(item.id, item);
    item.scope?.items.add(item.id);
  }

  #parcel(reader: Reader): PendingEvent {
    const scope = this.#scope(reader, "scope");
    return {
      event: this.event(reader.raw("event"), reader.at("event")),
      scope,
      index: elementIndex(reader, scope),
      recoveries: this.recoveries(reader),
      step: reader.nullable("step", (name) => reader.text(name)),
    };
  }

  #joins(reader: Reader): Map<string, JoinBuffer> | null {
    const joins = reader.each("joins", (entry): readonly [string, JoinBuffer] => {
      const arrivals = new Map<string, PendingEvent[]>();
      const parcels = entry.each("arrivals", (parcel) => this.#parcel(parcel));
      this.#checkJoin(entry, parcels);
      for (const parcel of parcels) {
        const same = arrivals.get(parcel.event.type);
        if (same) same.push(parcel);
        else arrivals.set(parcel.event.type, [parcel]);
      }
      return [entry.text("key"), { step: entry.text("step"), arrivals, size: parcels.length }];
    });
    return joins.length === 0 ? null : new Map(joins);
  }

  #readKept(state: RunState): void {
    const dict = this.#dict;
    state.joins = this.#joins(dict);
    const inbox = dict.each("inbox", (parcel) => this.#parcel(parcel));
    if (inbox.length > 0) state.inbox = inbox;
    for (const [index, set] of dict.array("sets").entries()) {
      const path = `${dict.at("sets")}.${index}`;
      if (!Array.isArray(set) || typeof set[0] !== "string" || !Array.isArray(set[1]))
        throw invalidSnapshot(path, "no set");
      state.sets ??= new Map();
      state.sets.set(
        set[0],
        set[1].map((event) => this.event(event, path)),
      );
    }
    for (const prompt of dict.each("prompts", (reader) => reader)) {
      const promptId = prompt.text("promptId");
      state.prompts ??= new SmallMap();
      state.prompts.set(promptId, {
        promptId,
        event: this.event(prompt.raw("event"), prompt.at("event")),
        wait: null,
        step: prompt.nullable("step", (name) => prompt.text(name)),
        askedAtMs: prompt.time("askedAtMs"),
      });
    }
  }

  /** Only used for the error of a stuck run: a missing step does no harm here. */
  #readUnused(state: RunState): void {
    const dict = this.#dict;
    const unfired = dict.texts("unfired");
    const leftovers = new Map<string, Leftover>();
    for (const reader of dict.each("leftovers", (leftover) => leftover)) {
      const step = reader.text("step");
      leftovers.set(step, leftoverOf(step, reader));
    }
    if (unfired.length + leftovers.size > 0) state.unused = { unfired: new Set(unfired), leftovers };
  }

  /** Which attempts run, and which items queue. */
  #readWork(state: RunState): void {
    const dict = this.#dict;
    state.active = dict.count("active");
    state.activeSinceMs = dict.nullable("activeSinceMs", (name) => dict.number(name));
    for (const reader of dict.each("loads", (load) => load)) {
      state.loads ??= new Map();
      state.loads.set(reader.text("step"), {
        workers: reader.count("workers"),
        running: reader.count("running"),
        resuming: queueOf(reader, "resuming"),
        ready: queueOf(reader, "ready"),
      });
    }
  }

  #readTimers(state: RunState): void {
    for (const reader of this.#dict.each("timers", (timer) => timer)) {
      state.timers ??= new Timers();
      const base = { dueAtMs: reader.number("dueAtMs"), order: reader.count("order"), position: 0 };
      const kind = reader.oneOf("kind", this.#continues ? TIMERS_UNDER_WAY : TIMERS);
      if (kind === "deadline") state.timers.add({ ...base, kind });
      else if (kind === "timeout") state.runTimer = state.timers.add({ ...base, kind });
      else if (kind === "send")
        state.timers.add({
          ...base,
          kind,
          parcel: this.#parcel(new Reader(reader.raw("parcel"), reader.at("parcel"))),
        });
      else {
        const item = state.items.get(reader.number("item"));
        if (!item) throw invalidSnapshot(reader.at("item"), `${reader.number("item")}, an item that is not there`);
        if (kind === "retry") item.retryTimer = state.timers.add({ ...base, kind, item: item.id });
        else {
          const call = reader.text("call");
          const timer = state.timers.add({ ...base, kind, item: item.id, call });
          const record = item.memory?.get(call);
          if (record?.kind !== "wait" && record?.kind !== "sleep" && record?.kind !== "effect")
            throw invalidSnapshot(reader.at("call"), `"${call}", a call that is not there`);
          record.timer = timer;
        }
      }
    }
  }
}

function queueOf(reader: Reader, name: string): Fifo<number> {
  const queue = new Fifo<number>();
  for (const [index, id] of reader.array(name).entries()) {
    if (!Number.isSafeInteger(id)) throw invalidSnapshot(`${reader.at(name)}.${index}`, "no id");
    queue.push(id as number);
  }
  return queue;
}

/** The fan-out of an item whose elements are no longer used. */
function cancelledFan(opener: string): FanOutState {
  const fan = createFanOutState({ id: 0, opener, parent: null, parentIndex: 0, collects: [], counted: false });
  fan.closed = true;
  return fan;
}

function pathOf(reader: Reader): readonly number[] | null {
  if (reader.raw("path") === undefined) return null;
  const path = reader.array("path");
  if (path.every((place) => Number.isSafeInteger(place))) return path as number[];
  throw invalidSnapshot(reader.at("path"), "not a list of places");
}

function leftoverOf(step: string, reader: Reader): Leftover {
  const kind = reader.oneOf("kind", ["join", "collect", "fanOut", "nothing"]);
  switch (kind) {
    case "join":
      return { kind, step, arrived: reader.texts("arrived"), missing: reader.texts("missing") };
    case "collect":
      return { kind, step, arrived: reader.text("arrived") };
    default:
      return { kind, step };
  }
}

/** The element of a fan-out that something belongs to. */
function elementIndex(reader: Reader, scope: FanOutState | null, name: "index" | "parentIndex" = "index"): number {
  return reader.count(name, scope === null ? undefined : scope.size);
}
