/** Agents of a pipeline that a person keeps waiting, and one that stands in front of it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Loop, Parallel, Pipeline, type PipelineOptions, Step } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { Agent, PipelineAgent, storeSessions, Team } from "../src/index.js";
import { scripted, systemTexts } from "./support/models.js";
import { refund } from "./support/refunds.js";

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function pipeline(options: PipelineOptions): Pipeline {
  const made = new Pipeline(options);
  closers.push(() => made.close());
  return made;
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "agents-"));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "app.db");
}

const refunding = (order: number) => [["refund", { order }]] as const;
const clerk = (script: Parameters<typeof scripted>[0]) =>
  new Agent({ name: "Clerk", model: scripted(script), tools: [refund] });

describe("a tool that a person has to allow, in a step", () => {
  it("pauses the pipeline, which goes on where the agent was", async () => {
    const desk = pipeline({
      name: "Desk",
      steps: [
        clerk([refunding(7), "Refunded."]),
        (input, { sessionState }) => [input.previousStepContent, sessionState],
      ],
    });

    const paused = await desk.run("Refund 7");
    expect(paused.status).toBe("PAUSED");
    expect(paused.requirements).toMatchObject([
      { kind: "executor", stepName: "Clerk", data: { tools: [{ toolName: "refund", toolArgs: { order: 7 } }] } },
    ]);
    paused.requirements[0]?.confirm();
    const done = await desk.continueRun(paused);

    expect(done).toMatchObject({ status: "COMPLETED", content: ["Refunded.", { refunds: [7] }] });
    expect(done.sessionState).toMatchObject({ refunds: [7] });
    expect(done.stepResults[0]).toMatchObject({ metrics: { totalTokens: 30 } });
  });

  it("is told to the model when it is not allowed", async () => {
    const desk = pipeline({ name: "Desk", steps: [clerk([refunding(7), "I could not."])] });

    const paused = await desk.run("Refund 7");
    paused.requirements[0]?.reject("too late");
    const done = await desk.continueRun(paused);

    expect(done).toMatchObject({ status: "COMPLETED", content: "I could not." });
    expect(done.sessionState).not.toHaveProperty("refunds");
  });

  it("pauses inside of a Loop and beside other branches, again and again", async () => {
    const desk = pipeline({
      name: "Desk",
      steps: [
        new Loop({
          name: "twice",
          maxIterations: 2,
          steps: [
            new Parallel(
              "both",
              new Step({ name: "refund", executor: clerk([refunding(1), "One.", refunding(2), "Two."]) }),
              new Step({ name: "greet", executor: () => "Hello." }),
            ),
          ],
        }),
      ],
    });

    let output = await desk.run("Refund");
    let pauses = 0;
    while (output.status === "PAUSED") {
      pauses++;
      for (const requirement of output.requirements) requirement.confirm();
      output = await desk.continueRun(output);
    }

    expect(pauses).toBe(2);
    expect(output).toMatchObject({ status: "COMPLETED", sessionState: { refunds: [1, 2] } });
    expect(new Set(output.sessionState["keys"] as string[]).size).toBe(2);
  });

  it("pauses the pipeline of a member's team", async () => {
    const leader = scripted([[["delegate_task_to_member", { member: "clerk", task: "Refund" }]], "All done."]);
    const team = new Team({ name: "Team", model: leader, members: [clerk([refunding(7), "Made."])] });
    const desk = pipeline({ name: "Desk", steps: [team] });

    const paused = await desk.run("Refund");
    paused.requirements[0]?.confirm();
    const done = await desk.continueRun(paused);

    expect(done).toMatchObject({ content: "All done.", sessionState: { refunds: [7] } });
    expect(done.stepResults[0]).toMatchObject({ metrics: { totalTokens: 60 } });
  });

  it("goes on in another process, from the file that its sessions are in, too", async () => {
    const file = newFile();
    const model = scripted([refunding(7), "Refunded.", "Hello."]);
    const open = () => {
      const store = sqliteStore(file);
      const agent = new Agent({ name: "Clerk", model, tools: [refund], sessions: storeSessions(store) });
      return { agent, desk: new Pipeline({ name: "Desk", store, steps: [agent] }) };
    };
    const before = open();
    const { runId } = await before.desk.run("Refund 7", { runId: "r1", sessionId: "s1" });
    await before.desk.close();

    const after = open();
    closers.push(() => after.desk.close());
    const paused = await after.desk.getRun(runId);
    for (const requirement of paused?.requirements ?? []) requirement.confirm();
    const done = await after.desk.continueRun(paused as NonNullable<typeof paused>);
    const alone = await after.agent.run("Hi", { sessionId: "s1" });

    expect(done).toMatchObject({ status: "COMPLETED", content: "Refunded.", sessionState: { refunds: [7] } });
    expect(alone).toMatchObject({ content: "Hello.", sessionState: {} });
    expect(model.doGenerateCalls.length + model.doStreamCalls.length).toBe(3);
  });
});

describe("a pipeline with an agent in front", () => {
  it("runs with its query, and answers from what was there before", async () => {
    const model = scripted([[["run_workflow", { query: "longest river" }]], "As I said: the Nile."]);
    const rivers = pipeline({
      name: "Rivers",
      description: "Knows rivers",
      agent: new PipelineAgent({ model }),
      steps: [(input) => `The Nile (${input.input})`],
    });

    const first = await rivers.run("Which is the longest?", { sessionId: "s1" });
    const second = await rivers.run("Say it again", { sessionId: "s1" });

    expect(first).toMatchObject({ content: "The Nile (longest river)", stepResults: [{ success: true }] });
    expect(second).toMatchObject({ content: "As I said: the Nile.", stepResults: [], status: "COMPLETED" });
    const texts = systemTexts(model);
    expect(texts[0]).toContain("The workflow: Knows rivers\n\nThere are no earlier runs in this session.");
    expect(texts[1]).toContain("input: Which is the longest?\nresponse: The Nile (longest river)");
  });

  it("shows what the agent says, marked as such", async () => {
    const agent = new PipelineAgent({ model: scripted(["Hello there."]) });
    const run = pipeline({ name: "Talk", agent, steps: [() => "never"] }).run("Hi");

    const said: unknown[] = [];
    for await (const event of run.events()) if (event.event === "RunContent") said.push(event);

    expect(said).toMatchObject([
      { content: "Hello ", workflowAgent: true },
      { content: "there.", workflowAgent: true },
    ]);
  });

  it("fails when the agent does", async () => {
    const agent = new PipelineAgent({ name: "Front", model: scripted([]), maxRetries: 0 });

    const run = pipeline({ name: "Talk", agent, steps: [() => "never"] }).run("Hi");

    await expect(run).rejects.toThrow('Agent "Front" failed');
  });
});
