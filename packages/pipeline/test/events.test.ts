import { afterEach, expect, it } from "vitest";
import { Parallel, Pipeline, type PipelineEvent, type PipelineOptions, type PipelineRun, Step } from "../src/index.js";

const open: Pipeline[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pipeline) => pipeline.close()));
});

function pipeline(steps: PipelineOptions["steps"]): Pipeline {
  const made = new Pipeline({ name: "Shown", steps });
  open.push(made);
  return made;
}

async function all(run: PipelineRun): Promise<PipelineEvent[]> {
  const events: PipelineEvent[] = [];
  for await (const event of run.events()) events.push(event);
  return events;
}

const echo = new Step({ name: "echo", executor: (input) => input.input });

it("a run shows its start and its end, and what its functions say", async () => {
  const says = new Step({
    name: "says",
    executor: (_input, context) => {
      context.emit("Progress", { percent: 50 });
      return "said";
    },
  });
  const run = pipeline([says]).run("in");

  const events = await all(run);

  expect(events.map(({ event }) => event)).toEqual(["WorkflowStarted", "Progress", "StepOutput", "WorkflowCompleted"]);
  expect(events[1]).toMatchObject({ percent: 50, runId: run.runId, pipelineId: "shown", eventIndex: 1 });
  expect(events[3]).toMatchObject({ content: "said", eventIndex: 3 });
});

it("stream yields the events of a run and its steps, and throws the error of a failed one after them", async () => {
  const fails = new Step({ name: "fails", executor: () => Promise.reject(new TypeError("no")) });
  const good: string[] = [];
  const bad: string[] = [];

  for await (const { event } of pipeline([echo]).stream("in")) good.push(event);
  const reading = (async () => {
    for await (const { event } of pipeline([fails]).stream("in")) bad.push(event);
  })();

  await expect(reading).rejects.toMatchObject({ code: "PIPELINE_FAILED" });
  expect(good).toEqual(["WorkflowStarted", "StepStarted", "StepOutput", "StepCompleted", "WorkflowCompleted"]);
  expect(bad.at(-1)).toBe("WorkflowError");
});

it("a step's own events are under names of its own, and say by themselves whose they are", async () => {
  const says = new Step({
    name: "says",
    executor: (_input, context) => {
      context.emit("Progress", {
        runId: "forged",
        event: "StepCompleted",
        stepName: "other",
        createdAt: "forged",
        createdAtMs: "forged",
        eventIndex: "forged",
      });
      context.emit("StepCompleted");
    },
  });
  const run = pipeline([says]).run("in");

  const events = await all(run);

  expect(events[1]).toMatchObject({ event: "Progress", runId: run.runId, stepName: "says" });
  expect((await run.output()).error).toMatchObject({
    code: "OPTION_INVALID",
    message: expect.stringContaining('The step "says" emits "StepCompleted"'),
  });
});

it.each([
  [5, "a number"],
  ["text", "a string"],
  [[1], "a list"],
  [null, "null"],
])("an event of a step's own takes fields, not %j", async (data, said) => {
  const emits = new Step({ name: "emits", executor: (_input, { emit }) => emit("Progress", data as never) });

  expect((await pipeline([emits]).run("in").output()).error).toMatchObject({
    code: "OPTION_INVALID",
    message: `The event "Progress" was given ${said} as its data, not an object.`,
  });
});

it.each([
  [undefined, "undefined"],
  [null, "null"],
  [{ name: "Progress" }, "object"],
  ["", "an empty name"],
])("an event of a step's own has a text as its name, not %j", async (name, said) => {
  const emits = new Step({ name: "emits", executor: (_input, { emit }) => emit(name as never) });

  expect((await pipeline([emits]).run("in").output()).error).toMatchObject({
    code: "OPTION_INVALID",
    message: `An event was given ${said} as its name, not a text.`,
  });
});

type Spoken = Extract<PipelineEvent, { readonly event: "RunContent" | "StepRetried" }>;
const isSpoken = (event: PipelineEvent): event is Spoken =>
  event.event === "RunContent" || event.event === "StepRetried";

it("a step that is tried again says so before it says anything, without any option", async () => {
  let attempts = 0;
  const stutters = new Step({
    name: "stutters",
    maxRetries: 1,
    executor: async function* () {
      yield "hello ";
      if (++attempts === 1) throw new Error("no");
      yield "world";
    },
  });
  const run = pipeline([stutters]).run("in");

  const events = (await all(run)).filter(isSpoken);

  expect(events.map((event) => [event.event, event.event === "StepRetried" ? event.attempt : event.content])).toEqual([
    ["RunContent", "hello "],
    ["StepRetried", 2],
    ["RunContent", "hello "],
    ["RunContent", "world"],
  ]);
  expect((await run).content).toBe("hello world");
});

