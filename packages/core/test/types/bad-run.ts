// biome-ignore-all format: one case per line; a comment must stand right above the line with its error
// Bad cases: running, context, store. `// @ts-expect-error` covers the next line of code; below it is what TypeScript 6 prints, TC39 decorators.
import * as z from "zod";
import {
  type Context, Context as ContextValue, event, HumanResponseEvent, InputRequiredEvent, resource, retryIf,
  retryPolicy, StartEvent, StopEvent, step, stop, Workflow, wait,
} from "../../src/index.js";

class Joke extends event("Joke", { text: z.string() }) {}
class Critique extends event("Critique", { text: z.string() }) {}
class Ping extends event("Ping") {}
class Ask extends StartEvent.define("Ask", { topic: z.string(), tone: z.string().default("dry") }) {}
class Answer extends StopEvent.define("Answer", { joke: z.string() }) {}
class NeedName extends InputRequiredEvent.define("NeedName", { question: z.string() }) {}
class GotName extends HumanResponseEvent.define("GotName", { name: z.string() }) {}
const State = z.object({ count: z.number().default(0), user: z.object({ name: z.string() }).optional(), list: z.array(z.object({ a: z.number() })).default([]) });
type State = z.output<typeof State>;
interface Db { query(sql: string): Promise<string[]> }
const db = resource("db", () => ({}) as Db);

// ---- running
class Flow extends Workflow.withState(State) {
  @step({ on: Ask, emits: [Joke, Answer] }) async go(ev: Ask) { return ev.topic ? new Answer({ joke: "" }) : new Joke({ text: "" }); }
  @step({ on: Joke, emits: StopEvent }) async end(ev: Joke) { return new StopEvent({ result: ev.text.length }); }
}
class Other extends Workflow.withState(z.object({ name: z.string().default("") })) {
  @step({ on: StartEvent, emits: StopEvent }) async go(_: StartEvent) { return new StopEvent({ result: "x" }); }
}
// @ts-expect-error B51 misspelled input
//   TS2561: Object literal may only specify known properties, but 'topi' does not exist in type '{ topic: string; tone?: string | undefined; }'. Did you mean to write 'topic'?
new Flow().run({ topi: "x" });
// @ts-expect-error B52 missing input
//   TS2554: Expected 1-2 arguments, but got 0.
new Flow().run();
// @ts-expect-error B53 wrong input type
//   TS2322: Type 'number' is not assignable to type 'string'.
new Flow().run({ topic: 3 });
// @ts-expect-error B54 misspelled option
//   TS2769: No overload matches this call.
//     The last overload gave the following error.
//     Object literal may only specify known properties, but 'runID' does not exist in type 'RunOptions<{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }>'. Did you mean to wr…
new Flow().run({ topic: "x" }, { runID: "r" });
// @ts-expect-error B55 the result is not that
//   TS2322: Type 'number | Answer' is not assignable to type 'string'.
//     Type 'number' is not assignable to type 'string'.
const text: string = await new Flow().run({ topic: "x" });
// @ts-expect-error B56 another start event
//   TS2345: Argument of type 'StartEvent' is not assignable to parameter of type '{ topic: string; tone?: string | undefined; }'.
//     Property 'topic' is missing in type 'OpenEvent<"StartEvent", "start", "StartEvent">' but required in type '{ topic: string; tone?: string | undefined; }'.
new Flow().run(new StartEvent({ topic: "x" }));
// @ts-expect-error B57 undefined for a required input, without a context to continue
//   TS2345: Argument of type 'undefined' is not assignable to parameter of type '{ topic: string; tone?: string | undefined; }'.
new Flow().run(undefined);
// @ts-expect-error B58 the context of another workflow
//   TS2345: Argument of type 'RunContext<{ name: string; }>' is not assignable to parameter of type 'RunContext<{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }>'.
//     Type '{ name: string; }' is missing the following properties from type '{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }': count, list
new Flow().resume(ContextValue.fromDict(new Other(), {}));
// @ts-expect-error B59 a context of no workflow
//   TS2741: Property '[workflowState]' is missing in type '{}' but required in type 'AnyWorkflow'.
ContextValue.fromDict({}, {});
// @ts-expect-error B60 state without a default
//   TS2379: Argument of type 'ZodObject<{ count: ZodNumber; }, $strip>' is not assignable to parameter of type 'ZodObject<{ count: ZodNumber; }, $strip> & TypeHint<"Every state field needs a default: a r…
//     Property 'hint' is missing in type 'ZodObject<{ count: ZodNumber; }, $strip>' but required in type 'TypeHint<"Every state field needs a default: a run starts from `{}`.">'.
Workflow.withState(z.object({ count: z.number() }));
// @ts-expect-error B61 an override of the wrong type
//   TS2345: Argument of type 'string' is not assignable to parameter of type 'Db'.
new Other().run({}, { resources: [db.override("no db")] });
// @ts-expect-error B62 the class, not an instance
//   TS2339: Property 'run' does not exist on type 'typeof Flow'.
Flow.run({ topic: "x" });
// @ts-expect-error B63 a stop event sent from outside
//   TS2345: Argument of type 'StopEvent<undefined>' is not assignable to parameter of type '"This event ends a run, so it cannot be sent: return it from a step."'.
new Other().run().sendEvent(new StopEvent());

