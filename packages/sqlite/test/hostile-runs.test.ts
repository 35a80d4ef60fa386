/** Runs whose stored text another program has changed: they are refused by name, and the others go on. */
import { defineWorkflow, HumanResponseEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { openRaw, openStore, rowsOf, temporaryFile } from "./files.js";

class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}

const ask = defineWorkflow("ask")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_, ctx) => {
    const { text } = await ctx.waitForEvent(Answer);
    return new StopEvent({ result: text });
  })
  .build();

const open = (path: string) => {
  const runtime = createRuntime({ workflows: { ask }, store: openStore(path) });
  onTestFinished(() => runtime.stop());
  return runtime;
};

/** Two runs that wait, and the process that began them gone. */
async function stored(): Promise<string> {
  const path = temporaryFile();
  const runtime = open(path);
  for (const runId of ["bad", "good"]) await runtime.run("ask", {}, { runId }).idle();
  await runtime.stop();
  return path;
}

const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;

describe.for([
  ["is cut off", "substr(text, 1, 20)"],
  ["is not a list", "'{}'"],
  ["has an entry that is not a tick", "'[null]'"],
  ["is nested too deep", `'${deep}'`],
] as const)("a stored batch of ticks that %s", ([_what, text]) => {
  it("is JOURNAL_CORRUPT to check and to send to, stays as it is, and the other run goes on", async () => {
    const path = await stored();
    const raw = openRaw(path);
    raw.exec(
      `DELETE FROM snapshots; UPDATE ticks SET text = ${text} WHERE run = (SELECT id FROM runs WHERE run_id = 'bad')`,
    );
    const rows = () => rowsOf(raw, "SELECT * FROM ticks WHERE run = (SELECT id FROM runs WHERE run_id = 'bad')");
    const before = rows();
    const runtime = open(path);

    expect((await runtime.check()).problems).toMatchObject([{ runId: "bad", code: "JOURNAL_CORRUPT" }]);
    await runtime.start();
    await expect(runtime.handle("bad").sendEvent(new Answer({ text: "yes" }))).rejects.toMatchObject({
      code: "JOURNAL_CORRUPT",
      message: expect.stringContaining("bad"),
    });
    const good = runtime.handle("good");
    await good.sendEvent(new Answer({ text: "yes" }));

    expect(await good).toBe("yes");
    expect(rows()).toEqual(before);
  });
});
