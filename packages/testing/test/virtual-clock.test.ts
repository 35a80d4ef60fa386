import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { setPorts } from "millrace/engine";
import { describe, expect, it } from "vitest";
import { virtualClock } from "../src/index.js";

describe("virtualClock", () => {
  it("stands still until it is told to move", async () => {
    const clock = virtualClock(1_000);
    const fired: number[] = [];
    clock.setTimer(1_500, () => fired.push(clock.now()));

    await new Promise((resolve) => setTimeout(resolve, 5));

    expect([clock.now(), fired, clock.pending, clock.nextAtMs]).toEqual([1_000, [], 1, 1_500]);
  });

  it("fires each timer at its own time, those set together in the order in which they were set", async () => {
    const clock = virtualClock(0);
    const fired: string[] = [];
    clock.setTimer(20, () => fired.push(`late at ${clock.now()}`));
    clock.setTimer(10, () => {
      fired.push(`first at ${clock.now()}`);
      clock.setTimer(15, () => fired.push(`made by the first at ${clock.now()}`));
    });
    clock.setTimer(10, () => fired.push(`second at ${clock.now()}`));
    clock.setTimer(5_000, () => fired.push("never"));

    await clock.advance("1s");

    expect(fired).toEqual(["first at 10", "second at 10", "made by the first at 15", "late at 20"]);
    expect(clock.now()).toBe(1_000);
  });

  it("jumps to the next timer, and says when there is none", () => {
    const clock = virtualClock(0);
    const callOff = clock.setTimer(10, () => {});
    clock.setTimer(86_400_000, () => {});
    callOff();

    expect([clock.jumpToNext(), clock.now(), clock.jumpToNext()]).toEqual([true, 86_400_000, false]);
  });

  it("refuses what is not a duration", async () => {
    await expect(virtualClock().advance("soon" as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("lets a run sleep for a year", async () => {
    const workflow = defineWorkflow("sleeper")
      .step("sleep", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.sleep("365d");
        return new StopEvent({ result: "awake" });
      })
      .build();
    const clock = virtualClock();
    setPorts(workflow, { clock });
    const handler = workflow.run();

    await clock.advance("364d");
    expect(await handler.idle()).toMatchObject({ status: "waiting" });
    await clock.advance("1d");

    expect(await handler).toBe("awake");
  });
});