// @ts-expect-error B108 something that is not watched
//   TS2345: Argument of type '"step.finished"' is not assignable to parameter of type 'keyof InspectionEvents'.
new Flow().on("step.finished", () => {});
// @ts-expect-error B109 middleware that keeps the output to itself
//   TS2769: No overload matches this call.
//     The last overload gave the following error.
//     Argument of type '(_: StepCall, next: () => Promise<StepOutput>) => Promise<void>' is not assignable to parameter of type 'Telemetry'.
new Flow().use(async (_, next) => { await next(); });
// @ts-expect-error B110 a step by hand
//   TS2739: Type '{}' is missing the following properties from type 'RunContext<{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }>': runId, store, toDict
void new Flow().retry({});
// @ts-expect-error B111 the context of another workflow
//   TS2345: Argument of type 'RunContext<{ name: string; }>' is not assignable to parameter of type 'RunContext<{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }>'.
//     Type '{ name: string; }' is missing the following properties from type '{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }': count, list
new Flow().retry(ContextValue.fromDict(new Other(), {}));
// @ts-expect-error B112 the face of a step outside
//   TS2339: Property 'sendEvent' does not exist on type 'RunContext<{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }>'.
new ContextValue(new Flow()).sendEvent(new Ping());
// @ts-expect-error B113 a receipt has no sequence before it is accepted
//   TS2339: Property 'sequence' does not exist on type 'Receipt'.
//     Property 'sequence' does not exist on type '{ readonly status: "refused"; readonly code: string; readonly hint: string; }'.
(await new Other().run().sendEvent(new Ping())).sequence;
// @ts-expect-error B114 a result before it is known that the run has completed
//   TS2339: Property 'result' does not exist on type 'RunOutcome<string, WorkflowEvent<string, EventFacts<EventRole, unknown, unknown, string>>>'.
//     Property 'result' does not exist on type '{ readonly status: "waiting"; readonly prompts: readonly PendingPrompt<WorkflowEvent<string, EventFacts<EventRole, unknown, unknown, string>>>[]; readonly wa…
(await new Other().run().idle()).result;
// @ts-expect-error B115 a path of the state before the run
//   TS2345: Argument of type '"coun"' is not assignable to parameter of type '"count" | "list" | "user"'.
await new ContextValue(new Flow()).store.set("coun", 1);
class Picky extends Workflow {
  constructor(readonlyName: string) { super({ name: readonlyName }); }
  @step({ on: StartEvent, emits: StopEvent }) async go(_: StartEvent) { return new StopEvent(); }
}

