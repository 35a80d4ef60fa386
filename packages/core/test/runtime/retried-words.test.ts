/** Calls with a retry of their own, in scopes, that write: words of each try are told apart, and scopes in the function are opened anew. */
import { expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, memoryStore } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  PieceReader,
  PiecesEvent,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "../../src/index.js";

it("counts words, edits and keys of the last try once", async () => {
  let tries = 0;
  const keys = new Set<string>();
  const flow = defineWorkflow("retried", { state: { n: z.number().default(0) } })
    .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const own = ctx.scope("model");
      await own.run(
        "answer",
        async (call) => {
          keys.add(call.idempotencyKey);
          call.write(`try ${call.attempt} `);
          await own.scope("inside").store.editState((state) => void state.n++, { key: "edit" });
          await new Promise((resolve) => setTimeout(resolve, 60));
          if (++tries < 3) throw new Error("breaks off");
          call.write("whole");
        },
        { retry: retryPolicy({ wait: wait.fixed(1), stop: stop.afterAttempts(5) }) },
      );
      return new StopEvent({ result: await ctx.store.get("n") });
    })
    .build();
  const runtime = createRuntime({ workflows: { flow }, store: memoryStore(), log: { info() {}, error() {} } });
  const run = runtime.run("flow", {}, { runId: "r" });
  const reader = new PieceReader();
  let text = "";
  for await (const { event, writer } of run.streamEvents()) {
    const news = PiecesEvent.is(event) ? reader.take(event, writer) : null;
    if (news !== null) text = (news.at === 0 ? "" : text) + news.pieces.join("");
  }

  expect(await run).toBe(1);
  expect(text).toBe("try 3 whole");
  expect([...keys]).toEqual(["r:1/@model/answer"]);
  await runtime.stop({ drainMs: 0 });
});
