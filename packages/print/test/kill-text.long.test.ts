/** What a step has said before its process was killed, and what it says when another one begins it again. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { Child } from "../../pipeline/test/support/child.js";
import { temporaryDirectory } from "../../pipeline/test/support/files.js";
import { printRun } from "../src/index.js";
import { target } from "./support/printing.js";
import { runId, speaking } from "./support/speaking.js";

/** The pipeline in the next process. */
async function killedWhileItSpoke() {
  const path = join(temporaryDirectory(), "runs.db");
  const child = new Child(new URL("./support/speaking-process.ts", import.meta.url).href, { path });
  await child.ready;
  await child.kill();
  expect(await child.ended).toMatchObject({ signal: "SIGKILL", lines: ["spoke"] });
  const pipeline = speaking(sqliteStore(path, { durability: "process" }), null);
  onTestFinished(() => pipeline.close());
  await pipeline.start();
  return pipeline;
}

it("a step that begins again after a kill says so before it says anything", async () => {
  const run = (await killedWhileItSpoke()).handle(runId);

  const told: unknown[] = [];
  for await (const event of run.events())
    if (event.stepName === "speaks" && event.event !== "StepOutput")
      told.push([
        event.event,
        event.event === "StepRetried" ? event.attempt : event.event === "RunContent" ? event.content : null,
      ]);

  expect(told).toEqual([
    ["StepStarted", null],
    ["RunContent", "half an "],
    ["StepRetried", 1],
    ["StepStarted", null],
    ["RunContent", "half an "],
    ["RunContent", "answer"],
    ["StepCompleted", null],
  ]);
  const { content, events } = await run.output();
  expect(content).toBe("half an answer");
  expect(events.filter(({ stepName }) => stepName === "speaks").map(({ event }) => event)).toEqual([
    "StepStarted",
    "RunContent",
    "RunContent",
    "StepOutput",
    "StepCompleted",
  ]);
});

it.each([
  { showSteps: false, begins: "\n── speaks\n", ends: "" },
  { showSteps: true, begins: "✓ greets  T s\n\n▶ speaks\n", ends: "✓ speaks  T s\n" },
])("whoever prints the run starts that step anew, with its beginning and end: $showSteps", async (plan) => {
  const run = (await killedWhileItSpoke()).handle(runId);
  const out = target();

  await printRun(run, { out, showSteps: plan.showSteps });

  const [, speech] = out.text().split("hello\n");
  expect(speech).toBe(`${plan.begins}half an \n↻ speaks, begun again\nhalf an answer\n${plan.ends}`);
});
