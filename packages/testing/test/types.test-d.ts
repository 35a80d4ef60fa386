import { defineWorkflow, event, many, StartEvent, StopEvent, step, Workflow } from "millrace";
import { expectTypeOf } from "vitest";
import * as z from "zod";
import { proveResumable, runStep, runToEnd } from "../src/index.js";

class Begin extends StartEvent.define("Begin", { text: z.string() }) {}
class Item extends event("Item", { n: z.number() }) {}

class Flow extends Workflow.withState({ count: z.number().default(0) }) {
  @step({ on: Begin, emits: many(Item) })
  begin(_ev: Begin) {
    return [new Item({ n: 1 })];
  }
  @step({ on: Item, emits: StopEvent })
  async end(ev: Item) {
    return new StopEvent({ result: ev.n });
  }
}

const built = defineWorkflow("built")
  .step("begin", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: "text" }))
  .build();

export async function types(): Promise<void> {
  const ended = await runToEnd(new Flow(), { text: "" });
  expectTypeOf(ended.result).toEqualTypeOf<number | undefined>();
  expectTypeOf(ended.state).toEqualTypeOf<{ count: number }>();
  expectTypeOf((await runToEnd(built)).result).toEqualTypeOf<string | undefined>();
  // @ts-expect-error [2345] -- the start event needs its text
  await runToEnd(new Flow(), {});

  const begun = await runStep(new Flow(), "begin", new Begin({ text: "" }));
  expectTypeOf(begun.output).toEqualTypeOf<readonly Item[]>();
  expectTypeOf((await runStep(new Flow(), "end", new Item({ n: 1 }))).output).toEqualTypeOf<
    readonly StopEvent<number>[]
  >();
  // @ts-expect-error [2345] -- the step takes an Item
  await runStep(new Flow(), "end", new Begin({ text: "" }));
  // @ts-expect-error [2322] -- the state has a number there
  await runStep(new Flow(), "end", new Item({ n: 1 }), { state: { count: "" } });

  await proveResumable(() => new Flow(), { text: "" });
  await proveResumable(() => ({ create: () => new Flow(), observe: () => 1 }), { text: "" });
  await proveResumable(new Flow(), { text: "" }, { compare: (one, other) => one.result === other.state.count });
  // @ts-expect-error [2345] -- the start event needs its text
  await proveResumable(() => new Flow(), {});
}
