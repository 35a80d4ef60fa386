import { Loop, Parallel, Pipeline, Step } from "@millrace/pipeline";
import { expect, it } from "vitest";
import { z } from "zod";
import { printPipelineResponse, printRun } from "../src/index.js";
import { gate, pipeline, speaks, target } from "./support/printing.js";

const echo = new Step({ name: "echo", executor: (input) => `got **${input.input}**` });
const fails = new Step({
  name: "fails",
  executor: () => {
    throw new Error("no");
  },
});

it("a response is the title, the input and each step's content under its name", async () => {
  const out = target();

  const output = await printPipelineResponse(
    pipeline(echo, new Step({ name: "data", executor: () => ({ a: [1] }) })),
    "x",
    {
      out,
    },
  );

  expect(output.content).toEqual({ a: [1] });
  expect(out.text()).toBe(`Article
Input: x

── echo
got **x**

── data
{
  "a": [
    1
  ]
}
`);
});

it("an input of several lines stands below its label, no input at all has none", async () => {
  const [long, none] = [target(), target()];

  await printPipelineResponse(pipeline(echo), { a: 1 }, { out: long });
  await printPipelineResponse(pipeline(new Step({ name: "a", executor: () => "b" })), undefined, { out: none });

  expect(long.text()).toMatch(/^Article\nInput:\n\{\n {2}"a": 1\n\}\n\n── echo\n/);
  expect(none.text()).toBe("Article\n\n── a\nb\n");
});

it("what is streamed is printed as it comes, and once", async () => {
  const out = target();
  const { open, opened } = gate();
  const slow = new Step({
    name: "slow",
    executor: async function* () {
      yield { event: "RunContent", runId: "run", content: "one " };
      await opened;
      yield { event: "TeamRunContent", runId: "run", content: "two" };
    },
  });

  const printed = printPipelineResponse(pipeline(slow, echo), "x", { out });
  await expect.poll(out.text).toBe("Article\nInput: x\n\n── slow\none ");
  open();
  await printed;

  expect(out.text()).toBe("Article\nInput: x\n\n── slow\none two\n\n── echo\ngot **x**\n");
});

it("with stream off a step's text comes when it has ended", async () => {
  const out = target();

  await printRun(pipeline(new Step({ name: "says", executor: speaks("a", "b") })).run("x", { streamEvents: true }), {
    stream: false,
    out,
  });

  expect(out.writes).not.toContain("a");
  expect(out.text()).toBe("Article\n\n── says\nab\n");
});

it("a content that differs from what was streamed is printed too", async () => {
  const out = target();
  const other = new Step({
    name: "other",
    executor: async function* () {
      yield { event: "RunContent", runId: "run", content: "thinking" };
      return { answer: 1 };
    },
  });
  const same = new Step({
    name: "same",
    executor: async function* () {
      yield { event: "RunContent", runId: "run", content: '{"answer":1}' };
      return { answer: 1 };
    },
  });

  await printPipelineResponse(pipeline(other, same), "x", { out });

  expect(out.text()).toBe('Article\nInput: x\n\n── other\nthinking\n{\n  "answer": 1\n}\n\n── same\n{"answer":1}\n');
});

it("branches that speak at once are printed one after the other", async () => {
  const out = target();
  const first = gate();
  const second = gate();
  const one = new Step({
    name: "one",
    executor: async function* () {
      yield { event: "RunContent", runId: "run", content: "1" };
      second.open();
      await first.opened;
      yield { event: "RunContent", runId: "run", content: "1" };
    },
  });
  const two = new Step({
    name: "two",
    executor: async function* () {
      await second.opened;
      yield { event: "RunContent", runId: "run", content: "22" };
      first.open();
    },
  });

  await printPipelineResponse(pipeline(new Parallel("both", one, two)), "x", { out });

  expect(out.text()).toBe("Article\nInput: x\n\n── one\n11\n\n── two\n22\n");
});

