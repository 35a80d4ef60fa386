/**
 * `ctx.race`: whichever of several calls settles first, with the others closed before anybody hears of it.
 *
 * A racer that returns one wait, sleep or child as it is takes part in the race of the engine: its answer closes the other
 * ones in the same tick. Any other racer wins by settling; it then closes the calls of the engine, and one of those that was
 * answered meanwhile wins instead, because its event must not be lost.
 *
 * @module
 */

import type { Racer } from "../../authoring/context.types.js";
import { markHandled } from "../../system/deferred.js";
import { recordError } from "../../value/error-record.js";
import { assertOption } from "../../value/options.js";
import type { AttemptCore } from "../live-run.js";
import { inScope, nameOf } from "./call-ids.js";
import { callsOf, lostRace } from "./calls.js";
import { stampOf } from "./open-call.js";

/** The calls that one racer opens while it is called. */
interface Opening {
  readonly attempt: AttemptCore;
  readonly signal: AbortSignal;
  readonly opened: { readonly promise: Promise<unknown>; begin(race: string | null): void }[];
}

/** Set while a racer is called. */
let current: Opening | null = null;

/** The race for which this attempt opens calls right now. Calls without a signal get that of the race. */
export function openingIn(attempt: AttemptCore): Opening | null {
  return current?.attempt === attempt ? current : null;
}

interface Runner {
  readonly winner: string;
  readonly promise: Promise<unknown>;
  /** `true` for one call of the engine. */
  readonly isCall: boolean;
}

type Settled = { readonly winner: string; readonly value: unknown } | { readonly error: unknown };

export function race(
  attempt: AttemptCore,
  scope: string,
  racers: { readonly [name: string]: Racer },
): Promise<unknown> {
  const given: readonly [string, unknown][] = Object.entries(Object(racers));
  const fits = given.length > 0 && given.every(([, racer]) => typeof racer === "function");
  assertOption(fits, "racers", "an object of functions");
  const about = given.map(([name]) => name).join(",");
  const id = callsOf(attempt).id(inScope(scope, nameOf("race", about, undefined)));
  const controller = new AbortController();
  const { signal } = controller;
  const outer = openingIn(attempt)?.signal ?? null;
  raceCalls.set(signal, new Set());
  const runners = given.map(([winner, racer]) => ({
    winner,
    ...begin(racer as Racer, { attempt, signal, opened: [] }, id),
  }));
  return markHandled(decide(runners, controller, outer));
}

function begin(racer: Racer, opening: Opening, race: string): Omit<Runner, "winner"> {
  const outer = current;
  current = opening;
  let value: unknown;
  try {
    value = racer(opening.signal);
  } catch (error) {
    value = Promise.reject(error);
  } finally {
    current = outer;
  }
  let isCall = false;
  for (const { promise, begin } of opening.opened) {
    isCall ||= promise === value;
    begin(promise === value ? race : null);
  }
  return { promise: Promise.resolve(value), isCall };
}

/** @param outer Signal of the outer race, if this race is one of its racers; `null` otherwise. */
async function decide(
  runners: readonly Runner[],
  controller: AbortController,
  outer: AbortSignal | null,
): Promise<unknown> {
  const { signal } = controller;
  const calls: Settled[] = [];
  const first = await new Promise<Settled>((resolve) => {
    outer?.addEventListener("abort", () => resolve({ error: outer.reason }), { once: true });
    for (const { winner, promise, isCall } of runners) {
      const settle = (settled: Settled): void => {
        if (isCall) calls.push(settled);
        resolve(settled);
      };
      promise.then(
        (value) => settle({ winner, value }),
        (error: unknown) => {
          if (!signal.aborted || error !== signal.reason) settle({ error });
        },
      );
    }
  });
  controller.abort(outer?.aborted ? outer.reason : lostRace());
  await Promise.allSettled(raceCalls.get(signal) ?? []);
  const settled = calls[0] ?? first;
  if ("error" in settled) throw settled.error;
  return settled;
}

// ---- waits, sleeps and children with a `signal`
// When the signal aborts, the engine closes the call, and the call rejects with the reason of the signal once that is stored.

interface Closable {
  readonly call: string;
  readonly answer: Promise<unknown>;
  readonly signal: AbortSignal;
}

/**
 * The open calls of each race, by its signal. A call that has lost is answered when the signal aborts, as it was in the first
 * attempt: before, it would seem to have settled first.
 */
const raceCalls: WeakMap<AbortSignal, Set<Promise<unknown>>> = new WeakMap();

/** The answer of a call that the signal closes. */
export function closable(attempt: AttemptCore, { call, answer, signal }: Closable): Promise<unknown> {
  const calls = callsOf(attempt);
  const close = (): void => {
    if (attempt.ended !== null || !calls.isAwaited(call)) return;
    calls.noteClosing(call);
    const reason = recordError(signal.reason);
    attempt.run.submit({ type: "call.closed", ...stampOf(attempt, call), reason });
  };
  // Closes in a microtask, after the call has been opened.
  if (signal.aborted) queueMicrotask(close);
  else signal.addEventListener("abort", close, { once: true });
  const settled = answer.then(
    (value) => {
      signal.removeEventListener("abort", close);
      return value;
    },
    (error: unknown) => {
      signal.removeEventListener("abort", close);
      if (!calls.isClosed(call)) throw error;
      if (raceCalls.has(signal) && !signal.aborted) return aborted(signal);
      throw signal.aborted ? signal.reason : error;
    },
  );
  raceCalls.get(signal)?.add(settled);
  return markHandled(settled);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
