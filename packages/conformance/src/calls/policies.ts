/**
 * A step whose calls fail, wait for their next attempt and end with an edit, and whose process dies with each of its commits in turn.
 *
 * @module
 */
import { defineWorkflow, event, type RetryPolicy, retryPolicy, StartEvent, StopEvent, stop, wait } from "millrace";
import { createRuntime, type RunStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { keptOpen, mortalStore } from "../mortal-store.js";

class Paid extends event("Paid", { by: z.string() }) {}

const leaseMs = 300;
const log = { info() {}, error() {} };
const state = {
  edits: z.number().default(0),
  receipts: z.array(z.string()).default(() => []),
  paid: z.array(z.string()).default(() => []),
};
const soon: RetryPolicy = retryPolicy({ wait: wait.fixed(15), stop: stop.never });

/** @param begun Called with every attempt, in any process. */
function flowOf(begun: (key: string, attempt: number) => void) {
  return defineWorkflow("policies", { state })
    .step("work", { on: StartEvent, emits: [Paid, StopEvent] }, async (_start, ctx) => {
      const edited = ctx.run(
        "edited",
        async ({ attempt }) => {
          begun("edited", attempt);
          await ctx.store.editState((draft) => void draft.edits++);
          await ctx.store.editState((draft) => void (draft.edits += 10), { key: "ten" });
          ctx.sendEvent(new Paid({ by: "edited" }));
          if (attempt < 3) throw new Error("not yet");
        },
        { retry: soon, label: "Edit it" },
      );
      const finished = ctx.run(
        "finished",
        (call) => {
          begun("finished", call.attempt);
          return call.finish((draft) => {
            draft.receipts.push("finished");
            ctx.sendEvent(new Paid({ by: "finished" }));
            if (call.attempt < 2) throw new Error("not yet");
            return draft.receipts.length;
          });
        },
        { retry: soon, limit: "bank" },
      );
      const results = await Promise.all([edited, finished]);
      await ctx.sleep(20); // what came twice would be there by now
      return new StopEvent({ result: { finished: results[1], ...(await ctx.store.getState()) } });
    })
    .step("paid", { on: Paid, emits: [] }, async ({ by }, ctx) => {
      await ctx.store.editState((draft) => void draft.paid.push(by));
    })
    .build({ limits: { bank: { concurrent: 1 } } });
}

interface Result {
  readonly finished: number;
  readonly edits: number;
  readonly receipts: string[];
  readonly paid: string[];
}

/** @param open Returns a store on which nothing is stored. */
export function callPoliciesSuite(name: string, open: () => Promise<RunStore>): void {
  const deaths = Array.from({ length: 14 }, (_, index) => index + 1);
  describe(`${name}: calls that are tried again, and calls that end with an edit`, () => {
    it.each(deaths)("count once, and their attempts continue, when the process dies with commit %i", async (last) => {
      const store = keptOpen(await open());
      const { store: mortal, dieWith } = mortalStore(store);
      const attempts: string[] = [];
      const flow = flowOf((key, attempt) => void attempts.push(`${key} ${attempt}`));
      let commits = 0;
      dieWith(() => ++commits === last);
      const owner = createRuntime({ workflows: { flow }, store: mortal, leaseMs, log });
      void owner.run("flow", {}, { runId: "one" });
      await expect.poll(() => store.run({ tenant: "", runId: "one" })).not.toBeNull();
      const next = createRuntime({ workflows: { flow }, store, leaseMs, log });
      await next.start();

      const { paid, ...rest } = (await next.handle("one")) as Result;

      expect(rest).toEqual({ finished: 1, edits: 11, receipts: ["finished"] });
      expect(paid.toSorted()).toEqual(["edited", "finished"]);
      expect(new Set(attempts).size).toBe(attempts.length);
      await next.stop({ drainMs: 0 });
    });
  });
}
