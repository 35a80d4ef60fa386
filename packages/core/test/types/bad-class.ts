// biome-ignore-all format: one case per line; a comment must stand right above the line with its error
// Bad cases: the class form. `// @ts-expect-error` covers the next line of code; below it is what TypeScript 6 prints, TC39 decorators.
import * as z from "zod";
import {
  type Context, catchError, collect, event, HumanResponseEvent, InputRequiredEvent, JoinIncompleteEvent, join, keyed,
  resource, type Settled, StartEvent, StepFailedEvent, StopEvent, step, Workflow, WorkflowFailedEvent,
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

// ---- events
// @ts-expect-error B01 wrong field type
//   TS2322: Type 'number' is not assignable to type 'string'.
new Joke({ text: 1 });
// @ts-expect-error B02 missing fields
//   TS2554: Expected 1 arguments, but got 0.
new Joke();
// @ts-expect-error B03 unknown field
//   TS2561: Object literal may only specify known properties, but 'txt' does not exist in type '{ text: string; }'. Did you mean to write 'text'?
new Joke({ text: "", txt: "" });
// @ts-expect-error B04 same fields, other event
//   TS2322: Type 'Joke' is not assignable to type 'Critique'.
//     Types of property 'type' are incompatible.
//     Type '"Joke"' is not assignable to type '"Critique"'.
const critique: Critique = new Joke({ text: "" });
// @ts-expect-error B05 fields are read-only
//   TS2540: Cannot assign to 'text' because it is a read-only property.
new Joke({ text: "" }).text = "x";
// @ts-expect-error B06 reserved field name
//   TS2741: Property 'hint' is missing in type 'ZodString' but required in type 'TypeHint<"`type` is reserved: it names the event. Call the field `kind`.">'.
event("Typed", { type: z.string() });
// @ts-expect-error B07 a schema that is not an object
//   TS2345: Argument of type 'ZodString' is not assignable to parameter of type 'EventShape | undefined'.
//     Type 'ZodString' is not assignable to type 'FieldSchemas & ReservedFields'.
//     Type 'ZodString' is not assignable to type 'FieldSchemas'.
//     Index signature for type 'string' is missing in type 'ZodString'.
event("Text", z.string());
// @ts-expect-error B08 a field that is not a schema
//   TS2322: Type 'string' is not assignable to type 'StandardSchema<unknown, unknown>'.
event("Raw", { text: "string" });
// @ts-expect-error B09 the type is not a string
//   TS2345: Argument of type 'typeof Joke' is not assignable to parameter of type 'string'.
event(Joke);
// @ts-expect-error B10 an open event has no such property
//   TS2339: Property 'topic' does not exist on type 'StartEvent'.
new StartEvent({ topic: "x" }).topic;
// @ts-expect-error B11 only the engine makes these
//   TS2353: Object literal may only specify known properties, and 'stepName' does not exist in type 'TypeHint<"Only the engine makes this event.">'.
new WorkflowFailedEvent({ stepName: "a" });
// @ts-expect-error B12 a stop event has one field
//   TS2561: Object literal may only specify known properties, but 'reslt' does not exist in type '{ readonly result: undefined; }'. Did you mean to write 'result'?
new StopEvent({ reslt: 1 });
class Shape extends event("Shape", { id: z.string() }) {}
class Circle extends Shape.extend("Circle", { r: z.number() }) {}
// @ts-expect-error B13 an event is not the event it extends: matching is by exact class
//   TS2322: Type 'Circle' is not assignable to type 'Shape'.
//     Types of property 'type' are incompatible.
//     Type '"Circle"' is not assignable to type '"Shape"'.
const shape: Shape = new Circle({ id: "", r: 1 });

// ---- the step decorator
class Bad extends Workflow.withState(State) {
  // @ts-expect-error B14 wrong event
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(ev: Critique) => Promise<StopEvent<string>>' is not assignable to parameter of type '"The step gets Joke: its first parameter has to accept that."'.
  @step({ on: Joke, emits: StopEvent })
  async b14(ev: Critique) { return new StopEvent({ result: ev.text }); }

  // @ts-expect-error B15 returns what it does not list, async
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(ev: Joke) => Promise<Critique>' is not assignable to parameter of type '"The step returns Critique, which `emits` does not list."'.
  @step({ on: Joke, emits: StopEvent })
  async b15(ev: Joke) { return new Critique({ text: ev.text }); }

  // @ts-expect-error B16 returns what it does not list, sync
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(ev: Joke) => Critique' is not assignable to parameter of type '"The step returns Critique, which `emits` does not list."'.
  @step({ on: Joke, emits: StopEvent })
  b16(ev: Joke) { return new Critique({ text: ev.text }); }

  // @ts-expect-error B17 sometimes returns what it does not list
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(ev: Joke) => Promise<Critique | StopEvent<undefined>>' is not assignable to parameter of type '"The step returns Critique, which `emits` does not list."'.
  @step({ on: Joke, emits: StopEvent })
  async b17(ev: Joke) { return ev.text ? new StopEvent() : new Critique({ text: "" }); }

  // @ts-expect-error B18 emits nothing, returns an event
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(ev: Joke) => Promise<Critique>' is not assignable to parameter of type '"The step returns Critique, which `emits` does not list."'.
  @step({ on: Joke })
  async b18(ev: Joke) { return new Critique({ text: ev.text }); }

  // @ts-expect-error B19 returns something that is not an event
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(ev: Joke) => Promise<string>' is not assignable to parameter of type '"A step returns an event or nothing; with many(), an array or an async generator of events."'.
  @step({ on: Joke, emits: StopEvent })
  async b19(ev: Joke) { return ev.text; }

  // @ts-expect-error B20 takes only one of several
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(ev: Joke) => Promise<Ping>' is not assignable to parameter of type '"The step gets Critique: its first parameter has to accept that."'.
  @step({ on: [Joke, Critique], emits: Ping })
  async b20(ev: Joke) { ev.text; return new Ping(); }

  // @ts-expect-error B21 an array with a stranger in it
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Joke) => Promise<(Critique | Ping)[]>' is not assignable to parameter of type '"The step returns Critique, which `emits` does not list." | "The step returns an array of Ping, wh…
  @step({ on: Joke, emits: Ping })
  async b21(_: Joke) { return [new Ping(), new Critique({ text: "" })]; }

  // @ts-expect-error B22 yields what it does not list
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Joke) => AsyncGenerator<Critique | Ping, void, unknown>' is not assignable to parameter of type '"The step returns Critique, which `emits` does not list." | "The step yields Pin…
  @step({ on: Joke, emits: Ping })
  async *b22(_: Joke) { yield new Ping(); yield new Critique({ text: "" }); }

  // @ts-expect-error B23 a generator that is not async
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Joke) => Generator<Ping, void, unknown>' is not assignable to parameter of type '"A step that yields is async: write `async *`."'.
  @step({ on: Joke, emits: Ping })
  *b23(_: Joke) { yield new Ping(); }

  // @ts-expect-error B24 the event instead of the batch
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Ping) => Promise<Ping>' is not assignable to parameter of type '"The step gets an array of Ping: its first parameter has to accept that."'.
  @step({ on: collect(Ping), emits: Ping })
  async b24(_: Ping) { return new Ping(); }

  // @ts-expect-error B25 the batch, although members may have failed
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: readonly Ping[]) => Promise<Ping>' is not assignable to parameter of type '"The step gets an array of Settled<Ping>: its first parameter has to accept that."'.
  @step({ on: collect(Ping, { settle: true }), emits: Ping })
  async b25(_: readonly Ping[]) { return new Ping(); }

  // @ts-expect-error B26 a join slot under another name
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '({ joke, critique }: { joke: Joke; critique: Critique; }) => Promise<Ping>' is not assignable to parameter of type 'StepMethod<Bad, { joke: Joke; verdict: Critique; }, {}, any>'.
  //     Types of parameters '__0' and 'event' are incompatible.
  //     Property 'critique' is missing in type '{ joke: Joke; verdict: Critique; }' but required in type '{ joke: Joke; critique: Critique; }'.
  @step({ on: join({ joke: Joke, verdict: Critique }), emits: Ping })
  async b26({ joke, critique }: { joke: Joke; critique: Critique }) { joke; critique; return new Ping(); }

  // @ts-expect-error B27 joined by a field that one slot lacks
  //   TS2322: Type 'string' is not assignable to type 'TypeHint<"The events of this join have no field in common.">'.
  @step({ on: join({ joke: Joke, ask: Ask }, { by: "topic" }), emits: Ping })
  async b27(_: { joke: Joke; ask: Ask }) { return new Ping(); }

  // @ts-expect-error B28 another workflow's state
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Joke, ctx: Context<{ wrong: string; }>) => Promise<Ping>' is not assignable to parameter of type 'StepMethod<Bad, Joke, {}, any>'.
  //     Types of parameters 'ctx' and 'ctx' are incompatible.
  //     Type 'Context<{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }>' is not assignable to type 'Context<{ wrong: string; }>'.
  //     Property 'wrong' is missing in type '{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }' but required in type '{ wrong: string; }'.
  @step({ on: Joke, emits: Ping })
  async b28(_: Joke, ctx: Context<{ wrong: string }>) { ctx.runId; return new Ping(); }

  // @ts-expect-error B29 the second parameter is no context
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Joke, count: number) => Promise<Ping>' is not assignable to parameter of type 'StepMethod<Bad, Joke, {}, any>'.
  //     Types of parameters 'count' and 'ctx' are incompatible.
  //     Type 'Context<{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }>' is not assignable to type 'number'.
  @step({ on: Joke, emits: Ping })
  async b29(_: Joke, count: number) { count; return new Ping(); }

  // @ts-expect-error B30 a third parameter without resources
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Joke, __: Context, { db }: { db: Db; }) => Promise<Ping>' is not assignable to parameter of type 'StepMethod<Bad, Joke, { readonly [x: string]: unknown; }, any>'.
  //     Types of parameters '__2' and 'resources' are incompatible.
  //     Property 'db' is missing in type '{ readonly [x: string]: unknown; }' but required in type '{ db: Db; }'.
  @step({ on: Joke, emits: Ping })
  async b30(_: Joke, __: Context, { db }: { db: Db }) { db; return new Ping(); }

  // @ts-expect-error B31 a resource under another name
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Joke, __: Context, { database }: { database: Db; }) => Promise<Ping>' is not assignable to parameter of type 'StepMethod<Bad, Joke, { readonly db: Db; }, any>'.
  //     Types of parameters '__2' and 'resources' are incompatible.
  //     Property 'database' is missing in type '{ readonly db: Db; }' but required in type '{ database: Db; }'.
  @step({ on: Joke, emits: Ping, resources: { db } })
  async b31(_: Joke, __: Context, { database }: { database: Db }) { database; return new Ping(); }

  // @ts-expect-error B32 a resource of another type
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Joke, __: Context, { db }: { db: string; }) => Promise<Ping>' is not assignable to parameter of type 'StepMethod<Bad, Joke, { readonly db: Db; }, any>'.
  //     Types of parameters '__2' and 'resources' are incompatible.
  //     Type '{ readonly db: Db; }' is not assignable to type '{ db: string; }'.
  //     Types of property 'db' are incompatible.
  //     Type 'Db' is not assignable to type 'string'.
  @step({ on: Joke, emits: Ping, resources: { db } })
  async b32(_: Joke, __: Context, { db }: { db: string }) { db; return new Ping(); }

  // @ts-expect-error B33 `on` is not an event class
  //   TS2322: Type 'string' is not assignable to type 'Trigger'.
  @step({ on: "Joke", emits: Ping })
  async b33(_: Joke) { return new Ping(); }

  // @ts-expect-error B34 `on` is an instance
  //   TS2322: Type 'Ping' is not assignable to type 'Trigger'.
  //     Type 'Ping' is not assignable to type 'AcceptableClass'.
  //     Type 'Ping' provides no match for the signature 'new (...fields: any): AcceptableEvent'.
  @step({ on: new Ping(), emits: Ping })
  async b34(_: Ping) { return new Ping(); }

  // @ts-expect-error B35 accepts a stop event
  //   TS2322: Type 'StopEventClass' is not assignable to type '"No step accepts StopEvent: it ends a run, or is only for readers of the stream."'.
  @step({ on: StopEvent, emits: Ping })
  async b35(_: StopEvent) { return new Ping(); }

  // @ts-expect-error B36 accepts a failure outside of @catchError
  //   TS2322: Type 'EngineEventClass<StepFailedEvent>' is not assignable to type '"A step that accepts StepFailedEvent is a `catchError`."'.
  @step({ on: StepFailedEvent, emits: Ping })
  async b36(_: StepFailedEvent) { return new Ping(); }

  // @ts-expect-error B37 no `on`
  //   TS2741: Property 'on' is missing in type '{ emits: typeof Ping; }' but required in type 'StepOptions<AnyTrigger, typeof Ping, {}>'.
  @step({ emits: Ping })
  async b37(_: Ping) { return new Ping(); }

  // @ts-expect-error B38 an option that does not exist
  //   TS2353: Object literal may only specify known properties, and 'retries' does not exist in type 'StepOptions<typeof Joke, typeof Ping, {}>'.
  @step({ on: Joke, emits: Ping, retries: 3 })
  async b38(_: Joke) { return new Ping(); }

  // @ts-expect-error B39 a duration that is none
  //   TS2322: Type '"10 seconds"' is not assignable to type 'Duration'.
  @step({ on: Joke, emits: Ping, timeout: "10 seconds" })
  async b39(_: Joke) { return new Ping(); }

  // @ts-expect-error B40 a check that does not exist
  //   TS2322: Type '"unreachable"' is not assignable to type 'GraphCheck'.
  @step({ on: Joke, emits: Ping, skipChecks: ["unreachable"] })
  async b40(_: Joke) { return new Ping(); }

  // @ts-expect-error B41 a retry policy without `next`
  //   TS2353: Object literal may only specify known properties, and 'attempts' does not exist in type 'RetryPolicy'.
  @step({ on: Joke, emits: Ping, retry: { attempts: 3 } })
  async b41(_: Joke) { return new Ping(); }

  // @ts-expect-error B42 on a field
  //   TS1240: Unable to resolve signature of property decorator when called as an expression.
  //     Argument of type 'undefined' is not assignable to parameter of type '"A step returns an event or nothing; with many(), an array or an async generator of events."'.
  @step({ on: Joke })
  b42 = 1;

  // @ts-expect-error B43 on a getter
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '() => number' is not assignable to parameter of type '"A step returns an event or nothing; with many(), an array or an async generator of events."'.
  @step({ on: Joke })
  get b43() { return 1; }

  // @ts-expect-error B44 an error handler that takes the wrong event
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Joke) => Promise<Ping>' is not assignable to parameter of type '"The step gets StepFailedEvent: its first parameter has to accept that."'.
  @catchError({ emits: Ping })
  async b44(_: Joke) { return new Ping(); }

  // @ts-expect-error B45 an error handler with a misspelled option
  //   TS2561: Object literal may only specify known properties, but 'maxRecovery' does not exist in type 'CatchErrorOptions<typeof Ping>'. Did you mean to write 'maxRecoveries'?
  @catchError({ maxRecovery: 2, emits: Ping })
  async b45(_: StepFailedEvent) { return new Ping(); }

  // @ts-expect-error B46 forgotten call
  //   TS1270: Decorator function return type 'TypeHint<"Write `@step({ on, emits })`: a step needs its options.">' is not assignable to type 'void | ((_: Joke) => Promise<Ping>)'.
  @step
  async b46(_: Joke) { return new Ping(); }

  // @ts-expect-error B47 static
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type 'ClassMethodDecoratorContext<typeof Bad, (_: Joke) => Promise<Ping>> & { name: "b47"; private: false; static: true; }' is not assignable to parameter of type 'ClassMethodDecoratorCon…
  //     Property 'hint' is missing in type 'ClassMethodDecoratorContext<typeof Bad, (_: Joke) => Promise<Ping>> & { name: "b47"; private: false; static: true; }' but required in type 'TypeHint<"A step is an …
  @step({ on: Joke, emits: Ping })
  static async b47(_: Joke) { return new Ping(); }

  // @ts-expect-error B100 an order that does not exist
  //   TS2322: Type '"emission"' is not assignable to type '"arrived" | "emitted" | undefined'.
  @step({ on: collect(Ping, { order: "emission" }), emits: Ping })
  async b100(_: readonly Ping[]) { return new Ping(); }

  // @ts-expect-error B101 accepts a notice of the engine
  //   TS2322: Type 'EngineEventClass<JoinIncompleteEvent>' is not assignable to type '"No step accepts JoinIncompleteEvent: it ends a run, or is only for readers of the stream."'.
  @step({ on: JoinIncompleteEvent, emits: Ping })
  async b101(_: JoinIncompleteEvent) { return new Ping(); }

  // @ts-expect-error B102 waits for a stop event
  //   TS2322: Type 'StopEventClass' is not assignable to type '"No step waits for StopEvent: it ends a run, or is only for readers of the stream."'.
  @step({ on: Joke, emits: Ping, waits: StopEvent })
  async b102(_: Joke) { return new Ping(); }

  // @ts-expect-error B103 shows a stop event
  //   TS2322: Type 'typeof Answer' is not assignable to type '"No step streams Answer: it ends a run, or only the engine makes it."'.
  @step({ on: Joke, emits: Ping, streams: Answer })
  async b103(_: Joke) { return new Ping(); }

  // @ts-expect-error B104 emits what only the engine makes
  //   TS2322: Type 'EngineEventClass<WorkflowFailedEvent>' is not assignable to type '"No step emits WorkflowFailedEvent: only the engine makes it."'.
  @step({ on: Joke, emits: WorkflowFailedEvent })
  async b104(_: Joke) {}

  // @ts-expect-error B105 a named yield that is not listed
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Joke) => AsyncGenerator<Keyed<Critique>, void, unknown>' is not assignable to parameter of type '"The step returns Critique, which `emits` does not list."'.
  @step({ on: Joke, emits: Ping })
  async *b105(_: Joke) { yield keyed("a", new Critique({ text: "" })); }

  // @ts-expect-error B106 a member that may be empty or failed
  //   TS2339: Property 'event' does not exist on type 'Settled<Ping>'.
  //     Property 'event' does not exist on type 'SettledEmpty'.
  @step({ on: collect(Ping, { settle: true }), emits: Ping }) async b106(all: readonly Settled<Ping>[]) { return all.map((one) => one.event); }

  // @ts-expect-error B107 an error handler that returns what it does not list
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: StepFailedEvent) => Promise<Joke>' is not assignable to parameter of type '"The step returns Joke, which `emits` does not list."'.
  @catchError({ emits: Ping })
  async b107(_: StepFailedEvent) { return new Joke({ text: "" }); }

  // @ts-expect-error B48 the event parameter needs its annotation: decorators give no contextual type
  //   TS7006: Parameter 'ev' implicitly has an 'any' type.
  @step({ on: Joke, emits: Ping }) async b48(ev) { ev; return new Ping(); }
}

