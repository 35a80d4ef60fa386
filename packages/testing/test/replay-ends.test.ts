/** Recorded runs that did not complete: each of a runtime in real time, played with the same code. */
import { setTimeout as delay } from "node:timers/promises";
import {
  type Context,
  catchError,
  collect,
  event,
  many,
  retryPolicy,
  StartEvent,
  type StepFailedEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  wait,
} from "millrace";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type RunRecording, recordRun, replayRun } from "../src/index.js";

class Sku extends event("Sku", { sku: z.string() }) {}
class Priced extends event("Priced", { price: z.number() }) {}

class Fails extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async pay(_ev: StartEvent, ctx: Context) {
    const id = await ctx.run("charge", async () => {
      await delay(3);
      return "c-1";
    });
    if (id !== "") throw new RangeError("too heavy", { cause: new TypeError("of lead") });
    return new StopEvent();
  }
}

class CallFails extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async pay(_ev: StartEvent, ctx: Context) {
    await ctx.run("charge", () => Promise.reject(Object.assign(new RangeError("bank is away"), { code: "EAWAY" })));
    return new StopEvent();
  }
}

class Retries extends Workflow {
  @step({ on: StartEvent, emits: StopEvent, retry: retryPolicy({ stop: stop.afterAttempts(3), wait: wait.fixed(2) }) })
  async pay() {
    await delay(2);
    if (delay !== undefined) throw new Error("never");
    return new StopEvent();
  }
}

class Recovers extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async pay() {
    await delay(3);
    if (delay !== undefined) throw new Error("no");
    return new StopEvent({ result: "" });
  }

  @catchError({ emits: StopEvent })
  async recover({ error, stepName }: StepFailedEvent) {
    return new StopEvent({ result: `${stepName}: ${(error as Error).message}` });
  }
}

class Import extends Workflow {
  @step({ on: StartEvent, emits: many(Sku) })
  async split() {
    return ["A", "B", "BAD", "C"].map((sku) => new Sku({ sku }));
  }

  @step({ on: Sku, emits: Priced, workers: 2 })
  async price({ sku }: Sku) {
    await delay(sku === "BAD" ? 5 : 2);
    if (sku === "BAD") throw new Error("unknown sku");
    return new Priced({ price: 1 });
  }

  @step({ on: collect(Priced), emits: StopEvent })
  async gather(all: readonly Priced[]) {
    return new StopEvent({ result: all.length });
  }
}

class Parent extends Workflow {
  static children = { child: Fails };

  @step({ on: StartEvent, emits: StopEvent })
  async start(_ev: StartEvent, ctx: Context) {
    await ctx.runChild("child", {});
    return new StopEvent();
  }
}

class Hangs extends Workflow {
  @step({ on: StartEvent, emits: StopEvent, timeout: 20 })
  async hang() {
    await new Promise(() => {});
    return new StopEvent();
  }
}

class Asks extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async ask(_ev: StartEvent, ctx: Context) {
    const { approved } = await ctx.ask({ title: "Go on?", schema: { approved: z.boolean() } });
    return new StopEvent({ result: approved });
  }
}

class IsLate extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async hang() {
    await new Promise(() => {});
    return new StopEvent();
  }
}

class Works extends Workflow {
  @step({ on: StartEvent, emits: Priced })
  async first(_ev: StartEvent, ctx: Context) {
    await ctx.run("charge", () => "c-1");
    await delay(cutOff.ms);
    await ctx.run("mail", () => "m-1");
    return new Priced({ price: 1 });
  }

  @step({ on: Priced, emits: StopEvent })
  async last() {
    return new StopEvent();
  }
}
const cutOff = { ms: 1_000 };

async function recorded(workflow: Workflow, cancelAfterMs: number | null = null): Promise<RunRecording> {
  const runtime = createRuntime({ workflows: { flow: workflow } });
  const handle = runtime.run("flow", {}, { runId: "r-1" });
  if (cancelAfterMs !== null) {
    await delay(cancelAfterMs);
    await handle.cancel("enough");
  }
  await handle.then(null, () => {});
  const recording = await recordRun(runtime, "r-1");
  await runtime.stop();
  return JSON.parse(JSON.stringify(recording));
}

describe("a recorded run that did not complete ends as it did:", () => {
  it.each([
    ["a step that fails", Fails, "failed"],
    ["a call that fails", CallFails, "failed"],
    ["a step that fails at each attempt", Retries, "failed"],
    ["a failure that a step takes", Recovers, "completed"],
    ["one of many", Import, "failed"],
    ["a child", Parent, "failed"],
    ["a step whose time is up", Hangs, "failed"],
  ])("%s", async (_what, flow, status) => {
    const recording = await recorded(new flow());

    const { outcome, differences } = await replayRun(new flow(), recording, { timeoutTurns: 100 });

    expect(differences).toEqual([]);
    expect(outcome.status).toBe(status);
  });

  it("a run whose time is up", async () => {
    const recording = await recorded(new IsLate({ timeout: 20 }));

    const { outcome } = await replayRun(new IsLate({ timeout: 20 }), recording, { timeoutTurns: 100 });

    expect(outcome.status).toBe("timedOut");
  });

  it("a run that somebody has cancelled while it waited", async () => {
    const recording = await recorded(new Asks(), 30);

    const { outcome } = await replayRun(new Asks(), recording);

    expect(outcome).toMatchObject({ status: "cancelled", reason: "enough" });
  });

  it("a run that somebody has cancelled while a step worked", async () => {
    const recording = await recorded(new Works(), 100);
    cutOff.ms = 1;

    const { outcome, calls } = await replayRun(new Works(), recording, { timeoutTurns: 100 });

    expect(outcome).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(calls).toEqual({ recorded: 1, live: 0 });
  });

  it("and with another error, it does not", async () => {
    const recording = JSON.stringify(await recorded(new Fails()));

    for (const [was, other] of [
      ["too heavy", "too light"],
      ["of lead", "of gold"],
      ["TypeError", "SyntaxError"],
    ])
      await expect(
        replayRun(new Fails(), JSON.parse(recording.replaceAll(was as string, other as string))),
      ).rejects.toMatchObject({
        code: "REPLAY_DIVERGED",
      });
  });
});
