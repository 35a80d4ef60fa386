/**
 * The visible end of a run, which `proveResumable` compares.
 *
 * @module
 */
import type { ValueType } from "millrace";
import type { Ended } from "../harness/drive.js";
import type { StoredTick } from "../harness/recording.js";
import { describeValue } from "./describe-value.js";

export interface Ending<Result = unknown, State = unknown> {
  readonly outcome: Ended;
  /** Result of a completed run; otherwise `undefined`. */
  readonly result: Result | undefined;
  readonly state: State;
  /** How often each `ctx.run` was recorded, by its key, over all steps and all lives of the run. */
  readonly effects: { readonly [key: string]: number };
  /** What `observe` returned after the run had ended. */
  readonly observed: unknown;
}

/** Counts the recorded `ctx.run` calls by key. */
export function effectsIn(ticks: readonly StoredTick[]): Record<string, number> {
  const effects: Record<string, number> = {};
  for (const { tick } of ticks) {
    if (tick.type !== "effect.recorded") continue;
    const key = tick.call.slice(tick.call.indexOf("=") + 1);
    effects[key] = (effects[key] ?? 0) + 1;
  }
  return effects;
}

/** Describes an ending without its times. */
export function describeEnding({ outcome, state, effects, observed }: Ending, types: readonly ValueType[]): string {
  return describeValue({ outcome, state, effects, ...(observed !== undefined && { observed }) }, types);
}
