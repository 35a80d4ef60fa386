/** Pipelines over a file: what one process has left, the next one has. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { afterEach, expect, it } from "vitest";
import * as z from "zod";
import { Parallel, Pipeline, Step } from "../src/index.js";

const folder = mkdtempSync(join(tmpdir(), "millrace-pipeline-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inputSchema = z.object({ topic: z.string(), words: z.number().default(100) });

function open(): Pipeline {
  return new Pipeline({
    name: "Article",
    inputSchema,
    store: sqliteStore(join(folder, "runs.db"), { durability: "process" }),
    sessionState: { topics: [] },
    steps: [
      new Parallel(
        "write",
        new Step({
          name: "title",
          executor: (input) => (input.input as z.infer<typeof inputSchema>).topic.toUpperCase(),
        }),
        new Step({ name: "length", executor: (input) => (input.input as z.infer<typeof inputSchema>).words }),
      ),
      (input, { sessionState }) => {
        (sessionState["topics"] as string[]).push(String(input.getStepContent("title")));
        return sessionState["topics"];
      },
    ],
  });
}

it("sessions, runs and their streams are there for the next process; bad input never begins", async () => {
  const first = open();
  const run = first.run({ topic: "rivers" }, { sessionId: "s", runId: "one", userId: "ada" });
  await run;
  await first.close();

  const second = open();
  const output = await second.run('{ "topic": "lakes" }', { sessionId: "s", userId: "ada" });
  const earlier = await second.handle("one").output();
  const shown: string[] = [];
  for await (const { event } of second.handle("one").events()) shown.push(event);

  expect(output).toMatchObject({ content: ["RIVERS", "LAKES"], input: { topic: "lakes", words: 100 } });
  expect(earlier).toMatchObject({ runId: "one", content: ["RIVERS"], status: "COMPLETED" });
  expect(shown).toEqual(["WorkflowStarted", "StepOutput", "StepOutput", "StepOutput", "WorkflowCompleted"]);
  expect(await second.sessions.get("s")).toMatchObject({ userId: "ada", runs: [{ runId: "one" }, {}] });
  expect(() => second.run({ topic: 1 })).toThrow(expect.objectContaining({ code: "INPUT_INVALID" }));
  expect(() => second.run("no JSON")).toThrow(expect.objectContaining({ code: "INPUT_INVALID" }));
  await second.close();
});