it("a run without streamEvents is printed in full: functions and streams", async () => {
  const out = target();
  const inside = new Step({ name: "inside", executor: () => "in" });

  await printRun(
    pipeline(
      new Loop({ name: "loop", maxIterations: 2, steps: [inside] }),
      echo,
      new Step({ name: "says", executor: speaks("a", "b") }),
    ).run("x"),
    { out },
  );

  expect(out.text()).toBe("Article\n\n── inside\nin\n\n── inside\nin\n\n── echo\ngot **x**\n\n── says\nab\n");
});

it("every iteration of a loop is printed", async () => {
  const out = target();
  const loop = new Loop({ name: "loop", maxIterations: 2, steps: [new Step({ name: "says", executor: speaks("a") })] });

  await printPipelineResponse(pipeline(loop), "x", { out });

  expect(out.text()).toBe("Article\nInput: x\n\n── says\na\n\n── says\na\n");
});

it("showSteps adds a line where a step begins and where it ends, with its seconds", async () => {
  const out = target();

  await printPipelineResponse(pipeline(echo, new Step({ name: "says", executor: speaks("a", "b\n\n") })), "x", {
    showSteps: true,
    out,
  });

  expect(out.text()).toBe(`Article
Input: x

▶ echo
got **x**
✓ echo  T s

▶ says
ab

✓ says  T s
`);
});

it("showSteps keeps the lines of a branch that waits with its text", async () => {
  const out = target();
  const begun = gate();
  const ended = gate();
  const one = new Step({
    name: "one",
    executor: async function* () {
      yield { event: "RunContent", runId: "run", content: "1" };
      begun.open();
      await ended.opened;
    },
  });
  const two = new Step({
    name: "two",
    executor: async () => {
      await begun.opened;
      setTimeout(ended.open, 20);
      return "2";
    },
  });

  await printPipelineResponse(pipeline(new Parallel("both", one, two)), "x", { showSteps: true, out });

  const lines = out.text().split("\n");
  expect(lines.indexOf("2")).toBeGreaterThan(lines.findIndex((line) => line.includes("✓ one")));
  expect(lines.indexOf("2")).toBeLessThan(lines.findIndex((line) => line.includes("✓ two")));
});

it("a failed run says where and why, and rejects as awaiting it does", async () => {
  const out = target();

  await expect(printPipelineResponse(pipeline(echo, fails), "x", { out })).rejects.toMatchObject({
    code: "PIPELINE_FAILED",
  });

  expect(out.text()).toBe(
    'Article\nInput: x\n\n── echo\ngot **x**\n\n✗ fails: no\n\nThe run has failed in the step "fails".\n',
  );
});

it("without streamEvents the reason stands under the step", async () => {
  const out = target();

  await expect(printRun(pipeline(fails).run("x"), { out })).rejects.toMatchObject({ code: "PIPELINE_FAILED" });

  expect(out.text()).toBe('Article\n\n── fails\nFailed: no\n\nThe run has failed in the step "fails".\n');
});

it("a step that fails while the run goes on is printed once", async () => {
  const [live, late] = [target(), target()];
  const skips = new Step({ name: "fails", onError: "skip", executor: fails.options.executor });

  await printPipelineResponse(pipeline(skips, echo), "x", { out: live });
  await printRun(pipeline(skips, echo).run("x"), { out: late });

  expect(live.text()).toBe("Article\nInput: x\n\n✗ fails: no\n\n── echo\ngot **x**\n");
  expect(late.text()).toBe("Article\n\n── echo\ngot **x**\n\n── fails\nFailed: no\n");
});

it("a cancelled run says so, with what was done", async () => {
  const out = target();
  const waits = new Step({
    name: "waits",
    executor: (_input, { signal }) => new Promise((_, no) => (signal.onabort = no)),
  });
  const run = pipeline(echo, waits).run("x", { streamEvents: true });

  const printed = printRun(run, { out });
  await expect.poll(out.text).toContain("got");
  await run.cancel();

  expect((await printed).status).toBe("CANCELLED");
  expect(out.text()).toBe("Article\n\n── echo\ngot **x**\n\n── waits\n(cancelled)\n\nThe run was cancelled.\n");
});

