/** The `timeout` of a step whose calls wait and work at the same time. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Context } from "../src/index.js";
import { failing, flowOf, inMinutes } from "./support/failing-calls.js";
import { gate, rejection } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

const limited = (work: (ctx: Context) => Promise<unknown>) => {
  const flow = flowOf(work, { step: { timeout: "5s" } });
  return { flow, clock: withVirtualClock(flow) };
};
const resting = (ctx: Context) => ctx.run("rest", failing(1), { retry: inMinutes(2) });

describe("the timeout of a step", () => {
  it("counts while one call works and another waits for its next attempt", async () => {
    const { flow, clock } = limited((ctx) => Promise.all([resting(ctx), ctx.run("work", () => new Promise(() => {}))]));
    const run = flow.run({});
    const failed = rejection(run);

    await clock.advance(4_999);
    const before = (run.context.toDict() as { status?: string }).status;
    await clock.advance(1);

    expect(before).toBe("running");
    expect(await failed).toMatchObject({ code: "STEP_TIMEOUT" });
  });

  it.each([
    ["a sleep", (ctx: Context) => ctx.sleep("1h")],
    ["a question", (ctx: Context) => ctx.ask({ title: "Go?", schema: z.object({}) })],
  ])("counts while a call works beside %s", async (_, wait) => {
    const { flow, clock } = limited((ctx) => Promise.all([wait(ctx), ctx.run("work", () => new Promise(() => {}))]));
    const failed = rejection(flow.run({}));
    await clock.advance(5_000);

    expect(await failed).toMatchObject({ code: "STEP_TIMEOUT" });
  });

  it("stands still once the last function is done, and goes on with the next attempt", async () => {
    const work = gate();
    const last = gate();
    const { flow, clock } = limited((ctx) =>
      Promise.all([
        ctx.run("rest", ({ attempt }) => (attempt < 2 ? Promise.reject(new Error("not yet")) : last.promise), {
          retry: inMinutes(2),
        }),
        ctx.run("work", () => work.promise),
      ]),
    );
    const run = flow.run({});
    const failed = rejection(run);
    await clock.advance(3_000);
    work.open(undefined);
    await settle();
    await clock.advance(57_000 + 1_999); // the second attempt begins a minute after the first
    const before = (run.context.toDict() as { status?: string }).status;
    await clock.advance(1);

    expect(before).toBe("running");
    expect(await failed).toMatchObject({ code: "STEP_TIMEOUT" });
  });
});
