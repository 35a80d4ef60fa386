// biome-ignore-all format: one case per line; a comment must stand right above the line with its error
// Good cases F01..: steps without decorators and the built workflow.
import * as z from "zod";
import type { Runtime } from "../../src/entries/runtime.js";
import {
  type Context, Context as ContextValue, collect, type DefinedWorkflow, defineWorkflow, event, HumanResponseEvent,
  type InputOf, InputRequiredEvent, join, keyed, many, type QuestionEvent, type ResultOf, resource, StartEvent, type StateOf, StopEvent,
  type StreamOf, step, Workflow, type WorkflowEvent
} from "../../src/index.js";
import { type Equal, expectType } from "./expect.js";

class Joke extends event("Joke", { text: z.string() }) {}
class Critique extends event("Critique", { text: z.string(), stars: z.number().default(3) }) {}
class Progress extends event("Progress", { done: z.number() }) {}
class Ask extends StartEvent.define("Ask", { topic: z.string(), tone: z.string().default("dry") }) {}
class Answer extends StopEvent.define("Answer", { joke: z.string() }) {}
class NeedName extends InputRequiredEvent.define("NeedName", { question: z.string() }) {}
class GotName extends HumanResponseEvent.define("GotName", { name: z.string() }) {}
const State = z.object({ count: z.number().default(0) });
type State = z.output<typeof State>;
interface Db { query(sql: string): Promise<string[]> }
const db = resource("db", () => ({}) as Db);

// F01 everything contextually typed
const jokes = defineWorkflow("jokes")
  .step("write", { on: StartEvent, emits: Joke }, async (ev) => new Joke({ text: `about ${ev.get("topic")}` }))
  .step("judge", { on: Joke, emits: StopEvent }, async (ev, ctx) => {
    expectType<Equal<typeof ev, Joke>>(true);
    expectType<Equal<typeof ctx, Context>>(true);
    return new StopEvent({ result: ev.text.length });
  })
  .build();
expectType<Equal<ResultOf<typeof jokes>, number>>(true);
const length = await jokes.run({ topic: "x" });
expectType<Equal<typeof length, number>>(true);

// F01b a scope is the context itself
defineWorkflow("scopes", { state: State })
  .step("go", { on: Ask, emits: StopEvent }, async (_ev, ctx) => {
    const scope = ctx.scope("mail").scope("inner");
    expectType<Equal<typeof scope, Context<State>>>(true);
    const count = await scope.store.get("count");
    expectType<Equal<typeof count, number>>(true);
    return new StopEvent({ result: await scope.run("send", () => count) });
  })
  .build();

// F01c a question is typed by its schema
defineWorkflow("questions")
  .step("go", { on: Ask, emits: StopEvent }, async (_ev, ctx) => {
    const record = await ctx.ask({ title: "?", schema: { approved: z.boolean(), note: z.string().optional() } });
    expectType<Equal<typeof record, { approved: boolean; note?: string | undefined }>>(true);
    const whole = await ctx.ask({ title: "?", schema: z.object({ at: z.coerce.date(), n: z.number().default(1) }) });
    expectType<Equal<typeof whole, { at: Date; n: number }>>(true);
    const first = await ctx.race({ answer: () => ctx.ask({ title: "?", schema: { n: z.number() } }), time: () => ctx.sleep(1) });
    if (first.winner === "answer") expectType<Equal<typeof first.value, { n: number }>>(true);
    return new StopEvent({ result: record.approved });
  })
  .build();

// F02 state, defined start and stop, several results
const answers = defineWorkflow("answers", { state: State })
  .step("go", { on: Ask, emits: [Joke, StopEvent] }, async (ev, ctx) => {
    expectType<Equal<typeof ctx, Context<State>>>(true);
    expectType<Equal<typeof ev, Ask>>(true);
    if ((await ctx.store.get("count")) > 3) return new StopEvent({ result: null });
    return new Joke({ text: ev.tone });
  })
  .step("end", { on: Joke, emits: Answer }, (ev) => new Answer({ joke: ev.text }))
  .build({ timeout: "1m" });
expectType<Equal<ResultOf<typeof answers>, Answer | null>>(true);
expectType<Equal<InputOf<typeof answers>, { topic: string; tone?: string | undefined }>>(true);
expectType<Equal<StateOf<typeof answers>, State>>(true);
const handler = answers.run({ topic: "x" });
void handler.context.store.get("count").then((n) => n.toFixed());
// F03 it is a workflow like any other
const list: Workflow[] = [jokes, answers];
void list;
const typed: DefinedWorkflow<{ topic: string; tone?: string | undefined }, Answer | null, State> = answers;
void typed;
void answers.resume(ContextValue.fromDict(answers, {}));

