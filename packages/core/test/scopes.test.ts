/** `ctx.scope`: keys of its own, for code that is called by steps. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { placesOf, projectedState, stepContextOf } from "../src/entries/engine.js";
import { type Context, defineWorkflow, retryPolicy, StartEvent, StopEvent, stop, wait } from "../src/index.js";
import { Answer, Ask, flowOf, note } from "./support/note-flow.js";
import { rejection, reload, waiting } from "./support/runs.js";
import { withVirtualClock } from "./support/virtual-clock.js";

/** Resolves with what the work has returned or thrown. */
function ended(work: (ctx: Context) => unknown): Promise<unknown> {
  return flowOf(async (ctx) => {
    const error = await rejection((async () => work(ctx))());
    return { code: error.code, message: error.message, details: Reflect.get(error, "details") };
  }).flow.run({});
}

describe("keys in a scope", () => {
  it("are not those of the step, and not those of another scope", async () => {
    const work = async (ctx: Context) => {
      const scopes = [ctx, ctx.scope("a"), ctx.scope("b"), ctx.scope("c").scope("a")];
      return Promise.all(scopes.map((scope, index) => scope.run("pay", () => index)));
    };

    expect(await flowOf(work).flow.run({})).toEqual([0, 1, 2, 3]);
  });

  const ambiguous: Record<string, readonly (readonly [readonly string[], string])[]> = {
    "a slash": [
      [["a/b"], "c"],
      [["a"], "b/c"],
      [["a", "b"], "c"],
      [["a", "@b"], "c"],
      [["a"], "@b/c"],
      [[], "/@a/c"],
      [[], "a/b/c"],
    ],
    "an escape": [
      [["a%2Fb"], "c"],
      [["a/b"], "c"],
      [["a%252Fb"], "c"],
    ],
    "signs of ids": [
      [["run=a"], "b"],
      [["a"], "run=b"],
      [["1:run=a"], "b"],
      [["a"], "1:run=b"],
      [["a:b"], "c"],
      [["a"], "b:c"],
      [["a#0"], "b"],
      [["@"], "@"],
      [["constructor"], "__proto__"],
    ],
  };

  it.each(Object.keys(ambiguous))("are told apart from each other with %s in them", async (name) => {
    const places = ambiguous[name] ?? [];
    let failing = true;
    const runs: string[] = [];
    const work = async (ctx: Context) => {
      const opened = new Map<string, Context>();
      const keys: string[] = [];
      for (const [path, key] of places) {
        let scope = ctx;
        for (const [index, part] of path.entries()) {
          const at = JSON.stringify(path.slice(0, index + 1));
          opened.set(at, opened.get(at) ?? scope.scope(part));
          scope = opened.get(at) as Context;
        }
        keys.push(
          await scope.run(key, ({ idempotencyKey }) => {
            runs.push(idempotencyKey);
            return `${JSON.stringify([path, key])} ${idempotencyKey}`;
          }),
        );
      }
      if (failing) {
        failing = false;
        throw new Error("once more");
      }
      return keys;
    };

    const keys = (await flowOf(work).flow.run({})) as string[];

    expect(keys).toEqual(places.map((place, index) => `${JSON.stringify(place)} ${runs[index]}`));
    expect(new Set(runs).size).toBe(places.length);
  });

  it("are part of the idempotency key, and that of the step itself stays as it is", async () => {
    const work = async (ctx: Context) => {
      const scope = ctx.scope("mail").scope("a/b");
      return [
        await ctx.run("pay", ({ idempotencyKey }) => idempotencyKey),
        await scope.run("pay", ({ idempotencyKey }) => idempotencyKey),
      ];
    };
    const handler = flowOf(work).flow.run({}, { runId: "r" });

    expect(await handler).toEqual(["r:1:pay", "r:1/@mail/@a%2Fb/pay"]);
  });

  it("belong to waits, sleeps, children, edits and sends too, over a retry", async () => {
    const child = defineWorkflow("child")
      .step("go", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: ev.get("n") }))
      .build();
    let attempts = 0;
    const counts = { edits: z.number().default(0) };
    const flow = defineWorkflow("scoped", { state: counts, children: { child } })
      .step(
        "work",
        {
          on: StartEvent,
          emits: StopEvent,
          waits: Answer,
          retry: retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(3) }),
        },
        async (_ev, ctx) => {
          const seen: unknown[] = [];
          for (const scope of [ctx, ctx.scope("a"), ctx.scope("b")]) {
            seen.push(await scope.store.editState((state) => ++state.edits, { key: "k" }));
            seen.push(await scope.runChild(child, { n: seen.length }, { key: "k" }));
            await scope.sleep(1, { key: "k" });
            await scope.store.set("edits", seen.length, { key: "k" });
            seen.push((await scope.waitForEvent(Answer, { key: "k" })).text);
          }
          if (++attempts < 3) throw new Error("again");
          return new StopEvent({ result: seen });
        },
      )
      .build();
    const handler = flow.run({});
    for (const text of ["one", "two", "three"]) {
      await waiting(handler);
      await handler.sendEvent(new Answer({ text }));
    }

    expect(await handler).toEqual([1, 1, "one", 3, 4, "two", 6, 7, "three"]);
    expect(attempts).toBe(3);
  });

  it("of sends are remembered for each scope", async () => {
    let attempts = 0;
    const { flow, notes } = flowOf(async (ctx) => {
      for (const scope of [ctx, ctx.scope("a"), ctx.scope("b")])
        scope.sendEvent(note("sent"), { key: "k", immediate: true, step: "second" });
      if (++attempts < 2) throw new Error("again");
      return "done";
    });

    expect(await flow.run({})).toBe("done");
    expect(notes).toEqual(["second sent", "second sent", "second sent"]);
  });
});

