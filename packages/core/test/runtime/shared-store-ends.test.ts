/** A child whose time is up with an edit of the shared store on its way: that edit is not stored, and nobody waits for it. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createRuntime } from "../../src/entries/runtime.js";
import { type Context, defineWorkflow, StartEvent, StopEvent, WorkflowError } from "../../src/index.js";

type Ctx = Context<Record<string, unknown>>;

const spin = (ms: number): void => {
  for (const untilMs = performance.now() + ms; performance.now() < untilMs; );
};

/** Its time is up while it edits; the longer it blocks the host, the more often the edit comes behind the end of its time. */
const editing = (blockedMs: number) =>
  defineWorkflow("editing")
    .step("edit", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
      for (let edits = 1; edits < 100; edits++) {
        await (ctx as Ctx).store.editState((state) => {
          state["edits"] = edits;
          spin(blockedMs / 4);
        });
      }
      await sleep(60_000, undefined, { signal: ctx.signal });
      return new StopEvent({ result: "never" });
    })
    .build();

const parentOf = (blockedMs: number) =>
  defineWorkflow("parent", { children: { child: editing(blockedMs) } })
    .step("edit", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
      const ended = await ctx.runChild("child", {}, { timeout: 1, store: "shared" }).catch((error: unknown) => error);
      await (ctx as Ctx).store.editState((state) => {
        state["last"] = "the parent";
      });
      return new StopEvent({
        result: WorkflowError.is(ended, "CHILD_FAILED") && WorkflowError.is(ended.cause) && ended.cause.code,
      });
    })
    .build();

it("lets the parent edit", async () => {
  const results: unknown[] = [];
  for (let round = 0; round < 60; round++) {
    const runtime = createRuntime({ workflows: { parent: parentOf(round % 6) } });
    onTestFinished(() => runtime.stop({ drainMs: 0 }));
    const run = runtime.run("parent", {});
    spin(round % 5);
    results.push(await run);
  }

  expect(new Set(results)).toEqual(new Set(["RUN_TIMED_OUT"]));
});
