/**
 * A step with calls beside each other, in scopes with the same keys, whose process dies with each of its commits in turn: every call,
 * send and message counts once.
 *
 * @module
 */
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RunHandle, type RunStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { keptOpen, mortalStore } from "../mortal-store.js";
import { callPoliciesSuite } from "./policies.js";
import { randomCallsSuite } from "./random.js";

class Message extends ExternalEvent.define("Message", { n: z.number() }) {}
class Paid extends event("Paid", { by: z.string() }) {}

const sent = [1, 2, 3];
const leaseMs = 300;
const log = { info() {}, error() {} };
const state = { edits: z.number().default(0), paid: z.array(z.string()).default(() => []) };

const flow = defineWorkflow("calls", { state })
  .step("work", { on: StartEvent, emits: [Paid, StopEvent], waits: Message }, async (_start, ctx) => {
    const pay = (scope: typeof ctx, by: string) =>
      scope.run("pay", async () => {
        await scope.store.editState((draft) => void draft.edits++, { key: "edit" });
        scope.sendEvent(new Paid({ by }));
        return by;
      });
    const [b, c] = [ctx.scope("a/b"), ctx.scope("a").scope("b")];
    const calls = await Promise.all([pay(ctx, "a"), pay(b, "b"), pay(c, "c")]);
    await ctx.store.editState((draft) => {
      draft.edits++;
      ctx.sendEvent(new Paid({ by: "edit" }));
    });
    const seen: number[] = [];
    for (let isPaid = false; seen.length < sent.length || !isPaid; ) {
      const { winner, value } = await ctx.race({
        message: () => ctx.waitForEvent(Message),
        time: () => ctx.sleep(10),
      });
      if (winner === "message") seen.push(value.n);
      isPaid = (await ctx.store.get("paid")).length >= 4;
    }
    const { approved } = await ctx.scope("end").ask({ title: "End?", schema: { approved: z.boolean() } });
    await ctx.sleep(20); // what came twice would be there by now
    return new StopEvent({ result: { calls, seen, approved, ...(await ctx.store.getState()) } });
  })
  .step("paid", { on: Paid, emits: [] }, async ({ by }, ctx) => {
    await ctx.store.editState((draft) => void draft.paid.push(by));
  })
  .build();

interface Result {
  readonly calls: string[];
  readonly edits: number;
  readonly seen: number[];
  readonly approved: boolean;
  readonly paid: string[];
}

/** @param open Returns a store on which nothing is stored. */
export function durableCallsSuite(name: string, open: () => Promise<RunStore>): void {
  callPoliciesSuite(name, open);
  randomCallsSuite(name, open);
  const deaths = Array.from({ length: 12 }, (_, index) => index + 1);
  describe(`${name}: calls, sends and races of one step`, () => {
    it.each(deaths)("count once when the process dies with commit %i", async (last) => {
      const store = keptOpen(await open());
      const { store: mortal, dieWith } = mortalStore(store);
      let commits = 0;
      dieWith(() => ++commits === last);
      const owner = createRuntime({ workflows: { flow }, store: mortal, leaseMs, log });
      void owner.run("flow", {}, { runId: "one" });
      await expect.poll(() => store.run({ tenant: "", runId: "one" })).not.toBeNull();
      const web = createRuntime({ workflows: { flow }, store, execute: false, log });
      const receipts = sendAll(web.handle("one"));
      const next = createRuntime({ workflows: { flow }, store, leaseMs, log });
      await next.start();
      const answered = answerEnd(web.handle("one"));

      const { seen, paid, ...rest } = (await next.handle("one")) as Result;

      expect(await receipts).toEqual(sent.map(() => "accepted"));
      expect(await answered).toBe("accepted");
      expect(rest).toEqual({ calls: ["a", "b", "c"], edits: 4, approved: true });
      expect(seen.toSorted()).toEqual(sent);
      expect(paid.toSorted()).toEqual(["a", "b", "c", "edit"]);
      await Promise.all([web.stop({ drainMs: 0 }), next.stop({ drainMs: 0 })]);
    });
  });
}

async function sendAll(handle: RunHandle): Promise<string[]> {
  const receipts: string[] = [];
  for (const n of sent) receipts.push((await handle.sendEvent(new Message({ n }))).status);
  return receipts;
}

/** With an answer before that does not fit. */
async function answerEnd(handle: RunHandle): Promise<string> {
  let promptId = "";
  await expect
    .poll(async () => (promptId = (await handle.prompts())[0]?.promptId ?? ""), { timeout: 10_000 })
    .not.toBe("");
  await expect(handle.answer(promptId, {})).rejects.toMatchObject({ code: "EVENT_INVALID" });
  return (await handle.answer(promptId, { approved: true })).status;
}