describe("calls without a key", () => {
  it("are counted for each scope, whichever comes first in a later attempt", async () => {
    const order = [
      ["a", "b"],
      ["b", "a"],
    ];
    let attempts = 0;
    const flow = defineWorkflow("counted", { state: { edits: z.array(z.string()).default(() => []) } })
      .step(
        "work",
        { on: StartEvent, emits: StopEvent, retry: retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) }) },
        async (_ev, ctx) => {
          const scopes = { a: ctx.scope("a"), b: ctx.scope("b") };
          const mine: Record<string, string> = {};
          for (const name of order[attempts] ?? [])
            mine[name] = await scopes[name as "a"].store.editState((state) => {
              state.edits.push(name);
              return name;
            });
          if (++attempts < 2) throw new Error("again");
          return new StopEvent({ result: { mine, edits: await ctx.store.get("edits") } });
        },
      )
      .build();

    expect(await flow.run({})).toEqual({ mine: { a: "a", b: "b" }, edits: ["a", "b"] });
  });

  it("wait beside those of another scope without a key", async () => {
    const { flow } = flowOf(async (ctx) => {
      const answers = ["a", "b"].map((name) =>
        ctx.scope(name).waitForEvent(Answer, { prompt: new Ask({ question: name }) }),
      );
      return (await Promise.all(answers)).map(({ text }) => text);
    });
    const handler = flow.run({});
    const { prompts } = await waiting(handler);
    for (const { promptId, event } of [...prompts].reverse())
      await handler.answer(promptId, { text: `to ${(event as Ask).question}` });

    expect(await handler).toEqual(["to a", "to b"]);
  });
});