class Plain extends Workflow {
  // @ts-expect-error B49 a state this workflow does not have
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type '(_: Joke, ctx: Context<{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }>) => Promise<Ping>' is not assignable to parameter of type 'StepMethod<Plain,…
  //     Types of parameters 'ctx' and 'ctx' are incompatible.
  //     Type 'Context<unknown>' is not assignable to type 'Context<{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }>'.
  //     Type 'unknown' is not assignable to type '{ count: number; user?: { name: string; } | undefined; list: { a: number; }[]; }'.
  @step({ on: Joke, emits: Ping })
  async b49(_: Joke, ctx: Context<State>) { ctx.runId; return new Ping(); }
}

class NoWorkflow {
  // @ts-expect-error B50 not in a workflow
  //   TS1241: Unable to resolve signature of method decorator when called as an expression.
  //     Argument of type 'ClassMethodDecoratorContext<NoWorkflow, (_: Joke) => Promise<Ping>> & { name: "b50"; private: false; static: false; }' is not assignable to parameter of type 'ClassMethodDecoratorCo…
  //     Property 'hint' is missing in type 'ClassMethodDecoratorContext<NoWorkflow, (_: Joke) => Promise<Ping>> & { name: "b50"; private: false; static: false; }' but required in type 'TypeHint<"A step is an…
  @step({ on: Joke, emits: Ping })
  async b50(_: Joke) { return new Ping(); }
}

export { Bad, critique, NoWorkflow, Plain, shape };
