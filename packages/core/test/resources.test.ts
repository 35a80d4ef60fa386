/** What is given to steps, and what wraps them. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createRuntime } from "../src/entries/runtime.js";
import { defineWorkflow, event, resource, retryPolicy, StartEvent, StopEvent, stop, wait } from "../src/index.js";
import { rejection } from "./support/runs.js";
import { recordLog, settle } from "./support/virtual-clock.js";

class Item extends event("Item", { n: z.number() }) {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });
const twice = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) });

describe("middleware", () => {
  it("wraps every attempt, the first one added outermost, and may change what comes of it", async () => {
    const told: string[] = [];
    let failures = 1;
    const flow = defineWorkflow("wrapped")
      .step("work", { on: StartEvent, emits: StopEvent, retry: twice }, () => {
        told.push("step");
        if (failures-- > 0) throw new Error("no");
        return stopped(1);
      })
      .build();
    for (const name of ["outer", "inner"]) {
      flow.use(async ({ step, attempt }, next) => {
        told.push(`${name} ${step} ${attempt}`);
        const output = await next();
        told.push(`${name} after`);
        return name === "outer" ? (stopped([output]) as never) : output;
      });
    }

    expect(await flow.run()).toEqual([stopped(1)]);
    expect(told).toEqual([
      "outer work 1",
      "inner work 1",
      "step",
      "outer work 2",
      "inner work 2",
      "step",
      "inner after",
      "outer after",
    ]);
  });

  const counted = (tries: { count: number }) =>
    defineWorkflow("counted")
      .step("work", { on: StartEvent, emits: StopEvent, retry: twice }, () => {
        tries.count++;
        throw new Error(`no ${tries.count}`);
      })
      .build();

  it("runs a step once in one attempt: a second `next()` is refused, and says how else to try again", async () => {
    const tries = { count: 0 };
    const flow = counted(tries).use((_, next) => next().catch(next));

    const error = await rejection(flow.run());

    expect(error).toMatchObject({
      code: "CALL_INVALID",
      message: 'Middleware calls `next()` twice for step "work" (item 1, attempt 2).',
      details: { reason: "next", step: "work", item: 1, attempt: 2 },
    });
    expect(tries.count).toBe(2); // one in each attempt that `retry` gives
  });

  it("fails the attempt also where nobody looks at what became of a second `next()`", async () => {
    const flow = defineWorkflow("unseen")
      .step("work", { on: StartEvent, emits: StopEvent }, () => stopped(1))
      .build()
      .use(async (_, next) => {
        const output = await next();
        void next();
        await next().catch(() => {});
        return output;
      });

    expect(await rejection(flow.run())).toMatchObject({ code: "CALL_INVALID" });
  });

  it("lets each middleware call its own `next()`, and each attempt anew", async () => {
    let failures = 1;
    const flow = defineWorkflow("anew")
      .step("work", { on: StartEvent, emits: StopEvent, retry: twice }, () => {
        if (failures-- > 0) throw new Error("no");
        return stopped(1);
      })
      .build();
    flow.use((_, next) => next()).use((_, next) => next());

    expect(await flow.run()).toBe(1);
  });
});

describe("resources", () => {
  function scoped() {
    const told: string[] = [];
    const made = { app: 0, workflow: 0, run: 0, call: 0 };
    const of = (scope: keyof typeof made) =>
      resource(scope, () => `${scope} ${++made[scope]}`, { scope, dispose: (value) => void told.push(`-${value}`) });
    const needs = { workflow: of("workflow"), run: of("run"), call: of("call") };
    const flow = defineWorkflow("scoped")
      .step("one", { on: StartEvent, emits: Item, resources: needs }, async (_ev, _ctx, used) => {
        told.push(Object.values(used).join(", "));
        return new Item({ n: 1 });
      })
      .step("two", { on: Item, emits: StopEvent, resources: needs, retry: twice }, async (_, ctx, used) => {
        told.push(Object.values(used).join(", "));
        if (ctx.retryInfo().retry === 0) throw new Error("again");
        return stopped(null);
      })
      .build();
    return { flow, told, needs };
  }

  it("live as long as their scope", async () => {
    const { flow, told } = scoped();

    await flow.run();
    await flow.run();
    await settle();
    await flow[Symbol.asyncDispose]();

    expect(told.filter((line) => !line.startsWith("-"))).toEqual([
      "workflow 1, run 1, call 1",
      "workflow 1, run 1, call 2",
      "workflow 1, run 1, call 3",
      "workflow 1, run 2, call 4",
      "workflow 1, run 2, call 5",
      "workflow 1, run 2, call 6",
    ]);
    expect(told.filter((line) => line.startsWith("-")).sort()).toEqual([
      "-call 1",
      "-call 2",
      "-call 3",
      "-call 4",
      "-call 5",
      "-call 6",
      "-run 1",
      "-run 2",
      "-workflow 1",
    ]);
    expect(told.at(-1)).toBe("-workflow 1");
    expect(told.indexOf("-call 1")).toBeLessThan(told.indexOf("-run 1"));
  });

  it("can be replaced for one run, and are not disposed then", async () => {
    const { flow, told, needs } = scoped();

    await flow.run({}, { resources: [needs.workflow.override("fake"), needs.call.override("fake too")] });
    await settle();

    expect(told).toEqual(["fake, run 1, fake too", "fake, run 1, fake too", "fake, run 1, fake too", "-run 1"]);
  });

  it("are refused as overrides by `run` and by `createRuntime`, where they are not lists of what `override` gives", async () => {
    const { flow, told, needs } = scoped();
    const real = needs.workflow;

    for (const resources of [[real], [{ real: "fake" }], { real: "fake" }, [{ resource: {} }], [null], real, "real"]) {
      const refused = expect.objectContaining({
        code: "OPTION_INVALID",
        message: expect.stringContaining("`resources` is not a list of"),
      });
      expect(() => flow.run({}, { resources: resources as never })).toThrow(refused);
      expect(() => createRuntime({ workflows: { flow }, resources: resources as never })).toThrow(refused);
    }
    expect(told).toEqual([]);
  });

  it("that cannot be made fail the step, with its retries", async () => {
    let failures = 1;
    const flaky = resource("flaky", () => {
      if (failures-- > 0) throw new TypeError("no connection");
      return "connected";
    });
    const flow = defineWorkflow("flaky")
      .step("work", { on: StartEvent, emits: StopEvent, resources: { flaky }, retry: twice }, async (_ev, _ctx, used) =>
        stopped(used.flaky),
      )
      .build();
    const failed: unknown[] = [];
    flow.on("step.failed", ({ error }) => void failed.push(error));

    expect(await flow.run()).toBe("connected");
    expect(failed).toEqual([expect.objectContaining({ code: "RESOURCE_FAILED", cause: expect.any(TypeError) })]);
  });

  it("that cannot be disposed are told to the log port, and change nothing", async () => {
    const log = recordLog();
    const sticky = resource("sticky", () => 1, { scope: "run", dispose: () => Promise.reject(new Error("stuck")) });
    const flow = defineWorkflow("sticky")
      .step("work", { on: StartEvent, emits: StopEvent, resources: { sticky } }, async (_ev, _ctx, used) =>
        stopped(used.sticky),
      )
      .build({ log });

    expect(await flow.run()).toBe(1);
    await settle();
    expect(log.errors).toEqual([expect.objectContaining({ message: "stuck" })]);
  });

  it("that need each other are refused with the way they go", async () => {
    const flow = defineWorkflow("cycle");
    const left: ReturnType<typeof resource> = resource("left", () => 1, {
      get resources() {
        return { right };
      },
    } as never);
    const right: ReturnType<typeof resource> = resource("right", () => 1, { resources: { left } });

    const error = await rejection(
      Promise.resolve().then(() =>
        flow
          .step("work", { on: StartEvent, emits: StopEvent, resources: { left } }, async () => stopped(1))
          .build()
          .run(),
      ),
    );

    expect(String(error)).toMatch(/left -> right -> left/);
  });
});

describe("resources of a runtime", () => {
  it("are replaced in all of its runs and their children; what needs them is made once for the runtime", async () => {
    const made: string[] = [];
    const database = resource("database", () => "real", { scope: "app" });
    const booksOf = ({ database: of }: { readonly database: string }): string => {
      made.push(of);
      return `books of ${of}`;
    };
    const books = resource("books", booksOf, { scope: "app", resources: { database } });
    const child = defineWorkflow("child")
      .step("read", { on: StartEvent, emits: StopEvent, resources: { books } }, (_ev, _ctx, found) =>
        stopped(found.books),
      )
      .build();
    const parent = defineWorkflow("parent", { children: { child } })
      .step("ask", { on: StartEvent, emits: StopEvent, resources: { database } }, async (_ev, ctx, found) =>
        stopped([found.database, await ctx.runChild("child")]),
      )
      .build();
    const runtime = createRuntime({ workflows: { parent, child }, resources: [database.override("fake")] });
    const other = createRuntime({ workflows: { child } });

    expect(await runtime.run("parent")).toEqual(["fake", "books of fake"]);
    expect(await runtime.run("child")).toBe("books of fake");
    expect(await other.run("child")).toBe("books of real");
    expect(made).toEqual(["fake", "real"]);
    await Promise.all([runtime.stop(), other.stop()]);
  });

  it("are overrides, and nothing else", () => {
    const one = defineWorkflow("one").step("s", { on: StartEvent, emits: StopEvent }, () => stopped(1));
    const workflows = { one: one.build() };

    for (const resources of [[{ database: 1 }], [null], {}] as never[])
      expect(() => createRuntime({ workflows, resources })).toThrow(/`resources` is not a list of/);
  });
});
