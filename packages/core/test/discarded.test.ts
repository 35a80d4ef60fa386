/** Work that is left when a stop event ends the run: it is discarded, and reported. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, memoryStore } from "../src/entries/runtime.js";
import {
  type Context,
  collect,
  defineWorkflow,
  ExternalEvent,
  event,
  many,
  StartEvent,
  StopEvent,
  WorkDiscardedEvent,
} from "../src/index.js";
import { gate } from "./support/runs.js";

class Mail extends event("Mail", { n: z.number().default(0) }) {}
class Note extends event("Note") {}
class Ping extends ExternalEvent.define("Ping", {}) {}
const stop = (): StopEvent<null> => new StopEvent({ result: null });

const mailing = () =>
  defineWorkflow("mailing")
    .step("start", { on: StartEvent, emits: [Mail, StopEvent] }, (_ev, ctx: Context) => {
      for (let n = 0; n < 10; n++) ctx.sendEvent(new Mail({ n }));
      return stop();
    })
    .step("post", { on: Mail }, () => undefined)
    .build();

async function discardedBy(stream: AsyncIterable<{ readonly event?: unknown }>): Promise<unknown> {
  for await (const item of stream) {
    const shown = "event" in item ? item.event : item;
    if (WorkDiscardedEvent.is(shown)) return shown.events;
  }
  return null;
}

describe("events that are sent together with a stop event", () => {
  const all = [{ type: "Mail", step: "post", status: "queued", count: 10 }];

  it("are named on the stream with their number", async () => {
    expect(await discardedBy(mailing().run().streamEvents())).toEqual(all);
  });

  it("are named on the stream of a stored run", async () => {
    const runtime = createRuntime({ workflows: { mailing: mailing() }, store: memoryStore() });
    await runtime.start();

    const seen = await discardedBy(runtime.run("mailing", {}).streamEvents());
    await runtime.stop();

    expect(seen).toEqual(all);
  });

  it("are reported to listeners once", async () => {
    const flow = mailing();
    const told: unknown[] = [];
    flow.on("work.discarded", ({ events }) => void told.push(events));

    await flow.run();

    expect(told).toEqual([all]);
  });
});

describe("a run that ends while other work is left", () => {
  it("reports what was running, delayed and kept", async () => {
    const begun = gate();
    const flow = defineWorkflow("left")
      .step("start", { on: StartEvent, emits: [Mail, Note] }, (_ev, ctx: Context) => {
        ctx.sendEvent(new Mail({}));
        ctx.sendEvent(new Mail({}), { delay: "1h" });
        return new Note({});
      })
      .step("post", { on: Mail, waits: Ping }, async (_ev, ctx) => {
        begun.open();
        await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
      })
      .step("end", { on: Note, emits: StopEvent }, async (_ev, ctx) => {
        await begun.promise;
        await ctx.sleep(1);
        return stop();
      })
      .build();
    const handler = flow.run();
    const seen = discardedBy(handler.streamEvents());
    await handler.sendEvent(new Ping({}));

    expect(await seen).toEqual([
      { type: "Mail", step: "post", status: "running", count: 1 },
      { type: "Mail", step: null, status: "delayed", count: 1 },
      { type: "Ping", step: null, status: "kept", count: 1 },
    ]);
  });

  it("reports the part of a batch that has arrived", async () => {
    const flow = defineWorkflow("batch")
      .step("split", { on: StartEvent, emits: many(Mail) }, () => [new Mail({ n: 1 }), new Mail({ n: 2 })])
      .step("post", { on: Mail, emits: [Note, StopEvent], workers: 1 }, ({ n }) => (n === 1 ? new Note({}) : stop()))
      .step("gather", { on: collect(Note), emits: StopEvent }, () => stop())
      .build();

    expect(await discardedBy(flow.run().streamEvents())).toEqual([
      { type: "Note", step: "gather", status: "gathered", count: 1 },
    ]);
  });

  it("reports nothing when nothing is left, or when a step only waits", async () => {
    const flow = defineWorkflow("waits")
      .step("start", { on: StartEvent, emits: [Mail, Note] }, (_ev, ctx: Context) => {
        ctx.sendEvent(new Mail({}));
        return new Note({});
      })
      .step("post", { on: Mail, waits: Ping }, async (_ev, ctx) => void (await ctx.waitForEvent(Ping)))
      .step("end", { on: Note, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.sleep(1);
        return stop();
      })
      .build();

    expect(await discardedBy(flow.run().streamEvents())).toBeNull();
  });
});
