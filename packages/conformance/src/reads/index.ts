/**
 * What a runtime reports of its runs, over any store: attempts, moments, changes, what is to come, forks, counts and searches.
 *
 * @module
 */
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  type PendingPrompt,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "millrace";
import type { DetailedEntry, RunAttempt, RunHandle, Runtime } from "millrace/runtime";
import { expect, it } from "vitest";
import { z } from "zod";

class Order extends StartEvent.define("Order", { item: z.string() }) {}
class Priced extends event("Priced", { cents: z.number() }) {}
class Sure extends InputRequiredEvent.define("Sure", { cents: z.number() }) {}
class Yes extends HumanResponseEvent.define("Yes", { by: z.string() }) {}

const tried = new Set<string>();
const state = { seen: z.array(z.string()).default([]) };

/** Its first step fails once, the second one asks. */
export const order = defineWorkflow("order", { state })
  .step(
    "price",
    { on: Order, emits: Priced, retry: retryPolicy({ wait: wait.fixed(1), stop: stop.afterAttempts(2) }) },
    async ({ item }, ctx) => {
      if (tried.size < tried.add(ctx.runId).size) throw new TypeError("no price yet");
      await ctx.store.editState((draft) => void draft.seen.push(item));
      return new Priced({ cents: item.length * 100 });
    },
  )
  .step("confirm", { on: Priced, emits: StopEvent, waits: Yes, streams: Sure }, async ({ cents }, ctx) => {
    const { by } = await ctx.waitForEvent(Yes, { prompt: new Sure({ cents }) });
    return new StopEvent({ result: `${cents} by ${by}` });
  })
  .build();

/** Always fails. */
export const broken = defineWorkflow("broken")
  .step("work", { on: StartEvent, emits: StopEvent }, (): StopEvent => {
    throw new TypeError("out of paper");
  })
  .build();

interface Reading {
  /** A runtime with the workflows `order` and `broken`. Its runs need not be alone in the store. */
  readonly open: () => Runtime;
  /** The code with which forks are refused. @default they are not */
  readonly forkRefused?: string;
}

/** Declares the tests. */
export function readsSuite(reading: Reading): void {
  looksBackSuite(reading);
  forksSuite(reading);
  findsSuite(reading);
}

function looksBackSuite({ open }: Reading): void {
  it("returns each attempt, with its failure and what it waited for", async () => {
    const runtime = open();
    const run = await asked(runtime);

    const attempts = await all<RunAttempt>(runtime.attempts(run.runId));

    expect(attempts.slice(0, 2)).toMatchObject([
      { step: "price", attempt: 1, status: "retrying", isFinal: false, error: { message: "no price yet" } },
      { step: "price", attempt: 2, status: "completed", isFinal: true, error: null, eventType: "Order" },
    ]);
    expect(attempts.at(-1)).toMatchObject({ step: "confirm", status: "waiting", endedAtMs: null });
    expect(attempts.at(-1)?.waits).toMatchObject([{ kind: "event", toMs: null, promptId: run.promptId }]);
  });

  it("is at each tick what it was", async () => {
    const runtime = open();
    const { runId, promptId } = await asked(runtime);
    const { first = 0, last = 0 } = (await runtime.ticks(runId)) ?? {};

    const begun = await runtime.at(runId, first);
    const now = await runtime.at(runId, last);

    expect(begun).toMatchObject({ status: "running", isWaiting: false, state: { seen: [] } });
    expect(now).toMatchObject({ isWaiting: true, state: { seen: ["ink"] }, prompts: [{ promptId, step: "confirm" }] });
    expect(now.steps).toMatchObject([
      { step: "price", done: 1, failed: 0 },
      { step: "confirm", waiting: 1, done: 0 },
    ]);
    await expect(runtime.at(runId, last + 1_000)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("says what each tick changed, and continues with what is to come, to the end", async () => {
    const runtime = open();
    const { runId, promptId } = await asked(runtime);

    const past = await all<DetailedEntry>(runtime.history(runId, { details: true }));
    const following = all<DetailedEntry>(runtime.history(runId, { details: true, follow: true }));
    await runtime.handle(runId).answer(promptId, { by: "Ada" });
    const everything = await following;

    expect(everything.slice(0, past.length)).toEqual(past);
    expect(everything.map(({ number }) => number)).toEqual(everything.map((_, index) => index + 1));
    expect(everything.at(-1)).toMatchObject({ step: "confirm", tick: { type: "step.completed" } });
    expect(past.flatMap(({ step, changes }) => changes.map((change) => ({ step, ...change })))).toContainEqual({
      step: "price",
      path: ["seen", 0],
      new: "ink",
    });
    expect(await runtime.handle(runId)).toBe("300 by Ada");
  });
}

function forksSuite({ open, forkRefused }: Reading): void {
  it(forkRefused === undefined ? "forks with another event" : `refuses forks with ${forkRefused}`, async () => {
    const runtime = open();
    const { runId } = await asked(runtime);
    const at = (await runtime.ticks(runId))?.first ?? 0;
    const fork = () => runtime.fork(runId, { at, event: { item: "pencil" } });

    if (forkRefused !== undefined) {
      await expect((async () => fork().accepted)()).rejects.toMatchObject({ code: forkRefused });
      return;
    }
    const other = fork();
    const prompts = await promptsOf(other);

    expect(prompts).toMatchObject([{ event: { cents: 600 } }]);
    expect((await other.summary()).forkedFrom).toEqual({ runId, tick: at });
  });
}

function findsSuite({ open }: Reading): void {
  it("counts runs, and finds them by id, label and error", async () => {
    const runtime = open();
    const batch = `batch ${crypto.randomUUID()}`;
    const labels = { batch };
    const { runId: waits } = await asked(runtime, labels);
    const failed = runtime.run("broken", {}, { labels });
    await failed.idle();
    const found = async (search: string) => (await runtime.runs({ labels, search })).runs.map(({ runId }) => runId);

    const counts = async () => [...(await runtime.counts({ labels }))].sort(byName);

    await expect.poll(counts, { timeout: 30_000 }).toEqual([
      { workflow: "broken", status: "failed", count: 1 },
      { workflow: "order", status: "waiting", count: 1 },
    ]);
    expect(await runtime.counts({ labels, workflow: "broken" })).toHaveLength(1);
    expect(await found(waits)).toEqual([waits]);
    expect(await found(batch.slice(0, 10).toUpperCase())).toHaveLength(2);
    expect(await found("of paper")).toEqual([failed.runId]);
    expect(await found("nothing of the kind")).toEqual([]);
  });
}

/** A run that asks. */
async function asked(runtime: Runtime, labels = {}): Promise<{ readonly runId: string; readonly promptId: string }> {
  const run = runtime.run("order", { item: "ink" }, { labels });
  const [prompt] = await promptsOf(run);
  return { runId: run.runId, promptId: prompt?.promptId ?? "" };
}

/** A run that is about to try again waits, too, and asks nothing yet. */
async function promptsOf(run: RunHandle): Promise<readonly PendingPrompt[]> {
  await run.accepted;
  await expect.poll(() => run.prompts(), { timeout: 30_000 }).toHaveLength(1);
  return run.prompts();
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const byName = (one: { readonly workflow: string }, other: { readonly workflow: string }): number =>
  one.workflow < other.workflow ? -1 : 1;
