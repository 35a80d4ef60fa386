/** Words of a call over HTTP: as they come, and once for who comes later. */
import { defineWorkflow, type Piece, PieceReader, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type Runtime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createServer, type Handler } from "../src/index.js";
import { readSse } from "./read-sse.js";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const words = Array.from({ length: 40 }, (_, word) => `${word} `);
const poet = defineWorkflow("poet")
  .step("write", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.scope("model").run("answer", async (call) => {
      for (const word of words) {
        call.write(word);
        await pause(3);
      }
    });
    return new StopEvent({ result: "done" });
  })
  .build();

interface Written {
  readonly call: string;
  readonly attempt: number;
  readonly at: number;
  readonly pieces: readonly Piece[];
}

it("reach a reader as they come, one that comes back once, and one that comes later in one event", async () => {
  const log = { info() {}, error() {} };
  const runtime = createRuntime({ workflows: { poet }, store: memoryStore(), log }) as unknown as Runtime;
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  const { fetch } = createServer({ runtime, log });
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(new Request(`http://localhost${path}`, init));
  const started = await ask("/workflows/poet/run-nowait", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const { handler_id: id } = (await started.json()) as Handler;
  const reader = new PieceReader();
  let text = "";
  const read = async (after: number, most: number): Promise<{ count: number; last: number }> => {
    let count = 0;
    let last = after;
    for await (const { id: sequence, data } of readSse(await ask(`/events/${id}?after_sequence=${after}`))) {
      last = sequence;
      const { type, value, writer, call } = data as { type: string; value: Written; writer: string; call: string };
      if (type !== "millrace.pieces") continue;
      expect(call).toBe("/@model/run=answer");
      count++;
      text += reader.take(value, writer)?.pieces.join("") ?? "";
      if (count === most) break;
    }
    return { count, last };
  };
  const { last } = await read(-1, 10);
  expect(text.length).toBeLessThan(words.join("").length);
  const { count } = await read(last, Number.POSITIVE_INFINITY);

  expect(text).toBe(words.join(""));
  expect(count).toBeGreaterThan(10);
  expect(await read(-1, Number.POSITIVE_INFINITY)).toMatchObject({ count: 1 });
});
