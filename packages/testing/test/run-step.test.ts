import {
  type Context,
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  join,
  keyed,
  many,
  resource,
  retryPolicy,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "millrace";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { runStep, virtualClock } from "../src/index.js";

class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Side extends event("Side", { n: z.number() }) {}
class Seen extends event("Seen", { n: z.number() }) {}
class Ask extends InputRequiredEvent.define("Ask", { n: z.number() }) {}
class Told extends HumanResponseEvent.define("Told", { text: z.string() }) {}

const State = z.object({ total: z.number().default(0), names: z.array(z.string()).default(["none"]) });
interface State extends z.output<typeof State> {}
const rate = resource("rate", () => 1);

class Child extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  work() {
    return new StopEvent({ result: 20 });
  }
}

class Flow extends Workflow.withState(State) {
  static children = { child: Child };
  /** Steps that ran, beside the one that was asked for. */
  readonly others: string[] = [];

  @step({ on: StartEvent, emits: many(Item) })
  split() {
    return [new Item({ n: 1 }), new Item({ n: 2 })];
  }

  @step({ on: Item, emits: [Done, Side], streams: Seen, resources: { rate } })
  async work({ n }: Item, ctx: Context<State>, { rate: factor }: { rate: number }) {
    ctx.writeEventToStream(new Seen({ n }));
    ctx.sendEvent(new Side({ n }));
    const total = await ctx.store.editState((state) => (state.total += n * factor));
    return new Done({ n: total });
  }

  @step({ on: Side, emits: Done })
  aside({ n }: Side) {
    this.others.push("aside");
    return new Done({ n });
  }

  @step({ on: collect(Done), emits: StopEvent })
  end(all: readonly Done[]) {
    return new StopEvent({ result: all.length });
  }
}

