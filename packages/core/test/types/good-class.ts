// biome-ignore-all format: one case per line; a comment must stand right above the line with its error
// Good cases G01..: the class form. Each must compile in every mode.
import * as z from "zod";
import * as mini from "zod/mini";
import {
  type Context, Context as ContextValue, catchError, collect, ExternalEvent, event, HumanResponseEvent, type InputOf,
  InputRequiredEvent, join, keyed, many, type ResultOf, resource, retryIf, retryPolicy, type Settled, type StandardSchema,
  StartEvent, type StateOf, type StepFailedEvent, StopEvent, type StreamOf, step, stop, Workflow,
  type WorkflowHandler, wait 
} from "../../src/index.js";
import { type Equal, expectType } from "./expect.js";

// G01 event from a zod shape
class Joke extends event("Joke", { text: z.string() }) {}
expectType<Equal<Joke["text"], string>>(true);
expectType<Equal<typeof Joke.type, "Joke">>(true);
// G02 defaults and optional fields: in may be omitted, out is there
class Critique extends event("Critique", { text: z.string(), stars: z.number().default(3), by: z.string().optional() }) {}
const critique = new Critique({ text: "meh" });
expectType<Equal<typeof critique.stars, number>>(true);
expectType<Equal<typeof critique.by, string | undefined>>(true);
// G03 no fields at all
class Ping extends event("Ping") {}
new Ping();
new Ping({});
// G04 every field has a default: no argument needed
class Tick extends event("Tick", { n: z.number().default(0) }) {}
new Tick();
// G05 a zod object
class Order extends event("Order", z.object({ id: z.string(), at: z.date() })) {}
expectType<Equal<Order["at"], Date>>(true);
// G06 any Standard Schema
declare const foreign: StandardSchema<{ id: string; n?: string }, { id: string; n: number }>;
class Foreign extends event("Foreign", foreign) {}
new Foreign({ id: "a" }).n.toFixed();
// G07 zod/mini
class Mini extends event("Mini", { text: mini.string() }) {}
new Mini({ text: "" }).text.length;
// G08 transforms: input and output differ
class Parsed extends event("Parsed", { n: z.string().transform(Number) }) {}
new Parsed({ n: "1" }).n.toFixed();
// G09 methods of the user's own
class Shout extends event("Shout", { text: z.string() }) {
  loud(): string { return this.text.toUpperCase(); }
}
new Shout({ text: "" }).loud();
// G10 guard
declare const anything: unknown;
if (Shout.is(anything)) anything.loud();
declare const either: Joke | Critique;
if (Joke.is(either)) either.text; else either.stars;
// G11 switch on type narrows
switch (either.type) {
  case "Joke": either.text; break;
  case "Critique": either.stars; break;
}
// G12 instanceof narrows
if (either instanceof Critique) either.stars.toFixed();
// G13 subclass with a type of its own
class Pun extends Shout.extend("Pun", { groan: z.boolean() }) {}
const pun = new Pun({ text: "", groan: true });
pun.groan; pun.text;
// G14 roles
class Ask extends StartEvent.define("Ask", { topic: z.string(), tone: z.string().default("dry") }) {}
class Answer extends StopEvent.define("Answer", { joke: z.string() }) {}
class NeedName extends InputRequiredEvent.define("NeedName", { question: z.string() }) {}
class GotName extends HumanResponseEvent.define("GotName", { name: z.string() }) {}
// G15 open events
const open = new StartEvent({ topic: "x", n: 1 });
expectType<Equal<ReturnType<typeof open.get>, unknown>>(true);
open.fields["topic"];
new InputRequiredEvent({ prefix: "?" }).get("prefix");
new HumanResponseEvent().fields;
// G16 stop event is generic
expectType<Equal<StopEvent<number>, InstanceType<typeof StopEvent> extends infer _ ? StopEvent<number> : never>>(true);
const stopped = new StopEvent({ result: 42 });
expectType<Equal<typeof stopped, StopEvent<number>>>(true);
const stoppedEmpty = new StopEvent();
expectType<Equal<typeof stoppedEmpty, StopEvent<undefined>>>(true);
if (StopEvent.is(anything)) expectType<Equal<typeof anything.result, unknown>>(true);

