/** Options that nobody reads: refused by every call that takes options, with the name that was meant. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createRuntime, memoryStore, type Runtime } from "../src/entries/runtime.js";
import {
  Context,
  catchError,
  collect,
  defineWorkflow,
  ExternalEvent,
  event,
  join,
  many,
  resource,
  retryPolicy,
  StartEvent,
  StopEvent,
  step,
  Workflow,
  type WorkflowOptions,
  wait,
} from "../src/index.js";
import { rejection } from "./support/runs.js";

class Item extends event("Item", {}) {}
class Note extends ExternalEvent.define("Note", {}) {}

const slip = (options: object) => options as never;
const flowOf = (options: object = {}, ofFlow: Omit<WorkflowOptions, "name"> = {}) =>
  defineWorkflow("flow")
    .step("work", { on: StartEvent, emits: StopEvent, ...options }, () => new StopEvent({ result: 1 }))
    .build(ofFlow);
const thrown = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    return error;
  }
};

describe("an option that nobody reads", () => {
  it.each<[string, () => unknown, string]>([
    ["a step", () => flowOf({ timeoutMs: 5 }), "`timeoutMs` is not an option (did you mean `timeout`?)"],
    [
      "a step of a class",
      () => {
        class Flow extends Workflow {
          @step({ on: StartEvent, emits: StopEvent, ...({ worker: 2 } as object) })
          work() {
            return new StopEvent({ result: 1 });
          }
        }
        return new Flow();
      },
      "`worker` is not an option (did you mean `workers`?)",
    ],
    [
      "an error handler",
      () => {
        class Flow extends Workflow {
          @step({ on: StartEvent, emits: StopEvent })
          work() {
            return new StopEvent({ result: 1 });
          }
          @catchError({ emits: StopEvent, ...({ maxRecovery: 2 } as object) })
          recover() {
            return new StopEvent({ result: 1 });
          }
        }
        return new Flow();
      },
      "`maxRecovery` is not an option (did you mean `maxRecoveries`?)",
    ],
    [
      "a collect",
      () =>
        defineWorkflow("flow")
          .step("split", { on: StartEvent, emits: many(Item) }, () => [new Item({})])
          .step(
            "end",
            { on: collect(Item, slip({ settled: true })), emits: StopEvent },
            () => new StopEvent({ result: 1 }),
          )
          .build(),
      "`settled` is not an option (did you mean `settle`?)",
    ],
  ])("of %s is a finding of the workflow", (_, make, problem) => {
    expect(thrown(make)).toMatchObject({ code: "WORKFLOW_INVALID", message: expect.stringContaining(problem) });
  });

  it.each<[string, () => unknown, string]>([
    ["join", () => join({ a: Item, b: Note }, slip({ on: "id" })), "`on` is not an option"],
    ["Workflow", () => new Workflow(slip({ timeOut: 5 })), "did you mean `timeout`?"],
    ["defineWorkflow", () => defineWorkflow("flow", slip({ event: [Item] })), "did you mean `events`?"],
    ["resource", () => resource("db", () => 1, slip({ disposal: () => {} })), "did you mean `dispose`?"],
    ["limits", () => flowOf({}, { limits: { ai: slip({ perMinutes: 5 }) } }).run(), "did you mean `perMinute`?"],
    ["retryPolicy", () => retryPolicy(slip({ maxAttempts: 5 })), "`maxAttempts` is not an option"],
    ["exponential", () => wait.exponential(slip({ inital: 5 })), "did you mean `initial`?"],
    ["exponentialJitter", () => wait.exponentialJitter(slip({ jiter: 5 })), "did you mean `jitter`?"],
    ["fullJitter", () => wait.fullJitter(slip({ jitter: 5 })), "`jitter` is not an option"],
    [
      "incrementing",
      () => wait.incrementing(slip({ start: 1, increment: 1, maximum: 5 })),
      "`maximum` is not an option",
    ],
    ["run", () => flowOf().run({}, slip({ timeoutMs: 5 })), "did you mean `timeout`?"],
    ["resume", () => flowOf().resume(new Context(flowOf()), slip({ runId: "b" })), "`runId` is not an option"],
    ["retry", () => flowOf().retry(new Context(flowOf()), slip({ context: {} })), "`context` is not an option"],
    ["fromDict", () => Context.fromDict(flowOf(), {}, slip({ codecs: 1 })), "did you mean `codec`?"],
    ["toDict", () => new Context(flowOf()).toDict(slip({ codecs: 1 })), "did you mean `codec`?"],
    ["options that are none", () => flowOf().run({}, "fast" as never), "they are not an object"],
  ])("is refused at once: %s", (_, call, problem) => {
    expect(thrown(call)).toMatchObject({ code: "OPTION_INVALID", message: expect.stringContaining(problem) });
  });

  it.each<[string, (ctx: Context) => unknown]>([
    ["sendEvent", (ctx) => ctx.sendEvent(new Item({}), slip({ dealy: 5 }))],
    ["waitForEvent", (ctx) => ctx.waitForEvent(Note, slip({ timeoutMs: 5 }))],
    ["collectEvents", (ctx) => ctx.collectEvents(new Item({}), [Item], slip({ buffers: "a" }))],
    ["runChild", (ctx) => ctx.runChild("child", {}, slip({ stores: "own" }))],
    ["sleep", (ctx) => ctx.sleep(1, slip({ kye: "a" }))],
    ["set", (ctx) => ctx.store.set("a" as never, 1 as never, slip({ kye: "a" }))],
    ["editState", (ctx) => ctx.store.editState(() => {}, slip({ kye: "a" }))],
    ["a wait that is told when it ends", (ctx) => ctx.waitForEvent(Note, 5 as never)],
    ["a wait for no class", (ctx) => ctx.waitForEvent(undefined as never)],
    ["a wait for an event", (ctx) => ctx.waitForEvent(new Note({}) as never)],
    ["a set of no classes", (ctx) => ctx.collectEvents(new Item({}), [undefined as never])],
    ["a set that is not a list", (ctx) => ctx.collectEvents(new Item({}), 5 as never)],
    ["a set of what is not an event", (ctx) => ctx.collectEvents(null as never, [Item])],
  ])("fails the step that gives it: %s", async (_, call) => {
    const flow = defineWorkflow("flow", { children: { child: flowOf() } })
      .step("work", { on: StartEvent, emits: [Item, StopEvent], waits: Note }, async (_event, ctx) => {
        await call(ctx);
        return new StopEvent({ result: 1 });
      })
      .step("item", { on: Item }, () => {})
      .build();

    expect(await rejection(flow.run())).toMatchObject({ code: "OPTION_INVALID" });
  });

  it.each<[string, (ctx: Context) => unknown, string, string]>([
    ["a class", (ctx) => ctx.waitForEvent(Map as never), 'the function or class "Map"', "Event classes extend"],
    ["an event", (ctx) => ctx.waitForEvent(new Note({}) as never), "an object", "Event classes extend"],
    ["undefined", (ctx) => ctx.waitForEvent(undefined as never), "undefined", "circular import"],
  ])("says what a wait was given, and what to do: %s", async (_, call, given, hint) => {
    const flow = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent, waits: Note }, async (_event, ctx) => {
        await call(ctx);
        return new StopEvent({ result: 1 });
      })
      .build();

    expect(await rejection(flow.run())).toMatchObject({
      message: `\`waitForEvent\` got ${given}; it expects an event class.`,
      hint: expect.stringContaining(hint),
    });
  });

  it.each<[string, (runtime: Runtime) => unknown]>([
    ["memoryStore", () => memoryStore(slip({ maxEnd: 1 }))],
    ["run", (runtime) => runtime.run("flow", {}, slip({ startsAt: 1 }))],
    ["handle", (runtime) => runtime.handle("a", slip({ tenants: "a" }))],
    ["resume", (runtime) => runtime.resume("a", slip({ keys: "a" }))],
    ["retry", (runtime) => runtime.retry("a", slip({ keys: "a" }))],
    ["runs", (runtime) => runtime.runs(slip({ workflows: "flow" }))],
    ["delete", (runtime) => runtime.delete("a", slip({ tenants: "a" }))],
    ["retain", (runtime) => runtime.retain(slip({ olderThan: "1d", tenants: "a" }))],
    ["check", (runtime) => runtime.check(slip({ tenants: "a" }))],
    [
      "history",
      (runtime) =>
        runtime
          .history("a", slip({ afters: 1 }))
          [Symbol.asyncIterator]()
          .next(),
    ],
    ["stateAt", (runtime) => runtime.stateAt("a", 1, slip({ tenants: "a" }))],
    ["fork", (runtime) => runtime.fork("a", slip({ at: 1, edits: () => {} }))],
    ["stop", (runtime) => runtime.stop(slip({ drain: 1 }))],
    ["records.read", (runtime) => runtime.records.read("a", "b", slip({ tenants: "a" }))],
    ["records.list", (runtime) => runtime.records.list(slip({ kind: "a", prefixes: "a" }))],
    [
      "schedules.set",
      (runtime) => runtime.schedules.set("a", slip({ cron: "* * * * *", workflow: "flow", labell: {} })),
    ],
    ["schedules.get", (runtime) => runtime.schedules.get("a", slip({ tenants: "a" }))],
    ["schedules.list", (runtime) => runtime.schedules.list(slip({ limits: 1 }))],
    ["schedules.pause", (runtime) => runtime.schedules.pause("a", slip({ tenants: "a" }))],
    ["schedules.resume", (runtime) => runtime.schedules.resume("a", slip({ tenants: "a" }))],
    ["schedules.delete", (runtime) => runtime.schedules.delete("a", slip({ tenants: "a" }))],
    ["schedules.next", (runtime) => runtime.schedules.next("a", 1, slip({ tenants: "a" }))],
    ["sendEvent", (runtime) => runtime.handle("a").sendEvent(new Note({}), slip({ keys: "a" }))],
    ["answer", (runtime) => runtime.handle("a").answer("b", {}, slip({ keys: "a" }))],
    ["cancel", (runtime) => runtime.handle("a").cancel("", slip({ keys: "a" }))],
    ["idle", (runtime) => runtime.handle("a").idle(slip({ signals: 1 }))],
    ["snapshot", (runtime) => runtime.handle("a").snapshot(slip({ raws: true }))],
    ["streamEvents", (runtime) => runtime.handle("a").streamEvents(slip({ afters: 1 }))],
  ])("of a runtime is refused by %s", async (_, call) => {
    const runtime = createRuntime({ workflows: { flow: flowOf() } });
    onTestFinished(() => runtime.stop());

    expect(await rejection((async () => call(runtime))())).toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining("is not an option (did you mean `"),
    });
  });
});
