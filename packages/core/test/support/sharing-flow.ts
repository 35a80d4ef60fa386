/** A workflow whose children, and a child of those, work on its store, at once with it and with each other. */
import * as z from "zod";
import {
  collect,
  defineWorkflow,
  event,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  type Store,
  stop,
  wait,
} from "../../src/index.js";
import type { Flow } from "./flows.js";

class Item extends event("Item", { n: z.number() }) {}
class Left extends event("Left", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}

const stopped = <Result>(result: Result): StopEvent<Result> => new StopEvent({ result });
const twice = retryPolicy({ wait: wait.fixed("20ms"), stop: stop.afterAttempts(2) });
const shared = { store: "shared" } as const;

/** One more, with an await inside: exact only where one writer is at work. */
function countEdit({ store }: { readonly store: object }): Promise<void> {
  return (store as Store<{ edits: number }>).editState(async (state) => {
    const { edits } = state;
    await Promise.resolve();
    state.edits = edits + 1;
  });
}

function leafFlow() {
  return defineWorkflow("leaf")
    .step("work", { on: StartEvent, emits: StopEvent }, async (ev, ctx) => {
      await countEdit(ctx);
      await ctx.sleep("1s");
      return stopped(Number(ev.get("id")));
    })
    .build();
}

function childFlow(leaf: ReturnType<typeof leafFlow>) {
  return defineWorkflow("child", { children: { leaf } })
    .step("work", { on: StartEvent, emits: Item }, async (ev, ctx) => {
      await countEdit(ctx);
      return new Item({ n: await ctx.runChild(leaf, { id: ev.get("id") }, shared) });
    })
    .step("end", { on: Item, emits: StopEvent, retry: twice }, async (ev, ctx) => {
      await countEdit(ctx);
      if (ev.n === 2 && ctx.retryInfo().retry === 0) throw new Error("once");
      return stopped(ev.n);
    })
    .build();
}

export const sharingFlow: Flow = {
  name: "children that share the store, and one of those another",
  sharesStore: true,
  make() {
    const leaf = leafFlow();
    const child = childFlow(leaf);
    const workflow = defineWorkflow("parent", { state: { edits: z.number().default(0) }, children: { child } })
      .step("split", { on: StartEvent, emits: many(Left) }, () => [1, 2].map((n) => new Left({ n })))
      .step("call", { on: Left, emits: Done }, async ({ n }, ctx) => {
        const [result] = await Promise.all([ctx.runChild(child, { id: n }, shared), countEdit(ctx)]);
        return new Done({ n: result });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all, ctx) =>
        stopped([all.map((done) => done.n), await ctx.store.get("edits")]),
      )
      .build();
    return { workflow, children: [child, leaf] };
  },
};
