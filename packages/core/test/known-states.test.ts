/** A large state is looked through when it is given, and not again for every snapshot of it. */
import { describe, expect, it } from "vitest";
import { Context, type ContextDict, defineWorkflow, type RunContext, StartEvent, StopEvent } from "../src/index.js";
import { valueLimits } from "../src/value/limits.js";
import { limited } from "./support/limited.js";

class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}

/** A workflow that counts which objects its registered type is asked about. */
function counting() {
  const seen = { count: 0 };
  const money = {
    name: "Money",
    is(value: unknown): value is Money {
      seen.count++;
      return value instanceof Money;
    },
    encode: ({ cents }: Money) => cents,
    decode: (cents: unknown) => new Money(cents as number),
  };
  const flow = defineWorkflow("ledger")
    .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
    .build({ types: [money] });
  return { flow, seen };
}

const rows = (count: number): object[] => Array.from({ length: count }, (_, id) => ({ id, tags: ["a"] }));

/** A context with a large state, and how many objects a snapshot of it looks at. */
async function large() {
  const { flow, seen } = counting();
  const context = new Context(flow);
  const { store } = context as { store: Store };
  await store.set("rows", rows(500));
  const lookedAt = (): number => {
    seen.count = 0;
    context.toDict();
    return seen.count;
  };
  return { flow, context, store, lookedAt };
}

interface Store {
  set(path: string, value: unknown): Promise<void>;
  get(path: string): Promise<unknown>;
  editState(edit: (state: Record<string, unknown>) => void): Promise<void>;
}

/** As another process would load it. */
function reload(flow: never, context: RunContext): Store {
  return (Context.fromDict(flow, JSON.parse(JSON.stringify(context.toDict())) as ContextDict) as { store: Store })
    .store;
}

describe("a snapshot of a large state", () => {
  it("does not look through what was looked through when it was written", async () => {
    const { store, lookedAt } = await large();
    const first = lookedAt();
    await store.set("count", 1);
    await store.editState((state) => void (state["rows"] as object[]).push({ id: 501, tags: [] }));

    expect([first, lookedAt()]).toEqual([0, 0]);
  });

  it("finds what plain JSON cannot hold and was written later", async () => {
    const { flow, context, store } = await large();
    context.toDict();
    const values = { zero: -0, none: undefined, at: new Date(7), money: new Money(5) };

    for (const [name, value] of Object.entries(values)) await store.editState((state) => void (state[name] = value));

    const loaded = reload(flow as never, context);
    const { rows: _rows, ...rest } = (await loaded.get("")) as Record<string, unknown>;
    expect(rest).toStrictEqual(values);
  });

  it("takes what is plain again for what it is", async () => {
    const { store, lookedAt } = await large();
    await store.set("at", new Date(7));
    await store.editState((state) => void delete state["at"]);

    expect([lookedAt() > 500, lookedAt()]).toEqual([true, 0]);
  });

  it("sees a date change that is in it", async () => {
    const { flow, context, store } = await large();
    await store.set("at", new Date(7));
    context.toDict();

    ((await store.get("at")) as Date).setTime(8);

    expect(await reload(flow as never, context).get("at")).toEqual(new Date(8));
  });

  it("measures it by the limits of the moment", async () => {
    const { context } = await large();
    context.toDict();
    const restore = limited(valueLimits, { items: 400 });

    try {
      expect(() => context.toDict()).toThrow(expect.objectContaining({ code: "VALUE_UNSERIALIZABLE" }));
    } finally {
      restore();
    }
  });

  it("is looked through once after it was loaded", async () => {
    const { flow, seen } = counting();
    const context = new Context(flow);
    await (context as { store: Store }).store.set("rows", rows(500));
    const loaded = Context.fromDict(flow, JSON.parse(JSON.stringify(context.toDict())));
    loaded.toDict();
    seen.count = 0;

    await (loaded as { store: Store }).store.set("count", 1);
    loaded.toDict();

    expect(seen.count).toBe(0);
  });
});