it("the two last events of a cancelled run have numbers of their own, and a reader continues between them", async () => {
  const asks = new Step({
    name: "asks",
    executor: () => "never",
    humanReview: { requiresConfirmation: true, onReject: "cancel" },
  });
  const made = pipeline([asks]);
  const paused = await made.run("in", { streamEvents: true });
  paused.requirements[0]?.reject();
  const { runId } = await made.continueRun(paused);
  const read = async (after?: number) => {
    const events: PipelineEvent[] = [];
    for await (const event of made.handle(runId).events(after === undefined ? {} : { after })) events.push(event);
    return events;
  };

  const events = await read();
  const numbers = events.map(({ eventIndex }) => eventIndex);

  expect(events.map(({ event }) => event)).toEqual([
    "WorkflowStarted",
    "StepPaused",
    "StepContinued",
    "WorkflowCancelled",
    "WorkflowCompleted",
  ]);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(await Promise.all(numbers.map(read))).toEqual(numbers.map((_, at) => events.slice(at + 1)));
});

it("a reader that continues after any event gets the rest as one that has read everything, also about an output that it has seen", async () => {
  const named = (name: string): Step => new Step({ name, executor: () => `by ${name}` });
  const inner = new Pipeline({ name: "inner", steps: [named("c")] });
  const made = pipeline([named("a"), new Parallel("both", named("b"), inner)]);
  const { runId } = await made.run("in", { streamEvents: true });
  const read = async (after?: number) => {
    const events: object[] = [];
    const from = made.handle(runId).events(after === undefined ? {} : { after });
    for await (const { createdAt, createdAtMs, ...event } of from) events.push(event);
    return events as PipelineEvent[];
  };

  const events = await read();
  const numbers = events.map(({ eventIndex }) => eventIndex);

  expect(events.filter(({ event }) => event === "StepCompleted")).toHaveLength(4);
  expect(await Promise.all(numbers.map(read))).toEqual(numbers.map((_, at) => events.slice(at + 1)));
});

it("the last events of a run that was stopped from outside say what every last event says", async () => {
  const waits = new Step({
    name: "waits",
    executor: (_input, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const run = pipeline([echo, waits]).run("in", { streamEvents: true, sessionId: "stopped" });
  for await (const { event, stepName } of run.events()) if (event === "StepStarted" && stepName === "waits") break;
  await run.cancel("enough");

  const [cancelled, completed] = (await all(run)).slice(-2);

  const content = `Run ${run.runId} was cancelled`;
  expect(cancelled).toMatchObject({ event: "WorkflowCancelled", sessionId: "stopped", reason: "enough", content });
  expect(completed).toMatchObject({ event: "WorkflowCompleted", sessionId: "stopped", status: "CANCELLED", content });
  expect(completed).toMatchObject({
    stepResults: [{ stepName: "echo", content: "in" }, { stepName: "waits" }],
    metadata: {},
  });
});

it.each(["completes", "fails", "is cancelled"])(
  "the last events of a run that %s say when it ended, whenever they are read",
  async (end) => {
    const last = new Step({
      name: "last",
      executor: (_input, { signal }) => {
        if (end === "completes") return "done";
        if (end === "fails") throw new TypeError("no");
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const run = pipeline([echo, last]).run("in", { streamEvents: true });
    if (end === "is cancelled") {
      for await (const { event, stepName } of run.events()) if (event === "StepStarted" && stepName === "last") break;
      await run.cancel("enough");
    }
    const first = await all(run);
    await new Promise((resolve) => setTimeout(resolve, 20));

    expect(await all(run)).toEqual(first);
  },
);

it("with streamEvents it shows every step, for any number of readers and from any event on", async () => {
  const run = pipeline([echo, new Step({ name: "again", executor: () => "b" })]).run("in", { streamEvents: true });

  const [one, other] = await Promise.all([all(run), all(run)]);
  const late: string[] = [];
  for await (const { event } of run.events({ after: 2 })) late.push(event);

  expect(one.map(({ event, stepName }) => [event, stepName])).toEqual([
    ["WorkflowStarted", undefined],
    ["StepStarted", "echo"],
    ["StepOutput", "echo"],
    ["StepCompleted", "echo"],
    ["StepStarted", "again"],
    ["StepOutput", "again"],
    ["StepCompleted", "again"],
    ["WorkflowCompleted", undefined],
  ]);
  expect(other).toEqual(one);
  expect(late).toEqual(["StepCompleted", "StepStarted", "StepOutput", "StepCompleted", "WorkflowCompleted"]);
});

it("a failure is shown for the step and for the run", async () => {
  const fails = new Step({
    name: "fails",
    executor: () => {
      throw new Error("no");
    },
  });
  const run = pipeline([fails]).run("in", { streamEvents: true });

  const events = await all(run);

  expect(events.map(({ event }) => event)).toEqual(["WorkflowStarted", "StepStarted", "StepError", "WorkflowError"]);
  expect(events.at(-1)).toMatchObject({ error: "no", stepName: "fails" });
});
