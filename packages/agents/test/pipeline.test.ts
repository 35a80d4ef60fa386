/** Agents as steps of a pipeline: one session state for functions, agents and their tools. */

import { Condition, Parallel, Pipeline, type PipelineOptions, Step } from "@millrace/pipeline";
import { APICallError } from "ai";
import { describeWorkflow } from "millrace/graph";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Team, tool } from "../src/index.js";
import { scripted, stalls, toolOutputs } from "./support/models.js";

const open: Pipeline[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pipeline) => pipeline.close()));
});

function pipeline(options: PipelineOptions): Pipeline {
  const made = new Pipeline(options);
  open.push(made);
  return made;
}

const addItem = tool({
  name: "add_item",
  description: "Adds an item to the shopping list",
  parameters: z.object({ item: z.string() }),
  execute: ({ item }, { sessionState }) => {
    const list = (sessionState["shopping_list"] ??= []) as string[];
    list.push(item);
    return `Added ${item}`;
  },
});

it("an agent's tools, functions and evaluators share the session state, which is there in the next run", async () => {
  const assistant = new Agent({
    name: "Shopping Assistant",
    model: scripted([
      [["add_item", { item: "milk" }]],
      "Added milk.",
      [["add_item", { item: "bread" }]],
      "Added bread.",
    ]),
    tools: [addItem],
    instructions: "Manage the list: {shopping_list}",
  });
  const shopping = pipeline({
    name: "Shopping",
    sessionState: { shopping_list: [] },
    steps: [
      assistant,
      new Condition({
        evaluator: (_input, { sessionState }) => (sessionState["shopping_list"] as string[]).length > 1,
        steps: [
          (input, { sessionState }) =>
            `${input.previousStepContent} ${(sessionState["shopping_list"] as string[]).join()}`,
        ],
      }),
    ],
  });

  const first = await shopping.run("Add milk", { sessionId: "s" });
  const second = await shopping.run("Add bread", { sessionId: "s" });

  expect(first).toMatchObject({ content: "Added milk.", sessionState: { shopping_list: ["milk"] } });
  expect(second).toMatchObject({
    content: "Added bread. milk,bread",
    sessionState: { shopping_list: ["milk", "bread"] },
  });
  expect(first.stepResults[0]).toMatchObject({
    executorType: "agent",
    executorName: "Shopping Assistant",
    metrics: { inputTokens: 20, outputTokens: 10 },
  });
});

it("an agent gets what the step before gave; of a Parallel its branches joined", async () => {
  const model = scripted([(options) => JSON.stringify(options.prompt.at(-1))]);
  const writer = new Agent({ name: "Writer", model });
  const output = await pipeline({
    name: "Research",
    steps: [
      new Parallel(
        "sources",
        new Step({ name: "web", executor: () => "from the web" }),
        new Step({ name: "news", executor: () => "from the news" }),
      ),
      writer,
    ],
  }).run("rivers");

  expect(output.content).toContain("## web");
  expect(output.content).toContain("from the news");
});

it("structured output reaches the next function as it is", async () => {
  const agent = new Agent({
    name: "Reader",
    model: scripted([JSON.stringify({ title: "Rivers", pages: 3 })]),
    outputSchema: z.object({ title: z.string(), pages: z.number() }),
  });
  const output = await pipeline({
    name: "Read",
    steps: [agent, (input) => (input.previousStepContent as { pages: number }).pages + 1],
  }).run("Read it");

  expect(output.content).toBe(4);
});

it("what an agent says is shown as it comes", async () => {
  const agent = new Agent({ name: "Speaker", model: scripted(["Hello there"]) });
  const run = pipeline({ name: "Speak", steps: [agent] }).run("Hi");
  const names: string[] = [];
  let text = "";
  for await (const event of run.events()) {
    names.push(event.event);
    if (event.event === "RunContent") text += String(event["content"]);
  }

  expect(text).toBe("Hello there");
  expect([names[0], names.at(-1)]).toEqual(["WorkflowStarted", "WorkflowCompleted"]);
});

it("a retried agent goes on behind its recorded calls, whose edits count once", async () => {
  const edits = (name: string, change: (state: Record<string, unknown>, item: string) => void) =>
    tool({
      name,
      description: name,
      parameters: z.object({ item: z.string() }),
      execute: ({ item }, { runContext }) =>
        runContext.editState((state) => {
          change(state, item);
          return `${name} ${item}`;
        }),
    });
  const add = edits("add", (state, item) => (state["items"] as string[]).push(item));
  const remove = edits("remove", (state, item) => (state["removed"] = item));
  const down = () => {
    throw new Error("overloaded");
  };
  const model = scripted([
    [["add", { item: "milk" }]],
    down,
    [["remove", { item: "bread" }]],
    (options) => JSON.stringify(toolOutputs(options)),
  ]);
  const agent = new Agent({ name: "Flaky", model, maxRetries: 0, tools: [add, remove] });
  const steps = [new Step({ executor: agent, maxRetries: 1 })];

  const { content, sessionState } = await pipeline({ name: "Edits", sessionState: { items: [] }, steps }).run("Go");

  expect(sessionState).toEqual({ items: ["milk"], removed: "bread" });
  expect(JSON.parse(content as string)).toMatchObject([{ value: "add milk" }, { value: "remove bread" }]);
});

