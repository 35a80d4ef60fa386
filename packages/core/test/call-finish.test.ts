/** `return call.finish(edit)`: a call of `ctx.run` edits, sends and has its result in one tick, or none of it. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Context,
  defineWorkflow,
  type EffectCall,
  event,
  type Finished,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  type WorkflowError,
  wait,
} from "../src/index.js";
import { journalOf } from "./support/finishing.js";
import { gate, rejection, reload } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Sent extends event("Sent", { n: z.number() }) {}
class Said extends event("Said", { text: z.string() }) {}

const state = {
  paid: z.number().max(100).default(0),
  list: z.array(z.number()).default(() => []),
  got: z.array(z.number()).default(() => []),
};
interface State {
  paid: number;
  list: number[];
  got: number[];
}
type Ctx = Context<State>;
const again = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(3) });

/** The result and the state, once all that was sent has arrived. */
function flowOf(work: (ctx: Ctx) => Promise<unknown>) {
  return defineWorkflow("finishing", { state })
    .step("work", { on: StartEvent, emits: [Sent, StopEvent], streams: Said }, async (_start, ctx) => {
      const result = await work(ctx as never);
      await settle();
      return new StopEvent({ result: { result, ...(await ctx.store.getState()) } });
    })
    .step("take", { on: Sent, emits: [] }, async ({ n }, ctx) => {
      await ctx.store.editState((draft) => void draft.got.push(n));
    })
    .build();
}

