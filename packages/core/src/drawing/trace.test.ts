import { describe, expect, it } from "vitest";
import { StartEvent, StopEvent } from "../event/built-in-events.js";
import { event } from "../event/event.js";
import { retryPolicy, wait } from "../retry/retry-policy.js";
import { step } from "../step/step.js";
import { Workflow } from "../workflow/workflow.js";
import { toMermaid } from "./mermaid.js";
import { traceRuns } from "./trace.js";

class Joke extends event("Joke") {}

class Flaky extends Workflow {
  calls = 0;

  @step({ on: StartEvent, emits: Joke, retry: retryPolicy({ wait: wait.fixed(0) }) })
  write() {
    if (this.calls++ === 0) throw new Error("nothing came to mind");
    return new Joke();
  }

  @step({ on: Joke, emits: StopEvent })
  judge() {
    return new StopEvent({ result: "funny" });
  }
}

describe("traceRuns", () => {
  it("records attempts, and which event went from where to where", async () => {
    const flow = new Flaky();
    const { runs } = traceRuns(flow);
    const handler = flow.run({});

    await handler;

    const run = runs.get(handler.runId)!;
    expect(run).toMatchObject({
      workflow: "Flaky",
      runId: handler.runId,
      status: "completed",
      received: [{ id: 1, type: "StartEvent" }],
    });
    expect(run.endedAtMs).toBeGreaterThanOrEqual(run.startedAtMs);
    expect(run.attempts).toEqual([
      {
        step: "write",
        item: expect.any(Number),
        attempt: 1,
        status: "failed",
        startedAtMs: expect.any(Number),
        elapsedMs: expect.any(Number),
        accepted: [{ id: 1, type: "StartEvent" }],
        emitted: [],
      },
      {
        step: "write",
        item: run.attempts[0]!.item,
        attempt: 2,
        status: "completed",
        startedAtMs: expect.any(Number),
        elapsedMs: expect.any(Number),
        accepted: [{ id: 1, type: "StartEvent" }],
        emitted: [{ id: 2, type: "Joke" }],
      },
      {
        step: "judge",
        item: expect.any(Number),
        attempt: 1,
        status: "completed",
        startedAtMs: expect.any(Number),
        elapsedMs: expect.any(Number),
        accepted: [{ id: 2, type: "Joke" }],
        emitted: [{ id: 3, type: "StopEvent" }],
      },
    ]);
  });

  it("returns plain data that can be drawn later", async () => {
    const flow = new Flaky();
    const { runs } = traceRuns(flow);
    const handler = flow.run({});

    await handler;

    const run = JSON.parse(JSON.stringify(runs.get(handler.runId)));
    expect(toMermaid(flow, { run })).toContain("event_2 --> attempt_3");
  });

  it("ends what still runs when the run ends", async () => {
    class Slow extends Workflow {
      @step({ on: StartEvent, emits: StopEvent })
      async wait() {
        await new Promise(() => {});
        return new StopEvent({ result: null });
      }
    }
    const flow = new Slow();
    const { runs } = traceRuns(flow);
    const handler = flow.run({});
    await new Promise<void>((resolve) => flow.on("step.started", () => resolve()));

    handler.cancel();

    await expect(handler).rejects.toThrow();
    expect(runs.get(handler.runId)).toMatchObject({
      status: "cancelled",
      attempts: [{ step: "wait", status: "cancelled", elapsedMs: null }],
    });
  });

  it("keeps the newest runs", async () => {
    const flow = new Flaky();
    const { runs } = traceRuns(flow, { maxRuns: 1 });

    await flow.run({}, { runId: "first" });
    await flow.run({}, { runId: "second" });

    expect([...runs.keys()]).toEqual(["second"]);
  });

  it("records nothing more once stopped", async () => {
    const flow = new Flaky();
    const traces = traceRuns(flow);
    traces.stop();

    await flow.run({});

    expect(traces.runs.size).toBe(0);
  });
});
