/** Children on the store of their parent, in a runtime: what is stored gives the state that was live. */
import { expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, memoryStore, type RunHandle, type RunStore } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  type Store,
} from "../../src/index.js";
import { failure, partsOf } from "../support/moved.js";
import { keptOpen } from "../support/processes.js";
import { silent } from "../support/runtimes.js";

class Ask extends InputRequiredEvent.define("Ask", {}) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Next extends event("Next", {}) {}

const stopped = <Result>(result: Result): StopEvent<Result> => new StopEvent({ result });
const countOne = (store: object, key: string): Promise<number> =>
  (store as Store<{ count: number }>).editState(async (state) => ++state.count, { key });

/** Two levels of children that count for as long as they may; the step that began them ends in the middle of that. */
function counting(ends: (counted: number) => boolean) {
  const leaf = defineWorkflow("leaf")
    .step("count", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      for (let n = 0; n < 10_000; n++) await countOne(ctx.store, `leaf ${n}`);
      return stopped(null);
    })
    .build();
  const child = defineWorkflow("child", { children: { leaf } })
    .step("count", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      void ctx.runChild(leaf, {}, { store: "shared" });
      for (let n = 0; n < 10_000; n++) await countOne(ctx.store, `child ${n}`);
      return stopped(null);
    })
    .build();
  return defineWorkflow("parent", { children: { child }, state: { count: z.number().default(0) } })
    .step("begin", { on: StartEvent, emits: Next }, async (_ev, ctx) => {
      void ctx.runChild(child, {}, { store: "shared" });
      for (let n = 0; !ends(await countOne(ctx.store, `parent ${n}`)); n++);
      return new Next();
    })
    .step("end", { on: Next, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
      await ctx.waitForEvent(Answer, { prompt: new Ask() });
      return stopped(await ctx.store.get("count"));
    })
    .build();
}

const ofFlow = (store: RunStore, snapshotEvery: number) =>
  createRuntime({ workflows: { flow: counting((counted) => counted >= 40) }, store, log: silent, snapshotEvery });

async function countIn(handle: Pick<RunHandle, "snapshot">): Promise<number> {
  return ((await handle.snapshot())["store"] as { readonly json: { readonly count: number } }).json.count;
}

it.each([3, 1_000])(
  "a child that is stopped at work leaves what is stored, snapshots every %i ticks",
  async (every) => {
    const store = memoryStore();
    const first = ofFlow(keptOpen(store), every);
    const run = first.run("flow", {}, { runId: "one" });
    const outcome = await run.idle();
    const live = await countIn(run as never);
    await first.stop({ drainMs: 0 });

    const second = ofFlow(store, every);
    const again = second.handle("one");
    const loaded = await countIn(again as never);
    if (outcome.status === "waiting") await again.answer(outcome.prompts[0]?.promptId ?? "", { text: "go on" });
    const result = await again;
    await second.stop();

    expect(outcome.status).toBe("waiting");
    expect(live).toBeGreaterThanOrEqual(40);
    expect([loaded, result]).toEqual([live, live]);
  },
);

const childWith = (options: object) =>
  defineWorkflow("child", options)
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
      await ctx.waitForEvent(Answer, { prompt: new Ask() });
      return stopped(await (ctx.store as unknown as Store<Record<string, unknown>>).getState());
    })
    .build();
const parentWith = (child: ReturnType<typeof childWith>, options: object) => ({
  flow: defineWorkflow("parent", { children: { child }, ...options } as { children: { child: typeof child } })
    .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) =>
      stopped(await ctx.runChild(child, {}, { store: "shared" })),
    )
    .build(),
});

it("a state that children share is migrated once, by the run that has it; a child that cannot share it any more is refused", async () => {
  const store = keptOpen(memoryStore());
  const runtimeWith = (workflows: ReturnType<typeof parentWith>) => createRuntime({ workflows, store, log: silent });
  const first = runtimeWith(parentWith(childWith({}), { state: { count: z.number().default(1) } }));
  await first.run("flow", {}, { runId: "one" }).idle();
  await first.stop({ drainMs: 0 });
  const migrated = {
    state: { total: z.number().default(0) },
    version: 2,
    migrate: ({ count }: { count: number }) => ({ total: count + 10 }),
  };

  const own = childWith({ state: { total: z.number().default(0) } });
  const problems = [];
  for (const options of [migrated, { state: { count: z.number().default(1) } }]) {
    const refusing = runtimeWith(parentWith(own, options));
    problems.push(...(await refusing.check()).problems);
    await refusing.stop();
  }
  const second = runtimeWith(parentWith(childWith({}), migrated));
  const run = second.handle("one");
  const outcome = await run.idle();
  if (outcome.status === "waiting") await run.answer(outcome.prompts[0]?.promptId ?? "", { text: "go on" });
  const result = await run;
  await second.stop();

  expect(problems.map(({ runId, code }) => `${runId} ${code}`)).toEqual([
    "one SNAPSHOT_MISMATCH",
    "one SNAPSHOT_MISMATCH",
  ]);
  expect(result).toEqual({ total: 11 });
});

it("a run whose child cannot share its state here is a problem of its import", async () => {
  const runtimeWith = (child: ReturnType<typeof childWith>, store = memoryStore()) =>
    createRuntime({ workflows: parentWith(child, { state: { count: z.number().default(1) } }), store, log: silent });
  const store = memoryStore();
  const first = runtimeWith(childWith({}), keptOpen(store));
  await first.run("flow", {}, { runId: "one" }).idle();
  await first.stop({ drainMs: 0 });
  const source = runtimeWith(childWith({}), store);
  const parts = await partsOf(source.export("one"));
  const target = runtimeWith(childWith({ state: { total: z.number().default(0) } }));

  const { code, details } = await failure(target.import(parts));

  expect(code).toBe("EXPORT_INVALID");
  expect(details["problems"]).toEqual([
    expect.stringContaining('The child "child" cannot share the store of "parent"'),
  ]);
});
