import { createRuntime, memoryStore, type Runtime, type RuntimeOptions, type Workflows } from "millrace/runtime";
import { nextTurn } from "./host-turn.js";
import { type VirtualClock, virtualClock } from "./virtual-clock.js";

export interface TestRuntime<Flows extends Workflows> {
  readonly runtime: Runtime<Flows>;
  /** Sleeps, timeouts, leases and `startAt` wait for `clock.advance(duration)`. */
  readonly clock: VirtualClock;
}

/** What `testRuntime` decides is left out. */
export type TestRuntimeOptions = Omit<RuntimeOptions<Workflows>, "workflows" | "clock">;

/**
 * A runtime in memory, under virtual time, in which every wait leaves memory and comes back from the store: development meets
 * what production meets.
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

/** What is due already happens by itself: only waiting takes a hand. */
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
