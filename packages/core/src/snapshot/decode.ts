/**
 * Decodes the state of a run from untrusted JSON: all of it is checked before any of it is used.
 *
 * @module
 */

import type { CompiledWorkflow } from "../compile/compile.js";
import { Fifo, Timers } from "../engine/collections.js";
import { enter, keepArrival, listWait } from "../engine/routing.js";
import {
  type Arrival,
  createFanOutState,
  createRunState,
  type FanOutState,
  type JoinBuffer,
  type PendingEvent,
  type RunState,
  shareStore,
  type TraceContext,
  type WaitRecord,
  type WorkItem,
} from "../engine/state.js";
import { decodeOwn } from "../event/event-codec.js";
import { freezeState } from "../value/freeze.js";
import { isRecord } from "../value/kind.js";
import { decodeRecord, PartDecoder } from "./decode-parts.js";
import { readEach } from "./encode.js";
import { invalidSnapshot, STORED_VERSION, statusAtRest } from "./format.js";
import type { ArrivalJson, ItemJson, JoinJson, PendingEventJson, ScopeJson, Snapshot } from "./snapshot-shape.js";

export interface DecodeOptions {
  /** Names the snapshot in errors. */
  readonly path: string;
  /** The run whose store this one shares; `null` for a run with its own store. */
  readonly owner: RunState | null;
}

/**
 * Whether the code takes what the run holds is not checked, and the user's state keeps its version.
 *
 * @param dict A result of `readSnapshot`.
 */
export function decodeState(compiled: CompiledWorkflow, dict: Snapshot, options: DecodeOptions = alone): RunState {
  return new StateDecoder(compiled, dict, options).state(options.owner);
}
const alone: DecodeOptions = { path: "snapshot", owner: null };

class StateDecoder extends PartDecoder {
  readonly #dict: Snapshot;
  readonly #path: string;
  readonly #scopes: Map<number, FanOutState> = new Map();
  /** `true` if the journal continues the work that the snapshot has under way. */
  readonly #continues: boolean;

  constructor(compiled: CompiledWorkflow, dict: Snapshot, { path }: DecodeOptions) {
    super(compiled);
    this.#dict = dict;
    this.#path = path;
    this.#continues = dict.version === STORED_VERSION;
  }

