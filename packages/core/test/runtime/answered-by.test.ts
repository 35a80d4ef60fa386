/** Who answered a prompt, through which door and when. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, promptIds } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { text: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}

const answers = () => {
  const ask = defineWorkflow("ask")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
      const first = await ctx.waitForEvent(Answer, { prompt: new Ask({ text: "first?" }), key: "first" });
      const second = await ctx.waitForEvent(Answer, {
        prompt: new Ask({ text: "second?" }),
        where: { text: "yes" },
        key: "second",
      });
      return new StopEvent({ result: [first.text, second.text] });
    })
    .build();
  const parent = defineWorkflow("parent", { children: { ask } })
    .step("start", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const said = await ctx.runChild("ask", {});
      await ctx.sleep("1h");
      return new StopEvent({ result: said });
    })
    .build();
  return { ask, parent };
};

async function asked(workflow: "ask" | "parent" = "ask") {
  const machine = new Machine();
  const here = machine.open(answers()).runtime;
  const elsewhere = machine.open(answers()).runtime;
  const run = here.run(workflow, {}, { runId: "r" });
  await run.idle();
  return { here, elsewhere, run, open: async () => (await promptIds(run))[0] as string };
}

describe("who answered", () => {
  it("is stored in the tick of the answer, from this process and from another", async () => {
    const { here, elsewhere, run, open } = await asked();
    const first = await open();
    await run.answer(first, { text: "yes" }, { by: { user: "ada", door: "chat" } });
    await run.idle();
    const second = await open();
    await elsewhere.handle("r").answer(second, { text: "yes" }, { by: { door: "link" }, key: "k" });
    await run;

    const ticks = await all(here.history("r"));
    const received = ticks.flatMap(({ tick }) => (tick.type === "event.received" ? [tick] : []));
    expect(received.map(({ promptId, by }) => ({ promptId, by }))).toEqual([
      { promptId: first, by: { user: "ada", door: "chat" } },
      { promptId: second, by: { door: "link" } },
    ]);
    const [attempt] = await all(here.attempts("r"));
    expect(attempt?.waits).toMatchObject([
      { promptId: first, by: { user: "ada", door: "chat" } },
      { promptId: second, by: { door: "link" } },
    ]);
  });

  it("is the door of the program where nobody says more", async () => {
    const { here, run, open } = await asked();
    await run.answer(await open(), { text: "yes" });

    const ticks = await all(here.history("r", { raw: true }));
    expect(ticks.find(({ tick }) => tick.type === "event.received")?.tick).toMatchObject({ by: { door: "api" } });
  });

  it.each([
    [{ door: "" }, "`by.door` is empty"],
    [{ door: "chat", user: "x".repeat(256) }, "`by.user` has 256 bytes; the limit is 255"],
    [{ door: "chat", user: "a\0b" }, "`by.user` contains characters that cannot be stored"],
    [{ user: "ada" }, "`by.door` is not a string"],
    [{ door: "chat", role: "boss" }, '`by` has no field "role"'],
    ["ada", "`by` is not an object"],
  ])("has names by the rules of labels: %j", async (by, problem) => {
    const { run, open } = await asked();

    const error = await rejection(run.answer(await open(), { text: "yes" }, { by: by as never }));

    expect(error).toMatchObject({ code: "OPTION_INVALID", details: { problems: [problem] } });
  });
});

describe("a later answer is refused, and hears who answered", () => {
  const by = { user: "ada", door: "chat" };

  it.each(["here", "elsewhere"] as const)("while the run goes on, from %s", async (where) => {
    const { here, elsewhere, run, open } = await asked();
    const first = await open();
    await run.answer(first, { text: "yes" }, { by });
    await run.idle();
    const [tick] = (await all(here.history("r"))).filter(({ tick: { type } }) => type === "event.received");

    const receipt = await { here, elsewhere }[where]
      .handle("r")
      .answer(first, { text: "no" }, { by: { door: "http" } });

    expect(receipt).toMatchObject({ status: "refused", code: "PROMPT_CLOSED" });
    expect(receipt).toMatchObject({ details: { answered: { by, atMs: tick?.atMs } } });
  });

  it("once the run has ended, and the first answer that was sent did not fit", async () => {
    const { elsewhere, run, open } = await asked();
    await run.answer(await open(), { text: "yes" });
    await run.idle();
    const second = await open();
    expect(await run.answer(second, { text: "no" }, { by: { door: "http" } })).toMatchObject({
      code: "EVENT_NOT_ACCEPTED",
    });
    await run.answer(second, { text: "yes" }, { by });
    await run;

    const receipt = await elsewhere.handle("r").answer(second, { text: "yes" });

    expect(receipt).toMatchObject({ code: "PROMPT_CLOSED", details: { answered: { by } } });
  });

  it("where a child has asked that has ended", async () => {
    const { run, open } = await asked("parent");
    const first = await open();
    await run.answer(first, { text: "yes" }, { by });
    await run.idle();
    await run.answer(await open(), { text: "yes" });
    await settle();

    const receipt = await run.answer(first, { text: "no" });

    expect(receipt).toMatchObject({ code: "PROMPT_CLOSED", details: { answered: { by } } });
  });

  it("of two at the same time, one counts", async () => {
    const { here, elsewhere, run, open } = await asked();
    const first = await open();
    const sent = [here, elsewhere, here, elsewhere].map((runtime, index) =>
      runtime.handle("r").answer(first, { text: "yes" }, { by: { user: `u${index}`, door: "chat" } }),
    );
    const receipts = await Promise.all(sent);
    await run.idle();

    const taken = receipts.findIndex(({ status }) => status === "accepted");
    const others = receipts.filter((_, index) => index !== taken);
    expect(others).toHaveLength(3);
    for (const receipt of others)
      expect(receipt).toMatchObject({ code: "PROMPT_CLOSED", details: { answered: { by: { user: `u${taken}` } } } });
  });

  it("without it for a prompt that nobody has answered", async () => {
    const { run } = await asked();

    expect(await run.answer("never", {})).not.toHaveProperty("details");
  });
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
