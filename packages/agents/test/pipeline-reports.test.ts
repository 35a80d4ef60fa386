/** What users of Agno have reported of agents that pause in a workflow, as tests of agents in pipelines. Each names its report. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pipeline, Step } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { Agent, tool } from "../src/index.js";
import { scripted, type Turn } from "./support/models.js";

const note = tool({
  name: "note",
  description: "Notes a text",
  parameters: z.object({ text: z.string() }),
  execute: ({ text }, { sessionState }) => {
    (sessionState["notes"] as string[]).push(text);
    return "noted";
  },
});

const pay = tool({
  name: "pay",
  description: "Pays",
  parameters: z.object({}),
  execute: () => "paid",
  requiresConfirmation: true,
});

/** A process with the pipeline: its model goes on with the script where the process before has left it. */
function open(path: string, script: readonly Turn[]) {
  const agent = new Agent({ name: "Clerk", model: scripted(script), tools: [note, pay] });
  const flow = new Pipeline({
    name: "Office",
    store: sqliteStore(path),
    sessionState: { notes: [] },
    steps: [
      (_input, { sessionState }) => void (sessionState["notes"] as string[]).push("before"),
      new Step({ name: "clerk", executor: agent }),
      (input, { sessionState }) => `${input.previousStepContent} ${(sessionState["notes"] as string[]).join()}`,
    ],
  });
  onTestFinished(() => flow.close());
  return flow;
}

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-reports-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "runs.db");
}

it("agno#8901: what tools change in the session state after an approval counts, with what they changed before", async () => {
  const flow = open(file(), [[["note", { text: "asked" }]], [["pay", {}]], [["note", { text: "answered" }]], "Done."]);
  const paused = await flow.run("Pay", { sessionId: "s" });
  for (const requirement of paused.requirements) requirement.confirm();

  const output = await flow.continueRun(paused);

  expect(output).toMatchObject({ status: "COMPLETED", content: "Done. before,asked,answered" });
  expect(await flow.getSessionState("s")).toEqual({ notes: ["before", "asked", "answered"] });
});

it("agno#9278: a run whose reader has left at its pause can be answered, in another process as well", async () => {
  const path = file();
  const first = open(path, [[["pay", {}]]]);
  const run = first.run("Pay", { sessionId: "s", streamEvents: true });
  for await (const { event } of run.events()) if (event === "StepExecutorPaused") break;
  const { status, runId, requirements } = await run;
  await first.close();

  const second = open(path, ["Paid."]);
  for (const requirement of requirements) requirement.confirm();
  const output = await second.continueRun(runId, { requirements });

  expect(status).toBe("PAUSED");
  expect(output).toMatchObject({ status: "COMPLETED", content: "Paid. before" });
});
