/** Tokens count, however a run ends. */
import { Parallel, Pipeline, Step } from "@millrace/pipeline";
import { expect, it, onTestFinished } from "vitest";
import { Agent, type ExecutorEvent, tool } from "../../src/index.js";
import { deferred } from "../support/deferred.js";
import { request } from "../support/refunds.js";
import { answers, calls } from "../support/turns.js";

/** Never returns, unless it is told to stop. */
const stuck = (begins: () => void) =>
  tool({
    name: "stuck",
    description: "Takes for ever.",
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        begins();
      }),
  });

const clerk = (begins = () => {}) =>
  new Agent({ name: "Clerk", model: answers(calls(["stuck", {}])), tools: [stuck(begins)] });

it.each([
  ["answering", {}],
  ["streaming", { stream: (_event: ExecutorEvent) => {} }],
])("counts the model call of a run that is cancelled while a tool runs, %s", async (_how, more) => {
  const abort = new AbortController();
  const run = clerk(() => abort.abort(new Error("enough"))).execute(request({ signal: abort.signal, ...more }));

  expect(await run).toMatchObject({ status: "CANCELLED", metrics: { totalTokens: 15 } });
});

it("counts it when the step of a pipeline has run out of time", async () => {
  const pipeline = new Pipeline({
    name: "Desk",
    steps: [new Step({ name: "ask", executor: clerk(), timeout: 1_000, maxRetries: 0, onError: "skip" }), () => "next"],
  });
  onTestFinished(() => pipeline.close());

  const output = await pipeline.run("go");

  expect(output.metrics.steps["ask"]?.metrics.totalTokens).toBe(15);
});

it("counts it when another branch has failed", async () => {
  const asked = deferred();
  const failing = async () => {
    await asked.promise;
    throw new TypeError("no");
  };
  const pipeline = new Pipeline({
    name: "Desk",
    steps: [
      new Parallel(
        "both",
        new Step({ name: "ask", executor: clerk(asked.resolve) }),
        new Step({ name: "fail", executor: failing, maxRetries: 0 }),
      ),
    ],
  });
  onTestFinished(() => pipeline.close());

  const output = await pipeline.run("go").output();

  expect(output.metrics.steps["ask"]?.metrics.totalTokens).toBe(15);
});
