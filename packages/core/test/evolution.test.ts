/** Code that changed while its runs were stored: their events, and their state. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { migrateState } from "../src/compile/compile.js";
import {
  compileWorkflow,
  createRouting,
  createRunState,
  decodeTick,
  encodeTick,
  replay,
} from "../src/entries/engine.js";
import {
  Context,
  defineWorkflow,
  HumanResponseEvent,
  StartEvent,
  StopEvent,
  step,
  validateWorkflow,
  Workflow,
} from "../src/index.js";
import { Joke, OldJoke } from "./support/jokes.js";
import { waiting } from "./support/runs.js";
import { pausedOf, refusal, stored } from "./support/stored.js";

type Fields = Record<string, unknown>;

class Go extends HumanResponseEvent.define("Go", { n: z.number().default(0) }) {}

/** Waits between two steps, with a recorded joke and one on its way. */
const telling = (Told: typeof OldJoke | typeof Joke) =>
  defineWorkflow("telling")
    .step("tell", { on: StartEvent, emits: [Told], waits: Go }, async (_ev, ctx) => {
      ctx.sendEvent(new Told({ text: "sent", rating: 4 }), { delay: "1h" });
      await ctx.waitForEvent(Go);
      return new Told({ text: "told", rating: 5 });
    })
    .step("end", { on: Told, emits: StopEvent }, (joke) => new StopEvent({ result: { ...joke } }))
    .build();

describe("a run with older events", () => {
  it("goes on where it was, in the code that has newer ones", async () => {
    const before = defineWorkflow("flow")
      .step("start", { on: StartEvent, emits: OldJoke }, () => new OldJoke({ text: "ha" }))
      .step("end", { on: OldJoke, emits: StopEvent, waits: Go }, async (_joke, ctx) => {
        await ctx.waitForEvent(Go);
        return new StopEvent({ result: "old" });
      })
      .build();
    const after = defineWorkflow("flow")
      .step("start", { on: StartEvent, emits: Joke }, () => new Joke({ text: "ha", rating: 9 }))
      .step("end", { on: Joke, emits: StopEvent, waits: Go }, async (joke, ctx) => {
        await ctx.waitForEvent(Go);
        return new StopEvent({ result: joke.rating });
      })
      .build();
    const old = before.run();
    await waiting(old);

    const handler = after.resume(Context.fromDict(after, stored(old.context.toDict())));
    await handler.sendEvent(new Go());

    expect(await handler).toBe(-1);
  });

  it("has those of its timers migrated too, and refuses those of newer code with their place", async () => {
    const [older, newer] = [telling(OldJoke), telling(Joke)];
    const [old, young] = [older.run(), newer.run()];
    await Promise.all([waiting(old), waiting(young)]);

    const context = Context.fromDict(newer, stored(old.context.toDict()));
    const error = refusal(() => Context.fromDict(older, stored(young.context.toDict())));

    expect(stored(context.toDict())).toMatchObject({
      timers: [{ pendingEvent: { event: { data: { text: "sent", rating: -1 }, version: 2 } } }],
    });
    expect(error).toMatchObject({
      code: "EVENT_NEWER",
      message: expect.stringMatching(/^snapshot\.timers\.0.*version 2.*version 1/),
    });
  });

  it("has those of its journal migrated", () => {
    const [older, newer] = [compileWorkflow(telling(OldJoke)), compileWorkflow(telling(Joke))];
    const tick = {
      type: "step.completed",
      atMs: 1,
      item: 1,
      attempt: 1,
      output: new OldJoke({ text: "ha" }),
      sends: null,
    } as const;

    const decoded = decodeTick(stored(encodeTick(tick, older)), newer);

    expect(decoded).toMatchObject({ output: new Joke({ text: "ha", rating: -1 }) });
  });
});

const counting = (state: z.ZodObject | Record<string, z.ZodType>, options: Fields = {}) =>
  defineWorkflow("counting", { state: state as { count: z.ZodDefault<z.ZodNumber> }, ...options })
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
      await ctx.store.set("count" as never, 3 as never);
      await ctx.waitForEvent(Go);
      return new StopEvent({ result: await ctx.store.getState() });
    })
    .build();