const State = z.object({
  count: z.number().default(0),
  user: z.object({ name: z.string(), tags: z.array(z.string()) }).optional(),
  list: z.array(z.object({ a: z.number() })).default([]),
  scores: z.record(z.string(), z.number()).default({}),
  status: z.union([z.object({ kind: z.literal("on"), since: z.number() }), z.object({ kind: z.literal("off") })]).default({ kind: "off" }),
  at: z.date().optional(),
});
type State = z.output<typeof State>;

interface Db { query(sql: string): Promise<string[]>; close(): Promise<void> }
const db = resource("db", () => ({}) as Db, { scope: "app", dispose: (it) => it.close() });
const clock = resource("clock", async () => ({ now: () => 1 }));
// G17 resources may need resources
const repo = resource("repo", ({ db }) => ({ all: () => db.query("select") }), { resources: { db }, scope: "workflow" });

// G18 plain workflow; result and input inferred
class JokeFlow extends Workflow {
  @step({ on: StartEvent, emits: Joke })
  async write(ev: StartEvent) { return new Joke({ text: `a joke about ${ev.get("topic")}` }); }
  @step({ on: Joke, emits: StopEvent })
  async judge(ev: Joke) { return new StopEvent({ result: ev.text.length }); }
}
const length = await new JokeFlow().run({ topic: "pirates" });
expectType<Equal<typeof length, number>>(true);
await new JokeFlow().run();
await new JokeFlow({ timeout: "30s" }).run(new StartEvent({ topic: "x" }));

