/** What `docs/migrating-from-workflow-core.md` says of workflow-core 1.3.4 is true of the published package. */
import { createWorkflow, WorkflowStream, workflowEvent } from "@llamaindex/workflow-core";
import { createStatefulMiddleware } from "@llamaindex/workflow-core/middleware/state";
import { run, runAndCollect, runStream, runWorkflow } from "@llamaindex/workflow-core/stream/run";
import { describe, expect, it } from "vitest";

const startEvent = workflowEvent<string>();
const lengthEvent = workflowEvent<number>();
const stopEvent = workflowEvent<number>();

const { withState } = createStatefulMiddleware(() => ({}));
const workflow = withState(createWorkflow());
workflow.handle([startEvent], (_context, { data }) => lengthEvent.with(data.length));
workflow.handle([lengthEvent], (_context, { data }) => stopEvent.with(data * 2));

describe("workflow-core 1.3.4", () => {
  it("run gives the stream of all events", async () => {
    const stream = run(workflow, startEvent.with("abc"));

    expect(stream).toBeInstanceOf(WorkflowStream);
    expect((await stream.until(stopEvent).toArray()).map(({ data }) => data)).toEqual(["abc", 3, 6]);
  });

  it("runWorkflow gives the stop event", async () => {
    const event = await runWorkflow(workflow, startEvent.with("abc"), stopEvent);

    expect([stopEvent.include(event), event.data]).toEqual([true, 6]);
  });

  it("runAndCollect gives an array of all events", async () => {
    const events = await runAndCollect(workflow, startEvent.with("abc"), stopEvent);

    expect(events.map(({ data }) => data)).toEqual(["abc", 3, 6]);
  });

  it("runStream gives all events one by one", async () => {
    const seen: unknown[] = [];

    for await (const { data } of runStream(workflow, startEvent.with("abc"), stopEvent)) seen.push(data);

    expect(seen).toEqual(["abc", 3, 6]);
  });

  it("untilEvent gives the first event of a kind", async () => {
    const event = await run(workflow, startEvent.with("abc")).untilEvent(lengthEvent);

    expect(event.data).toBe(3);
  });

  it("a context gives one snapshot", async () => {
    const context = workflow.createContext();
    await context.snapshot();

    await expect(context.snapshot()).rejects.toThrow("twice");
  });

  it("an error of a handler aborts the signal of its context", () => {
    const failing = createWorkflow();
    failing.handle([startEvent], () => {
      throw new Error("no idea");
    });
    const { sendEvent, signal } = failing.createContext();

    sendEvent(startEvent.with("abc"));

    expect(signal.aborted).toBe(true);
  });
});