  state(owner: RunState | null): RunState {
    const dict = this.#dict;
    const store = owner === null ? this.#store() : null;
    // The name of a class may change with every build.
    const state = createRunState({ runId: dict.runId, workflow: this.compiled.name, store });
    if (owner !== null) shareStore(state, owner);
    state.status = dict.status;
    state.outcome = dict.outcome ? this.outcome(dict.outcome, this.#at("outcome")) : null;
    if ((state.outcome?.status ?? "running") !== state.status)
      throw invalidSnapshot(this.#at("outcome"), `at odds with the status "${state.status}"`);
    for (const name of ["ticks", "nextId", "streamed", "atMs", "startedAtMs", "activeMs"] as const)
      state[name] = dict[name];
    state.continuations = dict.continuations ?? 0;
    state.trace = (dict.trace as TraceContext | undefined) ?? null; // tracers check the ids
    state.timeoutMs = dict.timeoutMs ?? null;
    state.deadlineMs = dict.deadlineMs ?? null;
    this.#readScopes(state);
    readEach(dict.items, this.#at("items"), (item, path) => this.#addItem(state, this.#item(item, path)));
    if (state.ticks === 0 && state.items.size > 0) throw invalidSnapshot(this.#at("ticks"), "0, and there is work");
    listWaits(state);
    this.#fillScopes();
    this.#readKept(state);
    this.#readUnused(state);
    this.#readTimers(state);
    if (this.#continues) this.#readWork(state);
    checkTimers(state, this.#path);
    countOpen(state, this.#path);
    return state;
  }

  #at(name: string): string {
    return `${this.#path}.${name}`;
  }

  #store(): unknown {
    const store = freezeState(decodeOwn(this.#dict.store, this.#at("store"), this.compiled.values));
    if (!isRecord(store)) throw invalidSnapshot(this.#at("store"), "no state");
    return store;
  }

  #item(json: ItemJson, path: string): WorkItem {
    const { id, step, attempt, failures, firstStartedAtMs, lastError = null, lastFailedAtMs } = json;
    const scope = this.#scope(json.scope, path, "scope");
    const status = this.#continues ? json.status : statusAtRest(json.status);
    const item: WorkItem = {
      id: this.#idOf(json, path),
      step,
      scope,
      input: this.input(json.input, `${path}.input`),
      index: elementIndex(json.index, scope, `${path}.index`),
      recoveries: json.recoveries ?? null,
      status,
      attempt,
      failures,
      firstStartedAtMs,
      lastError: lastError === null ? null : this.error(lastError, `${path}.lastError`),
      lastFailedAtMs,
      calls: null,
      open: this.#continues ? (json.open ?? 0) : 0,
      answered: this.#continues && json.answered ? [...json.answered] : null,
      retryTimer: null,
      fanOut: json.fanOut === undefined ? null : (this.#scope(json.fanOut, path, "fanOut") ?? cancelledFanOut(step)),
    };
    const place = { item: id, attempt: this.#continues ? attempt : 0 };
    readEach(json.calls, `${path}.calls`, (one, at) => {
      const record = decodeRecord(this, one, { ...place, path: at });
      (item.calls ??= new Map()).set(record.call, record);
    });
    this.#feed(item, path);
    if (status === "failed" && this.#dict.status === "running")
      throw invalidSnapshot(`${path}.status`, '"failed", but the run has not ended');
    return item;
  }

  #idOf({ id }: ItemJson | ScopeJson, path: string): number {
    if (id < this.#dict.nextId) return id;
    throw invalidSnapshot(`${path}.id`, `${id}, not a count below ${this.#dict.nextId}`);
  }

  /** A fan-out stays open while the step that opened it is at work. */
  #feed({ id, scope, index, fanOut, calls }: WorkItem, path: string): void {
    if (fanOut === null || fanOut.closed) return;
    if (fanOut.open > 0) throw invalidSnapshot(`${path}.fanOut`, `${fanOut.id}, which another item feeds`);
    if (fanOut.parent !== scope || fanOut.parentIndex !== index)
      throw invalidSnapshot(`${path}.fanOut`, `${fanOut.id}, which is not open where the item is`);
    fanOut.open = 1;
    const isGenerator = [...(calls?.values() ?? [])].some(({ kind }) => kind === "yield");
    if (isGenerator) fanOut.generator = id;
  }

  #scope(id: number | null | undefined, path: string, name: string): FanOutState | null {
    if (id === null || id === undefined) return null;
    const scope = this.#scopes.get(id);
    if (!scope) throw invalidSnapshot(`${path}.${name}`, `${id}, a fan-out that is not open`);
    return scope;
  }

  /** Outer scopes come before inner ones, because ids rise. */
  #readScopes(state: RunState): void {
    readEach(this.#dict.scopes, this.#at("scopes"), (json, path) => {
      const { opener, collects = [], counted, size, paused = false } = json;
      const parent = this.#scope(json.parent, path, "parent");
      const id = this.#idOf(json, path);
      if (this.#scopes.has(id)) throw invalidSnapshot(`${path}.id`, `${id} a second time`);
      const parentIndex = elementIndex(json.parentIndex, parent, `${path}.parentIndex`);
      const scope = createFanOutState({ id, opener, parent, parentIndex, collects, counted });
      scope.size = size;
      scope.paused = this.#continues && paused;
      parent?.inner.add(scope);
      this.#scopes.set(scope.id, scope);
    });
    if (this.#scopes.size > 0) state.scopes = this.#scopes;
  }

  /** Arrivals name scopes, so all scopes are made first. */
  #fillScopes(): void {
    readEach(this.#dict.scopes, this.#at("scopes"), ({ id, gathered, failures, joins }, path) => {
      const scope = this.#scopes.get(id) as FanOutState;
      readEach(gathered, `${path}.gathered`, ({ step, fired, arrivals: given }, at) => {
        const arrivals = readEach(given, `${at}.arrivals`, (arrival, place) => this.#arrival(arrival, scope, place));
        (scope.gathered ??= new Map()).set(step, { fired, arrivals });
      });
      readEach(failures, `${path}.failures`, ([element, failure], at) => {
        (scope.failures ??= new Map()).set(elementIndex(element, scope, `${at}.0`), this.failure(failure, `${at}.1`));
      });
      scope.joins = this.#joins(joins, path);
    });
  }

  #arrival(json: ArrivalJson, scope: FanOutState, path: string): Arrival {
    return {
      index: elementIndex(json.index, scope, `${path}.index`),
      path: json.path ?? null,
      event: this.event(json.event, `${path}.event`),
      recoveries: json.recoveries ?? null,
    };
  }

  #addItem(state: RunState, item: WorkItem): void {
    if (state.items.has(item.id)) throw invalidSnapshot(this.#at("items"), `a list with item ${item.id} twice`);
    state.items.set(item.id, item);
    item.scope?.items.add(item.id);
  }

  #pendingEvent(json: PendingEventJson, path: string): PendingEvent {
    const scope = this.#scope(json.scope, path, "scope");
    return {
      event: this.event(json.event, `${path}.event`),
      scope,
      index: elementIndex(json.index, scope, `${path}.index`),
      recoveries: json.recoveries ?? null,
      step: json.step ?? null,
    };
  }

  #joins(list: readonly JoinJson[] | undefined, path: string): Map<string, JoinBuffer> | null {
    const joins = readEach(list, `${path}.joins`, (json, at): readonly [string, JoinBuffer] => {
      const buffer: JoinBuffer = { step: json.step, arrivals: new Map(), size: 0 };
      for (const pendingEvent of this.#pendingEvents(json.arrivals, `${at}.arrivals`))
        keepArrival(buffer, pendingEvent);
      return [json.key, buffer];
    });
    return joins.length === 0 ? null : new Map(joins);
  }

  #pendingEvents(list: readonly PendingEventJson[] | undefined, path: string): PendingEvent[] {
    return readEach(list, path, (pendingEvent, at) => this.#pendingEvent(pendingEvent, at));
  }

  #readKept(state: RunState): void {
    const { joins, inbox, sets, prompts } = this.#dict;
    state.joins = this.#joins(joins, this.#path);
    if (inbox && inbox.length > 0) state.inbox = this.#pendingEvents(inbox, this.#at("inbox"));
    readEach(sets, this.#at("sets"), ([key, events], path) => {
      (state.sets ??= new Map()).set(key, this.events(events, `${path}.1`));
    });
    readEach(prompts, this.#at("prompts"), ({ promptId, event: encoded, step = null, askedAtMs }, path) => {
      const event = this.event(encoded, `${path}.event`);
      (state.prompts ??= new Map()).set(promptId, { promptId, event, wait: null, step, askedAtMs });
    });
  }

  /** Reads the unused events, which only serve the error of a stuck run: a missing step is ignored. */
  #readUnused(state: RunState): void {
    const { unfired = [], leftovers = [] } = this.#dict;
    if (unfired.length + leftovers.length === 0) return;
    const byStep = leftovers.map((leftover) => [leftover.step, leftover] as const);
    state.unused = { unfired: new Set(unfired), leftovers: new Map(byStep) };
  }

  /** Reads which attempts run and which items wait in line. */
  #readWork(state: RunState): void {
    const { active = 0, activeSinceMs = null, loads = [] } = this.#dict;
    state.active = active;
    state.activeSinceMs = activeSinceMs;
    for (const { step, workers, running, resuming, ready } of loads)
      (state.loads ??= new Map()).set(step, { workers, running, resuming: queueOf(resuming), ready: queueOf(ready) });
  }