// ---- context and store
async function inside(ctx: Context<State>, ev: StartEvent) {
  // @ts-expect-error B64 a stop event is returned, not sent
  //   TS2345: Argument of type 'StopEvent<number>' is not assignable to parameter of type '"This event ends a run, so it cannot be sent: return it from a step."'.
  ctx.sendEvent(new StopEvent({ result: 1 }));
  // @ts-expect-error B65 nor streamed
  //   TS2345: Argument of type 'Answer' is not assignable to parameter of type '"This event ends a run, so it cannot be sent: return it from a step."'.
  ctx.writeEventToStream(new Answer({ joke: "" }));
  // @ts-expect-error B65b one of two is a stop event
  //   TS2345: Argument of type 'Joke | StopEvent<undefined>' is not assignable to parameter of type '"This event ends a run, so it cannot be sent: return it from a step." | Joke'.
  //     Type 'StopEvent<undefined>' is not assignable to type '"This event ends a run, so it cannot be sent: return it from a step." | Joke'.
  //     Property 'text' is missing in type 'StopEvent<undefined>' but required in type 'Joke'.
  ctx.sendEvent(ev.get("x") ? new Joke({ text: "" }) : new StopEvent());
  // @ts-expect-error B66 not an event
  //   TS2345: Argument of type '{ type: string; text: string; }' is not assignable to parameter of type '"Only an event can be sent: make an instance of its class with `new`."'.
  ctx.sendEvent({ type: "Joke", text: "" });
  // @ts-expect-error B67 a class, not an instance
  //   TS2345: Argument of type 'typeof Joke' is not assignable to parameter of type '"Only an event can be sent: make an instance of its class with `new`."'.
  ctx.sendEvent(Joke);
  // @ts-expect-error B68 a prompt that asks nobody
  //   TS2322: Type 'Joke' is not assignable to type '"A prompt asks a person: make its class with `InputRequiredEvent.define`."'.
  await ctx.waitForEvent(GotName, { prompt: new Joke({ text: "" }) });
  // @ts-expect-error B69 matching on a field it does not have
  //   TS2561: Object literal may only specify known properties, but 'nam' does not exist in type 'Partial<{ name: string; }>'. Did you mean to write 'name'?
  await ctx.waitForEvent(GotName, { where: { nam: "bob" } });
  // @ts-expect-error B70 matching on a value of another type
  //   TS2322: Type 'number' is not assignable to type 'string'.
  await ctx.waitForEvent(GotName, { where: { name: 1 } });
  // @ts-expect-error B71 waiting for an instance
  //   TS2345: Argument of type 'GotName' is not assignable to parameter of type 'EventClass<WorkflowEvent<string, EventFacts<EventRole, unknown, unknown, string>>>'.
  //     Type 'GotName' provides no match for the signature 'new (...fields: any): WorkflowEvent<string, EventFacts<EventRole, unknown, unknown, string>>'.
  await ctx.waitForEvent(new GotName({ name: "" }));
  const set = await ctx.collectEvents(ev, [Joke, Critique]);
  // @ts-expect-error B72 null until complete
  //   TS18047: 'set' is possibly 'null'.
  set[0];
  // @ts-expect-error B73 the tuple has two members
  //   TS2493: Tuple type '[Joke, Critique]' of length '2' has no element at index '2'.
  set?.[2];
  // @ts-expect-error B74 the second is a Critique
  //   TS2322: Type 'Critique | undefined' is not assignable to type 'Joke | undefined'.
  //     Type 'Critique' is not assignable to type 'Joke'.
  //     Types of property 'type' are incompatible.
  //     Type '"Critique"' is not assignable to type '"Joke"'.
  const second: Joke | undefined = set?.[1];
  // @ts-expect-error B75 the child's input
  //   TS2322: Type 'number' is not assignable to type 'string'.
  await ctx.runChild(Flow, { topic: 1 });
  // @ts-expect-error B76 the child's input is required
  //   TS2554: Expected 2-3 arguments, but got 1.
  await ctx.runChild(Flow);
  // @ts-expect-error B77 the child's result
  //   TS2322: Type 'number | Answer' is not assignable to type 'string'.
  //     Type 'number' is not assignable to type 'string'.
  const child: string = await ctx.runChild(Flow, { topic: "" });
  // @ts-expect-error B116 a child that cannot be made without arguments
  //   TS2345: Argument of type 'typeof Picky' is not assignable to parameter of type 'ChildReference'.
  //     Type 'typeof Picky' is not assignable to type 'new () => AnyWorkflow'.
  //     Target signature provides too few arguments. Expected 1 or more, but got 0.
  await ctx.runChild(Picky);
  // @ts-expect-error B117 of a child that is only named, nothing is known
  //   TS2322: Type 'unknown' is not assignable to type 'string'.
  const named: string = await ctx.runChild("flow", { topic: "" });
  // @ts-expect-error B118 a scope that does not exist
  //   TS2322: Type '"batch"' is not assignable to type '"run"'.
  ctx.sendEvent(new Ping(), { scope: "batch" });
  // @ts-expect-error B119 no time
  //   TS2345: Argument of type '"5 minutes"' is not assignable to parameter of type 'Date | Duration'.
  await ctx.sleep("5 minutes");
  // @ts-expect-error B120 no child at all
  //   TS2345: Argument of type 'number' is not assignable to parameter of type 'ChildReference'.
  await ctx.runChild(3);
  // @ts-expect-error B121 forgotten await
  //   TS7053: Element implicitly has an 'any' type because expression of type '0' can't be used to index type 'Promise<[Joke, Critique] | null>'.
  //     Property '0' does not exist on type 'Promise<[Joke, Critique] | null>'.
  (ctx.collectEvents(ev, [Joke, Critique]))?.[0];
  // @ts-expect-error B78 a path that does not exist
  //   TS2345: Argument of type '"coun"' is not assignable to parameter of type '"count" | "list" | "user"'.
  await ctx.store.get("coun");
  // @ts-expect-error B79 a path that goes on past a leaf
  //   TS2345: Argument of type '"count.x"' is not assignable to parameter of type '"count"'.
  await ctx.store.get("count.x");
  // @ts-expect-error B80 a nested path that does not exist
  //   TS2345: Argument of type '"user.nam"' is not assignable to parameter of type '"user.name"'.
  await ctx.store.get("user.nam");
  // @ts-expect-error B81 an array wants an index
  //   TS2345: Argument of type '"list.first"' is not assignable to parameter of type '`list.${number}`'.
  await ctx.store.get("list.first");
  // @ts-expect-error B82 a value of another type
  //   TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.
  await ctx.store.set("count", "1");
  // @ts-expect-error B83 a nested value of another type
  //   TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.
  await ctx.store.set("list.0.a", "1");
  // @ts-expect-error B83b a value of another type at a list of keys
  //   TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.
  await ctx.store.set(["list", 0, "a"], "1");
  // @ts-expect-error B83c a key that does not exist
  //   TS2322: Type '"nam"' is not assignable to type '"name"'.
  await ctx.store.get(["user", "nam"]);
  // @ts-expect-error B84 reads are frozen
  //   TS2339: Property 'push' does not exist on type 'readonly { readonly a: number; }[]'.
  (await ctx.store.get("list")).push({ a: 1 });
  // @ts-expect-error B85 the draft has no such field
  //   TS2551: Property 'cout' does not exist on type '{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }'. Did you mean 'count'?
  await ctx.store.editState((state) => { state.cout += 1; });
  // @ts-expect-error B86 the value may be missing
  //   TS2532: Object is possibly 'undefined'.
  (await ctx.store.get("user.name")).length;
  // @ts-expect-error B87 the whole state
  //   TS2741: Property 'list' is missing in type '{ count: number; }' but required in type '{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }'.
  await ctx.store.setState({ count: 1 });
  // @ts-expect-error B88 handler business
  //   TS2339: Property 'cancel' does not exist on type 'Context<{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }>'.
  ctx.cancel();
  return [second, child, named];
}
async function loose(ctx: Context) {
  // @ts-expect-error B89 nobody described the state
  //   TS2571: Object is of type 'unknown'.
  (await ctx.store.get("count")).toFixed();
  // @ts-expect-error B90 a helper that needs a state is given a context that has none
  //   TS2345: Argument of type 'Context' is not assignable to parameter of type 'Context<{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }>'.
  //     Type 'unknown' is not assignable to type '{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }'.
  await inside(ctx, new StartEvent());
}

