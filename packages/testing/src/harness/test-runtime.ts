import type { Clock } from "millrace/engine";
import { createRuntime, memoryStore, type Runtime, type RuntimeOptions, type Workflows } from "millrace/runtime";
import { nextTurn } from "./host-turn.js";
import { type VirtualClock, virtualClock } from "./virtual-clock.js";

export interface TestRuntime<Flows extends Workflows> {
  readonly runtime: Runtime<Flows>;
  /** Sleeps, timeouts, leases and `startAt` wait for `clock.advance(duration)`. */
  readonly clock: VirtualClock;
}

/** Options of `createRuntime`, except those that `testRuntime` sets. `leaseMs` is a day, and as long as usual with a `store`. */
export type TestRuntimeOptions = Omit<RuntimeOptions<Workflows>, "workflows" | "clock">;

/**
 * Creates a runtime in memory, under virtual time, in which every waiting run leaves memory and is loaded from the
 * store again, as in production.
 *
 * @example
 * const { runtime, clock } = testRuntime({ refund: new RefundFlow() });
 * const handle = runtime.run("refund", { order: "A-17" });
 * await handle.idle();
 * await clock.advance("3d");
 */
export function testRuntime<const Flows extends Workflows>(
  workflows: Flows,
  options: TestRuntimeOptions = {},
): TestRuntime<Flows> {
  const clock = virtualClock();
  // No other runtime can have the runs of this store, and `advance` fires every renewal of a lease.
  const leaseMs = options.store === undefined ? DAY_MS : undefined;
  const runtime = createRuntime({
    idleReleaseMs: 0,
    ...(leaseMs !== undefined && { leaseMs }),
    ...options,
    store: options.store ?? memoryStore(),
    workflows,
    clock: moving(clock),
  });
  return { runtime, clock };
}

const DAY_MS = 86_400_000;

/** Fires timers that are already due by itself; only waiting needs `advance`. */
function moving(clock: VirtualClock): Clock {
  return {
    now: () => clock.now(),
    setTimer(atMs: number, wake: () => void): () => void {
      if (atMs > clock.now()) return clock.setTimer(atMs, wake);
      let isOff = false;
      void nextTurn().then(() => {
        if (!isOff) wake();
      });
      return () => {
        isOff = true;
      };
    },
  };
}
