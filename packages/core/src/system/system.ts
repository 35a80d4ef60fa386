/**
 * The real world behind the ports: the only file of the core that asks for the time, ids, timers or the console.
 *
 * Fairness to the host: runs that never wait for anything still yield a turn every 5 ms.
 *
 * Where a call of `ctx` or of a store is answered without a wait, its answer comes after the turn.
 *
 * All runs of the process share one queue: a run whose time is over goes to its end. After a pause, the first check finds the time
 * over as well: one needless turn in 5 ms at most.
 *
 * @module
 */

import { Fifo } from "../engine/collections.js";
import type { Clock, Ids, Log } from "../engine/ports.js";

/** Timers of hosts cannot be set further ahead. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

// Taken once: a test that puts its own timers in place later does not stop the engine. Called bare: browsers and workerd
// refuse their timers with another `this`.
const startTimer = setTimeout;
const stopTimer = clearTimeout;
const startInterval = setInterval;
const stopInterval = clearInterval;
const soon = typeof setImmediate === "function" ? setImmediate : undefined;

/** A Cloudflare Worker runs many requests in one isolate, and code started by one of them must not continue inside another. */
export const isPerRequest: boolean = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** One timer keeps the process alive for all that want it. */
let staying: ReturnType<typeof setInterval> | undefined;
let holders = 0;

export const systemClock: Required<Clock> = {
  now: () => Date.now(),
  chance: () => Math.random(),
  setTimer(atMs, wake, isBackground = false) {
    let timer: ReturnType<typeof setTimeout>;
    let leftMs = atMs - Date.now();
    const arm = (): void => {
      const partMs = Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS);
      timer = startTimer(() => {
        if (leftMs <= LONGEST_TIMER_MS) return wake();
        // If the clock was set forward, the timer is shorter; set back, it is not longer.
        leftMs = Math.min(leftMs - partMs, atMs - Date.now());
        arm();
      }, partMs);
      // A number in browsers and workerd, where no process has to end.
      if (isBackground && typeof timer === "object") timer.unref();
    };
    arm();
    return () => stopTimer(timer);
  },
  keepAlive() {
    if (isPerRequest) return () => {}; // a timer would keep a Durable Object in memory
    if (holders++ === 0) staying = startInterval(() => {}, LONGEST_TIMER_MS);
    let isOpen = true;
    return () => {
      if (isOpen && --holders === 0) stopInterval(staying);
      isOpen = false;
    };
  },
};

export const systemIds: Ids = {
  runId() {
    // Node builds it out of sixteen pieces: `trim` makes it one, which saves a waiting run 400 bytes.
    return globalThis.crypto.randomUUID().trim();
  },
};

/**
 * Between half of the milliseconds and all of them, at random: processes that have failed together do not come back together. All of
 * them with a clock that has no chance.
 */
export function jittered(ms: number, { chance }: Clock): number {
  return chance === undefined ? ms : ms * (0.5 + chance() / 2);
}

export const consoleLog: Log = {
  info: (message) => console.log(message),
  error: (message, error) => (error === undefined ? console.error(message) : console.error(message, error)),
};

/** Most bytes by which the heap of this process may grow; `null` if the host does not report it. */
export function freeHeapBytes(): number | null {
  const heap = globalThis.process?.getBuiltinModule?.("node:v8")?.getHeapStatistics?.();
  const freeBytes = heap === undefined ? 0 : heap.heap_size_limit - heap.used_heap_size;
  return freeBytes > 0 ? freeBytes : null;
}

/** Calls back after the host had its turn: I/O, timers, rendering. */
export function nextTurn(callback: () => void): void {
  if (soon) soon(callback);
  else if (typeof MessageChannel === "function" && !isPerRequest) postTurn(callback);
  else startTimer(callback, 0);
}

// Browsers hold nested timeouts back by 4 ms; a message port does not.
let port: { postMessage(message: null): void } | null = null;
const turns: (() => void)[] = [];
function postTurn(callback: () => void): void {
  if (port === null) {
    const channel = new MessageChannel();
    Object.assign(channel.port1, { onmessage: () => turns.shift()?.() });
    port = channel.port2;
  }
  turns.push(callback);
  port.postMessage(null);
}

/** Facts about this process, for people. Texts are empty if the host does not provide them. */
export interface ProcessFacts {
  readonly host: string;
  readonly pid: number | null;
}

export function processFacts(): ProcessFacts {
  const { process } = globalThis;
  return {
    host: process?.getBuiltinModule?.("node:os")?.hostname?.() ?? "",
    pid: typeof process?.pid === "number" ? process.pid : null,
  };
}

const TURN_MS = 5;

interface Waiting {
  readonly clock: Clock;
  readonly callback: () => void;
}

const queue = /* @__PURE__ */ new Fifo<Waiting>();
let isScheduled = false;
let turnEndsMs = 0;

export function isTurnOver(nowMs: number): boolean {
  return nowMs > turnEndsMs || nowMs < turnEndsMs - TURN_MS; // the latter: the clock went back
}

/** The 5 ms begin: the host had a turn, or gets one anyway. */
export function beginTurn(nowMs: number): void {
  turnEndsMs = nowMs + TURN_MS;
}

export function afterTurn(clock: Clock, callback: () => void): void {
  if (isPerRequest) {
    return nextTurn(() => {
      beginTurn(clock.now());
      callback();
    });
  }
  queue.push({ clock, callback });
  schedule();
}

/**
 * Resolves at once, or after a turn of the host that is due: code that loops over calls that wait for nothing keeps no timer
 * from firing.
 */
export function inTurn<Value>(clock: Clock, value: Value): Promise<Value> {
  if (!isTurnOver(clock.now())) return Promise.resolve(value);
  return new Promise((resolve) => afterTurn(clock, () => resolve(value)));
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  nextTurn(serve);
}

function serve(): void {
  isScheduled = false;
  let next = queue.shift();
  if (next === undefined) return;
  beginTurn(next.clock.now());
  for (; next !== undefined; next = queue.shift()) {
    next.callback();
    if (isTurnOver(next.clock.now())) break;
  }
  if (queue.size > 0) schedule();
}