describe("call.finish", () => {
  it("edits the state, sends, and gives the result of the call, in one tick", async () => {
    const flow = flowOf((ctx) =>
      ctx.run("pay", async (call) => {
        ctx.sendEvent(new Sent({ n: 1 }));
        await null;
        return call.finish((draft) => {
          draft.paid++;
          ctx.sendEvent(new Sent({ n: 2 }));
          call.sendEvent(new Sent({ n: 3 }));
          return { paid: draft.paid, list: draft.list };
        });
      }),
    );
    const journal = journalOf();
    withVirtualClock(flow, { journal });

    expect(await flow.run({})).toEqual({ result: { paid: 1, list: [] }, paid: 1, list: [], got: [1, 2, 3] });
    expect(journal.types().filter((type) => type === "effect.recorded")).toHaveLength(1);
    expect(journal.types()).not.toContain("sends.committed");
  });

  it("has the type of what its callback returns, also beside other results", async () => {
    const flow = flowOf(async (ctx) => {
      const text: string = await ctx.run("text", (call) => call.finish(() => "text"));
      const later: number = await ctx.run("later", async (call) => call.finish((draft) => draft.paid));
      const either: number | string = await ctx.run<number | string>("either", async (call) => {
        if (call.attempt > 5) return "plain";
        return call.finish((draft) => draft.list.length);
      });
      return [text, later, either];
    });

    expect(await flow.run({})).toMatchObject({ result: ["text", 0, 0] });
  });

  it("shows readers in that tick what its callback shows, and only if it counts", async () => {
    const flow = flowOf((ctx) =>
      ctx.run(
        "pay",
        (call) =>
          call.finish((draft) => {
            ctx.writeEventToStream(new Said({ text: `${call.attempt}` }));
            if (call.attempt === 1) throw new Error("no");
            draft.paid = call.attempt;
          }),
        { retry: again },
      ),
    );
    const journal = journalOf();
    withVirtualClock(flow, { journal });
    const run = flow.run({});
    const shown: unknown[] = [];
    for await (const { event: seen, call } of run.streamEvents())
      if (seen instanceof Said) shown.push([seen.text, call]);

    expect(await run).toMatchObject({ paid: 2 });
    expect(shown).toEqual([["2", "run=pay"]]);
    expect(journal.types()).not.toContain("stream.written");
  });

  it("is made once, over retries of the step and restores", async () => {
    let fails = true;
    const flow = flowOf(async (ctx) => {
      const result = await ctx.run("pay", (call) =>
        call.finish((draft) => {
          ctx.sendEvent(new Sent({ n: 1 }));
          return ++draft.paid;
        }),
      );
      await ctx.sleep("1h");
      if (fails) throw new Error("after it");
      return result;
    });
    const clock = withVirtualClock(flow);
    const first = flow.run({});
    await settle();
    const copy = reload(flow, first.context);
    first.cancel("moved");
    const second = flow.resume(copy as never);
    const failed = rejection(second);
    await clock.advance(3_600_000);
    await failed;
    fails = false;
    const third = flow.retry(second.context);
    await clock.advance(3_600_000);

    expect(await third).toMatchObject({ result: 1, paid: 1, got: [1] });
  });

  it.each<[string, (call: EffectCall<State>) => unknown, string]>([
    ["throws", () => Promise.reject(new Error("no")), "no"],
    ["is async", async () => 1, "STEP_RESULT_INVALID"],
    ["makes a state that its schema refuses", () => 500, "STATE_INVALID"],
    ["gives what cannot be stored", () => () => {}, "VALUE_UNSERIALIZABLE"],
  ])(
    "that %s changes nothing and fails the attempt of the call, which is tried again",
    async (name, give, expected) => {
      const errors: WorkflowError[] = [];
      const policy = {
        next({ error, failures }: { error: unknown; failures: number }) {
          errors.push(error as WorkflowError);
          return failures > 1 ? null : 0;
        },
      };
      const flow = flowOf((ctx) =>
        ctx.run(
          "pay",
          (call) => {
            ctx.sendEvent(new Sent({ n: call.attempt }));
            return call.finish((draft): unknown => {
              draft.paid += call.attempt;
              if (call.attempt > 1) return "done";
              if (name === "throws") throw new Error("no");
              const given = give(call as never);
              if (typeof given === "number") draft.paid = given;
              return given;
            });
          },
          { retry: policy },
        ),
      );

      expect(await flow.run({})).toEqual({ result: "done", paid: 2, list: [], got: [2] });
      expect([errors[0]?.code, errors[0]?.message]).toContain(expected);
    },
  );

  it.each<[string, (call: EffectCall<State>, other: EffectCall<State>) => unknown]>([
    ["called twice", (call) => [call.finish(() => 1), call.finish(() => 2)][0]],
    ["called and not returned", (call) => void call.finish(() => 1)],
    ["returned in a list", (call) => [call.finish(() => 1)]],
    ["of another call", (_, other) => other.finish(() => 1)],
  ])("%s fails the call, with nothing changed", async (_, misuse) => {
    const flow = flowOf(async (ctx) => {
      const held = gate();
      let other!: EffectCall<State>;
      const first = ctx.run("other", async (call) => {
        other = call;
        await held.promise;
      });
      const error = await rejection(ctx.run("pay", (call) => misuse(call, other) as Finished<number>));
      held.open();
      await first.catch(() => {});
      return error.code;
    });

    expect(await flow.run({})).toMatchObject({ result: "STEP_RESULT_INVALID", paid: 0 });
  });

  it("refuses what is no function", async () => {
    const flow = flowOf((ctx) => rejection(ctx.run("pay", (call) => call.finish(5 as never))).then(({ code }) => code));

    expect(await flow.run({})).toMatchObject({ result: "OPTION_INVALID" });
  });

  it.each<[string, (ctx: Ctx) => unknown]>([
    ["waits", (ctx) => ctx.sleep(1)],
    ["writes", (ctx) => ctx.store.set("paid", 3)],
    ["edits", (ctx) => ctx.store.editState(() => {})],
    ["runs", (ctx) => ctx.run("inside", () => 1)],
  ])("fails when its callback %s through `ctx`", async (_, act) => {
    const flow = flowOf((ctx) =>
      rejection(
        ctx.run("pay", (call) =>
          call.finish((draft) => {
            draft.paid = 1;
            Promise.resolve(act(ctx)).catch(() => {});
          }),
        ),
      ).then(({ code }) => code),
    );

    expect(await flow.run({})).toMatchObject({ result: "STATE_LOCKED", paid: 0 });
  });

  it("waits for its turn behind another write, within the time of the call", async () => {
    const held = gate();
    const flow = flowOf(async (ctx) => {
      const slow = ctx.store.editState(async (draft) => {
        await held.promise;
        draft.list.push(1);
      });
      const late = await rejection(ctx.run("late", (call) => call.finish((draft) => ++draft.paid), { timeout: "5s" }));
      const waits = ctx.run("waits", (call) => call.finish((draft) => draft.list.push(2)));
      held.open();
      await slow;
      return [(late as WorkflowError).code, await waits];
    });
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(5_000);

    expect(await run).toEqual({ result: ["CALL_TIMEOUT", 2], paid: 0, list: [1, 2], got: [] });
  });

  it("of many calls at the same time counts each, in one commit where the run is stored", async () => {
    const flow = flowOf((ctx) =>
      Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          ctx.run(`pay ${index}`, (call) => call.finish((draft) => ++draft.paid)),
        ),
      ),
    );
    const journal = journalOf();
    withVirtualClock(flow, { journal });

    expect(await flow.run({})).toMatchObject({ result: Array.from({ length: 50 }, (_, index) => index + 1), paid: 50 });
  });

  it("rejects with the end of the step when that comes before its turn", async () => {
    const rejected: string[] = [];
    const flow = flowOf(async (ctx) => {
      void ctx.store.editState(() => new Promise(() => {}));
      await ctx
        .run("pay", (call) => call.finish((draft) => ++draft.paid))
        .catch((error: WorkflowError) => {
          rejected.push(error.code);
        });
    });
    withVirtualClock(flow);
    const run = flow.run({});
    await settle();
    run.cancel("enough");
    await rejection(run);
    await settle();

    expect(rejected).toEqual(["ATTEMPT_ENDED"]);
  });
});
