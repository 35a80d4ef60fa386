/**
 * Messages to a run whose owner dies while it takes them: every sender gets a receipt, and none stays open.
 *
 * @module
 */
import { defineWorkflow, ExternalEvent, InputRequiredEvent, type Receipt, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RunCommit, type RunHandle, type RunStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { keptOpen, mortalStore } from "../mortal-store.js";

class Go extends ExternalEvent.define("Go", { n: z.number() }) {}
class AskName extends InputRequiredEvent.define("AskName", {}) {}

const flow = defineWorkflow("flow")
  .step("begin", { on: StartEvent, emits: AskName }, () => new AskName({}))
  .step("go", { on: Go, emits: StopEvent }, ({ n }) => new StopEvent({ result: n }))
  .build();
const workflows = { flow };
const leaseMs = 300;
const log = { info() {}, error() {} };

const messages: { readonly [Kind in "event" | "answer" | "cancel"]: (handle: RunHandle) => Promise<Receipt> } = {
  event: (handle) => handle.sendEvent(new Go({ n: 1 })),
  answer: async (handle) => {
    const [prompt] = await handle.prompts();
    return handle.answer(prompt?.promptId ?? "none", { n: 1 });
  },
  cancel: (handle) => handle.cancel("enough"),
};

/** Of what a message leaves behind. */
type Part = "ticks" | "receipts";

const has = (commits: readonly RunCommit[], part: Part): boolean =>
  commits.some((commit) => commit[part] !== undefined);

/** @param open Returns a store on which nothing is stored. The caller closes it. */
export function takenPostsSuite(name: string, open: () => Promise<RunStore>): void {
  const cases = Object.keys(messages).flatMap((kind) =>
    (["ticks", "receipts"] as const).map((part) => ({ kind, part })),
  );
  describe(`${name}: a message that another process has sent`, () => {
    it.each(cases)(
      "of the kind $kind has its receipt, and is closed, when the owner dies with the commit of its $part",
      async ({ kind, part }) => {
        const store = await open();
        const kept = keptOpen(store);
        const { store: mortal, dieWith } = mortalStore(kept);
        const runId = `${kind}-${part}`;
        const owner = createRuntime({ workflows, store: mortal, leaseMs, log });
        await owner.run("flow", {}, { runId }).idle();
        const web = createRuntime({ workflows, store: kept, execute: false, log });

        dieWith((commits) => has(commits, part));
        const sent = messages[kind as keyof typeof messages](web.handle(runId));
        const next = createRuntime({ workflows, store: kept, leaseMs, log });
        await next.start();
        const receipt = await sent;
        const ended = await next.handle(runId).idle();

        expect(receipt).toMatchObject({ status: "accepted" });
        expect(ended.status).toBe(kind === "cancel" ? "cancelled" : "completed");
        await expect.poll(() => store.posts({ tenant: "", runId }), { timeout: 10_000 }).toEqual([]);
        await Promise.all([web.stop({ drainMs: 0 }), next.stop({ drainMs: 0 })]);
      },
    );
  });
}
