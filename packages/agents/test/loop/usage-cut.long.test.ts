/** Tokens of an attempt that ends while a tool runs: whoever works, whatever the tool does, however the attempt ends. */
import { Parallel, Pipeline, Step } from "@millrace/pipeline";
import { expect, it, onTestFinished } from "vitest";
import { Agent, type Executor, Team, tool } from "../../src/index.js";
import { deferred } from "../support/deferred.js";
import { executing } from "../support/in-step.js";
import { refund, request } from "../support/refunds.js";
import { answers, calls, says } from "../support/turns.js";

/** Each model call takes 15 tokens. */
const workers = [
  ["an agent", 15],
  ["a team whose member works", 30],
  ["a team whose leader works", 15],
  ["a team in a team", 45],
] as const;
const tools = ["stops", "never ends"] as const;
const readers = ["answering", "streaming"] as const;
const ends = ["time", "cancel", "branch"] as const;

type Row = readonly [worker: (typeof workers)[number][0], tokens: number, tool: string, reader: string, end: string];

const rows = workers.flatMap(([worker, tokens]) =>
  tools.flatMap((kind) => readers.flatMap((reader) => ends.map((end): Row => [worker, tokens, kind, reader, end]))),
);

/** Ends with its signal, or not at all. `begun` resolves with its start. */
function stuck(kind: string) {
  const { promise: begun, resolve } = deferred();
  const execute = (_args: unknown, { signal }: { readonly signal: AbortSignal }) =>
    new Promise((_done, reject) => {
      resolve();
      if (kind === "stops") signal.addEventListener("abort", () => reject(signal.reason));
    });
  return { begun, stuck: tool({ name: "stuck", description: "Takes for ever.", execute }) };
}

function workerOf(worker: Row[0], work: ReturnType<typeof stuck>["stuck"]): Agent | Team {
  const clerk = new Agent({ name: "Clerk", model: answers(calls(["stuck", {}])), tools: [work] });
  const leads = (name: string) => answers(calls(["delegate_task_to_member", { member: name, task: "work" }]));
  const desk = () => new Team({ name: "Desk", model: leads("clerk"), members: [clerk] });
  switch (worker) {
    case "an agent":
      return clerk;
    case "a team whose member works":
      return desk();
    case "a team whose leader works":
      return new Team({ name: "Desk", model: answers(calls(["stuck", {}])), members: [clerk], tools: [work] });
    case "a team in a team":
      return new Team({ name: "House", model: leads("desk"), members: [desk()] });
  }
}

async function readAll(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of events);
}

it.concurrent.each(rows)("counts the calls of %s (%i tokens) whose tool %s, %s, at the end by %s", async (...row) => {
  const [worker, tokens, kind, reader, end] = row;
  const work = stuck(kind);
  const executor = workerOf(worker, work.stuck);
  const ask = new Step({
    name: "ask",
    executor,
    maxRetries: 0,
    onError: "skip",
    ...(end === "time" && { timeout: 1_500 }),
  });
  const failing = async () => {
    await work.begun;
    throw new TypeError("no");
  };
  const fail = new Step({ name: "fail", executor: failing, maxRetries: 0 });
  const pipeline = new Pipeline({ name: "Work", steps: [end === "branch" ? new Parallel("both", ask, fail) : ask] });
  onTestFinished(() => pipeline.close());

  const run = pipeline.run("go");
  const over = run.then(null, () => {}); // it may fail
  const events = reader === "streaming" ? readAll(run.events()) : null;
  if (end === "cancel") void work.begun.then(() => run.cancel());
  const output = await run.output();
  await Promise.all([over, events]);

  expect(output.metrics.steps["ask"]?.metrics.totalTokens).toBe(tokens);
});

const timed = { name: "ask", timeout: 700, onError: "skip" } as const;

it("counts each attempt of a step that runs out of time", async () => {
  const turn = calls(["stuck", {}]);
  const clerk = new Agent({ name: "Clerk", model: answers(turn, turn), tools: [stuck("never ends").stuck] });
  const pipeline = new Pipeline({ name: "Work", steps: [new Step({ ...timed, executor: clerk, maxRetries: 1 })] });
  onTestFinished(() => pipeline.close());

  const { metrics } = await pipeline.run("go");

  expect(metrics.steps["ask"]?.metrics.totalTokens).toBe(30);
});

it("counts what was before a pause once, when the time is up after it", async () => {
  const turn = calls(["refund", { order: 1 }]);
  const work = stuck("never ends");
  const clerk = new Agent({ name: "Clerk", model: answers(turn, calls(["stuck", {}])), tools: [refund, work.stuck] });
  const pipeline = new Pipeline({ name: "Work", steps: [new Step({ ...timed, executor: clerk, maxRetries: 0 })] });
  onTestFinished(() => pipeline.close());

  const paused = await pipeline.run("go");
  for (const requirement of paused.requirements) requirement.confirm();
  const { metrics } = await pipeline.continueRun(paused);

  expect(paused.metrics.steps["ask"]?.metrics.totalTokens).toBe(15);
  expect(metrics.steps["ask"]?.metrics.totalTokens).toBe(30);
});

it("counts what a member of somebody else's has reported until then", async () => {
  const member: Executor = {
    kind: "agent",
    name: "Foreign",
    execute: ({ report }) => {
      report?.({ inputTokens: 3, outputTokens: 4, totalTokens: 7, duration: 0 });
      return new Promise(() => {});
    },
  };
  const model = answers(calls(["delegate_task_to_member", { member: "foreign", task: "work" }]));
  const desk = new Team({ name: "Desk", model, members: [member] });
  const pipeline = new Pipeline({ name: "Work", steps: [new Step({ ...timed, executor: desk, maxRetries: 0 })] });
  onTestFinished(() => pipeline.close());

  const { metrics } = await pipeline.run("go");

  expect(metrics.steps["ask"]?.metrics.totalTokens).toBe(22);
});

it("reports to whoever calls it what it has used, after each model call and each report of a member", async () => {
  const member: Executor = {
    kind: "agent",
    name: "Foreign",
    async execute({ report, idempotencyKey: runId }) {
      report?.({ inputTokens: 3, outputTokens: 4, totalTokens: 7, duration: 0 });
      const metrics = { inputTokens: 4, outputTokens: 4, totalTokens: 8, duration: 0 };
      const ended = { content: "done", contentType: "text", status: "COMPLETED", error: null, pause: null } as const;
      const made = { messages: [], tools: [], memberRuns: [], images: [], videos: [], audio: [], files: [] };
      return { ...ended, ...made, runId, metrics, finishReason: "stop" };
    },
  };
  const model = answers(calls(["delegate_task_to_member", { member: "foreign", task: "work" }]), says("done"));
  const reported: (number | undefined)[] = [];

  await executing(new Team({ name: "Desk", model, members: [member] })).execute(
    request({ report: ({ totalTokens }) => void reported.push(totalTokens) }),
  );

  expect(reported).toEqual([15, 22, 38]);
});
