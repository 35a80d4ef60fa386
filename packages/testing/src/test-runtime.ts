import { createRuntime, memoryStore, type Runtime, type RuntimeOptions, type Workflows } from "millrace/runtime";
import { nextTurn } from "./host-turn.js";
import { type VirtualClock, virtualClock } from "./virtual-clock.js";

export interface TestRuntime<Flows extends Workflows> {
  readonly runtime: Runtime<Flows>;
  /** Sleeps, timeouts, leases and `startAt` wait for `clock.advance(duration)`. */
  readonly clock: VirtualClock;
}

/** Options of `createRuntime`, except those that `testRuntime` sets. */
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
  const store = options.store ?? memoryStore();
  const runtime = createRuntime({ restoreWaits: true, ...options, store, workflows, clock: moving(clock) });
  return { runtime, clock };
}

/** Fires timers that are already due by itself; only waiting needs `advance`. */
function moving(clock: VirtualClock): VirtualClock {
  return Object.assign(Object.create(clock), {
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
  });
}
