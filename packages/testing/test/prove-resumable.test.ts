import {
  type Context,
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  StartEvent,
  StopEvent,
  type Store,
  step,
  Workflow,
  WorkflowError,
} from "millrace";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { proveResumable } from "../src/index.js";

class Priced extends event("Priced", { cents: z.number() }) {}
class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Ask extends InputRequiredEvent.define("Ask", {}) {}
class Told extends HumanResponseEvent.define("Told", { text: z.string() }) {}

class Money {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
}
const money = {
  name: "Money",
  is: (value: unknown) => value instanceof Money,
  encode: ({ cents }: Money) => cents,
  decode: (cents: number) => new Money(cents),
};

function nested(value: unknown, levels: number): unknown {
  return levels === 0 ? value : { in: nested(value, levels - 1) };
}

/** What was said to be wrong. */
async function failureOf(proof: Promise<unknown>): Promise<WorkflowError> {
  const error = await proof.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(WorkflowError.is(error), `what was thrown: ${String(error)}`).toBe(true);
  return error as WorkflowError;
}

class Bank {
  readonly transfers: string[] = [];
  /** Not idempotent. */
  async pay(what: string): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return this.transfers.push(what);
  }
  /** Idempotent, as a service that is handed a key. */
  async payOnce(key: string, what: string): Promise<number> {
    if (!this.transfers.includes(`${key} ${what}`)) this.transfers.push(`${key} ${what}`);
    return this.transfers.length;
  }
}

/** Prices, pays, and tells. */
class Shop extends Workflow {
  readonly #pay: (ctx: Context) => Promise<unknown>;
  constructor(pay: (ctx: Context) => Promise<unknown>) {
    super();
    this.#pay = pay;
  }

  @step({ on: StartEvent, emits: Priced })
  async price() {
    return new Priced({ cents: 100 });
  }

  @step({ on: Priced, emits: StopEvent })
  async charge(_ev: Priced, ctx: Context) {
    await this.#pay(ctx);
    return new StopEvent({ result: "paid" });
  }
}

