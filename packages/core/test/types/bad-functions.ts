// biome-ignore-all format: one case per line; a comment must stand right above the line with its error
// Bad cases: steps without decorators and the built workflow.
import * as z from "zod";
import {
  type Context, collect, defineWorkflow, event, join, resource, StartEvent, StopEvent, step, Workflow,
} from "../../src/index.js";

class Joke extends event("Joke", { text: z.string() }) {}
class Critique extends event("Critique", { text: z.string() }) {}
class Ask extends StartEvent.define("Ask", { topic: z.string() }) {}
const State = z.object({ count: z.number().default(0) });
const db = resource("db", () => ({ query: async (sql: string) => [sql] }));

const start = defineWorkflow("start").step("write", { on: StartEvent, emits: Joke }, async () => new Joke({ text: "" }));

// @ts-expect-error D01 nobody consumes it
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step accepts Joke, which a step emits.">' has no call signatures.
start.step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent()).build();
// @ts-expect-error D02 nobody produces it
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step emits Critique, which a step accepts.">' has no call signatures.
start.step("end", { on: [Joke, Critique], emits: StopEvent }, () => new StopEvent()).build();
// @ts-expect-error D03 no stop event
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step emits a StopEvent: the workflow cannot end.">' has no call signatures.
start.step("end", { on: Joke }, () => {}).build();
// @ts-expect-error D04 no start event
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step accepts a StartEvent: the workflow cannot begin.">' has no call signatures.
defineWorkflow("x").step("end", { on: Joke, emits: [Joke, StopEvent] }, () => new StopEvent()).build();
// @ts-expect-error D05 everything at once
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step accepts Joke, which a step emits." | "No step accepts a StartEvent: the workflow cannot begin." | "No step emits Critique, which a step accepts." | "No step emits a StopEvent:…
defineWorkflow("x").step("a", { on: Critique, emits: Joke }, () => new Joke({ text: "" })).build();
// @ts-expect-error D06 no steps
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step accepts a StartEvent: the workflow cannot begin." | "No step emits a StopEvent: the workflow cannot end.">' has no call signatures.
defineWorkflow("x").build();
// @ts-expect-error D07 nobody produces a member of a batch
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"A step collects a fan-out, and there is none: no step emits many(…)." | "No step emits Critique, which a step accepts.">' has no call signatures.
start.step("b", { on: collect([Joke, Critique]), emits: StopEvent }, () => new StopEvent()).build();
// @ts-expect-error D08 nobody produces a slot of a join
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step emits Critique, which a step accepts.">' has no call signatures.
start.step("b", { on: join({ a: Joke, b: Critique }), emits: StopEvent }, () => new StopEvent()).build();
// @ts-expect-error D09 nobody produces what a step waits for
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step emits Critique, which a step accepts.">' has no call signatures.
start.step("b", { on: Joke, emits: StopEvent, waits: Critique }, () => new StopEvent()).build();
class Shape extends event("Shape", { id: z.string() }) {}
class Circle extends Shape.extend("Circle") {}
const circles = defineWorkflow("c").step("make", { on: StartEvent, emits: Circle }, () => new Circle({ id: "" }));
// @ts-expect-error D10 a subclass, without `subclasses: true`
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step accepts Circle, which a step emits.">' has no call signatures.
circles.step("draw", { on: Shape, emits: StopEvent }, () => new StopEvent()).build();
// @ts-expect-error D11 a name twice
//   TS2345: Argument of type 'string' is not assignable to parameter of type 'TypeHint<"There is already a step named write.">'.
start.step("write", { on: Joke, emits: StopEvent }, () => new StopEvent()).build();
// @ts-expect-error D12 returns what it does not list
//   TS2322: Type 'Critique' is not assignable to type '"The step returns Critique, which `emits` does not list."'.
start.step("end", { on: Joke, emits: StopEvent }, () => new Critique({ text: "" }));
// @ts-expect-error D13 returns what it does not list, async
//   TS2322: Type 'Promise<Critique>' is not assignable to type '"The step returns Critique, which `emits` does not list."'.
start.step("end", { on: Joke, emits: StopEvent }, async () => new Critique({ text: "" }));
start.step("end", { on: Joke, emits: StopEvent }, async (ev) => {
  // @ts-expect-error D14 a field it does not have, on a contextually typed event
  //   TS2551: Property 'txt' does not exist on type 'Joke'. Did you mean 'text'?
  ev.txt;
  return new StopEvent();
});
// @ts-expect-error D15 a parameter annotated with another event
//   TS2345: Argument of type '(ev: Critique) => Promise<StopEvent<string>>' is not assignable to parameter of type '(event: Joke, ctx: Context<unknown>, resources: {}) => Promise<StopEvent<string>>'.
//     Types of parameters 'ev' and 'event' are incompatible.
//     Type 'Joke' is not assignable to type 'Critique'.
//     Types of property 'type' are incompatible.
//     Type '"Joke"' is not assignable to type '"Critique"'.
start.step("end", { on: Joke, emits: StopEvent }, async (ev: Critique) => new StopEvent({ result: ev.text }));
defineWorkflow("s", { state: State }).step("a", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
  // @ts-expect-error D16 a path that does not exist, on a contextually typed context
  //   TS2345: Argument of type '"coun"' is not assignable to parameter of type '"count"'.
  await ctx.store.get("coun");
  return new StopEvent();
});
start.step("end", { on: Joke, emits: StopEvent, resources: { db } }, async (_, __, resources) => {
  // @ts-expect-error D17 a resource it did not list
  //   TS2339: Property 'cache' does not exist on type '{ readonly db: { query: (sql: string) => Promise<string[]>; }; }'.
  resources.cache;
  return new StopEvent();
});
// @ts-expect-error D18 a misspelled option
//   TS2561: Object literal may only specify known properties, but 'emit' does not exist in type 'StepOptions<typeof Joke, never, {}> & GraphOptions<never, false, never>'. Did you mean to write 'emits'?
start.step("end", { on: Joke, emit: StopEvent }, () => {});
// @ts-expect-error D19 accepts a stop event
//   TS2322: Type 'StopEventClass' is not assignable to type '"No step accepts StopEvent: it ends a run, or is only for readers of the stream."'.
start.step("end", { on: StopEvent }, () => {});
// @ts-expect-error D20 yields what it does not list
//   TS2345: Argument of type '() => AsyncGenerator<Critique, void, unknown>' is not assignable to parameter of type '(event: Joke, ctx: Context<unknown>, resources: {}) => "The step returns Critique, whi…
//     Type 'AsyncGenerator<Critique, void, unknown>' is not assignable to type '"The step returns Critique, which `emits` does not list."'.
start.step("end", { on: Joke, emits: StopEvent }, async function* () { yield new Critique({ text: "" }); });
const counts = step({ on: Joke, emits: StopEvent }, async (_, ctx: Context<{ count: number }>) => new StopEvent({ result: await ctx.store.get("count") }));
// @ts-expect-error D21 a free step that needs a state this workflow does not have
//   TS2345: Argument of type 'Step<Joke, StopEvent<number>, { count: number; }>' is not assignable to parameter of type 'Step<Joke, StopEvent<number>, unknown> & Step<Joke, StopEvent<number>, { count: nu…
//     Type 'Step<Joke, StopEvent<number>, { count: number; }>' is not assignable to type 'Step<Joke, StopEvent<number>, unknown>'.
//     Type 'unknown' is not assignable to type '{ count: number; }'.
start.step("end", counts);
class Field extends Workflow {
  first = step({ on: StartEvent, emits: Joke }, () => new Joke({ text: "" }));
  counts = counts;
}
// @ts-expect-error D22 a field step that needs a state this workflow does not have
//   TS2684: The 'this' context of type 'Field' is not assignable to method's 'this' of type 'Field & TypeHint<"The step counts needs a state that this workflow does not have.">'.
//     Property 'hint' is missing in type 'Field' but required in type 'TypeHint<"The step counts needs a state that this workflow does not have.">'.
new Field().run();
// @ts-expect-error D23 an error handler for a step that does not exist
//   TS2322: Type '"wrte"' is not assignable to type '"write"'.
start.catchError("recover", { steps: ["wrte"], emits: Joke }, () => new Joke({ text: "" }));
const asks = defineWorkflow("asks").step("a", { on: Ask, emits: StopEvent }, (ev) => new StopEvent({ result: ev.topic })).build();
// @ts-expect-error D24 misspelled input
//   TS2561: Object literal may only specify known properties, but 'topi' does not exist in type '{ topic: string; }'. Did you mean to write 'topic'?
asks.run({ topi: "x" });
// @ts-expect-error D25 missing input
//   TS2554: Expected 1-2 arguments, but got 0.
asks.run();
// @ts-expect-error D26 the result is not that
//   TS2322: Type 'string' is not assignable to type 'number'.
const n: number = await asks.run({ topic: "x" });
// @ts-expect-error D27 state without a default
//   TS2375: Type 'ZodObject<{ count: ZodNumber; }, $strip>' is not assignable to type 'ZodObject<{ count: ZodNumber; }, $strip> & TypeHint<"Every state field needs a default: a run starts from `{}`.">' w…
//     Property 'hint' is missing in type 'ZodObject<{ count: ZodNumber; }, $strip>' but required in type 'TypeHint<"Every state field needs a default: a run starts from `{}`.">'.
defineWorkflow("x", { state: z.object({ count: z.number() }) });
// @ts-expect-error D28 a free step that returns what it does not list
//   TS2769: No overload matches this call.
//     The last overload gave the following error.
//     Type 'Promise<Critique>' is not assignable to type '"The step returns Critique, which `emits` does not list."'.
step({ on: Joke, emits: StopEvent }, async () => new Critique({ text: "" }));
// @ts-expect-error D29 a free step of another event
//   TS2769: No overload matches this call.
//     The last overload gave the following error.
//     Argument of type '(ev: Critique) => Promise<StopEvent<string>>' is not assignable to parameter of type '(event: Joke, ctx: Context<unknown>, resources: {}) => Promise<StopEvent<string>>'.
//     Types of parameters 'ev' and 'event' are incompatible.
//     Type 'Joke' is not assignable to type 'Critique'.
//     Types of property 'type' are incompatible.
step({ on: Joke, emits: StopEvent }, async (ev: Critique) => new StopEvent({ result: ev.text }));
// @ts-expect-error D30 a function that is not a step
//   TS2345: Argument of type '() => Promise<StopEvent<undefined>>' is not assignable to parameter of type 'Step<unknown, StopEvent<undefined>, unknown> & (() => Promise<StopEvent<undefined>>)'.
//     Property 'options' is missing in type '() => Promise<StopEvent<undefined>>' but required in type 'Step<unknown, StopEvent<undefined>, unknown>'.
start.step("end", async () => new StopEvent());
// @ts-expect-error D31 a misspelled workflow option
//   TS2561: Object literal may only specify known properties, but 'sate' does not exist in type 'DefineOptions<never>'. Did you mean to write 'state'?
defineWorkflow("x", { sate: State });
// @ts-expect-error D32 the builder is not a workflow
//   TS2339: Property 'run' does not exist on type 'WorkflowBuilder<unknown, "emits Joke" | "starts" | "step write", OpenFields | StartEvent, never>'.
start.run({});
const drawExact = step({ on: Shape, emits: StopEvent }, (ev) => new StopEvent({ result: ev.id }));
// @ts-expect-error D33 a free step that does not take subclasses
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step accepts Circle, which a step emits.">' has no call signatures.
circles.step("draw", drawExact).build();
// @ts-expect-error D34 a free step put in twice
//   TS2345: Argument of type 'string' is not assignable to parameter of type 'TypeHint<"There is already a step named drop.">'.
start.step("drop", drawExact).step("drop", drawExact);
// @ts-expect-error D35 one of two waits is served by nobody
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step emits Critique, which a step accepts.">' has no call signatures.
start.step("b", { on: Joke, emits: StopEvent, waits: [Joke, Critique] }, () => new StopEvent()).build();
// @ts-expect-error D36 an error handler that waits for what nobody emits
//   TS2349: This expression is not callable.
//     Type 'TypeHint<"No step emits Critique, which a step accepts.">' has no call signatures.
start.step("b", { on: Joke, emits: StopEvent }, () => new StopEvent()).catchError("help", { waits: Critique, emits: StopEvent }, () => new StopEvent()).build();
// @ts-expect-error D37 a child that is none
//   TS2322: Type 'string' is not assignable to type 'ChildSource'.
defineWorkflow("x", { children: { text: "child" } });
declare const shown: import("../../src/index.js").StreamOf<typeof asks>;
// @ts-expect-error D38 an event that this stream does not show
//   TS2367: This comparison appears to be unintentional because the types '"JoinIncompleteEvent" | "StepRestartedEvent" | "StopEvent" | "WorkDiscardedEvent" | "WorkflowCancelledEvent" | "WorkflowFailedEv…
if (shown.type === "Joke") shown;
// @ts-expect-error D39 shows what ends a run
//   TS2322: Type 'StopEventClass' is not assignable to type '"No step streams StopEvent: it ends a run, or only the engine makes it."'.
start.step("b", { on: Joke, emits: StopEvent, streams: StopEvent }, () => new StopEvent());

export { n };