// F04 resources
defineWorkflow("r").step("a", { on: StartEvent, emits: StopEvent, resources: { db } }, async (_, __, { db }) => {
  expectType<Equal<typeof db, Db>>(true);
  return new StopEvent({ result: await db.query("") });
}).build();
// F04b a gathering step takes a mutable list, inline or made before
const sorted = step({ on: collect(Progress), emits: StopEvent }, (all: Progress[]) => new StopEvent({ result: all.sort((a, b) => a.done - b.done).length }));
defineWorkflow("lists")
  .step("fan", { on: StartEvent, emits: many(Progress) }, () => [new Progress({ done: 1 })])
  .step("some", { on: collect(Progress, { take: 1 }), emits: StopEvent }, (all: Progress[]) => new StopEvent({ result: all.length }))
  .step("none", { on: collect(Progress, { take: 2 }), emits: StopEvent }, (all: readonly Progress[]) => new StopEvent({ result: all.length }))
  .step("all", sorted)
  .build();
// F05 arrays, collect, join
const gather = defineWorkflow("gather")
  .step("fan", { on: StartEvent, emits: many(Joke, Critique) }, () => [new Joke({ text: "" }), new Critique({ text: "" })])
  .step("any", { on: [Joke, Critique], emits: Progress }, (ev) => {
    expectType<Equal<typeof ev, Joke | Critique>>(true);
    return new Progress({ done: 1 });
  })
  .step("batch", { on: collect(Progress, { take: 2 }), emits: StopEvent }, (all) => {
    expectType<Equal<typeof all, Progress[]>>(true);
    return new StopEvent({ result: all.length });
  })
  .step("pair", { on: join({ joke: Joke, verdict: Critique }), emits: StopEvent }, ({ joke, verdict }) => {
    expectType<Equal<typeof verdict, Critique>>(true);
    return new StopEvent({ result: joke.text });
  })
  .step("settled", { on: collect([Joke, Critique], { settle: true }) }, (all) => {
    for (const one of all) if (one.status === "ok") expectType<Equal<typeof one.event, Joke | Critique>>(true);
  })
  .build();
expectType<Equal<ResultOf<typeof gather>, number | string>>(true);
// F06 async generators
defineWorkflow("stream")
  .step("fan", { on: StartEvent, emits: many(Joke, Critique) }, async function* (ev) {
    expectType<Equal<typeof ev, StartEvent>>(true);
    yield new Joke({ text: "" });
    yield new Critique({ text: "" });
  })
  .step("end", { on: [Joke, Critique], emits: StopEvent }, async () => new StopEvent())
  .build();
// F07 prompts and answers cross the edge of the graph
defineWorkflow("human")
  .step("ask", { on: StartEvent, emits: NeedName }, () => new NeedName({ question: "?" }))
  .step("got", { on: GotName, emits: StopEvent }, (ev) => new StopEvent({ result: ev.name }))
  .build();
// F08 an event taken by waitForEvent
defineWorkflow("waits")
  .step("work", { on: StartEvent, emits: many(Joke, Progress) }, () => [new Joke({ text: "" }), new Progress({ done: 1 })])
  .step("watch", { on: Joke, emits: StopEvent, waits: Progress }, async (_, ctx) => {
    const progress = await ctx.waitForEvent(Progress);
    return new StopEvent({ result: progress.done });
  })
  .build();
// F09 subclasses
class Shape extends event("Shape", { id: z.string() }) {}
class Circle extends Shape.extend("Circle", { r: z.number() }) {}
class Square extends Shape.extend("Square", { a: z.number() }) {}
defineWorkflow("shapes")
  .step("make", { on: StartEvent, emits: many(Circle, Square) }, () => [new Circle({ id: "", r: 1 }), new Square({ id: "", a: 1 })])
  .step("draw", { on: Shape, emits: StopEvent, subclasses: true }, (ev) => new StopEvent({ result: ev.id }))
  .build();
// F10 error handlers, with names of steps that exist
defineWorkflow("caught")
  .step("write", { on: StartEvent, emits: Joke }, () => new Joke({ text: "" }))
  .step("end", { on: Joke, emits: StopEvent }, () => new StopEvent({ result: 1 }))
  .catchError("recover", { steps: ["write"], emits: Joke, maxRecoveries: 2 }, (ev) => new Joke({ text: ev.stepName }))
  .catchError("rest", { emits: StopEvent }, (ev, ctx) => new StopEvent({ result: `${ctx.runId}${ev.attempts}` }))
  .build();
