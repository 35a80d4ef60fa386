/** Codes of snapshots and stored events that do not fit the code that reads them. */

import { proveResumable, type RecordedTick, recordRun, replayRun, simulate, testRuntime } from "@millrace/testing";
import { Context, type ContextDict, defineWorkflow, event, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";
import { type Provocations, thrown } from "./provoked.js";

/** A workflow of two steps whose names, events and versions the cases change. */
function jokes({ name = "jokes", type = "Joke", first = "write", version = 1, state = 1 } = {}) {
  class Joke extends event(type, { text: z.string() }) {
    static override version = version;
  }
  class JokeFlow extends Workflow {
    static override version = state;
    first = step({ name: first, on: StartEvent, emits: Joke }, () => new Joke({ text: "…" }));
    judge = step({ name: "judge", on: Joke, emits: StopEvent }, () => new StopEvent());
  }
  return new JokeFlow({ name });
}

/** Of a run that has just begun: the start event is at its first step. */
function begun(flow = jokes()): ContextDict {
  const handler = flow.run();
  const snapshot = handler.context.toDict();
  void handler.cancel();
  return JSON.parse(JSON.stringify(snapshot));
}

/** Of a run whose joke is at `judge`. */
async function judging(flow = jokes()): Promise<ContextDict> {
  const taken: ContextDict[] = [];
  flow.use(async (call, next) => {
    if (call.step === "judge") taken.push((call.ctx as Context).toDict());
    return next();
  });
  await flow.run();
  return JSON.parse(JSON.stringify(taken[0]));
}

const loaded = (flow: Workflow, snapshot: unknown) => thrown(() => Context.fromDict(flow, snapshot as ContextDict));

/** Its event is missing. */
const started: RecordedTick = { runId: "r-1", tick: { type: "run.started", atMs: 1 } };

export const snapshots: Provocations = {
  EVENT_NEWER: [async () => loaded(jokes(), await judging(jokes({ version: 2 })))],
  EVENT_UNKNOWN: [async () => loaded(jokes(), await judging(jokes({ type: "Jok" })))],
  RECORDING_INVALID: [
    () => thrown(() => replayRun(jokes(), { format: 1, workflow: "joke", runId: "r-1", ticks: [started] })),
  ],
  REPLAY_DIVERGED: [
    async () => {
      const flow = (asks: boolean) =>
        defineWorkflow("pay")
          .step("pay", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
            if (asks) await ctx.run("credit", () => 100);
            return new StopEvent({ result: "paid" });
          })
          .build();
      const { runtime } = testRuntime({ pay: flow(false) });
      await runtime.run("pay", {}, { runId: "r-1" });
      const recording = await recordRun(runtime, "r-1");
      await runtime.stop();
      return thrown(() => replayRun(flow(true), recording));
    },
  ],
  RESUME_DIVERGED: [
    () => {
      const paid: number[] = [];
      class Shop extends Workflow {
        @step({ on: StartEvent, emits: StopEvent })
        charge() {
          paid.push(100);
          return new StopEvent({ result: paid.length });
        }
      }
      return thrown(() => proveResumable(() => new Shop(), {}));
    },
  ],
  SIMULATION_FAILED: [
    () =>
      thrown(() =>
        simulate({
          seed: 1,
          workflows: () => ({ joke: jokes() }),
          callers: 1,
          time: "1h",
          async call() {
            throw new Error("the parcel is empty");
          },
        }),
      ),
  ],
  SNAPSHOT_HOSTILE: [() => loaded(jokes(), JSON.parse('{ "__proto__": { "admin": true } }'))],
  SNAPSHOT_INVALID: [() => loaded(jokes(), {})],
  SNAPSHOT_MISMATCH: [
    () => loaded(jokes(), begun(jokes({ first: "wrte" }))),
    () => loaded(jokes({ name: "refund" }), begun(jokes({ name: "booking" }))),
  ],
  SNAPSHOT_NEWER: [
    () => loaded(jokes(), { ...begun(), version: 99 }),
    () => loaded(jokes({ name: "counting" }), begun(jokes({ name: "counting", state: 4 }))),
  ],
};
