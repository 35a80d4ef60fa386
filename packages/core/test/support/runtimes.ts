/** Runtimes over one store that die when a test says so, under virtual time. */

import {
  createRuntime,
  type RunHandle,
  type RunStore,
  type Runtime,
  type RuntimeOptions,
} from "../../src/entries/runtime.js";
import type { RunOutcome } from "../../src/index.js";
import { type Ending, endingOf, JumpClock } from "./drive.js";
import type { Flow } from "./flows.js";

/** Time that moves by jumps; what is due already happens in the next turn of the host. */
export class TurnClock extends JumpClock {
  override setTimer(atMs: number, wake: () => void): () => void {
    if (atMs > this.now()) return super.setTimer(atMs, wake);
    const turn = setImmediate(wake);
    return () => clearImmediate(turn);
  }
}

/** Stands for the process in front of a store: once it is dead, no call of its reaches the store, and none returns. */
export class Mortal {
  readonly store: RunStore;
  commits = 0;
  #isDead = false;
  #died: () => void = () => {};
  readonly death: Promise<"dead"> = new Promise((resolve) => {
    this.#died = () => resolve("dead");
  });

  /**
   * @param diesAt The commit with which it dies: that one is stored, its answer is not heard.
   * @param leaseLeadMs How far ahead of the others its clock is when it takes leases: theirs have run out.
   */
  constructor(inner: RunStore, diesAt: number = Number.POSITIVE_INFINITY, leaseLeadMs: number = 0) {
    const call = (name: keyof RunStore, args: readonly unknown[]): unknown => {
      if (this.#isDead) return name === "hash" ? "" : new Promise(() => {});
      if (name === "commit" && ++this.commits === diesAt) this.kill();
      if (name === "watch" || name === "hash") return (inner[name] as (...all: unknown[]) => unknown)(...args);
      const leased = name === "claim" ? 1 : name === "claimDue" ? 0 : -1;
      const given = args.map((arg, index) =>
        index === leased ? { ...(arg as object), nowMs: (arg as { nowMs: number }).nowMs + leaseLeadMs } : arg,
      );
      const result = (inner[name] as (...all: unknown[]) => Promise<unknown>)(...given);
      return this.#isDead
        ? new Promise(() => {})
        : result.then((value) => (this.#isDead ? new Promise(() => {}) : value));
    };
    this.store = new Proxy(inner, {
      get:
        (_, name) =>
        (...args: unknown[]) =>
          call(name as keyof RunStore, args),
    });
  }

  kill(): void {
    this.#isDead = true;
    this.#died();
  }
}

export const silent = { info() {}, error() {} };

export function runtimeOf(flow: Flow, store: RunStore, options: Partial<RuntimeOptions<never>> = {}): Runtime {
  return createRuntime({ workflows: { flow: flow.make().workflow }, store, log: silent, ...options } as never);
}

/** Does what the world would do until the run has ended, or waits for nothing of that. */
export async function driveHandle(flow: Flow, handle: RunHandle, clock: JumpClock): Promise<Ending> {
  for (let turn = 0; turn < 300; turn++) {
    const outcome: RunOutcome = await handle.idle();
    if (outcome.status !== "waiting") return endingOf(outcome);
    if (!(await act(flow, handle, { outcome, clock }))) return { status: "waiting" };
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`${flow.name}: the run does not end.`);
}

interface Moment {
  readonly outcome: Extract<RunOutcome, { status: "waiting" }>;
  readonly clock: JumpClock;
}

async function act(flow: Flow, handle: RunHandle, { outcome, clock }: Moment): Promise<boolean> {
  for (const { promptId, event } of outcome.prompts) {
    const fields = flow.answer?.(event) ?? null;
    if (fields !== null && (await handle.answer(promptId, fields)).status === "accepted") return true;
  }
  if (outcome.wakeAtMs !== null) clock.jumpTo(outcome.wakeAtMs);
  else if (flow.send === undefined) return false;
  else return (await handle.sendEvent(flow.send() as never)).status === "accepted";
  return true;
}
