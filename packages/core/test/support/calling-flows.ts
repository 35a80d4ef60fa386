/** Flows with calls that fail, wait for their next attempt and end with an edit: see `flows.ts`. */
import * as z from "zod";
import {
  collect,
  defineWorkflow,
  event,
  many,
  type RetryPolicy,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "../../src/index.js";
import type { Flow } from "./flows.js";

class Item extends event("Item", { n: z.number() }) {}
class Paid extends event("Paid", { by: z.string() }) {}
class Done extends event("Done", { gaveUp: z.string() }) {}
class Word extends event("Word", { text: z.string() }) {}

const state = {
  edits: z.number().default(0),
  receipts: z.array(z.string()).default(() => []),
  paid: z.array(z.string()).default(() => []),
};
const every = (seconds: number, attempts: number): RetryPolicy =>
  retryPolicy({ wait: wait.fixed(seconds * 1_000), stop: stop.afterAttempts(attempts) });

/** Fails until the attempt of that number: whatever attempts a crash has taken, the end is the same. */
function until(attempt: number, last: number): void {
  if (attempt < last) throw new Error(`attempt ${attempt} fails`);
}

export const callingFlows: readonly Flow[] = [
  {
    name: "calls that fail and wait, and one that gives up",
    make: () => ({
      workflow: defineWorkflow("failing calls", { state })
        .step("work", { on: StartEvent, emits: [Paid, Done], streams: Word, retry: every(1, 3) }, async (_ev, ctx) => {
          const edited = ctx.run(
            "edited",
            async ({ attempt }) => {
              await ctx.store.editState((draft) => void draft.edits++);
              await ctx.store.editState((draft) => void (draft.edits += 10), { key: "ten" });
              ctx.sendEvent(new Paid({ by: "edited" }));
              until(attempt, 3);
            },
            { retry: every(60, 9), label: "Edit the order" },
          );
          const finished = ctx.run(
            "finished",
            (call) =>
              call.finish((draft) => {
                draft.receipts.push("finished");
                ctx.sendEvent(new Paid({ by: "finished" }));
                ctx.writeEventToStream(new Word({ text: "finished" }));
                until(call.attempt, 2);
                return draft.receipts.length;
              }),
            { retry: every(45, 9) },
          );
          const gaveUp = await ctx
            .run("gives up", () => Promise.reject(new TypeError("never")), { retry: every(30, 2) })
            .catch((error: Error) => error.message);
          await Promise.all([edited, finished]);
          if (ctx.retryInfo().retry === 0) throw new Error("The step fails after its calls.");
          return new Done({ gaveUp });
        })
        .step("take", { on: Paid, emits: [] }, async ({ by }, ctx) => {
          await ctx.store.editState((draft) => void draft.paid.push(by));
          return null;
        })
        .step("end", { on: Done, emits: StopEvent }, async ({ gaveUp }, ctx) => {
          await ctx.sleep("1h");
          const { edits, receipts, paid } = await ctx.store.getState();
          return new StopEvent({ result: { gaveUp, edits, receipts, paid: paid.toSorted() } });
        })
        .build(),
    }),
  },
  {
    name: "calls of branches that share a limit, with fewer workers than branches",
    make: () => ({
      workflow: defineWorkflow("limited calls", { state })
        .step("split", { on: StartEvent, emits: many(Item) }, () => [0, 1, 2].map((n) => new Item({ n })))
        .step("work", { on: Item, emits: Paid, workers: 2 }, async ({ n }, ctx) => {
          const by = await ctx.run(
            "pay",
            async (call) => {
              until(call.attempt, n + 1);
              return call.finish((draft) => {
                draft.edits += 10 ** n;
                return `${n}`;
              });
            },
            { retry: every(10, 9), limit: "bank" },
          );
          return new Paid({ by });
        })
        .step("gather", { on: collect(Paid), emits: StopEvent }, async (all, ctx) => {
          return new StopEvent({ result: [all.map(({ by }) => by), await ctx.store.get("edits")] });
        })
        .build({ limits: { bank: { concurrent: 1 } } }),
    }),
  },
];
