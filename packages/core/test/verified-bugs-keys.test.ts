/** Faults about keys, steps and helpers that were reported for other runtimes, one test each: here they do not happen. */
import { describe, expect, it } from "vitest";
import type { Context } from "../src/index.js";
import { Answer, Ask, flowOf } from "./support/note-flow.js";
import { rejection, waiting } from "./support/runs.js";

/** A library: it knows nothing of its callers, and its keys are short. */
async function fetchPage(ctx: Context, { url, log }: { readonly url: string; readonly log: string[] }) {
  const own = ctx.scope(`fetch ${url}`);
  const text = await own.run("get", () => {
    log.push(`get ${url}`);
    return `text of ${url}`;
  });
  await own.sleep(1);
  return own.run("parse", () => text.toUpperCase());
}

describe("a helper that makes durable calls", () => {
  // inngest-js #1019: steps of one host, made by a helper, had one id; the second took the result of the first.
  it("gives each caller its own result, at the same time and over a retry", async () => {
    const log: string[] = [];
    let attempts = 0;
    const { flow } = flowOf(async (ctx) => {
      const pages = await Promise.all(["a.com/1", "a.com/2", "a.com/3"].map((url) => fetchPage(ctx, { url, log })));
      if (++attempts < 2) throw new Error("again");
      return pages;
    });

    expect(await flow.run({})).toEqual(["TEXT OF A.COM/1", "TEXT OF A.COM/2", "TEXT OF A.COM/3"]);
    expect(log).toEqual(["get a.com/1", "get a.com/2", "get a.com/3"]);
  });

  // mastra #17319, #21639: one id for two writes of the machinery, numbered by position with only a warning.
  it("is refused with the name of its scope when two calls of it could not be told apart", async () => {
    const { flow } = flowOf(async (ctx) => {
      const log: string[] = [];
      const error = await rejection(Promise.all(["a.com", "a.com"].map((url) => fetchPage(ctx, { url, log }))));
      return [error.code, error.message];
    });

    expect(await flow.run({})).toEqual([
      "KEY_REUSED",
      'Step "work" opens the scope "fetch a.com" twice in one attempt.',
    ]);
  });

  // inngest #3069, inngest-kt #72: ids that repeat in a loop made steps of it run too often, or took those of another round.
  it("runs each round of a loop once", async () => {
    const log: string[] = [];
    let attempts = 0;
    const { flow } = flowOf(async (ctx) => {
      for (let round = 0; round < 3; round++) {
        const own = ctx.scope(`round ${round}`);
        await own.sleep(1);
        await own.run("work", () => void log.push(`work ${round}`));
        if (++attempts === 3) throw new Error("in the last round");
      }
      return log;
    });

    expect(await flow.run({})).toEqual(["work 0", "work 1", "work 2"]);
  });
});

describe("questions of helpers that work at the same time", () => {
  // langgraph #6533, #6626: interrupts of parallel tools had one id, and answers reached the wrong tool.
  it("have ids of their own, and each answer reaches its own", async () => {
    const { flow } = flowOf(async (ctx) => {
      const shapes = ["circle", "square", "triangle"].map(async (shape) => {
        const { text } = await ctx.scope(shape).waitForEvent(Answer, { prompt: new Ask({ question: shape }) });
        return `${shape} ${text}`;
      });
      return Promise.all(shapes);
    });
    const handler = flow.run({});
    const { prompts } = await waiting(handler);
    const ids = prompts.map(({ promptId }) => promptId);
    for (const index of [2, 0, 1]) await handler.answer(ids[index] as string, { text: `answer ${index}` });

    expect(new Set(ids).size).toBe(3);
    expect(await handler).toEqual(["circle answer 0", "square answer 1", "triangle answer 2"]);
  });

  // mastra #6014, #18961: the data of one resume was used for every round of a loop.
  it("are asked anew in each round of a loop", async () => {
    const { flow } = flowOf(async (ctx) => {
      const answers: string[] = [];
      for (let round = 0; round < 3; round++) {
        const prompt = new Ask({ question: `${round}` });
        answers.push((await ctx.scope(`round ${round}`).waitForEvent(Answer, { prompt })).text);
      }
      return answers;
    });
    const handler = flow.run({});
    for (const text of ["a", "b", "c"]) {
      const { prompts } = await waiting(handler);
      expect(prompts).toHaveLength(1);
      await handler.answer(prompts[0]?.promptId as string, { text });
    }

    expect(await handler).toEqual(["a", "b", "c"]);
  });
});