describe("a collision names the scope", () => {
  it("of two calls of `run` with one key", async () => {
    const twice = async (ctx: Context) => {
      const scope = ctx.scope("mail").scope("a/b");
      await scope.run("send", () => 1);
      await scope.run("send", () => 2);
    };

    expect(await ended(twice)).toEqual({
      code: "KEY_REUSED",
      message: 'Step "work" calls `ctx.run("send", …)` twice in one attempt in scope "mail/a%2Fb".',
      details: { step: "work", key: "send", scope: "mail/a%2Fb" },
    });
  });

  it("of two waits that could not be told apart", async () => {
    const both = async (ctx: Context) => {
      const scope = ctx.scope("mail");
      await Promise.all([scope.waitForEvent(Answer), scope.waitForEvent(Answer)]);
    };

    expect(await ended(both)).toMatchObject({
      code: "KEY_REUSED",
      message: expect.stringContaining('twice at once in scope "mail"'),
      details: { event: "Answer", scope: "mail" },
    });
  });

  it("of two scopes with one name, because their users would take each other's calls", async () => {
    expect(await ended((ctx) => [ctx.scope("mail").scope("a"), ctx.scope("mail")])).toMatchObject({
      code: "KEY_REUSED",
      message: 'Step "work" opens the scope "mail" twice in one attempt.',
      details: { scope: "mail" },
    });
    expect(
      await ended((ctx) => {
        const mail = ctx.scope("mail");
        return [mail.scope("a"), mail.scope("b"), mail.scope("a")];
      }),
    ).toMatchObject({ code: "KEY_REUSED", details: { scope: "mail/a" } });
  });

  it("and a call inside a function is named by its key", async () => {
    const nested = (ctx: Context) => {
      const scope = ctx.scope("a=b/c");
      return scope.run("p/ay", () => scope.sleep(1));
    };

    expect(await ended(nested)).toMatchObject({
      code: "CALL_INVALID",
      message: expect.stringContaining('`ctx.run("p/ay", …)`'),
    });
  });
});

describe("the name of a scope, and the key of a call", () => {
  it.each([
    ["", "is empty"],
    [7, "is 7"],
    [undefined, "is undefined"],
    [Symbol("s"), "is Symbol"],
    [{}, "is an object"],
    [["a"], "is "],
  ])("is refused where it is given: %o", async (given, what) => {
    const name = given as string;
    const refused = (option: string) => ({
      code: "OPTION_INVALID",
      message: expect.stringMatching(`^\`${option}\` ${what}.*; it must be a text`),
    });

    expect(await ended((ctx) => ctx.scope(name))).toMatchObject(refused("scope"));
    expect(await ended((ctx) => ctx.run(name, () => 1))).toMatchObject(refused("key"));
  });

  it("is one rule for every call", async () => {
    const calls: ((ctx: Context) => unknown)[] = [
      (ctx) => ctx.sleep(1, { key: "" }),
      (ctx) => ctx.store.set("n", 1, { key: "" }),
      (ctx) => ctx.store.editState(() => {}, { key: "" }),
      (ctx) => ctx.ask({ title: "Go?", schema: z.object({}), key: "" }),
    ];

    for (const call of calls) expect(await ended(call)).toMatchObject({ code: "OPTION_INVALID" });
  });

  it("may have characters of any kind", async () => {
    const names = ["x".repeat(300), "\u0000", "\ud800", "a b\n", "ü/%40"];
    const work = (ctx: Context) => Promise.all(names.map((name) => ctx.scope(name).run("k", () => name)));

    expect(await flowOf(work).flow.run({})).toEqual(names);
  });
});

