/** Steps that a snapshot has something for, and the workflow no longer has, or has otherwise. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  Context,
  type ContextDict,
  collect,
  event,
  HumanResponseEvent,
  join,
  many,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "../src/index.js";
import { pausedOf, refusal } from "./support/stored.js";

class Go extends HumanResponseEvent.define("Go", { n: z.number().default(0) }) {}

class Left extends event("Left", { n: z.number() }) {}
class Right extends event("Right", { n: z.number() }) {}
class Paired extends event("Paired", { n: z.number() }) {}

/** Waits with something of every kind that a snapshot keeps for a step by its name. */
function busy(names: { readonly [name: string]: string } = {}, by: { readonly by?: "n" } = {}): Workflow {
  const named = (name: string) => ({ name: names[name] ?? name });
  return new (class extends Workflow {
    static override readonly name = "busy";
    split = step({ ...named("split"), on: StartEvent, emits: many(Left, Right) }, async (_ev, ctx) => {
      ctx.sendEvent(new Right({ n: 9 }), { step: named("late").name, delay: "1h", scope: "run" });
      ctx.sendEvent(new Right({ n: 8 }), { step: named("pair").name });
      return [1, 2].map((n) => new Left({ n }));
    });
    work = step({ ...named("work"), on: Left, emits: Paired, waits: Go }, async (left, ctx) => {
      await ctx.collectEvents(left, [Left, Left, Left, Left]);
      if (left.n === 1) await ctx.waitForEvent(Go);
      return new Paired({ n: left.n });
    });
    pair = step({ ...named("pair"), on: join({ left: Left, right: Right }, by as { by: "n" }) }, async () => null);
    late = step({ ...named("late"), on: Right }, async () => null);
    gather = step({ ...named("gather"), on: collect(Paired), emits: StopEvent }, async (all) => {
      return new StopEvent({ result: all.length });
    });
  })();
}

describe("a step that is gone", () => {
  it.each(["split", "work", "pair", "late", "gather"])(
    "is named when the snapshot has something for it: %s",
    async (name) => {
      const dict = await pausedOf(busy());

      expect(refusal(() => Context.fromDict(busy({ [name]: "other" }), dict))).toMatchObject({
        code: "SNAPSHOT_MISMATCH",
        details: { reason: "step", workflow: "busy", unknown: [name] },
      });
    },
  );

  it("is named together with all others", async () => {
    const dict = await pausedOf(busy());
    const other = busy({ split: "a", work: "b", pair: "c", late: "d", gather: "e" });

    const { details } = refusal(() => Context.fromDict(other, dict));

    expect((details as { unknown: string[] }).unknown.toSorted()).toEqual(["gather", "late", "pair", "split", "work"]);
  });

  it.each([
    [
      "a kept event",
      { inbox: [{ event: { type: "Go", data: { n: 1 } }, scope: null, index: 0, recoveries: null, step: "gone" }] },
    ],
    ["a set of collectEvents", { sets: [["gone:buffer", []]] }],
    [
      "the budget of an error handler",
      {
        inbox: [{ event: { type: "Go", data: { n: 1 } }, scope: null, index: 0, recoveries: { gone: 1 }, step: null }],
      },
    ],
  ])("is named when it has only %s", async (_, part) => {
    const dict = { ...(await pausedOf(busy())), ...part };

    expect(refusal(() => Context.fromDict(busy(), dict))).toMatchObject({
      code: "SNAPSHOT_MISMATCH",
      details: { unknown: ["gone"] },
    });
  });

  it("may be renamed everywhere by the migrate hook", async () => {
    const dict = await pausedOf(busy());
    const names = { work: "labour", pair: "match", gather: "harvest" };
    const after = busy(names);

    const context = Context.fromDict(after, dict, {
      migrate: (old) => {
        let text = JSON.stringify(old);
        for (const [from, to] of Object.entries(names))
          text = text.replace(new RegExp(`"${from}(?=["#=:])`, "g"), `"${to}`);
        return JSON.parse(text) as ContextDict;
      },
    });
    const handler = after.resume(context);
    await handler.sendEvent(new Go());

    expect(await handler).toBe(2);
  });
});

describe("a join that changed", () => {
  it("is refused when it pairs in another way than what has come", async () => {
    const dict = await pausedOf(busy());

    expect(refusal(() => Context.fromDict(busy({}, { by: "n" }), dict))).toMatchObject({
      code: "SNAPSHOT_MISMATCH",
      message: expect.stringContaining('not how "pair" pairs'),
    });
  });

  it.each([
    ["joins", '"joins":[{"key":"late#0","step":"late"', "joins nothing"],
    ["types", '"joins":[{"key":"pair#0","step":"pair"', "does not take"],
  ])("is refused when its step no longer takes what has come: %s", async (what, joined, message) => {
    const text = JSON.stringify(await pausedOf(busy()));
    const foreign = what === "types" ? '{"type":"Paired","data":{"n":8}}' : '{"type":"Right","data":{"n":8}}';
    const changed = text
      .replaceAll('"joins":[{"key":"pair#0","step":"pair"', joined)
      .replaceAll('{"type":"Right","data":{"n":8}}', foreign);

    expect(refusal(() => Context.fromDict(busy(), JSON.parse(changed)))).toMatchObject({
      code: "SNAPSHOT_MISMATCH",
      message: expect.stringContaining(message),
    });
  });

  it("is refused together with all else that does not fit", async () => {
    const text = JSON.stringify(await pausedOf(busy())).replaceAll(
      '{"type":"Paired","data":{"n":2}}',
      '{"type":"Left","data":{"n":2}}',
    );
    const { details } = refusal(() => Context.fromDict(busy({}, { by: "n" }), JSON.parse(text)));

    expect((details as { problems: string[] }).problems.join()).toMatch(
      /snapshot\.scopes\.0 names "gather".* Left,snapshot.*joins has "pair#\d+", which is not how "pair" pairs/,
    );
  });

  it("and a collect step that no longer takes what has come is refused too", async () => {
    const text = JSON.stringify(await pausedOf(busy())).replaceAll(
      '{"type":"Paired","data":{"n":2}}',
      '{"type":"Left","data":{"n":2}}',
    );

    expect(refusal(() => Context.fromDict(busy(), JSON.parse(text)))).toMatchObject({
      code: "SNAPSHOT_MISMATCH",
      message: expect.stringContaining('"gather", which does not collect Left'),
    });
  });
});