it("an agent whose model fails is tried again, and then fails the run", async () => {
  let calls = 0;
  const failing = scripted([
    () => {
      calls++;
      throw new Error("the model is down");
    },
    () => {
      calls++;
      return "Here I am";
    },
  ]);
  const agent = new Agent({ name: "Flaky", model: failing, maxRetries: 0 });

  const output = await pipeline({ name: "Retry", steps: [new Step({ executor: agent, maxRetries: 1 })] }).run("Go");

  expect(output.content).toBe("Here I am");
  expect(calls).toBe(2);
});

it("an agent that is cancelled keeps its tokens, what it has said, what its tools have changed, and its events", async () => {
  const model = scripted([[["add_item", { item: "milk" }]]]);
  const { doStream } = model;
  model.doStream = (options) => (model.doStreamCalls.length > 0 ? stalls("Added mi") : doStream.bind(model))(options);
  const shopping = pipeline({
    name: "Shopping",
    storeEvents: true,
    steps: [new Agent({ name: "assistant", model, tools: [addItem] })],
  });
  const run = shopping.run("Add milk", { sessionId: "s" });
  for await (const { event } of run.events()) if (event === "RunContent") break;

  const output = await run.cancel("enough");

  expect(output.stepResults).toMatchObject([{ stepName: "assistant", success: false, content: "Added mi" }]);
  expect(output.metrics.steps["assistant"]?.metrics.totalTokens).toBe(15);
  expect(output.stepExecutorRuns).toMatchObject([
    { status: "CANCELLED", content: "Added mi", tools: [{ toolName: "add_item", result: "Added milk" }] },
  ]);
  expect(output.events.map(({ event }) => event)).toEqual([
    "WorkflowStarted",
    "StepStarted",
    "RunStarted",
    "ToolCallStarted",
    "ToolCallCompleted",
    "RunContent",
    "RunCancelled",
    "WorkflowCancelled",
    "WorkflowCompleted",
  ]);
  expect(await shopping.getSessionState("s")).toEqual({ shopping_list: ["milk"] });
});

it("a drawing of the pipeline knows its agents, and who is in a team", () => {
  const news = new Agent({ name: "News", model: scripted([]) });
  const web = new Agent({ name: "Web", model: scripted([]) });
  const desk = new Team({ name: "Desk", members: [web] });
  const team = new Team({ name: "Research", members: [news, desk] });
  const { nodes, groups } = describeWorkflow(pipeline({ name: "paper", steps: [team, news] }).workflow);

  expect(nodes.flatMap((node) => (node.kind === "step" && node.executor !== null ? [node.executor] : []))).toEqual([
    {
      kind: "team",
      name: "Research",
      members: [
        { kind: "agent", name: "News" },
        { kind: "team", name: "Desk", members: [{ kind: "agent", name: "Web" }] },
      ],
    },
    { kind: "agent", name: "News" },
  ]);
  expect(groups.map(({ kind, label }) => [kind, label])).toEqual([
    ["team", "Research"],
    ["agent", "News"],
  ]);
});

it("a retry of the step asks a model anew whose attempts have all failed", async () => {
  const error = { message: "busy", url: "", requestBodyValues: {}, statusCode: 503, isRetryable: true };
  const busy = () => Promise.reject(new APICallError({ ...error, responseHeaders: { "retry-after-ms": "1" } }));
  const model = scripted([busy, busy, busy, busy, "Done."]);
  const step = new Step({ executor: new Agent({ name: "Patient", model }), maxRetries: 2 });

  const output = await pipeline({ name: "Busy", steps: [step] }).run("Go");

  expect(output.content).toBe("Done.");
  expect(model.doGenerateCalls.length + model.doStreamCalls.length).toBe(5);
});

it("branches take places in a limit of the pipeline, with their tools and their agents", async () => {
  const atWork = { tool: 0, most: 0 };
  const look = tool({
    name: "look",
    description: "Looks.",
    limit: "camera",
    execute: async () => {
      atWork.most = Math.max(atWork.most, ++atWork.tool);
      await new Promise((wake) => setImmediate(wake));
      atWork.tool--;
      return "seen";
    },
  });
  const branch = (name: string) =>
    new Agent({ name, model: scripted([[["look", {}]], `${name} done`]), tools: [look], limit: "model" });
  const watching = pipeline({
    name: "Watching",
    limits: { camera: { concurrent: 1 }, model: { concurrent: 1 } },
    steps: [new Parallel("all", branch("a"), branch("b"), branch("c"))],
  });

  const { status, stepResults } = await watching.run("go");

  expect(status).toBe("COMPLETED");
  expect(stepResults[0]?.steps.map(({ content }) => content)).toEqual(["a done", "b done", "c done"]);
  expect(atWork.most).toBe(1);
});

it("a limit that the pipeline does not have fails the step, by its name", async () => {
  const agent = new Agent({ name: "a", model: scripted(["never"]), limit: "model" });
  const run = pipeline({ name: "Without", limits: { models: { concurrent: 1 } }, steps: [agent] }).run("go");

  await expect(run).rejects.toThrow('"model"');
});
