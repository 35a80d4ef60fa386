/** The stream of a run, for any number of readers. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  retryPolicy,
  StartEvent,
  StepRestartedEvent,
  StopEvent,
  stop,
  wait,
} from "../src/index.js";
import { rejection, reload, waiting } from "./support/runs.js";

class Ask extends InputRequiredEvent.define("Ask", { question: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Progress extends event("Progress", { percent: z.number() }) {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });
const twice = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) });

const showing = (count: number, streamBuffer = 10_000) =>
  defineWorkflow("showing")
    .step("show", { on: StartEvent, emits: StopEvent, streams: Progress }, async (_, ctx) => {
      for (let percent = 0; percent < count; percent++) ctx.writeEventToStream(new Progress({ percent }));
      return stopped("shown");
    })
    .build({ streamBuffer });

const types = (items: readonly { readonly event: { readonly type: string } }[]): string[] =>
  items.map((item) => item.event.type);

describe("a stream", () => {
  it("numbers its events without a gap, and gives late readers all of them", async () => {
    const handler = showing(3).run();
    await handler;

    const items = await handler.streamEvents().toArray();

    expect(items.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3]);
    expect(types(items)).toEqual(["Progress", "Progress", "Progress", "StopEvent"]);
  });

  it("goes on after a number, over a restore too", async () => {
    const flow = defineWorkflow("restored")
      .step("ask", { on: StartEvent, waits: Answer, streams: [Ask, Progress], emits: StopEvent }, async (_, ctx) => {
        await ctx.waitForEvent(Answer, { prompt: new Ask({ question: "?" }) });
        ctx.writeEventToStream(new Progress({ percent: 100 }));
        return stopped(null);
      })
      .build();
    const first = flow.run();
    await waiting(first);
    const [last] = await first.streamEvents().take(1).toArray();
    const second = flow.resume(reload(flow, first.context));
    const rest = second.streamEvents({ after: last!.sequence }).toArray();
    await waiting(second);

    await second.sendEvent(new Answer({ text: "" }));

    expect((await rest).map(({ sequence, event: { type } }) => [sequence, type])).toEqual([
      [1, "StepRestartedEvent"],
      [2, "Progress"],
      [3, "StopEvent"],
    ]);
  });

  it("keeps so many events, and says which are gone", async () => {
    const handler = showing(10, 4).run();
    const slow = handler.streamEvents()[Symbol.asyncIterator]();
    const first = slow.next();
    await handler;

    const kept = await handler.streamEvents().toArray();
    const error = await rejection(handler.streamEvents({ after: 2 }).toArray());

    expect(kept.map(({ sequence }) => sequence)).toEqual([7, 8, 9, 10]);
    expect(error).toMatchObject({ code: "STREAM_TRUNCATED", details: { after: 2, oldest: 7 } });
    await first.catch(() => {});
  });

  it("ends with what ended the run, and can be read up to an event or as a response", async () => {
    const handler = showing(3).run();

    const until = await handler
      .streamEvents()
      .until((ev) => Progress.is(ev) && ev.percent === 1)
      .toArray();
    const body = await handler.streamEvents().filter(Progress).toResponse({ format: "ndjson" }).text();

    expect(types(until)).toEqual(["Progress", "Progress"]);
    expect(
      body
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ data: { percent: 0 } }, { data: { percent: 1 } }, { data: { percent: 2 } }]);
  });

  it("announces that a step starts over", async () => {
    let failures = 1;
    const flow = defineWorkflow("again")
      .step("work", { on: StartEvent, emits: StopEvent, streams: Progress, retry: twice }, async (_, ctx) => {
        ctx.writeEventToStream(new Progress({ percent: 50 }));
        if (failures-- > 0) throw new Error("lost");
        return stopped(null);
      })
      .build();

    const items = await flow.run().streamEvents().toArray();

    expect(types(items)).toEqual(["Progress", "StepRestartedEvent", "Progress", "StopEvent"]);
    expect(items[1]?.event).toEqual(expect.objectContaining({ step: "work", attempt: 2 }));
    expect(items[1]?.event).toBeInstanceOf(StepRestartedEvent);
  });

  it("of a failed, cancelled or waiting run does not hang", async () => {
    const flow = defineWorkflow("ends")
      .step("work", { on: StartEvent, emits: StopEvent, waits: Answer }, async (ev, ctx) => {
        if (ev.get("fails") === true) throw new Error("no");
        return stopped(await ctx.waitForEvent(Answer));
      })
      .build();
    const failed = flow.run({ fails: true });
    const cancelled = flow.run();
    const shown = Promise.all([failed.streamEvents().toArray(), cancelled.streamEvents().toArray()]);
    await rejection(failed);

    await cancelled.cancel();

    expect((await shown).map(types)).toEqual([["WorkflowFailedEvent"], ["WorkflowCancelledEvent"]]);
  });
});