describe("proveResumable", () => {
  it("passes branches and children that end with an edit of one store", async () => {
    const state = { total: z.number().default(0) };
    const child = defineWorkflow("child", { state })
      .step("add", { on: StartEvent, emits: StopEvent }, (_ev, ctx) =>
        ctx.finish((draft) => {
          draft.total += 100;
          return new StopEvent({ result: 100 });
        }),
      )
      .build();
    const parent = defineWorkflow("parent", { state, children: { child } })
      .step("split", { on: StartEvent, emits: many(Item) }, () => [1, 2, 3].map((n) => new Item({ n })))
      .step("work", { on: Item, emits: Done }, async ({ n }, ctx) => {
        if (n === 2) await ctx.runChild(child, {}, { store: "shared" });
        return ctx.finish((draft) => {
          draft.total += n;
          return new Done({ n });
        });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all, ctx) => {
        return new StopEvent({ result: [all.length, await ctx.store.get("total")] });
      })
      .build();

    const { crashes } = await proveResumable(() => parent);

    expect(crashes).toBeGreaterThan(10);
    expect(await parent.run()).toEqual([3, 106]);
  });

  it("passes children that edit the store of their parent, at once with it and with each other", async () => {
    const count = (store: object, key: string): Promise<void> =>
      (store as Store<{ count: number }>).editState(
        async (state) => {
          const { count: before } = state;
          await Promise.resolve();
          state.count = before + 1;
        },
        { key },
      );
    const child = defineWorkflow("child")
      .step("first", { on: StartEvent, emits: Item }, async (_ev, ctx) => {
        await count(ctx.store, "first");
        return new Item({ n: 1 });
      })
      .step("second", { on: Item, emits: StopEvent }, async (_ev, ctx) => {
        await count(ctx.store, "second");
        return new StopEvent({ result: null });
      })
      .build();
    const parent = () =>
      defineWorkflow("parent", { children: { child }, state: { count: z.number().default(0) } })
        .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
          await Promise.all([
            ctx.runChild(child, {}, { key: "a", store: "shared" }),
            ctx.runChild(child, {}, { key: "b", store: "shared" }),
            count(ctx.store, "own"),
          ]);
          return new StopEvent({ result: await ctx.store.get("count") });
        })
        .build();

    const proof = await proveResumable(parent);

    expect(proof.crashes).toBeGreaterThan(10);
  });

  it("passes a workflow that keeps everything in its run, and says how often it crashed", async () => {
    class Asking extends Workflow.withState({ asked: z.number().default(0) }) {
      @step({ on: StartEvent, emits: StopEvent, waits: Told, streams: Ask })
      async ask(_ev: StartEvent, ctx: Context<{ asked: number }>) {
        await ctx.store.editState((state) => void state.asked++);
        const { text } = await ctx.waitForEvent(Told, { prompt: new Ask() });
        await ctx.sleep("1d");
        return new StopEvent({ result: [text, await ctx.store.get("asked")] });
      }
    }

    const proof = await proveResumable(() => new Asking(), {}, { answers: { Ask: { text: "yes" } } });

    // run.started, state.edited, wait.opened, run.idled, event.received, sleep.opened, run.idled, time.passed, step.completed
    expect(proof).toEqual({ ticks: 9, crashes: 8, seeds: [1, 2, 3, 4, 5] });
  });

  it("takes an instance too", async () => {
    const proof = await proveResumable(new Shop(async (ctx) => ctx.run("pay", () => 1)), {});

    expect(proof).toMatchObject({ ticks: 4, crashes: 3 });
  });

  it("crashes in every order of the work, and takes each of its endings for right", async () => {
    const create = () =>
      defineWorkflow("order")
        .step("split", { on: StartEvent, emits: many(Item) }, () => [0, 1, 2, 3].map((n) => new Item({ n })))
        .step("work", { on: Item, emits: Done }, ({ n }) => new Done({ n }))
        .step("end", { on: collect(Done, { order: "arrived" }), emits: StopEvent }, (all) => {
          return new StopEvent({ result: all.map(({ n }) => n) });
        })
        .build();

    const { crashes, ticks } = await proveResumable(create, {}, { seeds: [1, 2, 3] });

    expect(crashes).toBe(3 * (ticks - 1));
  });

  it("counts what is outside of the run: an effect that is done twice", async () => {
    const error = await failureOf(
      proveResumable(() => {
        const bank = new Bank();
        return { create: () => new Shop(() => bank.pay("100")), observe: () => bank.transfers };
      }, {}),
    );

    expect(error).toMatchObject({
      code: "RESUME_DIVERGED",
      details: {
        workflow: "Shop",
        seed: 1,
        stored: 2,
        tick: { number: 3, type: "step.completed", workflow: "Shop", step: "charge" },
        atWork: ["charge"],
      },
    });
    expect(error.message).toBe(
      [
        'A run of "Shop" that crashed ends differently from one that did not: after tick 2, before tick 3 (step.completed of "charge") was stored, with "charge" at work, resumed from the journal, seed 1.',
        '  +     "100",',
        "All undisturbed runs end alike.",
      ].join("\n"),
    );
    expect(error.hint).toContain("{ seeds: [1], at: 2 }");
  });

  it("passes the same effect with an idempotency key in `ctx.run`", async () => {
    const proof = await proveResumable(() => {
      const bank = new Bank();
      const pay = (ctx: Context) => ctx.run("pay", ({ idempotencyKey }) => bank.payOnce(idempotencyKey, "100"));
      return { create: () => new Shop(pay), observe: () => bank.transfers };
    }, {});

    expect(proof.crashes).toBe(3);
  });

  it("finds a counter outside of the run", async () => {
    let counter = 0;
    class Counting extends Workflow {
      @step({ on: StartEvent, emits: Item })
      begin() {
        return new Item({ n: 1 });
      }
      @step({ on: Item, emits: StopEvent })
      count() {
        return new StopEvent({ result: ++counter });
      }
    }

    const error = await failureOf(proveResumable(() => new Counting(), {}));

    expect(error).toMatchObject({
      code: "RESUME_DIVERGED",
      details: { stored: 1, tick: { number: 2, type: "step.completed", step: "begin" } },
    });
    expect(error.message).toContain("Undisturbed runs end in");
  });

  it.each([
    ["a URL", (life: number) => new URL(`https://example.com/${life}`)],
    ["bytes without a view", (life: number) => new Uint8Array([life]).buffer],
    ["a class that its workflow registers, with a private field", (life: number) => new Money(life)],
    ["the cause of an error", (life: number) => new Error("it failed", { cause: new Error(`in life ${life}`) })],
    ["the code of an error", (life: number) => Object.assign(new Error("it failed"), { code: `E${life}` })],
    ["a value with many levels", (life: number) => nested(life, 150)],
  ])("finds a difference in %s", async (_kind, made) => {
    const error = await failureOf(
      proveResumable(() => {
        let lives = 0;
        let seen: unknown;
        const create = (): Workflow => {
          const life = ++lives;
          return defineWorkflow("Telling", { types: [money] })
            .step("tell", { on: StartEvent, emits: StopEvent }, () => {
              seen = made(life);
              return new StopEvent({ result: null });
            })
            .build();
        };
        return { create, observe: () => seen };
      }),
    );

    expect(error).toMatchObject({ code: "RESUME_DIVERGED" });
  });

  it("takes values that refer to themselves for what they are", async () => {
    const { crashes } = await proveResumable(() => {
      const seen: { self?: unknown } = {};
      seen.self = [seen, new Map([["self", seen]])];
      return { create: () => new Shop((ctx) => ctx.run("pay", () => 1)), observe: () => seen };
    });

    expect(crashes).toBeGreaterThan(0);
  });

  it("finds what a workflow keeps in its fields and a crash takes from it", async () => {
    class Forgetful extends Workflow {
      #cents = 0;
      @step({ on: StartEvent, emits: Priced })
      price() {
        this.#cents = 100;
        return new Priced({ cents: 100 });
      }
      @step({ on: Priced, emits: StopEvent })
      charge() {
        return new StopEvent({ result: this.#cents });
      }
    }

    const error = await failureOf(proveResumable(() => new Forgetful(), {}));

    expect(error.details).toMatchObject({ stored: 2, tick: { number: 3, type: "step.completed", step: "charge" } });
    expect(error.message).toContain("-     result: 100,\n  +     result: 0,");
  });

  it("finds a step that asks the clock of the machine", async () => {
    let nowMs = 0;
    class Dated extends Workflow {
      @step({ on: StartEvent, emits: StopEvent })
      async date(_ev: StartEvent, ctx: Context) {
        const atMs = ++nowMs; // stands for Date.now()
        await ctx.sleep("1h");
        await ctx.store.set("tookMs", ++nowMs - atMs);
        return new StopEvent({ result: atMs });
      }
    }

    const error = await failureOf(proveResumable(() => new Dated(), {}));

    expect(error.details).toMatchObject({ tick: { number: 2, type: "sleep.opened", step: "date" }, atWork: ["date"] });
  });

  it("finds a state that is edited twice, in the step where it is", async () => {
    class Adding extends Workflow {
      @step({ on: StartEvent, emits: StopEvent })
      async add(_ev: StartEvent, ctx: Context) {
        const sum = Number(await ctx.store.get("sum", 0)) + 1;
        await ctx.store.set("sum", sum);
        return new StopEvent({ result: sum });
      }
    }

    const error = await failureOf(proveResumable(() => new Adding(), {}));

    expect(error.details).toMatchObject({ stored: 2, tick: { number: 3, type: "step.completed", step: "add" } });
  });

  it("finds it in a child", async () => {
    class Child extends Workflow {
      @step({ on: StartEvent, emits: StopEvent })
      async work(_ev: StartEvent, ctx: Context) {
        const sum = Number(await ctx.store.get("sum", 0)) + 1;
        await ctx.store.set("sum", sum);
        return new StopEvent({ result: sum });
      }
    }
    class Parent extends Workflow {
      static children = { child: Child };
      @step({ on: StartEvent, emits: StopEvent })
      async delegate(_ev: StartEvent, ctx: Context) {
        return new StopEvent({ result: await ctx.runChild(Child, {}) });
      }
    }

    const error = await failureOf(proveResumable(() => new Parent(), {}));

    expect(error.details).toMatchObject({
      tick: { type: "step.completed", workflow: "Child", step: "work" },
      atWork: ["work", "delegate"],
    });
  });

  it("finds it only in the order that a seed brings about, and names the seed", async () => {
    class Racing extends Workflow {
      #first: number | null = null;
      @step({ on: StartEvent, emits: many(Item) })
      split() {
        return [new Item({ n: 0 }), new Item({ n: 1 })];
      }
      @step({ on: Item, emits: Done })
      async work({ n }: Item) {
        this.#first ??= n;
        return new Done({ n: this.#first });
      }
      @step({ on: collect(Done), emits: StopEvent })
      end(all: readonly Done[]) {
        return new StopEvent({ result: new Set(all.map(({ n }) => n)).size });
      }
    }

    const error = await failureOf(proveResumable(() => new Racing(), {}));

    expect(error.message).toContain("-     result: 1,\n  +     result: 2,");
    const { seed, stored } = error.details as { seed: number; stored: number };
    const again = await failureOf(proveResumable(() => new Racing(), {}, { seeds: [seed], at: stored }));
    expect(again.details).toEqual(error.details);
  });

  it("lets the caller say what counts", async () => {
    const world = () => {
      const bank = new Bank();
      return { create: () => new Shop(() => bank.pay("100")), observe: () => bank.transfers };
    };

    const proof = await proveResumable(world, {}, { compare: (expected, actual) => expected.result === actual.result });

    expect(proof.crashes).toBe(2);
    await expect(proveResumable(world, {}, { compare: () => false })).rejects.toMatchObject({
      code: "RESUME_DIVERGED",
    });
  });

  it("says when a run cannot be gone on with at all", async () => {
    let made = 0;
    const create = () => {
      const isSecond = ++made > 5;
      const builder = defineWorkflow("renamed");
      return (isSecond ? builder : builder)
        .step("begin", { on: StartEvent, emits: Item }, () => new Item({ n: 1 }))
        .step(
          isSecond && made % 2 === 1 ? "end2" : "end",
          { on: Item, emits: StopEvent },
          () => new StopEvent({ result: 1 }),
        )
        .build() as Workflow;
    };

    const error = await failureOf(proveResumable(create, {}));

    expect(error.message).toContain("the run did not end: The snapshot has work for");
    expect(error.cause).toMatchObject({ code: "SNAPSHOT_MISMATCH" });
  });

  it("says what an undisturbed run waits for", async () => {
    class Asking extends Workflow {
      @step({ on: StartEvent, emits: StopEvent, waits: Told, streams: Ask })
      async ask(_ev: StartEvent, ctx: Context) {
        return new StopEvent({ result: (await ctx.waitForEvent(Told, { prompt: new Ask() })).text });
      }
    }

    await expect(proveResumable(() => new Asking(), {})).rejects.toMatchObject({ code: "RUN_STUCK" });
  });

  it("refuses a value that cannot be stored", async () => {
    class Odd extends Workflow {
      @step({ on: StartEvent, emits: StopEvent })
      odd() {
        return new StopEvent({ result: new WeakMap() });
      }
    }

    await expect(proveResumable(() => new Odd(), {})).rejects.toMatchObject({ code: "VALUE_UNSERIALIZABLE" });
  });

  it("refuses to prove nothing", async () => {
    const create = () => new Shop(async () => 1);

    await expect(proveResumable(create, {}, { seeds: [] })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(proveResumable(create, {}, { at: 3 })).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: "There is no crash when 3 ticks are stored: the run has 3.",
    });
  });

  it("lets what was at work at the crash come to a halt before it goes on", async () => {
    const proof = proveResumable(() => {
      const log: string[] = [];
      const create = () =>
        defineWorkflow("two")
          .step("split", { on: StartEvent, emits: many(Item) }, () => [new Item({ n: 1 }), new Item({ n: 12 })])
          .step("work", { on: Item, emits: Done }, async ({ n }, ctx) => {
            log.push(`${n} begins`);
            await new Promise((resolve) => setTimeout(resolve, n));
            log.push(`${n} ends`);
            await ctx.store.set(`at${n}`, true);
            return new Done({ n });
          })
          .step("end", { on: collect(Done), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
          .build();
      const slow = () => log.filter((line) => line.startsWith("12")).join();
      return { create, observe: () => /^(12 begins,12 ends,?)+$/.test(slow()) };
    }, {});

    await expect(proof).resolves.toMatchObject({ seeds: [1, 2, 3, 4, 5] });
  });
});