const before = () => counting({ count: z.number().default(0) });
const total = { total: z.number().default(0), unit: z.string().default("pieces") };
const renamed = { version: 2, migrate: ({ count, ...rest }: Fields) => ({ ...rest, total: count }) };

describe("the version of a state", () => {
  it("is stored from 2 on", async () => {
    expect(await pausedOf(before())).not.toHaveProperty("stateVersion");
    expect(await pausedOf(counting({ count: z.number().default(0) }, { version: 2 }))).toMatchObject({
      stateVersion: 2,
    });
  });

  it("brings an older state through `migrate`; what the schema got since takes its default", async () => {
    const dict = await pausedOf(before());
    const text = JSON.stringify(dict);
    const after = counting(total, renamed);

    const context = Context.fromDict(after, dict);

    expect(await context.store.getState()).toEqual({ total: 3, unit: "pieces" });
    expect(stored(context.toDict())).toMatchObject({ stateVersion: 2, store: { json: { total: 3, unit: "pieces" } } });
    expect(await Context.fromDict(after, stored(context.toDict())).store.getState()).toEqual({
      total: 3,
      unit: "pieces",
    });
    expect(JSON.stringify(dict)).toBe(text);
  });

  it("is a static of a class, with and without a schema, and inherited", async () => {
    class Plain extends Workflow {
      static override readonly name = "Plain";
      @step({ on: StartEvent, emits: StopEvent, waits: Go })
      async ask(_ev: StartEvent, ctx: Context) {
        await ctx.store.set("count", 3);
        await ctx.waitForEvent(Go);
        return new StopEvent({ result: await ctx.store.getState() });
      }
    }
    class Versioned extends Plain {
      static override readonly name = "Plain";
      static override readonly version = 3;
      static override migrate({ count }: Fields, from: number) {
        return { total: count, from };
      }
    }
    class Counter extends Workflow.withState(total) {
      static override readonly name = "Plain";
      static override readonly version = 2;
      static override migrate({ count }: Fields) {
        return { total: count };
      }
      @step({ on: StartEvent, emits: StopEvent, waits: Go })
      ask() {
        return new StopEvent({ result: 0 });
      }
    }
    class Same extends Versioned {
      static override readonly name = "Plain";
    }
    const dict = await pausedOf(new Plain());

    const states = [new Versioned(), new Same(), new Counter(), new Plain()].map((flow) =>
      Context.fromDict(flow as Workflow, dict).store.getState(),
    );

    expect(await Promise.all(states)).toEqual([
      { total: 3, from: 1 },
      { total: 3, from: 1 },
      { total: 3, unit: "pieces" },
      { count: 3 },
    ]);
  });

  it("goes on with the migrated state", async () => {
    const dict = await pausedOf(before());
    const after = defineWorkflow("counting", { state: total, ...renamed })
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
        await ctx.waitForEvent(Go);
        return new StopEvent({ result: await ctx.store.editState((state) => ++state.total) });
      })
      .build();

    const handler = after.resume(Context.fromDict(after, dict));
    await handler.sendEvent(new Go());

    expect(await handler).toBe(4);
  });

  it("without `migrate` has the stored state checked as it is", async () => {
    const dict = await pausedOf(before());

    const more = counting({ count: z.number().default(0), unit: z.string().default("pieces") }, { version: 2 });

    expect(await Context.fromDict(more, dict).store.getState()).toEqual({ count: 3, unit: "pieces" });
    expect(refusal(() => Context.fromDict(counting(total, { version: 2 }), dict))).toMatchObject({
      code: "STATE_INVALID",
      message: expect.stringContaining("count"),
    });
  });

  it("of newer code is refused, naming the workflow and both versions", async () => {
    const dict = await pausedOf(counting({ count: z.number().default(0) }, { version: 4 }));

    expect(refusal(() => Context.fromDict(before(), dict))).toMatchObject({
      code: "SNAPSHOT_NEWER",
      message: 'The state of "counting" has version 4; the workflow here has version 1.',
      details: { workflow: "counting", version: 4, known: 1 },
    });
  });

  it.each([0, -1, 1.5, "2", {}, null])("that is %j in a snapshot is none", async (stateVersion) => {
    const dict = { ...(await pausedOf(before())), stateVersion };

    expect(refusal(() => Context.fromDict(before(), dict))).toMatchObject({
      code: "SNAPSHOT_INVALID",
      message: expect.stringContaining("snapshot.stateVersion"),
    });
  });

  it.each([
    ["throws", "STATE_INVALID", () => expect.fail("No count.")],
    ["gives nothing", "STATE_INVALID", () => null],
    ["gives a promise", "STATE_INVALID", async () => ({ total: 1 })],
    ["gives what the schema refuses", "STATE_INVALID", () => ({ total: "three" })],
    ["gives what nothing can store", "VALUE_UNSERIALIZABLE", () => ({ total: () => 3 })],
  ])("whose `migrate` %s is refused", async (_, code, migrate) => {
    const dict = await pausedOf(before());
    const after = counting(total, { version: 2, migrate });

    expect(refusal(() => Context.fromDict(after, dict))).toMatchObject({ code });
  });

  it("says of which version to which a migration failed, with the cause", async () => {
    const cause = new TypeError("No count.");
    const migrate = (): object => {
      throw cause;
    };
    const dict = await pausedOf(before());

    expect(refusal(() => Context.fromDict(counting(total, { version: 2, migrate }), dict))).toMatchObject({
      message: '`migrate` of "counting" could not migrate its state from version 1 to 2: No count.',
      details: { workflow: "counting", version: 1, known: 2 },
      cause,
    });
  });

  it("is that of each child by itself", async () => {
    const parent = (child: Workflow) =>
      defineWorkflow("parent", { children: { child } })
        .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
          return new StopEvent({ result: await ctx.runChild("child", {}) });
        })
        .build();
    const dict = await pausedOf(parent(before()));
    const after = parent(counting(total, renamed));

    const again = stored(Context.fromDict(after, dict).toDict()) as unknown as {
      stateVersion?: number;
      children: Record<string, { stateVersion?: number; store: unknown }>;
    };

    expect(again.stateVersion).toBeUndefined();
    expect(Object.values(again.children)).toMatchObject([
      { stateVersion: 2, store: { json: { total: 3, unit: "pieces" } } },
    ]);
  });

  it.each([
    [{ version: 0 }, "version: 0"],
    [{ version: "2" }, 'version: "2"'],
    [{ migrate: {} }, "`migrate`"],
  ])("given as %j is an error of the workflow", (options, named) => {
    expect(refusal(() => counting(total, options))).toMatchObject({
      code: "WORKFLOW_INVALID",
      message: expect.stringContaining(named),
    });
  });

  it("that is no number in a class is an error when the workflow is validated", () => {
    class Odd extends Workflow {
      static override readonly version = "1.2.0" as never;
      @step({ on: StartEvent, emits: StopEvent })
      only() {
        return new StopEvent({ result: 1 });
      }
    }

    expect(refusal(() => validateWorkflow(new Odd()))).toMatchObject({ message: expect.stringContaining("1.2.0") });
  });
});