// ---- retry and resources
// @ts-expect-error B91 the condition is not a function
//   TS2322: Type '(error: unknown) => boolean' is not assignable to type 'RetryCondition'.
retryPolicy({ when: (error: unknown) => true });
// @ts-expect-error B92 needs at least one class
//   TS2555: Expected at least 1 arguments, but got 0.
retryIf.type();
// @ts-expect-error B93 not a class
//   TS2345: Argument of type 'string' is not assignable to parameter of type 'ErrorClass'.
retryIf.type("TypeError");
// @ts-expect-error B94 parts of different kinds
//   TS2739: Type 'RetryWait' is missing the following properties from type 'RetryStop': reached, or, and
retryPolicy({ stop: wait.fixed("5s") });
// @ts-expect-error B95 nothing to chain
//   TS2555: Expected at least 1 arguments, but got 0.
wait.chain();
// @ts-expect-error B96 a wait is not a stop
//   TS2739: Type 'RetryWait' is missing the following properties from type 'RetryStop': reached, or, and
stop.afterAttempts(3).or(wait.fixed(1));
// @ts-expect-error B97 a scope that does not exist
//   TS2322: Type '"global"' is not assignable to type 'ResourceScope | undefined'.
resource("x", () => 1, { scope: "global" });
// @ts-expect-error B98 the factory asks for what it did not list
//   TS2339: Property 'cache' does not exist on type '{ readonly db: Db; }'.
resource("y", ({ cache }) => cache, { resources: { db } });
// @ts-expect-error B99 dispose takes the value
//   TS2339: Property 'end' does not exist on type '{ close(): void; }'.
resource("z", () => ({ close() {} }), { dispose: (it) => it.end() });

