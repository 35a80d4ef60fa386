import { describe, expect, it } from "vitest";
import * as z from "zod";
import { event } from "../event/event.js";
import { EventStream } from "./run-stream.js";

class Progress extends event("Progress", { percent: z.number() }) {}
class Money {
  readonly cents: number;

  constructor(cents: number) {
    this.cents = cents;
  }
}
class Paid extends event("Paid", { price: z.instanceof(Money) }) {}
class Due extends event("Due", { at: z.date() }) {}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function openStream(): EventStream {
  const stream = new EventStream({ limit: 10, nextSequence: 1, types: [] });
  stream.publish({ sequence: 1, event: new Progress({ percent: 50 }), origin: null, promptId: null });
  stream.publish({ sequence: 2, event: new Progress({ percent: 100 }), origin: "digest", promptId: "p1" });
  return stream;
}

describe("toResponse", () => {
  it("sends Server-Sent Events and ends with the stream", async () => {
    const stream = openStream();
    const response = stream.read().toResponse();
    stream.end();

    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const frames = (await response.text()).split("\n\n");
    expect(frames).toHaveLength(3);
    const [id, data] = (frames[1] as string).split("\n");
    expect(id).toBe("id: 2");
    expect(JSON.parse((data as string).slice("data: ".length))).toEqual({
      type: "Progress",
      sequence: 2,
      origin: "digest",
      promptId: "p1",
      data: { percent: 100 },
    });
  });

  it("sends one JSON object a line", async () => {
    const stream = openStream();
    stream.end();
    const response = stream.read({ after: 1 }).toResponse({ format: "ndjson" });

    expect(response.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect((await response.text()).split("\n").map((line) => line && JSON.parse(line).sequence)).toEqual([2, ""]);
  });

  it("marks values that JSON cannot hold", async () => {
    const stream = new EventStream({ limit: 10, nextSequence: 1, types: [] });
    stream.publish({ sequence: 1, event: new Due({ at: new Date(0) }), origin: null, promptId: null });
    stream.end();

    expect(await stream.read().toResponse({ format: "ndjson" }).json()).toEqual({
      type: "Due",
      sequence: 1,
      origin: null,
      data: { at: "1970-01-01T00:00:00.000Z" },
      meta: expect.anything(),
    });
  });

  it("encodes values of the user's own types, and breaks off at one it does not know", async () => {
    const money = {
      name: "Money",
      is: (value: unknown) => value instanceof Money,
      encode: (value: unknown) => (value as Money).cents,
      decode: Number,
    };
    const responses = [[money], []].map((types) => {
      const stream = new EventStream({ limit: 10, nextSequence: 1, types });
      stream.publish({ sequence: 1, event: new Paid({ price: new Money(5) }), origin: null, promptId: null });
      stream.end();
      return stream.read().toResponse({ format: "ndjson" });
    });

    expect(await responses[0]?.json()).toMatchObject({ data: { price: 5 } });
    await expect(responses[1]?.json()).rejects.toMatchObject({
      code: "VALUE_UNSERIALIZABLE",
      message: expect.stringContaining("Paid.price"),
    });
  });

  it("lets your headers win", () => {
    const response = openStream()
      .read()
      .toResponse({ headers: { "cache-control": "no-store" } });

    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("stops reading when the other side goes away", async () => {
    const stream = openStream();
    let seen = 0;
    const body = stream
      .read()
      .filter(() => ++seen > 0)
      .toResponse().body as ReadableStream<Uint8Array>;
    const reader = body.getReader();
    await reader.read();
    await reader.read();
    const pending = reader.read();

    await reader.cancel();
    stream.publish({ sequence: 3, event: new Progress({ percent: 1 }), origin: null, promptId: null });
    await settle();

    expect(await pending).toEqual({ done: true, value: undefined });
    expect(seen).toBe(2);
  });

  it("breaks off when the stream does", async () => {
    const response = openStream().read({ after: -1 }).toResponse();

    await expect(response.text()).rejects.toMatchObject({ code: "STREAM_TRUNCATED" });
  });
});
