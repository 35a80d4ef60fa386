/** Recorded runs in which time and people have raced: the same one wins when they are played. */
import { type Context, ExternalEvent, StartEvent, StopEvent, step, Workflow } from "millrace";
import { expect, it } from "vitest";
import * as z from "zod";
import { type RunRecording, recordRun, replayRun, testRuntime } from "../src/index.js";

class Ping extends ExternalEvent.define("Ping", { count: z.number() }) {}
const schema = { approved: z.boolean() };

/** Reminds two people each hour, until one of them answers. */
class Reminds extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async ask(_ev: StartEvent, ctx: Context) {
    for (let round = 1; ; round++) {
      const { winner } = await ctx.race({
        clerk: () => ctx.ask({ title: "Agreed?", schema, key: `clerk ${round}` }),
        manager: () => ctx.ask({ title: "Agreed?", schema, key: `manager ${round}` }),
        nobody: () => ctx.sleep("1h", { key: `hour ${round}` }),
      });
      if (winner !== "nobody") return new StopEvent({ result: `${winner}, ${round}` });
      await ctx.run(`remind ${round}`, () => "sent");
    }
  }
}

/** Asks again where an event has not come within an hour. */
class Pokes extends Workflow {
  @step({ on: StartEvent, emits: StopEvent, waits: Ping })
  async wait(_ev: StartEvent, ctx: Context) {
    for (let round = 1; ; round++) {
      const ping = await ctx.waitForEvent(Ping, { key: `ping ${round}`, timeout: "1h" }).catch(() => null);
      if (ping !== null) return new StopEvent({ result: `${ping.count}, ${round}` });
      await ctx.run(`poke ${round}`, () => "sent");
    }
  }
}

/** Two people are asked different things; whoever answers first decides. */
class First extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async ask(_ev: StartEvent, ctx: Context) {
    const { winner } = await ctx.race({
      clerk: () => ctx.ask({ title: "Clerk?", schema, key: "clerk" }),
      manager: () => ctx.ask({ title: "Manager?", schema, key: "manager" }),
    });
    return new StopEvent({ result: winner });
  }
}

type Runtime = ReturnType<typeof testRuntime>;
type Handle = ReturnType<Runtime["runtime"]["run"]>;

async function recorded(
  workflow: Workflow,
  play: (handle: Handle, clock: Runtime["clock"]) => Promise<void>,
): Promise<RunRecording> {
  const { runtime, clock } = testRuntime({ flow: workflow });
  const handle = runtime.run("flow", {}, { runId: "r-1" });
  await handle.idle();
  await play(handle, clock);
  await handle;
  const recording = await recordRun(runtime, "r-1");
  await runtime.stop();
  return JSON.parse(JSON.stringify(recording));
}

async function answerLast(handle: Handle): Promise<void> {
  const outcome = await handle.idle();
  const prompts = outcome.status === "waiting" ? outcome.prompts : [];
  await handle.answer(prompts.at(-1)?.promptId ?? "", { approved: true });
}

it("a person who answered after two reminders is reminded twice", async () => {
  const recording = await recorded(new Reminds(), async (handle, clock) => {
    await clock.advance("61m");
    await handle.idle();
    await clock.advance("61m");
    await answerLast(handle);
  });

  expect((await replayRun(new Reminds(), recording)).result).toBe("manager, 3");
});

it("an event that came after a time-out comes after it", async () => {
  const recording = await recorded(new Pokes(), async (handle, clock) => {
    await clock.advance("61m");
    await handle.idle();
    await handle.sendEvent(new Ping({ count: 3 }));
  });

  expect((await replayRun(new Pokes(), recording)).result).toBe("3, 2");
});

it("a question that nobody answered stays open, and the other one is answered", async () => {
  const recording = await recorded(new First(), answerLast);

  expect((await replayRun(new First(), recording)).result).toBe("manager");
});
