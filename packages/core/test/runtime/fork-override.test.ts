/** A fork that gives one call of `ctx.run` a value, whoever makes the call in the end. */
import { describe, expect, it } from "vitest";
import type { CallOverride, RunAttempt } from "../../src/entries/runtime.js";
import { Context, defineWorkflow, StartEvent, StopEvent } from "../../src/index.js";
import { Machine } from "../support/processes.js";

const seen: (object | undefined)[] = [];

const flow = defineWorkflow("flow")
  .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const name = (call: { readonly override?: object | undefined }): string => {
      seen.push(call.override);
      return (call.override as { readonly name?: string } | undefined)?.name ?? "none";
    };
    const first = await ctx.run("first", name);
    const second = await ctx.scope("in").run("second", async (call) => name(call));
    return new StopEvent({ result: [first, second, await ctx.run("third", name)] });
  })
  .build();

async function done(flowOf: typeof flow = flow) {
  seen.length = 0;
  const machine = new Machine();
  const { runtime } = machine.open({ flow: flowOf });
  await runtime.start();
  await runtime.run("flow", {}, { runId: "one" });
  const attempts: RunAttempt[] = [];
  for await (const attempt of runtime.attempts("one")) attempts.push(attempt);
  const { item, calls } = attempts[0] as RunAttempt;
  const place = (key: string) => {
    const found = calls.find(({ call }) => call.endsWith(`run=${key}`));
    return { at: (found?.startedTick ?? 0) - 1, item, call: found?.call ?? "" };
  };
  return { machine, runtime, place };
}

/** The last part of an error that names an option. */
const wrong = (message: RegExp) => ({ code: "OPTION_INVALID", message: expect.stringMatching(message) });

describe("an override", () => {
  it("reaches its call alone, and calls before it keep their results", async () => {
    const { runtime, place } = await done();
    const { at, item, call } = place("second");

    const result = await runtime.fork("one", { at, override: { item, call, value: { name: "other" } } });

    expect(result).toEqual(["none", "other", "none"]);
    expect(seen).toEqual([undefined, undefined, undefined, { name: "other" }, undefined]);
  });

  it("is there in the process that continues the fork", async () => {
    const { machine, runtime, place } = await done();
    const { at, item, call } = place("third");
    await runtime.stop();
    const away = machine.open({ flow }, { execute: false }).runtime;
    await away.fork("one", { at, runId: "two", override: { item, call, value: { name: "other" } } }).accepted;
    const dict = await away.stateAt("two", 0);
    await away.stop();
    const { runtime: elsewhere } = machine.open({ flow });
    await elsewhere.start();

    expect(await elsewhere.handle("two")).toEqual(["none", "none", "other"]);
    expect(JSON.stringify(dict)).toContain('"override":{"name":"other"}');
    expect(await flow.resume(Context.fromDict(flow, dict))).toEqual(["none", "none", "other"]);
  });

  it("stays with a call that is made again after a failure", async () => {
    let left = 0;
    const failing = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const work = (call: { readonly override?: object | undefined }): string => {
          seen.push(call.override);
          if (left-- > 0) throw new Error("down");
          return "done";
        };
        return new StopEvent({ result: await ctx.run("first", work, { retry: { next: () => 0 } as never }) });
      })
      .build();
    const { runtime, place } = await done(failing as never);
    const { at, item, call } = place("first");
    left = 2;

    await runtime.fork("one", { at, override: { item, call, value: { n: 1 } } });

    expect(seen).toEqual([undefined, { n: 1 }, { n: 1 }, { n: 1 }]);
  });

  it("does not change with the object that it was given as", async () => {
    const { runtime, place } = await done();
    const { at, item, call } = place("first");
    const value = { name: "other" };

    const fork = runtime.fork("one", { at, override: { item, call, value } });
    await fork.accepted;
    value.name = "changed";

    expect(await fork).toEqual(["other", "none", "none"]);
  });

  it("is refused for a call that has ended, an item that is not at work, and what is no override", async () => {
    const { runtime, place } = await done();
    const { item, call } = place("first");
    const { at } = place("third");
    const fork = (override: unknown) => runtime.fork("one", { at, override: override as CallOverride }).accepted;

    await expect(fork({ item, call, value: {} })).rejects.toMatchObject(wrong(/"run=first".*had ended/));
    await expect(fork({ item: 77, call, value: {} })).rejects.toMatchObject(wrong(/item 77/));
    await expect(fork({ item, call: "wait=first", value: {} })).rejects.toMatchObject(wrong(/ctx\.run/));
    await expect(fork({ item, call, value: [] })).rejects.toMatchObject(wrong(/plain JSON/));
    await expect(fork({ item: "1", call, value: {} })).rejects.toMatchObject(wrong(/`item: "1"`/));
    await expect(fork(null)).rejects.toMatchObject(wrong(/item, call, value/));
    const { call: last } = place("third");
    await expect(fork({ item, call: last, value: { f: () => 1 } })).rejects.toMatchObject({
      code: "VALUE_UNSERIALIZABLE",
    });
  });
});