describe("a journal of an older state version", () => {
  const edits = [
    { op: "replace", path: ["count"], value: 2 },
    { op: "replace", path: ["count"], value: 3 },
  ] as const;

  it("is replayed on the old shape; the state is migrated afterwards, checked and frozen", () => {
    const compiled = compileWorkflow(counting(total, renamed));
    const state = createRunState({ runId: "run", workflow: "counting", store: { count: 0 } });
    const ticks = edits.map((patch, atMs) => {
      const tick = {
        type: "state.edited",
        atMs,
        item: null,
        attempt: 0,
        call: null,
        change: { patches: [patch] },
        value: null,
      };
      return decodeTick(stored(encodeTick(tick as never, compiled)), compiled);
    });

    replay(createRouting(compiled.definition), state, ticks);
    const migrated = migrateState(compiled, state.store, 1);

    expect(state.store).toEqual({ count: 3 });
    expect(migrated).toEqual({ total: 3, unit: "pieces" });
    expect(Object.isFrozen(migrated)).toBe(true);
    expect(compiled.stateVersion.version).toBe(2);
    expect(migrateState(compiled, migrated, 2)).toEqual(migrated);
    expect(refusal(() => migrateState(compiled, migrated, 3))).toMatchObject({ code: "SNAPSHOT_NEWER" });
  });
});
