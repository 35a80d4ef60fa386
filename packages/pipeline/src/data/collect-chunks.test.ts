import { image } from "@millrace/executor";
import { describe, expect, it } from "vitest";
import { collectChunks, isChunks } from "./collect-chunks.js";
import { stepOutput } from "./step-output.js";

const text = (content: unknown) => ({ event: "RunContent", runId: "r", content });
const usage = (totalTokens: number) => ({ inputTokens: totalTokens, outputTokens: 0, totalTokens, duration: 1 });
const result = (runId: string, content: unknown) => ({ runId, content, metrics: usage(10), status: "COMPLETED" });

async function* of(...chunks: unknown[]): AsyncGenerator<unknown, unknown> {
  yield* chunks;
  return undefined;
}

describe("collectChunks", () => {
  it("concatenates text", async () => {
    expect((await collectChunks(of("a", "b", "", "c"))).content).toBe("abc");
  });

  it("takes a generator that is not async, and promises it yields", async () => {
    function* generate() {
      yield "a";
      yield Promise.resolve("b");
    }

    expect((await collectChunks(generate())).content).toBe("ab");
  });

  it("has no content when nothing was yielded", async () => {
    expect((await collectChunks(of())).content).toBeUndefined();
    expect((await collectChunks(of(undefined, null))).content).toBeUndefined();
  });

  it("keeps the last value that is not a string", async () => {
    expect((await collectChunks(of("a", { k: 1 }, { k: 2 }))).content).toEqual({ k: 2 });
    expect((await collectChunks(of({ k: 1 }, "a", "b"))).content).toBe("ab");
    expect((await collectChunks(of(1, 2))).content).toBe(2);
  });

  it("forwards events in order, and takes content from content events alone", async () => {
    const seen: unknown[] = [];
    const events = [
      { event: "RunStarted", runId: "r" },
      text("Hel"),
      text("lo"),
      { ...text("Hello"), event: "RunCompleted" },
    ];

    const output = await collectChunks(of(...events), { onEvent: (event) => seen.push(event) });

    expect(seen).toEqual(events);
    expect(output.content).toBe("Hello");
  });

  it("lets structured content of an event replace the text", async () => {
    expect((await collectChunks(of(text("a"), { ...text({ k: 1 }), event: "TeamRunContent" }))).content).toEqual({
      k: 1,
    });
  });

  it("lets the end of a run have the last word about its content", async () => {
    const images = [image({ filepath: "a" })];
    const end = { event: "RunCompleted", runId: "r", content: { k: 1 }, metrics: usage(10), images };

    const output = await collectChunks(of(text('{"k"'), text(":1}"), end));

    expect(output).toMatchObject({ content: { k: 1 }, metrics: usage(10), images, stepRunId: "r", success: true });
  });

  it("joins the texts of several runs, each once, in the order in which they began", async () => {
    const end = (runId: string, content: string) => ({ event: "RunCompleted", runId, content, metrics: usage(10) });
    const other = { ...text("two "), runId: "s" };

    const output = await collectChunks(
      of("> ", text("on"), other, text("e "), end("s", "two "), end("r", "one "), "<"),
    );

    expect(output).toMatchObject({ content: "> one two <", metrics: { totalTokens: 20 } });
  });

  it("counts a run once whose end and whose result were yielded", async () => {
    const end = { event: "RunCompleted", runId: "run-1", content: "one", metrics: usage(10) };

    expect(await collectChunks(of(end, result("run-1", "one")))).toMatchObject({ content: "one", metrics: usage(10) });
  });

  it("leaves runs inside other runs to those", async () => {
    const member = { parentRunId: "team", runId: "m", metrics: usage(4) };
    const events = [
      { event: "TeamRunStarted", runId: "team" },
      { ...member, event: "RunContent", content: "member says" },
      { ...member, event: "RunCompleted", content: "member says" },
      { event: "TeamRunContent", runId: "team", content: "all say" },
      { event: "TeamRunCompleted", runId: "team", content: "all say", metrics: usage(14) },
    ];

    expect(await collectChunks(of(...events))).toMatchObject({ content: "all say", metrics: usage(14) });
  });

  it("takes the content of a nested pipeline from its end", async () => {
    const events = [
      { event: "WorkflowStarted", runId: "w", createdAt: 1 },
      { ...text("draft"), workflowRunId: "w" },
      {
        event: "WorkflowCompleted",
        runId: "w",
        workflowRunId: "w",
        content: "report",
        metrics: { duration: 2, steps: {} },
      },
    ];

    expect(await collectChunks(of(...events))).toMatchObject({ content: "report", metrics: { duration: 2 } });
  });

  it("is a failure when the run that it streamed has failed", async () => {
    const end = { event: "RunError", runId: "r", content: "no model" };

    expect(await collectChunks(of(text("half"), end))).toMatchObject({
      content: "half",
      success: false,
      error: "no model",
    });
  });

  it("reports the text that the function itself yields", async () => {
    const seen: string[] = [];

    await collectChunks(of("a", text("b"), { k: 1 }, "c"), { onText: (piece) => seen.push(piece) });

    expect(seen).toEqual(["a", "c"]);
  });

  it("lets the result of a run replace the content, and adds up media and metrics", async () => {
    const first = { ...result("run-1", "one"), images: [image({ filepath: "a" })] };
    const second = { ...result("run-2", "two"), images: [image({ filepath: "b" })] };

    const output = await collectChunks(of("before", first, second, "!"));

    expect(output).toMatchObject({
      content: "two!",
      stepRunId: "run-2",
      metrics: { ...usage(20), duration: 2 },
      success: true,
    });
    expect(output.images.map(({ filepath }) => filepath)).toEqual(["a", "b"]);
  });

  it("ends with a step output and closes the generator", async () => {
    const steps: string[] = [];
    async function* generate() {
      try {
        yield "a";
        yield stepOutput({ content: "final", stop: true });
        steps.push("went on");
      } finally {
        steps.push("closed");
      }
    }

    expect(await collectChunks(generate())).toMatchObject({ content: "final", stop: true });
    expect(steps).toEqual(["closed"]);
  });

  it.each([
    ["text", "final"],
    [stepOutput({ content: "final" }), "final"],
    [result("run-1", "final"), "final"],
  ])("lets what the generator returns be final: %o", async (returned, content) => {
    async function* generate() {
      yield "a";
      return returned === "text" ? content : returned;
    }

    expect((await collectChunks(generate())).content).toBe(content);
  });

  it("awaits a listener before it asks for more", async () => {
    const order: string[] = [];
    function* generate() {
      yield "a";
      order.push("asked");
      yield "b";
    }

    await collectChunks(generate(), {
      onText: async (piece) => {
        await new Promise(setImmediate);
        order.push(piece);
      },
    });

    expect(order).toEqual(["a", "asked", "b"]);
  });

  it("closes the generator when a listener throws", async () => {
    let closed = false;
    async function* generate() {
      try {
        yield "a";
      } finally {
        closed = true;
      }
    }
    const failing = collectChunks(generate(), {
      onText: () => {
        throw new RangeError("cancelled");
      },
    });

    await expect(failing).rejects.toThrow(RangeError);
    expect(closed).toBe(true);
  });

  it("passes on what the generator throws", async () => {
    async function* generate() {
      yield "a";
      throw new RangeError("no model");
    }

    await expect(collectChunks(generate())).rejects.toThrow("no model");
  });
});

describe("isChunks", () => {
  it("takes generators and async streams for chunks, and collections for data", () => {
    function* generate() {
      yield 1;
    }

    expect([of(), generate(), new ReadableStream()].map(isChunks)).toEqual([true, true, true]);
    expect([[1], new Set(), new Map(), "text", null, { next: 1 }, new Uint8Array()].map(isChunks)).toEqual(
      Array(7).fill(false),
    );
  });
});
