/**
 * The running work of a run at one tick: which attempts run, which items queue, which calls they await.
 *
 * A snapshot leaves it out, because a load starts that work over. A journal cannot: its next ticks belong to the same attempts.
 *
 * @module
 */
import { Fifo } from "../engine/fifo.js";
import type { RunState, WorkItem } from "../engine/state.js";
import { Timers } from "../engine/timers.js";
import { invalidSnapshot, Reader } from "./reader.js";

/** Plain JSON, stored in addition to the snapshot of the same tick. */
export function encodeAtWork(state: RunState): object {
  const { active, activeMs, activeSinceMs, runTimer } = state;
  return {
    active,
    activeMs,
    activeSinceMs,
    timeout: runTimer === null ? null : { dueAtMs: runTimer.dueAtMs, order: runTimer.order },
    loads: [...(state.loads ?? [])].map(([step, { workers, running, resuming, ready }]) => ({
      step,
      workers,
      running,
      resuming: resuming.toArray(),
      ready: ready.toArray(),
    })),
    items: [...state.items.values()].map((item) => ({
      id: item.id,
      status: item.status,
      open: item.open,
      answered: item.answered,
      awaited: awaitedBy(item),
    })),
    // Fan-outs whose generator is paused.
    paused: [...(state.scopes?.values() ?? [])].filter(({ paused }) => paused).map(({ id }) => id),
  };
}

/** Calls that the attempt awaits or has awaited. */
function awaitedBy({ memory, attempt }: WorkItem): string[] {
  const records = [...(memory?.values() ?? [])];
  return records.filter((record) => "awaitedIn" in record && record.awaitedIn === attempt).map(({ call }) => call);
}

/** Restores the running work of a run that was decoded from the snapshot of the same tick. */
export function decodeAtWork(state: RunState, json: unknown, path: string): void {
  const reader = new Reader(json, path);
  state.active = reader.count("active");
  state.activeMs = reader.number("activeMs");
  state.activeSinceMs = reader.nullable("activeSinceMs", (name) => reader.number(name));
  for (const load of reader.each("loads", (entry) => entry)) readLoad(state, load);
  for (const item of reader.each("items", (entry) => entry)) readItem(state, item);
  for (const id of numbers(reader, "paused")) {
    const scope = state.scopes?.get(id);
    if (scope) scope.paused = true;
  }
  const timeout = reader.nullable("timeout", (name) => new Reader(reader.raw(name), reader.at(name)));
  if (timeout === null) return;
  state.timers ??= new Timers();
  const [dueAtMs, order] = [timeout.number("dueAtMs"), timeout.count("order")];
  state.runTimer = state.timers.add({ kind: "timeout", dueAtMs, order, position: 0 });
}

function readLoad(state: RunState, reader: Reader): void {
  const queue = (name: string): Fifo<number> => {
    const fifo = new Fifo<number>();
    for (const id of numbers(reader, name)) fifo.push(id);
    return fifo;
  };
  state.loads ??= new Map();
  state.loads.set(reader.text("step"), {
    workers: reader.count("workers"),
    running: reader.count("running"),
    resuming: queue("resuming"),
    ready: queue("ready"),
  });
}

function readItem(state: RunState, reader: Reader): void {
  const item = state.items.get(reader.count("id"));
  if (item === undefined) throw invalidSnapshot(reader.at("id"), "an item that is not there");
  item.status = reader.oneOf("status", ["ready", "delayed", "running", "suspended", "resuming", "failed"]);
  item.open = reader.count("open");
  item.answered = reader.nullable("answered", (name) => reader.texts(name));
  for (const call of reader.texts("awaited")) {
    const record = item.memory?.get(call);
    if (record !== undefined && "awaitedIn" in record) record.awaitedIn = item.attempt;
  }
}

function numbers(reader: Reader, name: string): number[] {
  return reader.array(name).map((value, index) => {
    if (!Number.isSafeInteger(value)) throw invalidSnapshot(`${reader.at(name)}.${index}`, "no id");
    return value as number;
  });
}
