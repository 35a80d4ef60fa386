/** Calls of executors in loops, branches and retries, by an executor that takes its context apart and keeps it. */
import type { Context } from "millrace";
import { expect, it } from "vitest";
import { type Executor, type ExecutorRequest, Loop, Parallel, Pipeline, Step } from "../src/index.js";

function executor(name: string, work: (request: ExecutorRequest) => Promise<unknown>): Executor {
  return {
    kind: "agent",
    name,
    execute: async (request) => {
      const run = { runId: name, metrics: null };
      try {
        return { ...run, content: await work(request), status: "COMPLETED", error: null };
      } catch (error) {
        return { ...run, content: null, status: "ERROR", error };
      }
    },
  };
}

it("one key has an idempotency key of its own in each iteration and branch, and a kept context is refused later", async () => {
  const keys: string[] = [];
  let kept: Context | undefined;
  const pay = executor("pay", ({ ctx }) => {
    kept = ctx;
    const { run } = ctx;
    return run("pay", ({ idempotencyKey }) => keys.push(idempotencyKey));
  });
  const branches = ["a", "b"].map((name) => new Step({ name, executor: pay }));
  const steps = [
    new Loop({ name: "loop", maxIterations: 2, steps: [new Step({ name: "pay", executor: pay })] }),
    new Parallel({ name: "both", steps: branches }),
  ];

  await new Pipeline({ name: "payments", steps }).run("go");

  expect(new Set(keys).size).toBe(4);
  expect(keys).toHaveLength(4);
  await expect(kept?.run("late", () => 1)).rejects.toMatchObject({ code: "ATTEMPT_ENDED" });
});

it("a retry of the step does not repeat a recorded call", async () => {
  let calls = 0;
  let attempts = 0;
  const flaky = executor("flaky", async ({ ctx }) => {
    const made = await ctx.run("once", () => ++calls);
    if (++attempts < 3) throw new Error("no");
    return `${made} of ${calls}`;
  });

  const { content } = await new Pipeline({
    name: "retried",
    steps: [new Step({ name: "flaky", executor: flaky, maxRetries: 3 })],
  }).run("go");

  expect(content).toBe("1 of 1");
  expect(attempts).toBe(3);
});