// ---- limits of the class form, each with the form that works
// @ts-expect-error C01 a state type without a schema: use `Workflow.withState(schema)`
//   TS2508: No base constructor has the specified number of type arguments.
class ByHand extends Workflow<{ n: number }> {}
class Recursive extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  // @ts-expect-error C02 a workflow that runs itself: annotate the return type of that step
  //   TS7023: 'go' implicitly has return type 'any' because it does not have a return type annotation and is referenced directly or indirectly in one of its return expressions.
  async go(_: StartEvent, ctx: Context) { return new StopEvent({ result: await ctx.runChild(Recursive) }); }
}
class RecursiveAnnotated extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async go(_: StartEvent, ctx: Context): Promise<StopEvent<number>> { return new StopEvent({ result: await ctx.runChild(RecursiveAnnotated) }); }
}
class Reserved extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  // @ts-expect-error C03 a step named like a member of Workflow: choose another name, or give the method one and set `name`
  //   TS2416: Property 'resume' in type 'Reserved' is not assignable to the same property in base type 'Workflow<unknown>'.
  //     Type '(_: StartEvent) => Promise<StopEvent<undefined>>' is not assignable to type '<Self extends Workflow>(this: Self & Runnable<Self>, context: RunContext<StateOf<Self>>, options?: ResumeOptions | u…
  //     Types of parameters '_' and 'context' are incompatible.
  //     Type 'RunContext<StateOf<Self>>' is not assignable to type 'StartEvent'.
  //     Type 'RunContext<StateOf<Self>>' is missing the following properties from type 'OpenEvent<"StartEvent", "start", "StartEvent">': fields, get, type, [eventFacts], toJSON
  async resume(_: StartEvent) { return new StopEvent(); }
}
class Helped extends Workflow {
  @step({ on: StartEvent, emits: StopEvent }) async go(_: StartEvent) { return new StopEvent({ result: 1 }); }
  other() { return new StopEvent({ result: "x" }); }
  private hidden() { return new StopEvent({ result: true }); }
  helper() { void this.hidden; }
}
// @ts-expect-error C04 a public helper that returns a stop event is taken for a step: make it private
//   TS2322: Type 'string | number' is not assignable to type 'number'.
//     Type 'string' is not assignable to type 'number'.
const helped: number = await new Helped().run();
class Secret extends Workflow {
  @step({ on: StartEvent, emits: StopEvent }) protected async go(_: StartEvent) { return new StopEvent({ result: 1 }); }
}
// @ts-expect-error C05 the result of a step that is not public is not seen: keep steps public
//   TS2322: Type 'unknown' is not assignable to type 'number'.
const secret: number = await new Secret().run();

export { ByHand, helped, inside, loose, Recursive, RecursiveAnnotated, Reserved, secret, text };