describe("runStep", () => {
  it("runs one step with a state, and starts nothing else", async () => {
    const flow = new Flow();

    const ran = await runStep(flow, "work", new Item({ n: 3 }), {
      state: { total: 4 },
      resources: [rate.override(10)],
    });

    expect(ran.output).toEqual([new Done({ n: 34 })]);
    expect(ran.sent).toEqual([new Side({ n: 3 })]);
    expect(ran.streamed).toEqual([new Seen({ n: 3 })]);
    expect(ran.state).toEqual({ total: 34, names: ["none"] });
    expect(ran.error).toBeUndefined();
    expect(flow.others).toEqual([]);
  });

  it("gives a batch, and takes one", async () => {
    expect((await runStep(new Flow(), "split", new StartEvent())).output).toEqual([
      new Item({ n: 1 }),
      new Item({ n: 2 }),
    ]);
    expect((await runStep(new Flow(), "end", [new Done({ n: 1 }), new Done({ n: 2 })])).output).toEqual([
      new StopEvent({ result: 2 }),
    ]);
  });

  it("gives a set to a join", async () => {
    const workflow = defineWorkflow("pairs")
      .step("fork", { on: StartEvent, emits: [Item, Side] }, (_ev, ctx) => {
        ctx.sendEvent(new Item({ n: 1 }));
        ctx.sendEvent(new Side({ n: 1 }));
      })
      .step("pair", { on: join({ item: Item, side: Side }), emits: StopEvent }, ({ item, side }) => {
        return new StopEvent({ result: item.n + side.n });
      })
      .build();

    const { output } = await runStep(workflow, "pair", { item: new Item({ n: 1 }), side: new Side({ n: 2 }) });

    expect(output).toEqual([new StopEvent({ result: 3 })]);
  });

  it("gives what a generator yields, and lets its batch start nothing", async () => {
    const begun: number[] = [];
    const workflow = defineWorkflow("generator")
      .step("split", { on: StartEvent, emits: many(Item) }, async function* () {
        yield new Item({ n: 1 });
        yield keyed("two", new Item({ n: 2 })) as never;
      })
      .step("work", { on: Item, emits: Done }, ({ n }) => {
        begun.push(n);
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
      .build();

    expect((await runStep(workflow, "split", new StartEvent())).output).toEqual([
      new Item({ n: 1 }),
      new Item({ n: 2 }),
    ]);
    expect(begun).toEqual([]);
  });

  it("answers prompts, lets time pass, and runs children", async () => {
    class Long extends Workflow {
      static children = { child: Child };
      @step({ on: StartEvent, emits: StopEvent, waits: Told, streams: Ask })
      async work(_ev: StartEvent, ctx: Context) {
        const { text } = await ctx.waitForEvent(Told, { prompt: new Ask({ n: 1 }) });
        await ctx.sleep("365d");
        return new StopEvent({ result: [text, await ctx.runChild(Child, {})] });
      }
    }
    const clock = virtualClock(0);

    const ran = await runStep(new Long(), "work", new StartEvent(), { answers: { Ask: { text: "yes" } }, clock });

    expect(ran.output).toEqual([new StopEvent({ result: ["yes", 20] })]);
    expect(ran.streamed).toEqual([new Ask({ n: 1 })]);
    expect(clock.now()).toBe(365 * 86_400_000);
  });

  it("gives what it throws, after one attempt, and keeps what it stored", async () => {
    let attempts = 0;
    class Failing extends Workflow.withState(State) {
      @step({ on: StartEvent, emits: [Item, StopEvent], retry: retryPolicy() })
      async fail(_ev: StartEvent, ctx: Context<State>) {
        attempts++;
        await ctx.store.set("total", 7);
        ctx.sendEvent(new Item({ n: 1 }));
        if (attempts > 0) throw new TypeError("no");
        return new StopEvent({ result: 1 });
      }
      @step({ on: Item, emits: StopEvent })
      end() {
        return new StopEvent({ result: 2 });
      }
    }

    const ran = await runStep(new Failing(), "fail", new StartEvent());

    expect(ran.error).toEqual(new TypeError("no"));
    expect([ran.output, ran.sent, ran.state.total, attempts]).toEqual([[], [], 7, 1]);
  });

  it("gives what is wrong with its output as an error", async () => {
    const workflow = defineWorkflow("wrong")
      .step("begin", { on: StartEvent, emits: StopEvent }, () => new Item({ n: 1 }) as never)
      .build();

    expect((await runStep(workflow, "begin", new StartEvent())).error).toMatchObject({ code: "EVENT_UNDECLARED" });
  });

  it("gives the output and the state of a step that ends with an edit", async () => {
    const flow = defineWorkflow("ends", { state: { total: z.number().default(0) } })
      .step("work", { on: StartEvent, emits: Done }, (_ev, ctx) =>
        ctx.finish((state) => {
          state.total += 3;
          return new Done({ n: state.total });
        }),
      )
      .step("end", { on: Done, emits: StopEvent }, () => new StopEvent({ result: null }))
      .build();

    const { output, state } = await runStep(flow, "work", new StartEvent(), { state: { total: 4 } });

    expect([output, state]).toEqual([[new Done({ n: 7 })], { total: 7 }]);
  });

  it("refuses a step that is not there, an event the step does not take, and a state that does not fit", async () => {
    await expect(runStep(new Flow(), "wrok", new Item({ n: 1 }))).rejects.toMatchObject({
      code: "STEP_UNKNOWN",
      hint: "Its steps are split, work, aside, end.",
    });
    await expect(runStep(new Flow(), "work", new Side({ n: 1 }) as never)).rejects.toMatchObject({
      code: "EVENT_NOT_ACCEPTED",
      message: 'Step "work" takes Item, not Side.',
    });
    await expect(runStep(new Flow(), "end", new Done({ n: 1 }) as never)).rejects.toMatchObject({
      message: 'Step "end" takes a list of Done, not Done.',
    });
    await expect(
      runStep(new Flow(), "work", new Item({ n: 1 }), { state: { total: "many" as never } }),
    ).rejects.toMatchObject({ code: "STATE_INVALID" });
  });

  it("says what the step waits for", async () => {
    const workflow = defineWorkflow("asks")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Told, streams: Ask }, async (_ev, ctx) => {
        return new StopEvent({ result: (await ctx.waitForEvent(Told, { prompt: new Ask({ n: 1 }) })).text });
      })
      .build();

    await expect(runStep(workflow, "ask", new StartEvent())).rejects.toMatchObject({
      code: "RUN_STUCK",
      message: 'The run of "asks" waits for an event that is never sent: it asks Ask; "ask" waits for Told.',
    });
  });
});