// G19 everything a step may be
class Everything extends Workflow.withState(State) {
  #prefix = "x";
  constructor(readonlyName: string) { super({ name: readonlyName }); }
  @step({ on: Ask, emits: [Joke, Critique] })
  async start(ev: Ask, ctx: Context<State>) {
    const n = await ctx.store.get("count");
    const same = await ctx.store.get(["count"]);
    expectType<Equal<typeof same, number>>(true);
    await ctx.store.set(["count"], same);
    await ctx.store.set("count", n + 1);
    if (n > 1) return new Critique({ text: this.#prefix });
    return new Joke({ text: ev.topic });
  }
  // G20 sync
  @step({ on: Joke, emits: Ping }) sync(_: Joke) { return new Ping(); }
  // G21 sync, nothing
  @step({ on: Joke }) nothing(_: Joke): void {}
  // G22 no parameters
  @step({ on: Joke, emits: Ping }) none() { return new Ping(); }
  // G23 sometimes nothing
  @step({ on: Joke, emits: Ping }) async maybe(ev: Joke) { if (ev.text) return new Ping(); return; }
  // G24 fan-out by array, sync and async
  @step({ on: Joke, emits: many(Ping) }) many(_: Joke) { return [new Ping(), new Ping()]; }
  @step({ on: Joke, emits: many(Ping, Tick) }) async mixed(_: Joke) { return [new Ping(), new Tick()]; }
  // G25 fan-out by async generator
  @step({ on: Joke, emits: many(Ping, Tick) }) async *stream(ev: Joke) { yield new Ping(); if (ev.text) yield new Tick(); }
  // G26 any of several
  @step({ on: [Joke, Critique], emits: Ping }) async any(ev: Joke | Critique) { ev.text; return new Ping(); }
  // G27 a parameter that is wider than delivered
  @step({ on: Joke, emits: Ping }) async wide(ev: Joke | Critique) { ev.text; return new Ping(); }
  @step({ on: Joke, emits: Ping }) async wider(_: unknown) { return new Ping(); }
  // G28 collect
  @step({ on: collect(Ping, { take: 3, order: "arrived", rest: "cancel" }), emits: Tick }) async batch(evs: readonly Ping[]) { return new Tick({ n: evs.length }); }
  @step({ on: collect([Ping, Tick]), emits: Joke }) async batch2(evs: readonly (Ping | Tick)[], ctx: Context<State>) { ctx.runId; return new Joke({ text: `${evs.length}` }); }
  // G29 collect, settled
  @step({ on: collect(Ping, { settle: true }), emits: Tick }) async settled(all: readonly Settled<Ping>[]) {
    return new Tick({ n: all.filter((one) => one.status === "ok").length });
  }
  // G29b a list of one's own: mutable, of arrays, unions and settled members
  @step({ on: collect(Ping), emits: Tick }) async mutable(all: Ping[]) { return new Tick({ n: all.reverse().length }); }
  @step({ on: collect([Ping, Tick]), emits: Joke }) async mutable2(all: (Ping | Tick)[]) { return new Joke({ text: `${all.pop()?.type}` }); }
  @step({ on: collect(Ping, { settle: true }), emits: Tick }) async mutable3(all: Settled<Ping>[]) { return new Tick({ n: all.splice(0, 1).length }); }
  @step({ on: collect(Ping), emits: Tick }) async iterated(all: Iterable<Ping>) { return new Tick({ n: [...all].length }); }
  // G30 join
  @step({ on: join({ joke: Joke, verdict: Critique }, { by: "text" }), emits: Answer })
  async joined({ joke, verdict }: { joke: Joke; verdict: Critique }) { return new Answer({ joke: joke.text + verdict.stars }); }
  // G31 resources, third parameter typed
  @step({ on: Joke, emits: Ping, resources: { db, clock } })
  async uses(_: Joke, __: Context<State>, { db, clock }: { db: Db; clock: { now(): number } }) { await db.query(`${clock.now()}`); return new Ping(); }
  // G32 every option
  @step({ on: Joke, emits: Ping, name: "all", workers: 1, timeout: "10s", subclasses: true, skipChecks: ["deadEnd"], waits: GotName,
    retry: retryPolicy({ when: retryIf.type(TypeError, RangeError).or(retryIf.message(/429/)).and(retryIf.cause(Error).not()), wait: wait.exponential({ max: "1m" }).plus(wait.random(0, "1s")), stop: stop.afterAttempts(3).or(stop.beforeDelay("5m")) }) })
  async all(_: Joke) { return new Ping(); }
  // G33 a policy of one's own
  @step({ on: Joke, emits: Ping, retry: { next: ({ failures }) => (failures < 3 ? 100 * failures : null) } }) own(_: Joke) { return new Ping(); }
  // G34 a plain Context in a workflow with state; a part of the state
  @step({ on: Joke, emits: Ping }) plain(_: Joke, ctx: Context) { helper(ctx); return new Ping(); }
  @step({ on: Joke, emits: Ping }) async part(_: Joke, ctx: Context<{ count: number }>) { await ctx.store.set("count", 1); return new Ping(); }
  // G35 protected step methods work, but say nothing about result or input
  @step({ on: Joke, emits: Ping }) protected hidden(_: Joke) { return new Ping(); }
  // G36 error handler
  @catchError({ steps: ["start"], maxRecoveries: 2, emits: Joke })
  async recover(ev: StepFailedEvent, ctx: Context<State>) { ctx.runId; return new Joke({ text: `${ev.stepName} ${ev.attempts} ${ev.error}` }); }
  @catchError() giveUp(_: StepFailedEvent) {}
  // G37 a function step as a field
  field = step({ on: Joke, emits: StopEvent, resources: { repo } }, async (ev, ctx: Context<State>, { repo }) => {
    await ctx.store.get("count");
    return new StopEvent({ result: (await repo.all()).length > 0 && ev.text === "" });
  });
  // G38 context of this workflow by name, inside it
  @step({ on: Joke, emits: Ping }) async byName(_: Joke, ctx: Context<StateOf<Everything>>) { (await ctx.store.get("count")).toFixed(); return new Ping(); }
  helper(text: any): any { return text; }
}
function helper(ctx: Context): string { return ctx.runId; }

// G39 input with a default may be left out; result is a union of the plain result and the defined stop event
const everything = new Everything("e").run({ topic: "x" }, { timeout: "1m", runId: "r", resources: [db.override({} as Db)] });
expectType<Equal<Awaited<typeof everything>, boolean | Answer>>(true);
expectType<Equal<InputOf<Everything>, { topic: string; tone?: string | undefined }>>(true);
expectType<Equal<ResultOf<JokeFlow>, number>>(true);
expectType<Equal<StateOf<Everything>, State>>(true);
// G40 handler
async function watch(handler: WorkflowHandler<boolean | Answer, State>) {
  await handler.accepted;
  const receipt = await handler.sendEvent(new GotName({ name: "a" }), { step: "start" });
  if (receipt.status === "accepted") receipt.sequence.toFixed(); else receipt.hint.at(0);
  for await (const item of handler.streamEvents<StreamOf<JokeFlow, Joke>>().until(StopEvent)) if (item.event.type === "Joke") item.event.text.at(0);
  for await (const { event, sequence } of handler.streamEvents({ after: 3 })) if (NeedName.is(event)) event.question.at(sequence);
  const n = await handler.context.store.get("count");
  n.toFixed();
  const outcome = await handler.idle();
  if (outcome.status === "completed") outcome.result;
  if (outcome.status === "waiting") for (const { promptId } of outcome.prompts) await handler.answer(promptId, { name: "bob" });
  await handler.cancel("enough");
}
void watch(everything);
// G41 snapshot and resume, typed
const dict = everything.context.toDict();
const context = ContextValue.fromDict(new Everything("e"), JSON.parse(JSON.stringify(dict)), { migrate: (old) => old });
const resumed = new Everything("e").resume(context);
expectType<Equal<Awaited<typeof resumed>, boolean | Answer>>(true);
(await context.store.get("count")).toFixed();
// G42 inheritance
abstract class Base extends Workflow {
  @step({ on: StartEvent, emits: Joke }) async write(_: StartEvent) { return new Joke({ text: "" }); }
}
class Derived extends Base {
  @step({ on: Joke, emits: StopEvent }) async end(_: Joke) { return new StopEvent({ result: "s" as const }); }
  @step({ on: StartEvent, emits: Joke }) override async write(_: StartEvent) { return new Joke({ text: "derived" }); }
}
expectType<Equal<ResultOf<Derived>, "s">>(true);
// G43 a workflow whose class is not known here
const some: Workflow[] = [new JokeFlow(), new Everything("e"), new Derived()];
expectType<Equal<Awaited<ReturnType<(typeof run)>>, unknown>>(true);
function run(flow: Workflow) { return flow.run({ anything: 1 }); }
void some.map(run);

// G44 context methods
class Uses extends Workflow.withState(State) {
  static children = { jokes: JokeFlow };
  @step({ on: StartEvent, emits: [StopEvent, Tick], waits: GotName })
  async all(ev: StartEvent, ctx: Context<State>) {
    const got = await ctx.waitForEvent(GotName, { prompt: new NeedName({ question: "?" }), where: { name: "bob" }, key: "k", timeout: "1h" });
    expectType<Equal<typeof got, GotName>>(true);
    const human = await ctx.waitForEvent(HumanResponseEvent, { where: { id: 3 } });
    human.get("id");
    const set = await ctx.collectEvents(ev, [Joke, Joke, Critique], { buffer: "b" });
    if (set) expectType<Equal<typeof set, [Joke, Joke, Critique]>>(true);
    const paid = await ctx.run("charge", async () => ({ id: 7 }));
    expectType<Equal<typeof paid, { id: number }>>(true);
    expectType<Equal<Awaited<ReturnType<typeof ctx.run<string>>>, string>>(true);
    const child = await ctx.runChild(JokeFlow, { topic: "x" }, { key: "c" });
    expectType<Equal<typeof child, number>>(true);
    const child2 = await ctx.runChild(new Everything("e"), { topic: "x" });
    expectType<Equal<typeof child2, boolean | Answer>>(true);
    const child3 = await ctx.runChild("jokes", { topic: "x" });
    expectType<Equal<typeof child3, unknown>>(true);
    await ctx.runChild("jokes");
    await ctx.run("pay", ({ idempotencyKey, signal }) => fetch(idempotencyKey, { signal }));
    await ctx.sleep("5m", { key: "nap" });
    await ctx.sleep(new Date(0));
    ctx.sendEvent(new Tick(), { step: "a", delay: "5s", key: "k", scope: "run", immediate: true });
    ctx.writeEventToStream(new Joke({ text: "" }));
    if (ctx.signal.aborted || ctx.retryInfo().retry > 2) return;
    return new StopEvent({ result: null });
  }
}
expectType<Equal<ResultOf<Uses>, null>>(true);

// G45 store paths
async function paths(ctx: Context<State>) {
  const store = ctx.store;
  expectType<Equal<typeof a, number>>(true); const a = await store.get("count");
  expectType<Equal<typeof b, string | undefined>>(true); const b = await store.get("user.name");
  expectType<Equal<typeof c, number | undefined>>(true); const c = await store.get("list.0.a");
  expectType<Equal<typeof d, number | undefined>>(true); const d = await store.get("scores.alice");
  expectType<Equal<typeof e, number>>(true); const e = await store.get("scores.alice", 0);
  expectType<Equal<typeof f, "on" | "off">>(true); const f = await store.get("status.kind");
  expectType<Equal<typeof g, number | undefined>>(true); const g = await store.get("status.since");
  expectType<Equal<typeof h, Date | undefined>>(true); const h = await store.get("at");
  expectType<Equal<typeof i, string | undefined>>(true); const i = await store.get("user.tags.3");
  const id: string = "x";
  expectType<Equal<typeof j, number | undefined>>(true); const j = await store.get(`scores.${id}`);
  expectType<Equal<typeof k, unknown>>(true); const k = await store.get(id);
  expectType<Equal<typeof l, number | null>>(true); const l = await store.get("list.0.a", null);
  // A list of keys, in which a key may have dots
  expectType<Equal<typeof m, string | undefined>>(true); const m = await store.get(["user", "name"]);
  expectType<Equal<typeof o, number | undefined>>(true); const o = await store.get(["list", 0, "a"]);
  expectType<Equal<typeof p, number | undefined>>(true); const p = await store.get(["scores", id]);
  expectType<Equal<typeof q, number>>(true); const q = await store.get(["scores", "example.com"], 0);
  expectType<Equal<typeof r, unknown>>(true); const r = await store.get([id, "name"]);
  expectType<Equal<typeof s, unknown>>(true); const s = await store.get(id.split("/"));
  expectType<Equal<typeof t, "on" | "off">>(true); const t = await store.get(["status", "kind"]);
  await store.set(["scores", id], 2);
  await store.set(["list", 0], { a: 1 });
  await store.set(["user", "name"], "bob");
  await store.set("user.name", "bob");
  await store.set("list.0", { a: 1 });
  await store.set("list.0.a", 1);
  await store.set("scores.bob", 2);
  await store.set("status", { kind: "on", since: 1 });
  await store.set("user", undefined);
  const whole = await store.get();
  expectType<Equal<typeof whole.count, number>>(true);
  const value = await store.editState(async (state) => { state.count += 1; state.list.push({ a: 1 }); return state.count; });
  expectType<Equal<typeof value, number>>(true);
  const sync = await store.editState((state) => state.count > 1);
  expectType<Equal<typeof sync, boolean>>(true);
  await store.setState({ count: 1, list: [], scores: {}, status: { kind: "off" } });
  await store.clear();
}
// G46 unknown state
async function unknownState(ctx: Context) {
  expectType<Equal<typeof a, unknown>>(true); const a = await ctx.store.get("a.b.c");
  expectType<Equal<typeof b, number>>(true); const b = await ctx.store.get("a", 0);
  expectType<Equal<typeof none, unknown>>(true); const none = await ctx.store.get("a", null);
  expectType<Equal<typeof list, readonly unknown[]>>(true); const list = await ctx.store.get("a", []);
  expectType<Equal<typeof tags, readonly string[]>>(true); const tags = await ctx.store.get("a", ["x"]);
  await ctx.store.set("a.b", [1]);
  const n = await ctx.store.editState((state) => { state["n"] = 1; return Object.keys(state).length; });
  n.toFixed();
}
// G47 recursive and interface state
interface Tree { value: number; children: Tree[]; parent?: Tree }
async function recursive(ctx: Context<Tree>) {
  expectType<Equal<typeof a, number | undefined>>(true); const a = await ctx.store.get("children.0.children.1.parent.value");
  await ctx.store.set("parent.parent.parent.value", 3);
  helper(ctx);
}
// G48 a workflow with interface state from a foreign schema, and optional fields
declare const treeSchema: StandardSchema<{ value?: number }, Tree>;
class TreeFlow extends Workflow.withState(treeSchema) {
  @step({ on: StartEvent, emits: StopEvent }) async go(_: StartEvent, ctx: Context<Tree>) { return new StopEvent({ result: await ctx.store.get("value") }); }
  @step({ on: StartEvent, emits: StopEvent }) async go2(_: StartEvent, ctx: Context) { helper(ctx); return new StopEvent({ result: "" }); }
}
expectType<Equal<ResultOf<TreeFlow>, number | string>>(true);
// G49 state from a shape
class ShapeFlow extends Workflow.withState({ n: z.number().default(1) }) {
  @step({ on: Ask, emits: StopEvent }) async go(_: Ask, ctx: Context<{ n: number }>) { return new StopEvent({ result: await ctx.store.get("n") }); }
}
expectType<Equal<ResultOf<ShapeFlow>, number>>(true);
// G50 several start events: either input
class Two extends Workflow {
  @step({ on: Ask, emits: StopEvent }) async a(_: Ask) { return new StopEvent({ result: 1 }); }
  @step({ on: StartEvent, emits: StopEvent }) async b(_: StartEvent) { return new StopEvent({ result: "b" }); }
}
void new Two().run({ topic: "x" });
// G51 start event with a transform: the event is accepted as well as its fields
class Raw extends StartEvent.define("Raw", { n: z.string().transform(Number) }) {}
class RawFlow extends Workflow {
  @step({ on: Raw, emits: StopEvent }) async go(ev: Raw) { return new StopEvent({ result: ev.n }); }
}
void new RawFlow().run({ n: "1" });
void new RawFlow().run(new Raw({ n: "1" }));
// G52 generic base class
abstract class Generic<Result> extends Workflow {
  abstract make(): Result;
  @step({ on: StartEvent, emits: StopEvent }) async go(_: StartEvent) { return new StopEvent({ result: this.make() }); }
}
class Concrete extends Generic<Date> { make() { return new Date(); } }
expectType<Equal<ResultOf<Concrete>, Date>>(true);

// G53 a name for the state, so that hovers say `Context<NamedState>`
interface NamedState extends z.output<typeof State> {}
class Named extends Workflow.withState(State) {
  @step({ on: StartEvent, emits: StopEvent }) async go(_: StartEvent, ctx: Context<NamedState>) { return new StopEvent({ result: await ctx.store.get("count") }); }
}
expectType<Equal<ResultOf<Named>, number>>(true);
// G54 a step made of parts of different workflows' state
async function bump(ctx: Context<{ count: number }>) { await ctx.store.editState((state) => { state.count += 1; }); }
async function usesBump(ctx: Context<NamedState>) { await bump(ctx); await bump({} as Context<State>); }

// G55 null is nothing too
class Nothing extends Workflow {
  @step({ on: Joke, emits: Ping }) async go(ev: Joke, ctx: Context) { const all = await ctx.collectEvents(ev, [Joke, Critique]); return all && new Ping(); }
  // G56 steps may be called validate or name
  @step({ on: Joke, emits: Ping }) validate(_: Joke) { return new Ping(); }
  @step({ on: Joke, emits: Ping }) name(_: Joke) { return new Ping(); }
}
void Nothing;

export { paths, recursive, unknownState, usesBump };

// G57 external events, and streams
class Ticked extends ExternalEvent.define("Ticked", { at: z.number() }) {}
class Outside extends Workflow {
  @step({ on: StartEvent, emits: StopEvent, waits: [Ticked, GotName], streams: [Joke, NeedName], limit: "openai" })
  async go(_: StartEvent, ctx: Context) {
    ctx.writeEventToStream(new Joke({ text: "" }));
    const { at } = await ctx.waitForEvent(Ticked, { where: { at: 3 } });
    return new StopEvent({ result: at });
  }
  @step({ on: Ticked }) async tick(ev: Ticked) { ev.at.toFixed(); }
}
expectType<Equal<ResultOf<Outside>, number>>(true);
expectType<Equal<StreamOf<Outside, Joke>["type"], "StopEvent" | "Joke" | "WorkflowFailedEvent" | "WorkflowTimedOutEvent" | "WorkflowCancelledEvent" | "StepRestartedEvent" | "JoinIncompleteEvent" | "WorkDiscardedEvent" | "millrace.pieces" | "millrace.question">>(true);
// G58 yields with names of their own
class Rows extends Workflow {
  @step({ on: StartEvent, emits: many(Joke, Ping) })
  async *fan(_: StartEvent) { yield keyed("a", new Joke({ text: "" })); yield new Ping(); }
  @step({ on: collect(Joke, { settle: true }), emits: StopEvent })
  async end(all: readonly Settled<Joke>[]) {
    const texts = all.map((one) => (one.status === "ok" ? one.event.text : one.status === "failed" ? `${one.failure.error}` : one.index));
    return new StopEvent({ result: texts });
  }
}
expectType<Equal<ResultOf<Rows>, (string | number)[]>>(true);
// G59 watching, middleware, disposal, retry
async function around(flow: JokeFlow) {
  const off = flow.on("step.completed", ({ step: name, elapsedMs }) => { name.at(elapsedMs); });
  off();
  flow.use(async (call, next) => { call.ctx.runId; return await next(); }).use((_, next) => next());
  const again = flow.retry(ContextValue.fromDict(flow, {}), { timeout: "1m", deadline: new Date(0) });
  expectType<Equal<Awaited<typeof again>, number>>(true);
  await using disposed = flow;
  void disposed;
}
// G60 a context whose state is filled before the run
const prepared = new ContextValue(new Everything("e"));
await prepared.store.set("count", 3, { key: "k" });
void new Everything("e").run({ topic: "x" }, { context: prepared, signal: AbortSignal.timeout(1) });
void new Everything("e").run(undefined, { context: prepared, timeout: "1m" });
// G61 names that are not the class's, and a workflow that runs itself
class Renamed extends Workflow {
  static override readonly name = "renamed";
  static children = { self: Renamed };
  @step({ on: StartEvent, emits: StopEvent })
  async go(_: StartEvent, ctx: Context): Promise<StopEvent<number>> { return new StopEvent({ result: await ctx.runChild(Renamed) }); }
}
// G62 error handlers may ask a person
class Asks extends Workflow {
  @step({ on: StartEvent, emits: StopEvent }) async go(_: StartEvent) { return new StopEvent({ result: 1 }); }
  @catchError({ emits: StopEvent, waits: GotName, streams: NeedName, timeout: "1m" })
  async help(_: StepFailedEvent, ctx: Context) { await ctx.waitForEvent(GotName, { prompt: new NeedName({ question: "?" }) }); return new StopEvent({ result: 2 }); }
}

export { Asks, around, Renamed };