  #readTimers(state: RunState): void {
    readEach(this.#dict.timers, this.#at("timers"), (json, path) => {
      const { kind, dueAtMs, order } = json;
      state.timers ??= new Timers();
      const base = { dueAtMs, order, position: 0 };
      if (kind === "deadline") state.timers.add({ ...base, kind });
      else if (kind === "timeout") {
        if (this.#continues) state.runTimer = state.timers.add({ ...base, kind });
      } else if (kind === "send") {
        const pendingEvent = this.#pendingEvent(json.pendingEvent, `${path}.pendingEvent`);
        state.timers.add({ ...base, kind, pendingEvent });
      } else {
        const item = state.items.get(json.item);
        if (!item) throw invalidSnapshot(`${path}.item`, `${json.item}, an item that is not there`);
        if (kind === "retry") item.retryTimer = state.timers.add({ ...base, kind, item: item.id });
        else {
          const { call } = json;
          const timer = state.timers.add({ ...base, kind, item: item.id, call });
          const record = item.calls?.get(call);
          if (record?.kind !== "wait" && record?.kind !== "sleep" && record?.kind !== "effect")
            throw invalidSnapshot(`${path}.call`, `"${call}", a call that is not there`);
          record.timer = timer;
        }
      }
    });
  }
}

function queueOf(ids: readonly number[] = []): Fifo<number> {
  const queue = new Fifo<number>();
  for (const id of ids) queue.push(id);
  return queue;
}