// F11 free steps, reused
const write = step({ on: StartEvent, emits: Joke }, async (ev) => new Joke({ text: `${ev.get("x")}` }));
const judge = step({ on: Joke, emits: [StopEvent, many(Critique)] }, async (ev, ctx: Context<State>) => {
  await ctx.store.set("count", 1);
  return ev.text ? new StopEvent({ result: ev.text.length }) : [new Critique({ text: "" })];
});
const drop = step({ on: collect(Critique) }, (all) => { all.length.toFixed(); });
const reused = defineWorkflow("reused", { state: State }).step("write", write).step("judge", judge).step("drop", drop).build();
expectType<Equal<ResultOf<typeof reused>, number>>(true);
void reused.run({ x: 1 });
class Reused extends Workflow.withState(State) {
  write = write;
  judge = judge;
  drop = drop;
}
expectType<Equal<ResultOf<Reused>, number>>(true);
void new Reused().run();
// F12 called like a function, in a test
void write(new StartEvent(), {} as Context, {});
// F13 a result type that is a literal, a Date, a union
const literal = defineWorkflow("literal").step("a", { on: StartEvent, emits: StopEvent }, () => (Math.random() > 0.5 ? new StopEvent({ result: "a" as const }) : new StopEvent({ result: new Date() }))).build();
expectType<Equal<ResultOf<typeof literal>, "a" | Date>>(true);
// F14 an annotated return
defineWorkflow("annotated").step("a", { on: StartEvent, emits: StopEvent }, async (): Promise<StopEvent<number>> => new StopEvent({ result: 1 })).build();
// F15 a loop
defineWorkflow("loop")
  .step("start", { on: StartEvent, emits: Joke }, () => new Joke({ text: "" }))
  .step("again", { on: Joke, emits: [Joke, StopEvent] }, (ev) => (ev.text ? new Joke({ text: "" }) : new StopEvent({ result: 0 })))
  .build();
// F16 child of a built workflow
defineWorkflow("parent", { children: { answers, jokes } }).step("a", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
  const child = await ctx.runChild(answers, { topic: "x" });
  expectType<Equal<typeof child, Answer | null>>(true);
  const other = await ctx.runChild(jokes);
  return new StopEvent({ result: { child, other } });
}).build();
// F17 state as a shape
defineWorkflow("shape", { state: { n: z.number().default(0) } })
  .step("a", { on: StartEvent, emits: StopEvent }, async (_, ctx) => new StopEvent({ result: await ctx.store.get("n") }))
  .build();
// F18 free steps keep what they wait for, and that they take subclasses
const watch = step({ on: Joke, emits: StopEvent, waits: Progress }, async (_, ctx) => new StopEvent({ result: (await ctx.waitForEvent(Progress)).done }));
const draw = step({ on: Shape, emits: StopEvent, subclasses: true }, (ev) => new StopEvent({ result: ev.id }));
const free = defineWorkflow("free")
  .step("make", { on: StartEvent, emits: many(Circle, Joke, Progress) }, () => [new Circle({ id: "", r: 1 }), new Joke({ text: "" }), new Progress({ done: 1 })])
  .step("watch", watch)
  .step("draw", draw)
  .build();
expectType<Equal<ResultOf<typeof free>, string | number>>(true);
// F19 what the stream shows is known
const shown = defineWorkflow("shown")
  .step("go", { on: StartEvent, emits: many(Joke, NeedName), streams: Progress }, async (_, ctx) => { ctx.writeEventToStream(new Progress({ done: 1 })); return [new NeedName({ question: "" }), new Joke({ text: "" })]; })
  .step("judge", judgeShown())
  .catchError("help", { emits: StopEvent, streams: Critique }, () => new StopEvent({ result: "" }))
  .build();
function judgeShown() { return step({ on: Joke, emits: StopEvent, streams: Answered }, (ev) => new StopEvent({ result: ev.text })); }
class Answered extends event("Answered", { n: z.number() }) {}
type Engine = "WorkflowFailedEvent" | "WorkflowTimedOutEvent" | "WorkflowCancelledEvent" | "StepRestartedEvent" | "JoinIncompleteEvent" | "WorkDiscardedEvent" | "millrace.pieces" | "millrace.question";
expectType<Equal<StreamOf<typeof shown>["type"], "NeedName" | "Progress" | "Critique" | "Answered" | "StopEvent" | Engine>>(true);
expectType<Equal<ResultOf<typeof shown>, string>>(true);
// F20 settled batches of a free step, named yields
const settled = step({ on: collect([Joke, Critique], { settle: true }), emits: StopEvent }, (all) => new StopEvent({ result: all.length }));
defineWorkflow("settled")
  .step("fan", { on: StartEvent, emits: many(Joke, Critique) }, async function* () { yield keyed("1", new Joke({ text: "" })); yield keyed("2", new Critique({ text: "" })); })
  .step("end", settled)
  .build();

export { handler };

// F21 prompts are typed by what the steps list, of a wait as well as returned, and a step may ask a question that none lists
const asking = defineWorkflow("asking")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: GotName, streams: [NeedName, Progress] }, async (_, ctx) => {
    const { name } = await ctx.waitForEvent(GotName, { prompt: new NeedName({ question: "?" }) });
    return new StopEvent({ result: name });
  })
  .build();
const asked = await asking.run().idle();
if (asked.status === "waiting") {
  for (const { event: prompt } of asked.prompts) expectType<Equal<typeof prompt, NeedName | QuestionEvent>>(true);
}
declare const askingRuntime: Runtime<{ asking: typeof asking; jokes: typeof jokes }>;
const stored = await askingRuntime.run("asking", {}).prompts();
expectType<Equal<(typeof stored)[number]["event"], NeedName | QuestionEvent>>(true);
const anyPrompts = await askingRuntime.run("jokes", {}).prompts();
expectType<Equal<(typeof anyPrompts)[number]["event"], WorkflowEvent>>(true);
