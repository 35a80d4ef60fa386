/** What a pipeline gives, held against its output schema. */
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { Parallel, Pipeline, Step } from "../src/index.js";

const Report = z.object({ title: z.string(), words: z.coerce.number().default(100) });

const giving = (content: unknown, options: object = {}) =>
  new Pipeline({
    name: "report",
    steps: [new Step({ name: "write", executor: () => content })],
    outputSchema: Report,
    ...options,
  });

describe("an output schema", () => {
  it("completes the content, and gives it its type", async () => {
    await using pipeline = giving({ title: "Rivers" });
    const output = await pipeline.run("go");

    expect(output).toMatchObject({ status: "COMPLETED", content: { title: "Rivers", words: 100 }, error: null });
    expectTypeOf(output.content).toEqualTypeOf<unknown>();
    if (output.status === "COMPLETED") expectTypeOf(output.content).toEqualTypeOf<{ title: string; words: number }>();
    expect((await pipeline.getRun(output.runId)).content).toEqual({ title: "Rivers", words: 100 });
  });

  it("reads text that models write as JSON", async () => {
    await using pipeline = giving('{ "title": "Rivers", "words": "7" }');

    expect((await pipeline.run("go")).content).toEqual({ title: "Rivers", words: 7 });
  });

  it("takes text as it is where that fits", async () => {
    const steps = [() => "12"];
    await using pipeline = new Pipeline({ name: "text", steps, outputSchema: z.string() });

    expect((await pipeline.run("go")).content).toBe("12");
  });

  it.each([
    ["another type", { title: 7 }, "title: Invalid input: expected string, received number"],
    ["text that is not JSON", "Rivers", "the content: Invalid input: expected object, received string"],
    ["nothing", undefined, "the content: Invalid input: expected object, received"],
  ])("fails a run that gives %s", async (_, content, problem) => {
    await using pipeline = giving(content, { sessionState: { runs: 1 } });
    const run = pipeline.run("go", { sessionId: "s" });
    const output = await run.output();

    expect(output.status).toBe("ERROR");
    expect(output.error).toMatchObject({ code: "OUTPUT_INVALID", message: expect.stringContaining(problem) });
    await expect(Promise.resolve(run)).rejects.toMatchObject({ code: "PIPELINE_FAILED" });
    expect((await pipeline.sessions.get("s"))?.runs).toMatchObject([{ status: "ERROR" }]);
  });

  it("tells readers of the events the same", async () => {
    const names = async (content: unknown) => {
      await using pipeline = giving(content);
      let last = "none";
      for await (const { event } of pipeline.run("go", { streamEvents: true }).events()) last = event;
      return last;
    };

    expect(await names({ title: "Rivers" })).toBe("WorkflowCompleted");
    expect(await names({})).toBe("WorkflowError");
  });

  it("holds for a pipeline that is a step", async () => {
    const steps = (content: unknown) => [
      giving(content),
      (input: { previousStepContent?: unknown }) => input.previousStepContent,
    ];
    await using good = new Pipeline({ name: "good", steps: steps({ title: "Rivers" }) });
    await using bad = new Pipeline({ name: "bad", steps: steps({}) });

    expect((await good.run("go")).content).toEqual({ title: "Rivers", words: 100 });
    expect(await bad.run("go").output()).toMatchObject({ status: "ERROR" });
  });

  it("leaves what was cancelled, and joined text, alone", async () => {
    const branches = new Parallel(
      "both",
      new Step({ name: "a", executor: () => "1" }),
      new Step({ name: "b", executor: () => "2" }),
    );
    await using pipeline = new Pipeline({ name: "joined", steps: [branches], outputSchema: z.string() });

    expect((await pipeline.run("go")).content).toContain("## a");
  });

  it("is not taken beside an agent that answers by itself", () => {
    const agent = {
      kind: "pipeline-agent",
      name: "desk",
      addHistory: true,
      numHistoryRuns: 5,
      decide: async () => ({}),
    };

    expect(() => giving("x", { agent })).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});