/** The fan-out of an item whose elements are no longer used. */
function cancelledFanOut(opener: string): FanOutState {
  const fanOut = createFanOutState({ id: 0, opener, parent: null, parentIndex: 0, collects: [], counted: false });
  fanOut.closed = true;
  return fanOut;
}

/** The element of a fan-out that something belongs to. */
function elementIndex(index: number, scope: FanOutState | null, path: string): number {
  if (scope === null || index < scope.size) return index;
  throw invalidSnapshot(path, `${index}, not a count below ${scope.size}`);
}

// ---- what follows from the rest of a run: restored, and compared with the snapshot

/** Lists open waits of all items, the oldest first. Their prompts come before those that steps emitted. */
function listWaits(state: RunState): void {
  const records = [...state.items.values()].flatMap((item) => [...(item.calls?.values() ?? [])]);
  const open = records.filter((record) => record.kind === "wait" && record.status === "open") as WaitRecord[];
  for (const record of open.sort((left, right) => left.order - right.order)) listWait(state, record);
}

/**
 * Checks the timers of everything that waits: without its timer, an item would wait for ever.
 *
 * @param snapshot Names the snapshot in errors.
 * @throws {WorkflowError} `SNAPSHOT_INVALID` when something waits for a time without a timer.
 */
function checkTimers({ items }: RunState, snapshot: string): void {
  for (const item of items.values()) {
    const path = `${snapshot}.items: item ${item.id}`;
    if ((item.status === "delayed") !== (item.retryTimer !== null))
      throw invalidSnapshot(path, "delayed without a timer, or the other way round");
    for (const record of item.calls?.values() ?? []) {
      if (record.kind !== "wait" && record.kind !== "sleep" && record.kind !== "effect") continue;
      const needsTimer = record.status === "open" && record.dueAtMs !== null;
      if (needsTimer !== (record.timer !== null))
        throw invalidSnapshot(path, `at odds with the timers of its call "${record.call}"`);
    }
  }
}

/**
 * Counts the open work of fan-outs.
 *
 * @param snapshot Names the snapshot in errors.
 * @throws {WorkflowError} `SNAPSHOT_INVALID` when a fan-out has none.
 */
function countOpen({ items, scopes, timers }: RunState, snapshot: string): void {
  for (const { parent, parentIndex } of scopes?.values() ?? []) if (parent !== null) enter(parent, parentIndex);
  for (const { scope, index } of items.values()) if (scope !== null) enter(scope, index);
  for (const timer of timers?.toArray() ?? [])
    if (timer.kind === "send" && timer.pendingEvent.scope !== null)
      enter(timer.pendingEvent.scope, timer.pendingEvent.index);
  for (const { id, open } of scopes?.values() ?? [])
    if (open === 0) throw invalidSnapshot(`${snapshot}.scopes`, `a list with fan-out ${id}, in which nothing is open`);
}
