import { describe, expect, it } from "vitest";
import * as z from "zod";
import { event, type WorkflowEvent } from "../event/event.js";
import { EventStream, type StreamedEvent } from "./run-stream.js";

class Progress extends event("Progress", { percent: z.number() }) {}
class Note extends event("Note", { text: z.string() }) {}

/** A stream that has been given `count` events with the sequence numbers 1, 2, … */
function openStream(
  count: number,
  limit = 100,
): { readonly stream: EventStream; readonly publish: (event?: WorkflowEvent) => void } {
  const stream = new EventStream({ limit, nextSequence: 1, types: [] });
  let sequence = 0;
  const publish = (published: WorkflowEvent = new Progress({ percent: sequence + 1 })): void =>
    stream.publish({ sequence: ++sequence, event: published, origin: null, promptId: null });
  for (let published = 0; published < count; published++) publish();
  return { stream, publish };
}

function sequences(items: readonly StreamedEvent[]): number[] {
  return items.map((item) => item.sequence);
}

async function read(items: AsyncIterable<StreamedEvent>, count: number): Promise<number[]> {
  const seen: number[] = [];
  for await (const { sequence } of items) {
    seen.push(sequence);
    if (seen.length === count) break;
  }
  return seen;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("EventStream: reading", () => {
  it("delivers everything to every reader, before and after the end", async () => {
    const { stream, publish } = openStream(2);
    const early = [stream.read().toArray(), stream.read().toArray()];
    await settle();
    publish();
    stream.end();

    expect((await Promise.all(early)).map(sequences)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(sequences(await stream.read().toArray())).toEqual([1, 2, 3]);
  });

  it("starts anew after breaking out", async () => {
    const { stream } = openStream(3);
    const reading = stream.read();

    expect(await read(reading, 2)).toEqual([1, 2]);
    expect(await read(reading, 3)).toEqual([1, 2, 3]);
  });

  it("continues after a sequence number, also one still to come", async () => {
    const { stream, publish } = openStream(3);
    const reading = [stream.read({ after: 2 }).toArray(), stream.read({ after: 4 }).toArray()];
    await settle();
    publish();
    publish();
    stream.end();

    expect((await Promise.all(reading)).map(sequences)).toEqual([[3, 4, 5], [5]]);
  });

  it("answers several `next` calls at once in order", async () => {
    const { stream, publish } = openStream(0);
    const reader = stream.read()[Symbol.asyncIterator]();
    const both = [reader.next(), reader.next()];
    publish();
    publish();

    expect((await Promise.all(both)).map(({ value }) => value?.sequence)).toEqual([1, 2]);
  });

  it("says nothing after the end", async () => {
    const { stream, publish } = openStream(1);
    stream.end();
    publish();

    expect(sequences(await stream.read().toArray())).toEqual([1]);
  });
});

describe("EventStream: stopping", () => {
  it("ends a pending `next` on return, and of that reader only", async () => {
    const { stream, publish } = openStream(0);
    const [left, stays] = [stream.read()[Symbol.asyncIterator](), stream.read()[Symbol.asyncIterator]()];
    const pending = [left.next(), stays.next()] as const;

    await left.return?.();

    expect(await pending[0]).toEqual({ done: true, value: undefined });
    publish();
    expect(await pending[1]).toMatchObject({ done: false, value: { sequence: 1 } });
  });

  it("ends with the signal's reason", async () => {
    const { stream } = openStream(1);
    const abort = new AbortController();
    const reading = stream.read({ signal: abort.signal }).toArray();
    await settle();

    abort.abort(new Error("enough"));

    await expect(reading).rejects.toThrow("enough");
    await expect(stream.read({ signal: abort.signal }).toArray()).rejects.toThrow("enough");
  });
});

describe("EventStream: what is kept", () => {
  it("keeps the last events, and starts with the first of them", async () => {
    const { stream } = openStream(25, 10);
    stream.end();

    expect(sequences(await stream.read().toArray())).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
    expect(sequences(await stream.read({ after: 15 }).toArray())).toHaveLength(10);
  });

  it("says that what was asked for is gone", async () => {
    const { stream } = openStream(25, 10);

    await expect(stream.read({ after: 14 }).toArray()).rejects.toMatchObject({
      code: "STREAM_TRUNCATED",
      message: "The stream keeps 10 events, from number 16 on; this reader has seen 14.",
      details: { after: 14, oldest: 16 },
    });
  });

  it("says so to a reader that fell behind, and never waits for it", async () => {
    const { stream, publish } = openStream(1, 2);
    const reader = stream.read()[Symbol.asyncIterator]();
    await reader.next();
    publish();
    publish();
    publish();

    await expect(reader.next()).rejects.toMatchObject({ code: "STREAM_TRUNCATED", details: { after: 1, oldest: 3 } });
  });

  it("says so to a reader that was waiting for the first event", async () => {
    const { stream, publish } = openStream(0, 2);
    const pending = stream.read()[Symbol.asyncIterator]().next();
    await settle();
    publish();
    publish();
    publish();

    await expect(pending).rejects.toMatchObject({ code: "STREAM_TRUNCATED", details: { after: 0, oldest: 2 } });
  });

  it("does not wait for a number that is none", async () => {
    const { stream } = openStream(3);
    stream.end();

    await expect(stream.read({ after: Number.NaN }).toArray()).rejects.toMatchObject({ code: "STREAM_TRUNCATED" });
    expect(sequences(await stream.read({ after: 1.5 }).toArray())).toEqual([2, 3]);
  });

  it("knows after a restore that earlier events are gone", async () => {
    const stream = new EventStream({ limit: 10, nextSequence: 8, types: [] });
    stream.publish({ sequence: 8, event: new Note({ text: "on" }), origin: null, promptId: null });
    stream.end();

    expect(sequences(await stream.read().toArray())).toEqual([8]);
    expect(sequences(await stream.read({ after: 7 }).toArray())).toEqual([8]);
    await expect(stream.read({ after: 6 }).toArray()).rejects.toMatchObject({ code: "STREAM_TRUNCATED" });
  });

  it("knows it before anything was published again", async () => {
    const reader = new EventStream({ limit: 10, nextSequence: 8, types: [] })
      .read({ after: 3 })
      [Symbol.asyncIterator]();

    await expect(reader.next()).rejects.toMatchObject({ code: "STREAM_TRUNCATED" });
  });
});

describe("RunStream", () => {
  it("filters by class and by predicate", async () => {
    const { stream, publish } = openStream(2);
    publish(new Note({ text: "half" }));
    publish();
    stream.end();

    expect(sequences(await stream.read().filter(Note).toArray())).toEqual([3]);
    expect(
      sequences(
        await stream
          .read()
          .filter(Progress)
          .filter((progress) => progress.percent > 1)
          .toArray(),
      ),
    ).toEqual([2, 4]);
    expect(
      sequences(
        await stream
          .read()
          .filter((_, item) => item.sequence > 2)
          .toArray(),
      ),
    ).toEqual([3, 4]);
  });

  it("ends after the first event of a class, that event included", async () => {
    const { stream, publish } = openStream(2);
    publish(new Note({ text: "half" }));
    publish();

    expect(sequences(await stream.read().until(Note).toArray())).toEqual([1, 2, 3]);
    expect(sequences(await stream.read().until(Note).filter(Progress).toArray())).toEqual([1, 2]);
  });

  it("takes so many, and as many again", async () => {
    const { stream } = openStream(3);
    const two = stream.read().take(2);

    expect(sequences(await two.toArray())).toEqual([1, 2]);
    expect(sequences(await two.toArray())).toEqual([1, 2]);
    expect(() => stream.read().take(0)).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });

  it("yields bare events", async () => {
    const { stream } = openStream(1);
    stream.end();
    const seen: number[] = [];

    for await (const progress of stream.read().filter(Progress).events()) seen.push(progress.percent);

    expect(seen).toEqual([1]);
  });
});
