// biome-ignore-all format: one case per line; a comment must stand right above the line with its error
// Bad cases G01..: steps that end with an edit. Each has the sentence of TypeScript above it.
import * as z from "zod";
import { type Context, defineWorkflow, event, many, StartEvent, StopEvent, step, Workflow } from "../../src/index.js";

class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
interface State { total: number }

class Flow extends Workflow.withState({ total: z.number().default(0) }) {
  // @ts-expect-error G01 The step returns Done, which `emits` does not list.
  @step({ on: StartEvent, emits: Item }) a(_: StartEvent, ctx: Context<State>) { return ctx.finish(() => new Done({ n: 1 })); }
  // @ts-expect-error G02 The step returns an array of Item, where `emits` says one: write many(Item).
  @step({ on: StartEvent, emits: Item }) b(_: StartEvent, ctx: Context<State>) { return ctx.finish(() => [new Item({ n: 1 })]); }
  // @ts-expect-error G03 The step returns one Item, where `emits` says many(Item): return an array, or drop many().
  @step({ on: StartEvent, emits: many(Item) }) async c(_: StartEvent, ctx: Context<State>) { return ctx.finish(() => new Item({ n: 1 })); }
  // @ts-expect-error G04 The callback of `ctx.finish` is synchronous: await what it needs before.
  @step({ on: StartEvent, emits: Item }) d(_: StartEvent, ctx: Context<State>) { return ctx.finish(async () => new Item({ n: 1 })); }
  // @ts-expect-error G05 A step returns an event or nothing; with many(), an array or an async generator of events.
  @step({ on: StartEvent, emits: Item }) e(_: StartEvent, ctx: Context<State>) { return ctx.finish((state) => state.total); }
  // @ts-expect-error G06 A generator only yields: what it returns would be lost.
  @step({ on: StartEvent, emits: many(Item) }) async *f(_: StartEvent, ctx: Context<State>) { yield new Item({ n: 1 }); return ctx.finish(() => new Item({ n: 1 })); }
  // @ts-expect-error G07 An element is an event, and no end of a step.
  @step({ on: StartEvent, emits: many(Item) }) g(_: StartEvent, ctx: Context<State>) { return [ctx.finish(() => new Item({ n: 1 }))]; }
  @step({ on: StartEvent, emits: Item }) h(_: StartEvent, ctx: Context<State>) {
    return ctx.finish((state) => {
      // @ts-expect-error G08 [2551] Property 'totals' does not exist on type '{ total: number; }'.
      state.totals = 1;
      return new Item({ n: 1 });
    });
  }
}
// @ts-expect-error G09 The step returns Done, which `emits` does not list.
defineWorkflow("a").step("a", { on: StartEvent, emits: StopEvent }, (_, ctx) => ctx.finish(() => new Done({ n: 1 })));
declare const ctx: Context<State>;
// @ts-expect-error G10 [2339] Property 'n' does not exist on type 'Finished<Item>'.
ctx.finish(() => new Item({ n: 1 })).n;

export { Flow };
