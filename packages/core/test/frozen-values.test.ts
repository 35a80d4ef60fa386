/** Values in the state of a run and in its events, which nobody may change afterwards. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Context, Context as ContextOf, defineWorkflow, event, StartEvent, StopEvent } from "../src/index.js";
import { copyValue } from "../src/value/copy.js";

class Note extends event("Note", { body: z.unknown() }) {}

/** The state of a run after its only step, and what its snapshot says. */
async function stateAfter(work: (ctx: Context) => unknown): Promise<{ state: unknown; restored: unknown }> {
  const flow = defineWorkflow("flow")
    .step("work", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
      await work(ctx as Context);
      return new StopEvent({ result: null });
    })
    .build();
  const run = flow.run();
  await run;
  const stored = JSON.parse(JSON.stringify(run.context.toDict()));
  const restored = ContextOf.fromDict(flow, stored);
  return { state: await run.context.store.get(), restored: await restored.store.get() };
}

describe("a value in the state", () => {
  // facebookarchive/prepack#2043: `Object.freeze` does not reach the items of a Map or a Set.
  it.each<[string, (ctx: Context, value: unknown) => unknown]>([
    ["set", (ctx, value) => ctx.store.set("a", value)],
    ["setState", (ctx, value) => ctx.store.setState({ a: value })],
    ["editState", (ctx, value) => ctx.store.editState((state) => void (state["a"] = value))],
  ])("is not changed by who has frozen its Map and Set, after `%s`", async (_, write) => {
    const map = Object.freeze(new Map([["k", 1]]));
    const set = Object.freeze(new Set([1]));
    const { state } = await stateAfter(async (ctx) => {
      await write(ctx, { map, list: [set] });
      map.set("k", 2);
      set.add(2);
    });

    expect(state).toEqual({ a: { map: new Map([["k", 1]]), list: [new Set([1])] } });
  });

  // microsoft/FluidFramework#13030, immerjs/immer#1069
  it("has Map and Set that refuse writes, with what is in them, and show no methods of their own", async () => {
    const { state } = await stateAfter((ctx) => ctx.store.set("map", new Map([["k", { items: new Set([1]) }]])));
    const { map } = state as { map: Map<string, { items: Set<number> }> };

    expect(() => map.set("k", { items: new Set() })).toThrow("is frozen");
    expect(() => map.get("k")?.items.clear()).toThrow("is frozen");
    expect(() => Object.assign(map.get("k") ?? {}, { items: 1 })).toThrow(TypeError);
    expect(Object.keys(map)).toEqual([]);
  });

  // brandonroberts/ngrx-store-freeze#22, facebookexperimental/Recoil#596, substantial/updeep#73
  it("may have typed arrays, which cannot be frozen", async () => {
    const { state, restored } = await stateAfter((ctx) =>
      ctx.store.set("bytes", { small: new Uint8Array([1, 2]), part: new Float64Array(new ArrayBuffer(64), 32, 2) }),
    );

    expect(state).toEqual({ bytes: { small: new Uint8Array([1, 2]), part: new Float64Array(2) } });
    expect(restored).toEqual(state);
  });

  // brandonroberts/ngrx-store-freeze#25, react/react#12927
  it("has what its getters gave when it was written", async () => {
    let count = 0;
    const counter = {
      get next() {
        return ++count;
      },
    };
    const { state, restored } = await stateAfter(async (ctx) => {
      await ctx.store.editState((all) => void (all["counter"] = { ...counter }));
      void counter.next;
    });

    expect(state).toEqual({ counter: { next: 1 } });
    expect(restored).toEqual(state);
  });

  // rocicorp/replicache#644: what stands at two places is no circle.
  it("may hold one object at several places", async () => {
    const one = { n: 1 };
    const { state, restored } = await stateAfter((ctx) => ctx.store.set("all", { a: one, b: [one, one] }));

    expect(state).toEqual({ all: { a: { n: 1 }, b: [{ n: 1 }, { n: 1 }] } });
    expect(restored).toEqual(state);
  });
});

// lukeed/klona#9, lodash/lodash#6229, sveltejs/devalue#164
it("a copy of a Map has copies of its keys, too", () => {
  const key = { id: 1 };
  const copy = copyValue(new Map([[key, { n: 1 }]]));
  const [[copied, value] = []] = [...copy];

  expect(copied).toEqual(key);
  expect(copied).not.toBe(key);
  expect(value).toEqual({ n: 1 });
});

// snovakovic/js-flock#36
it("an event may have a Buffer, which cannot be frozen", () => {
  const note = new Note({ body: { file: Buffer.from("TEST"), tags: ["a"] } });

  expect(Object.isFrozen(note.body)).toBe(true);
  expect((note.body as { file: Buffer }).file.toString()).toBe("TEST");
});
