import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RunHandle, type RunStore, type Runtime } from "millrace/runtime";

class Go extends ExternalEvent.define("Go") {}

const doors = defineWorkflow("doors")
  .step("open", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
    await ctx.waitForEvent(Go);
    return new StopEvent({ result: "went" });
  })
  .build();

type Doors = Runtime<{ readonly doors: typeof doors }>;
interface Asking {
  readonly runtime: Doors;
  readonly run: RunHandle<unknown>;
}

/** Waits that only another process can end. Each resolves with what it has waited for. */
const waits = {
  "await run": ({ run }: Asking) => run,
  "run.finally": ({ run }: Asking) => run.finally(() => {}),
  idle: async ({ run }: Asking) => (await run.idle()).status,
  streamEvents: async ({ run }: Asking) => (await run.streamEvents().toArray()).length,
  sendEvent: async ({ run }: Asking) => (await run.sendEvent(new Go())).status,
  "sendEvent with a key": async ({ run }: Asking) => (await run.sendEvent(new Go(), { key: "go" })).status,
  cancel: async ({ run }: Asking) => (await run.cancel()).status,
  "resume of a cancelled run": async ({ runtime }: Asking) => {
    await runtime.resume("cancelled").accepted;
    return "resumed";
  },
  "history that follows": async ({ runtime, run }: Asking) => {
    await run.accepted;
    for await (const { number } of runtime.history(run.runId, { details: true, follow: true })) return number;
    return null;
  },
  watch: ({ runtime }: Asking) =>
    new Promise((resolve) => {
      const stop = runtime.watch(() => {
        stop();
        resolve("changed");
      });
    }),
};

/** Work that has begun or ended and is not awaited. */
const ends = {
  "a start that is not awaited": ({ run }: Asking) => run.accepted,
  "a stream that was left": async ({ run }: Asking) => {
    const reader = run.streamEvents()[Symbol.asyncIterator]();
    const next = reader.next();
    await reader.return?.();
    await next;
  },
  "an idle() whose signal has aborted": async ({ run }: Asking) => {
    const controller = new AbortController();
    const idle = run.idle({ signal: controller.signal });
    controller.abort(new RangeError("enough"));
    await idle.catch(() => {});
  },
  "a watch that was stopped": async ({ runtime }: Asking) => runtime.watch(() => {})(),
  "promises of a stopped runtime": async ({ runtime, run }: Asking) => {
    runtime.watch(() => {});
    const waiting = run.then(undefined, () => {});
    await runtime.stop();
    await waiting;
  },
};

export const waitNames: readonly string[] = Object.keys(waits);
export const endNames: readonly string[] = Object.keys(ends);

/** A worker starts so late that a process which nothing keeps alive has ended by then. */
const WORKER_AFTER_MS = 300;

/**
 * Over a runtime that executes nothing, does one of `waitNames` or `endNames`, and prints its name once it is over. Only for a wait,
 * a worker starts after a while, by a timer that keeps no process alive.
 */
export async function waitElsewhere(name: string, open: () => RunStore): Promise<void> {
  await cancelOne(open);
  const runtime = createRuntime({ workflows: { doors }, store: open(), execute: false });
  const asking = { runtime, run: runtime.run("doors", {}) };
  const end = ends[name as keyof typeof ends];
  if (end !== undefined) {
    await end(asking);
    return console.log(name);
  }
  setTimeout(() => void work(asking.run.runId, { open, isAwaited: name }), WORKER_AFTER_MS).unref();
  await waits[name as keyof typeof waits](asking);
  console.log(name);
  process.exit(); // the worker would stay
}

/** The waits that the event for the run would forestall. */
const ownMessages = ["sendEvent", "sendEvent with a key", "cancel", "idle"];

async function work(runId: string, { open, isAwaited }: { open: () => RunStore; isAwaited: string }): Promise<void> {
  const worker = createRuntime({ workflows: { doors }, store: open(), leaseMs: 1_000 });
  await worker.start();
  if (!ownMessages.includes(isAwaited)) await worker.handle(runId).sendEvent(new Go());
}

async function cancelOne(open: () => RunStore): Promise<void> {
  const once = createRuntime({ workflows: { doors }, store: open() });
  await once.run("doors", {}, { runId: "cancelled" }).cancel();
  await once.stop();
}
