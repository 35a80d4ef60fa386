import { isCurrent } from "./reduce/reduction.js";
import type { Routing } from "./routing.js";
import type { Outcome, RunState } from "./state.js";
import type { Tick } from "./tick.js";

/**
 * The outcome of the run after this tick, if it is known without {@link reduce}: a step returns the event that ends the run, and nothing
 * else. `null` if the run may continue, or end in another way.
 */
export function knownOutcome({ roles }: Pick<Routing, "roles">, state: RunState, tick: Tick): Outcome | null {
  if (tick.type !== "step.completed" || state.status !== "running") return null;
  const { output, sends, shown } = tick;
  if (output === null || Array.isArray(output) || sends !== null || shown !== undefined) return null;
  const event = output as Exclude<typeof output, readonly unknown[]>;
  const item = state.items.get(tick.item);
  const dueAtMs = state.timers?.first()?.dueAtMs ?? Number.POSITIVE_INFINITY;
  const isAlone = item !== undefined && isCurrent(item, tick.attempt) && dueAtMs > Math.max(tick.atMs, state.atMs);
  return isAlone && roles.get(event.type) === "stop" ? { status: "completed", event } : null;
}
