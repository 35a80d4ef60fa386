/** What an error handler gets to know of the input of the step that failed. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  join,
  many,
  StartEvent,
  StopEvent,
  WorkflowFailedEvent,
} from "../src/index.js";
import { reload, waiting } from "./support/runs.js";

class Item extends event("Item", { n: z.number() }) {}
class Left extends event("Left", { n: z.number() }) {}
class Right extends event("Right", { n: z.number() }) {}
class Recovered extends event("Recovered", { input: z.unknown() }) {}
class Ready extends HumanResponseEvent.define("Ready") {}

const items = [new Item({ n: 1 }), new Item({ n: 2 })];
const fails = async (): Promise<never> => {
  throw new Error("no");
};

function collecting(count: number, options: { readonly settle?: true } = {}) {
  return defineWorkflow("collecting")
    .step("split", { on: StartEvent, emits: many(Item) }, async () => items.slice(0, count))
    .step("end", { on: collect(Item, options as {}), emits: StopEvent }, fails)
    .catchError("recover", { emits: StopEvent }, async ({ input }) => new StopEvent({ result: input }))
    .build();
}

const joining = defineWorkflow("joining")
  .step("start", { on: StartEvent, emits: [Right, Left] }, async (_, ctx) => {
    ctx.sendEvent(new Right({ n: 2 }));
    ctx.sendEvent(new Left({ n: 1 }));
  })
  .step("end", { on: join({ left: Left, right: Right }), emits: StopEvent }, fails)
  .catchError("recover", { emits: Recovered }, async ({ input }) => new Recovered({ input }))
  .step("wait", { on: Recovered, emits: StopEvent, waits: Ready }, async ({ input }, ctx) => {
    await ctx.waitForEvent(Ready);
    return new StopEvent({ result: input });
  })
  .build();

describe("the input of a failed step", () => {
  it.each([0, 1, 2])("is the whole batch of a `collect`: %d events", async (count) => {
    expect(await collecting(count).run()).toEqual(items.slice(0, count));
  });

  it("is what came, of a batch with `settle`", async () => {
    expect(await collecting(2, { settle: true }).run()).toEqual(items);
  });

  it("is the set of a `join`, by slot, also after a restore", async () => {
    const first = joining.run();
    await waiting(first);
    const handler = joining.resume(reload(joining, first.context));

    await handler.sendEvent(new Ready());

    expect(await handler).toEqual({ left: new Left({ n: 1 }), right: new Right({ n: 2 }) });
  });

  it("is the event of a step that takes one", async () => {
    const flow = defineWorkflow("one")
      .step("start", { on: StartEvent, emits: Item }, async () => new Item({ n: 1 }))
      .step("end", { on: Item, emits: StopEvent }, fails)
      .catchError("recover", { emits: StopEvent }, async ({ input }) => new StopEvent({ result: input }))
      .build();

    expect(await flow.run()).toEqual(new Item({ n: 1 }));
  });

  it("is told to stream readers too, and of a run that was loaded again", async () => {
    const flow = defineWorkflow("failing")
      .step("split", { on: StartEvent, emits: many(Item) }, async () => items)
      .step("end", { on: collect(Item), emits: StopEvent }, fails)
      .build();
    const handler = flow.run();

    const ended = handler.catch(() => {});
    const [failed] = await handler.streamEvents().filter(WorkflowFailedEvent).toArray();
    await ended;

    expect(failed?.event.input).toEqual(items);
    expect(reload(flow, handler.context).toDict()).toEqual(handler.context.toDict());
  });
});