it("an input that does not fit is refused before anything is printed", async () => {
  const out = target();
  const strict = new Pipeline({ name: "Strict", steps: [echo], inputSchema: z.object({ topic: z.string() }) });

  await expect(printPipelineResponse(strict, { topic: 1 }, { out })).rejects.toMatchObject({ code: "INPUT_INVALID" });

  expect(out.text()).toBe("");
});

it("a step without content says so", async () => {
  const out = target();

  await printPipelineResponse(
    pipeline(new Step({ name: "none", executor: () => null }), new Step({ name: "empty", executor: speaks("") })),
    "x",
    { out },
  );

  expect(out.text()).toBe("Article\nInput: x\n\n── none\n(no content)\n\n── empty\n(no content)\n");
});

it("groups and the steps of a nested pipeline are indented, and its result is not printed twice", async () => {
  const out = target();
  const inner = new Pipeline({ name: "Inner", steps: [new Step({ name: "says", executor: speaks("a", "b") })] });
  const data = new Step({ name: "data", executor: () => [1] });

  await printPipelineResponse(
    pipeline(
      new Step({ name: "nested", executor: inner }),
      new Parallel("both", data),
      new Loop({ name: "twice", maxIterations: 2, steps: [echo] }),
    ),
    "x",
    { showSteps: true, out },
  );

  expect(out.text()).toBe(`Article
Input: x

▶ nested
  ▶ says
ab
  ✓ says  T s
✓ nested  T s

▶ both  parallel
  ▶ data
[
  1
]
  ✓ data  T s
✓ both  T s

▶ twice  loop
  ↻ iteration 1
  ▶ echo
got **x**
  ✓ echo  T s

  ↻ iteration 2
  ▶ echo
got **x**
  ✓ echo  T s
✓ twice  T s
`);
});

it("a nested pipeline that has ended lets others speak, also where no event tells of steps", async () => {
  const out = target();
  const inner = new Pipeline({ name: "Inner", steps: [new Step({ name: "inside", executor: speaks("a", "b") })] });
  const { open, opened } = gate();
  const waits = new Step({
    name: "waits",
    executor: async function* () {
      yield { event: "RunContent", runId: "run", content: "c" };
      await opened;
    },
  });

  const printed = printRun(pipeline(new Step({ name: "nested", executor: inner }), waits).run("x"), { out });
  await expect.poll(out.text).toBe("Article\n\n── inside\nab\n\n── waits\nc");
  open();
  await printed;

  expect(out.text()).toBe("Article\n\n── inside\nab\n\n── waits\nc\n");
});

it("what members tell their team is not printed", async () => {
  const out = target();
  const team = new Step({
    name: "team",
    executor: async function* () {
      yield { event: "TeamRunContent", runId: "team", parentRunId: null, content: "we " };
      yield { event: "RunContent", runId: "member", parentRunId: "team", content: "I" };
      yield { event: "TeamRunContent", runId: "team", parentRunId: null, content: "agree" };
      return "we agree";
    },
  });

  await printPipelineResponse(pipeline(team), "x", { out });

  expect(out.text()).toBe("Article\nInput: x\n\n── team\nwe agree\n");
});

it("a step that is tried again is printed anew", async () => {
  const out = target();
  let attempts = 0;
  const stutters = new Step({
    name: "stutters",
    maxRetries: 1,
    executor: async function* () {
      yield "half an ";
      if (++attempts === 1) throw new Error("no");
      yield "answer";
    },
  });

  await printPipelineResponse(pipeline(stutters), "x", { out });

  expect(out.text()).toBe("Article\nInput: x\n\n── stutters\nhalf an \n↻ stutters, attempt 2\nhalf an answer\n");
});
