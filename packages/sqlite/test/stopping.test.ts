/** A process that stops while somebody answers the child of its run, over a real file. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { defineWorkflow, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, type Runtime } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { openStore, temporaryFile } from "./files.js";

class Ask extends InputRequiredEvent.define("Ask", {}) {}
class Said extends HumanResponseEvent.define("Said", { text: z.string() }) {}

const child = defineWorkflow("child")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Said, streams: Ask }, async (_ev, ctx) => {
    const { text } = await ctx.waitForEvent(Said, { prompt: new Ask({}) });
    return new StopEvent({ result: text });
  })
  .build();
const parent = defineWorkflow("parent", { children: { child } })
  .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    return new StopEvent({ result: await ctx.runChild("child", {}) });
  })
  .build();

const log = { info() {}, error() {} };
const open = (path: string): Runtime => createRuntime({ workflows: { parent }, store: openStore(path), log });

/** What the answer came to, what the same key gives in the next process, and how the run ends there. */
async function stopAfter(turns: number): Promise<unknown[]> {
  const path = temporaryFile();
  const first = open(path);
  const run = first.run("parent", {}, { runId: "one" });
  const asked = await run.idle();
  const [prompt] = asked.status === "waiting" ? asked.prompts : [];
  const answer = (runtime: Runtime): Promise<string> =>
    runtime
      .handle("one")
      .answer(prompt?.promptId ?? "", { text: "yes" }, { key: "click" })
      .then(
        ({ status }) => status,
        (error: { code: string }) => error.code,
      );
  const told = answer(first);
  for (let turn = 0; turn < turns; turn++) await nextTurn();
  await first.stop({ drainMs: 0 });

  const next = open(path);
  await next.start();
  const again = await answer(next);
  const ends = [await told, again, await next.handle("one")];
  await next.stop();
  return ends;
}

describe("stopping while a prompt of a child is answered with a key", () => {
  it.each(Array.from({ length: 45 }, (_, turns) => turns))(
    "after %i turns of the host loses no answer, and leaves nobody waiting",
    async (turns) => {
      const [told, again, result] = await stopAfter(turns);

      expect(["accepted", "RUNTIME_STOPPED"]).toContain(told);
      expect([again, result]).toEqual(["accepted", "yes"]);
    },
  );
});
