/** What the tests of steps that end with an edit share. */
import * as z from "zod";
import type { Tick } from "../../src/engine/tick.js";
import {
  type Context,
  collect,
  defineWorkflow,
  event,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  type WorkflowHandler,
  wait,
} from "../../src/index.js";
import { recordLog, settle } from "./virtual-clock.js";

export class Item extends event("Item", { n: z.number() }) {}
export class Done extends event("Done", { n: z.number() }) {}
export class Group extends event("Group", { n: z.number() }) {}
export class Taken extends event("Taken") {}
export class Any extends event("Any", { value: z.unknown() }) {}

export const state = { list: z.array(z.number()).default(() => []), total: z.number().max(2000).default(0) };
export const stopped = <Result>(result: Result): StopEvent<Result> => new StopEvent({ result });
export const twice = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) });
export type Flow = { run(): WorkflowHandler<unknown> };

/** A journal that stores when a test says so, or at once. */
export function journalOf(isSlow = false) {
  const ticks: Tick[] = [];
  let rounds = 0;
  const pending: (() => void)[] = [];
  return {
    ticks,
    append(_: string, round: readonly Tick[]) {
      rounds++;
      ticks.push(...round);
      return isSlow ? new Promise<void>((resolve) => pending.push(resolve)) : Promise.resolve();
    },
    async store(): Promise<void> {
      pending.shift()?.();
      await settle();
    },
    get rounds() {
      return rounds;
    },
    types: () => ticks.map(({ type }) => type).filter((type) => type !== "run.idled"),
  };
}

/** One step that ends as the test says, and one that gives the whole state. */
export function flowOf(work: (ctx: Context<Values>, attempt: number) => unknown, options: object = {}) {
  let attempt = 0;
  const log = recordLog();
  const flow = defineWorkflow("finishing", { state })
    .step("work", { on: StartEvent, emits: [Item, many(Done)], ...options }, ((_: StartEvent, ctx: Context<Values>) =>
      work(ctx, ++attempt)) as never)
    .step("look", { on: Item, emits: StopEvent }, async ({ n }, ctx) => stopped([n, await ctx.store.get()]))
    .step("gather", { on: collect(Done), emits: StopEvent }, async (all, ctx) =>
      stopped([all.map(({ n }) => n), await ctx.store.get()]),
    )
    .build({ log });
  return { flow: flow as unknown as Flow, log };
}
export interface Values {
  list: number[];
  total: number;
}

/** Fans out, and each branch ends as the test says. */
export function branches(count: number, work: (n: number, ctx: Context<Values>) => unknown, take?: number) {
  return defineWorkflow("branches", { state })
    .step("split", { on: StartEvent, emits: many(Item) }, () =>
      Array.from({ length: count }, (_, n) => new Item({ n })),
    )
    .step("work", { on: Item, emits: Done, workers: count, retry: twice }, (({ n }: Item, ctx: Context<Values>) =>
      work(n, ctx)) as never)
    .step("gather", { on: collect(Done, take ? { take, rest: "cancel" } : {}), emits: StopEvent }, async (all, ctx) =>
      stopped([all.map(({ n }) => n), await ctx.store.get()]),
    )
    .build({ log: recordLog() }) as unknown as Flow;
}

export const add =
  (n: number) =>
  (draft: Values): Done => {
    draft.list.push(n);
    draft.total += n;
    return new Done({ n: draft.list.length });
  };

export const pushOne = (draft: Values): Item => {
  draft.list.push(1);
  return new Item({ n: 1 });
};
