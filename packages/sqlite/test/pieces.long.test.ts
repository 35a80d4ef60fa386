/** What an answer of 2,000 tokens costs: ticks and bytes in the file, while it is written, once it is recorded, and at the end. */
import { defineWorkflow, PieceReader, PiecesEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { expect, it } from "vitest";
import { openStore, temporaryFile } from "./files.js";

const tokens = Array.from({ length: 2_000 }, (_, index) => `tok${index % 1_000} `.padEnd(7, "x"));
const key = { tenant: "", runId: "one" };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it("at most 120 ticks while it is written, and 45 kB once it is recorded", { timeout: 120_000 }, async () => {
  const store = openStore(temporaryFile());
  const flow = defineWorkflow("flow")
    .step("answer", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const answer = await ctx.run("answer", async (call) => {
        for (const token of tokens) {
          call.write(token);
          await pause(5);
        }
        return { text: tokens.join(""), finishReason: "stop" };
      });
      await ctx.sleep(200);
      return new StopEvent({ result: answer.text.length });
    })
    .build();
  const stored = async () => {
    const ticks = await store.ticks(key, { after: 0, limit: 10_000 });
    const events = await store.events(key, { after: -1, limit: 10_000 });
    const sizeOf = (rows: readonly { readonly text: string }[]): number =>
      rows.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    return { ticks: ticks.at(-1)?.last ?? 0, journal: sizeOf(ticks), events: events.length, shown: sizeOf(events) };
  };
  const runtime = createRuntime({ workflows: { flow }, store });
  const run = runtime.run("flow", {}, { runId: "one" });
  const reader = new PieceReader();
  let live = 0;
  let working = await stored().catch(() => null);
  for await (const { event, writer } of run.streamEvents()) {
    if (!PiecesEvent.is(event)) continue;
    if (event.isAll !== true && live % 100 === 0) working = await stored();
    live += reader.take(event, writer)?.pieces.length ?? 0;
  }
  await run;
  const end = await stored();
  console.log(JSON.stringify({ live, working, end }));

  expect(working?.ticks).toBeLessThanOrEqual(120);
  expect(end.ticks).toBeLessThanOrEqual(120);
  expect(end.journal + end.shown).toBeLessThanOrEqual(45_000);
  expect(live).toBeGreaterThan(1_900);
  await runtime.stop({ drainMs: 0 });
  await store.close();
});
