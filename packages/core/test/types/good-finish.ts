// biome-ignore-all format: one case per line; a comment must stand right above the line with its error
// Good cases F01..: steps that end with an edit. Each must compile in every mode.
import * as z from "zod";
import { type Context, catchError, collect, defineWorkflow, event, type Finished, many, type ResultOf, StartEvent, type Step, type StepFailedEvent, StopEvent, step, Workflow } from "../../src/index.js";
import { type Equal, expectType } from "./expect.js";

class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
const State = { list: z.array(z.number()).default(() => []), total: z.number().default(0) };
interface State { list: number[]; total: number }

class Flow extends Workflow.withState(State) {
  // F01 one event, sync and async, with what the state has
  @step({ on: StartEvent, emits: Item }) a(_: StartEvent, ctx: Context<State>) { return ctx.finish((state) => { state.total++; return new Item({ n: state.list.length }); }); }
  @step({ on: Item, emits: Done }) async b(ev: Item, ctx: Context<State>) { return ctx.finish((state) => { state.list.push(ev.n); return new Done({ n: state.total }); }); }
  // F02 nothing
  @step({ on: Item }) c(_: Item, ctx: Context<State>) { return ctx.finish((state) => { state.total++; }); }
  @step({ on: Item, emits: Done }) d(ev: Item, ctx: Context<State>) { return ctx.finish((state) => (state.total ? new Done({ n: ev.n }) : null)); }
  // F03 an array where `emits` says many
  @step({ on: StartEvent, emits: many(Item) }) e(_: StartEvent, ctx: Context<State>) { return ctx.finish((state) => state.list.map((n) => new Item({ n }))); }
  @step({ on: StartEvent, emits: [many(Item), StopEvent] }) async f(_: StartEvent, ctx: Context<State>) { return ctx.finish((state) => (state.total ? [new Item({ n: 1 })] : new StopEvent({ result: 1 }))); }
  // F04 in one branch, and as it is in another
  @step({ on: Item, emits: Done }) async g(ev: Item, ctx: Context<State>) { if (ev.n) return new Done({ n: 0 }); return ctx.finish(() => new Done({ n: 1 })); }
  // F05 a generator, with nothing more
  @step({ on: StartEvent, emits: many(Item) }) async *h(_: StartEvent, ctx: Context<State>) { yield new Item({ n: 1 }); return ctx.finish((state) => { state.total++; }); }
  // F06 a plain context, and one of a part
  @step({ on: StartEvent, emits: Item }) i(_: StartEvent, ctx: Context) { return ctx.finish((state) => { state["x"] = 1; return new Item({ n: 1 }); }); }
  @step({ on: StartEvent, emits: Item }) j(_: StartEvent, ctx: Context<{ total: number }>) { return bump(ctx); }
  // F07 an error handler
  @catchError({ emits: Done }) k(_: StepFailedEvent, ctx: Context<State>) { return ctx.finish((state) => new Done({ n: state.total })); }
}
function bump(ctx: Context<{ total: number }>): Finished<Item> {
  return ctx.finish((state) => { state.total++; return new Item({ n: state.total }); });
}
// F08 any context is a plain one
declare const full: Context<State>;
const plain: Context = full;
const part: Context<{ total: number }> = full;

// F09 the function form: the result is that of the callback
const flow = defineWorkflow("flow", { state: State })
  .step("begin", { on: StartEvent, emits: many(Item) }, (_, ctx) => ctx.finish((state) => { state.total = 1; return [new Item({ n: 1 })]; }))
  .step("work", { on: Item, emits: Done }, async ({ n }, ctx) => ctx.finish((state) => { state.list.push(n); return new Done({ n }); }))
  .step("end", { on: collect(Done), emits: StopEvent }, (all, ctx) => ctx.finish(() => new StopEvent({ result: all.length })))
  .build();
expectType<Equal<ResultOf<typeof flow>, number>>(true);
// F10 a free step
const free = step({ on: StartEvent, emits: StopEvent }, (_, ctx: Context<State>) => ctx.finish((state) => new StopEvent({ result: state.list })));
expectType<Equal<typeof free, Step<StartEvent, StopEvent<number[]>, State>>>(true);
// F11 what it gives is named
const finished = full.finish(() => new Item({ n: 1 }));
expectType<Equal<typeof finished, Finished<Item>>>(true);

export { Flow, flow, free, part, plain };