describe("a scope", () => {
  it("is the context of the step in everything else", async () => {
    const { flow } = flowOf(async (ctx) => {
      const scope = ctx.scope("a").scope("b");
      await scope.store.set("n", 3);
      expect(scope.runId).toBe(ctx.runId);
      expect(scope.signal).toBe(ctx.signal);
      expect(scope.retryInfo()).toEqual(ctx.retryInfo());
      expect(scope.toDict()).toMatchObject({ format: ctx.toDict().format });
      expect(await projectedState(scope)).toEqual({ n: 3 });
      expect(stepContextOf(scope)).toBe(ctx);
      return scope !== ctx;
    });

    expect(await flow.run({})).toBe(true);
  });

  it("ends a step with an edit", async () => {
    const flow = defineWorkflow("finishing", { state: { n: z.number().default(0) } })
      .step("work", { on: StartEvent, emits: StopEvent }, (_ev, ctx) =>
        ctx.scope("a").finish((state) => new StopEvent({ result: ++state.n })),
      )
      .build();

    expect(await flow.run({})).toBe(1);
  });

  it("cannot be opened after the end of the attempt", async () => {
    let kept: Context | null = null;
    await flowOf(async (ctx) => void (kept = ctx)).flow.run({});

    expect(() => (kept as unknown as Context).scope("a")).toThrow(expect.objectContaining({ code: "ATTEMPT_ENDED" }));
  });

  it("takes part in races, and its calls are closed when they lose", async () => {
    const { flow } = flowOf(async (ctx) => {
      const [a, b] = [ctx.scope("a"), ctx.scope("b")];
      const first = await a.race({
        answer: () => a.waitForEvent(Answer, { prompt: new Ask({ question: "a" }) }),
        other: () => b.waitForEvent(Answer, { prompt: new Ask({ question: "b" }) }),
        time: (signal) => b.sleep("1h", { signal }),
      });
      const second = await b.race({ answer: () => b.waitForEvent(Answer), time: () => a.sleep(10) });
      return [first.winner, second.winner];
    });
    const clock = withVirtualClock(flow);
    const handler = flow.run({});
    const { prompts } = await waiting(handler);
    await handler.answer(prompts[1]?.promptId ?? "", { text: "b" });
    await waiting(handler);
    await clock.advance(20);

    expect(await handler).toEqual(["other", "time"]);
  });

  it("can be opened in the function of a call, and counts there", async () => {
    let attempts = 0;
    const flow = defineWorkflow("inside", { state: { n: z.number().default(0) } })
      .step(
        "work",
        { on: StartEvent, emits: StopEvent, retry: retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(3) }) },
        async (_ev, ctx) => {
          const outer = ctx.scope("outer");
          const work = async (scope: Context<{ n: number }>) => {
            for (const one of [ctx, outer, scope.scope("inner")])
              await one.store.editState((state) => void state.n++, { key: "k" });
            if (++attempts < 3) throw new Error("again");
          };
          await outer.run("call", () => work(outer));
          return new StopEvent({ result: await ctx.store.get("n") });
        },
      )
      .build();

    expect(await flow.run({})).toBe(3);
  });

  it("is answered from its record after a restore, with an open wait in it", async () => {
    const effects: string[] = [];
    const { flow } = flowOf(async (ctx) => {
      const scope = ctx.scope("a").scope("b");
      const paid = await scope.run("pay", () => {
        effects.push("pay");
        return effects.length;
      });
      const answer = await scope.waitForEvent(Answer, { prompt: new Ask({ question: "?" }) });
      return `${paid} ${answer.text}`;
    });
    const first = flow.run({});
    const { prompts } = await waiting(first);
    const second = flow.resume(reload(flow as never, first.context) as never);
    await second.answer(prompts[0]?.promptId ?? "", { text: "yes" });

    expect(await second).toBe("1 yes");
    expect(effects).toEqual(["pay"]);
  });
});

describe("the ids of calls", () => {
  it("are a tree for readers, and calls that are not made again are reported", async () => {
    let attempts = 0;
    const diverged: string[][] = [];
    const { flow } = flowOf(async (ctx) => {
      const scope = ctx.scope("a/b").scope("c");
      if (++attempts > 1) return "another way";
      await scope.run("pay/1", () => scope.store.editState(() => {}));
      await scope.sleep(0);
      throw new Error("again");
    });
    flow.on("step.diverged", ({ calls }) => void diverged.push([...calls]));
    await flow.run({});

    expect(diverged).toEqual([["/@a%2Fb/@c/run=pay%2F1", "/@a%2Fb/@c/sleep:#0"]]);
    expect(placesOf("/@a%2Fb/@c/run=pay%2F1")).toEqual([
      { kind: "scope", name: "a/b", count: 0 },
      { kind: "scope", name: "c", count: 0 },
      { kind: "run", name: "pay/1", count: 0 },
    ]);
    expect(placesOf("/run=a/2:edit=k%25#1").at(-1)).toEqual({ kind: "edit", name: "k%#1", count: 2 });
    expect(placesOf("wait:Go#3")).toEqual([{ kind: "wait", name: "Go", count: 3 }]);
    expect(placesOf("run=a/b")).toEqual([{ kind: "run", name: "a/b", count: 0 }]);
  });
});
