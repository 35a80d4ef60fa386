import { Parallel, type PipelineRunOutput, Step } from "@millrace/pipeline";
import { expect, it } from "vitest";
import { printOutput, printPipelineResponse } from "../src/index.js";
import { pipeline, target } from "./support/printing.js";

const step = (name: string, content: unknown) => new Step({ name, executor: () => content });

async function printed(output: PipelineRunOutput, options: Parameters<typeof printOutput>[1] = {}): Promise<string> {
  const out = target();
  await printOutput(output, { out, ...options });
  return out.text();
}

it("a finished run is printed with its input and its steps; its result only where no step has it", async () => {
  const output = await pipeline(step("a", "one"), step("b", "two")).run("x");

  const own = await printed(output);
  const other = await printed({ ...output, content: "three" });

  expect(own).toBe("Article\nInput: x\n\n── a\none\n\n── b\ntwo\n");
  expect(other).toBe(`${own}\n── Result\nthree\n`);
});

it("the branches of a Parallel are printed, not their joined text once more", async () => {
  const output = await pipeline(new Parallel("both", step("a", "one"), step("b", "two"))).run("x");

  expect(await printed(output)).toBe("Article\nInput: x\n\n── a\none\n\n── b\ntwo\n");
});

it("what a paused run waits for is listed, live and later", async () => {
  const fields = [
    { name: "topic", type: "string" as const },
    { name: "tone", type: "string" as const },
  ];
  const asks = pipeline(
    step("a", "one"),
    new Parallel(
      "both",
      new Step({
        name: "send",
        executor: () => "sent",
        humanReview: { requiresConfirmation: true, confirmationMessage: "Send it?" },
      }),
      new Step({
        name: "fill",
        executor: () => "filled",
        humanReview: { requiresUserInput: true, userInputMessage: "Say more", userInputSchema: fields },
      }),
    ),
  );
  const out = target();

  const output = await printPipelineResponse(asks, "x", { out });

  expect(output.status).toBe("PAUSED");
  expect(await printed(output)).toBe(out.text());
  expect(out.text()).toBe(`Article
Input: x

── a
one

The run is paused and waits for an answer.
- send: Send it?
- fill: Say more (topic, tone)
`);
});

it("metrics are a table whose columns stand under each other, wide characters included", async () => {
  const output = await pipeline(step("a", "one")).run("x");
  const metrics = (totalTokens: number, duration: number) => ({
    totalTokens,
    inputTokens: totalTokens - 1,
    outputTokens: 1,
    duration,
  });
  const steps = {
    水: { stepName: "水の流れ", executorType: "agent", executorName: "Writer", metrics: metrics(1200, 12.345) },
    a: { stepName: "a", executorType: "function", executorName: null, metrics: metrics(1, 0) },
  };

  const text = await printed({ ...output, metrics: { duration: 13, steps } } as unknown as PipelineRunOutput, {
    showMetrics: true,
  });

  expect(text.slice(text.indexOf("── Metrics"))).toBe(`── Metrics
Step      Executor      Seconds  Tokens    In  Out
水の流れ  agent Writer    12.35    1200  1199    1
a         function         0.00       1     0    1
Run                       13.00    1201  1199    2
`);
});
