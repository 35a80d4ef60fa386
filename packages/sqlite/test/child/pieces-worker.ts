/**
 * Writes words in a call, and prints a line once ten are shown. Then it holds for ever, or writes the rest, and prints what a reader of
 * the whole stream gets, and how many events of pieces are left.
 */
import { writeSync } from "node:fs";
import { defineWorkflow, PieceReader, PiecesEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { sqliteStore } from "../../src/index.js";
import { patienceMs } from "../runs.js";

const [path, mode] = process.argv.slice(2) as [string, "hold" | "end"];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const flow = defineWorkflow("flow")
  .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.run("done", (call) => call.write("kept"));
    await ctx.run("answer", async (call) => {
      for (let word = 0; word < 10; word++) {
        call.write(`${mode} ${word} `);
        await pause(60);
      }
      writeSync(1, "shown\n");
      if (mode === "hold") await new Promise(() => {});
    });
    return new StopEvent({ result: null });
  })
  .build();

const store = sqliteStore(path, { durability: "process", busyTimeoutMs: patienceMs, pollMs: 50 });
const runtime = createRuntime({ workflows: { flow }, store, leaseMs: 1_000 });
await runtime.start();
const run = runtime.run("flow", {}, { runId: "one" });
const reader = new PieceReader();
const texts: Record<string, string> = {};
for await (const { event, writer } of run.streamEvents()) {
  const news = PiecesEvent.is(event) ? reader.take(event, writer) : null;
  if (news !== null) texts[news.call] = (news.at === 0 ? "" : (texts[news.call] ?? "")) + news.pieces.join("");
}
await run;
await pause(100);
const left = (await run.streamEvents().toArray()).filter(({ event }) => PiecesEvent.is(event)).length;
writeSync(1, `${JSON.stringify({ texts, left })}\n`);
