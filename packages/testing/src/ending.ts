/**
 * How a run ended, as far as anyone can see: what `proveResumable` compares.
 *
 * @module
 */
import type { Ended } from "./drive.js";
import { describeValue } from "./describe-value.js";
import type { StoredTick } from "./recording.js";

export interface Ending<Result = unknown, State = unknown> {
  readonly outcome: Ended;
  /** `undefined` unless it completed. */
  readonly result: Result | undefined;
  readonly state: State;
  /** How often an effect was recorded, by the key of its `ctx.run`: over all steps, and over all lives of the run. */
  readonly effects: { readonly [key: string]: number };
  /** What `observe` gave, when the run had ended. */
  readonly observed: unknown;
}

/** Counts `ctx.run` calls that were recorded. */
export function effectsIn(ticks: readonly StoredTick[]): Record<string, number> {
  const effects: Record<string, number> = {};
  for (const { tick } of ticks) {
    if (tick.type !== "effect.recorded") continue;
    const key = tick.call.slice(tick.call.indexOf("=") + 1);
    effects[key] = (effects[key] ?? 0) + 1;
  }
  return effects;
}

/** Everything but where in time it happened. */
export function describeEnding({ outcome, state, effects, observed }: Ending): string {
  return describeValue({ outcome, state, effects, ...(observed !== undefined && { observed }) });
}
