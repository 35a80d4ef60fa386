/** `ctx.ask`: a typed question to a person, without event classes of one's own. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  AnswerEvent,
  type Context,
  defineWorkflow,
  QuestionEvent,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  type WorkflowHandler,
  wait,
} from "../src/index.js";
import { rejection, reload, waiting } from "./support/runs.js";
import { withVirtualClock } from "./support/virtual-clock.js";

const again = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(3) });

/** A step that declares nothing. */
function asking(work: (ctx: Context) => Promise<unknown>) {
  return defineWorkflow("asking")
    .step("work", { on: StartEvent, emits: StopEvent, retry: again }, async (_ev, ctx) => {
      return new StopEvent({ result: await work(ctx) });
    })
    .build();
}

async function promptsOf(handler: WorkflowHandler) {
  const { prompts } = await waiting(handler);
  return prompts.map(({ promptId, event, ...facts }) => ({ promptId, question: event as QuestionEvent, ...facts }));
}

async function answerAll(handler: WorkflowHandler, fields: (question: QuestionEvent) => Record<string, unknown>) {
  for (const { promptId, question } of await promptsOf(handler)) await handler.answer(promptId, fields(question));
}

const approval = { approved: z.boolean(), note: z.string().default("none") };

describe("a question", () => {
  it("is a prompt with its title, its details and the JSON Schema of its answer", async () => {
    const flow = asking((ctx) => ctx.ask({ title: "Refund 80 €?", details: { order: "A-17" }, schema: approval }));
    const handler = flow.run({}, { runId: "r" });
    const [prompt] = await promptsOf(handler);

    expect(prompt).toMatchObject({ step: "work", answerType: "millrace.answer", dueAtMs: null, promptId: "r:2" });
    expect(QuestionEvent.is(prompt?.question)).toBe(true);
    expect(prompt?.question.toJSON()).toEqual({
      title: "Refund 80 €?",
      details: { order: "A-17" },
      schema: {
        type: "object",
        properties: { approved: { type: "boolean" }, note: { type: "string", default: "none" } },
        required: ["approved"],
      },
    });
  });

  it("has the id that the step gives it, after a restore too", async () => {
    const flow = asking((ctx) => ctx.ask({ title: "Go?", schema: approval, promptId: "mail 7" }));
    const first = flow.run({});
    expect((await promptsOf(first)).map(({ promptId }) => promptId)).toEqual(["mail 7"]);
    const second = flow.resume(reload(flow, first.context));
    await second.answer("mail 7", { approved: true });

    expect(await second).toEqual({ approved: true, note: "none" });
  });

  it("gets another id where an open prompt has the given one", async () => {
    const flow = asking((ctx) =>
      Promise.all(["a", "b"].map((key) => ctx.ask({ title: key, schema: approval, key, promptId: "same" }))),
    );
    const handler = flow.run({}, { runId: "r" });
    const ids = (await promptsOf(handler)).map(({ promptId }) => promptId);
    await answerAll(handler, ({ title }) => ({ approved: title === "a" }));

    expect(ids).toEqual(["same", expect.stringMatching(/^r:\d+$/)]);
    expect(await handler).toMatchObject([{ approved: true }, { approved: false }]);
  });

  it("resolves with the answer as its schema gives it", async () => {
    const flow = asking(async (ctx) => {
      const { approved, note } = await ctx.ask({ title: "Refund?", schema: approval });
      const { at } = await ctx.ask({ title: "When?", schema: z.object({ at: z.coerce.date() }) });
      return [approved, note, at];
    });
    const handler = flow.run({});
    await answerAll(handler, () => ({ approved: true }));
    await answerAll(handler, () => ({ at: "2030-01-01", other: "is left out" }));

    expect(await handler).toEqual([true, "none", new Date("2030-01-01")]);
  });

  it("refuses an answer that does not fit with every problem, and stays open", async () => {
    const schema = { approved: z.boolean(), euros: z.number().max(100) };
    const flow = asking((ctx) => ctx.ask({ title: "Refund?", schema }));
    const handler = flow.run({});
    const [prompt] = await promptsOf(handler);
    const promptId = prompt?.promptId as string;

    expect(await rejection(handler.answer(promptId, { approved: "yes", euros: 101 }))).toMatchObject({
      code: "EVENT_INVALID",
      details: {
        event: "millrace.answer",
        issues: [{ path: "approved" }, { path: "euros" }].map((issue) => expect.objectContaining(issue)),
      },
    });
    expect(await rejection(handler.answer(promptId, [] as never))).toMatchObject({ code: "EVENT_INVALID" });
    expect(await rejection(handler.answer(promptId))).toMatchObject({ code: "EVENT_INVALID" });
    expect((await promptsOf(handler)).map(({ promptId: id }) => id)).toEqual([promptId]);
    expect(await handler.answer(promptId, { approved: true, euros: 1 })).toMatchObject({ status: "accepted" });
    expect(await handler.answer(promptId, { approved: false, euros: 2 })).toMatchObject({ code: "PROMPT_CLOSED" });
    expect(await handler).toEqual({ approved: true, euros: 1 });
  });

  it("is asked once over retries, and its answer is kept", async () => {
    let attempts = 0;
    const flow = asking(async (ctx) => {
      const { approved } = await ctx.ask({ title: "Refund?", schema: approval });
      if (++attempts < 3) throw new Error("again");
      return approved;
    });
    const handler = flow.run({});
    const shown = handler.streamEvents().toArray();
    await answerAll(handler, () => ({ approved: true }));

    expect(await handler).toBe(true);
    expect((await shown).filter(({ event }) => QuestionEvent.is(event))).toHaveLength(1);
  });

  it("keeps its id over a restore, and checks the answer there", async () => {
    const flow = asking((ctx) => ctx.ask({ title: "Refund?", schema: approval }));
    const first = flow.run({});
    const [before] = await promptsOf(first);
    const second = flow.resume(reload(flow as never, first.context) as never);
    // At once, while the step has not asked again.
    const refused = rejection(second.answer(before?.promptId as string, { approved: "no" }));
    const accepted = second.answer(before?.promptId as string, { approved: false });

    expect(await refused).toMatchObject({ code: "EVENT_INVALID" });
    expect(await accepted).toMatchObject({ status: "accepted" });
    expect(await second).toEqual({ approved: false, note: "none" });
  });

  it("may be answered while the step waits for its next attempt, and that answer is checked too", async () => {
    let attempts = 0;
    const flow = defineWorkflow("slow")
      .step(
        "work",
        { on: StartEvent, emits: StopEvent, retry: retryPolicy({ wait: wait.fixed("1h") }) },
        async (_ev, ctx) => {
          const answer = ctx.ask({ title: "Refund?", schema: approval });
          await ctx.sleep(1);
          if (++attempts < 2) throw new Error("again in an hour");
          return new StopEvent({ result: await answer });
        },
      )
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run({});
    await waiting(handler);
    await clock.advance(10);
    const [prompt] = await promptsOf(handler);

    expect(await rejection(handler.answer(prompt?.promptId as string, {}))).toMatchObject({ code: "EVENT_INVALID" });
    expect(await handler.answer(prompt?.promptId as string, { approved: true })).toMatchObject({ status: "accepted" });
    await clock.advance(3_700_000);
    expect(await handler).toEqual({ approved: true, note: "none" });
  });

  it("asks again where an answer was accepted that its code no longer takes", async () => {
    const strict = () => ({ approved: z.boolean(), by: z.string() });
    const flowWith = (schema: { readonly [field: string]: z.ZodType }) =>
      asking(async (ctx) => {
        const first = await ctx.ask({ title: "Refund?", schema });
        const second = await ctx.ask({ title: "Sure?", schema: approval });
        return [first, second];
      });
    const old = flowWith({ approved: z.boolean() });
    const first = old.run({});
    await answerAll(first, () => ({ approved: true }));
    await waiting(first);
    const flow = flowWith(strict());
    const second = flow.resume(reload(flow as never, first.context) as never);
    const titles: string[] = [];
    await answerAll(second, ({ title }) => {
      titles.push(title);
      return title === "Sure?" ? { approved: true } : { approved: false, by: "Ada" };
    });

    expect(await second).toEqual([
      { approved: false, by: "Ada" },
      { approved: true, note: "none" },
    ]);
    expect(titles.sort()).toEqual(["Refund?", "Sure?"]);
  });

  it("takes an answer that nobody could check, and its call checks it: so it asks again", async () => {
    const flow = defineWorkflow("delayed")
      .step(
        "work",
        {
          on: StartEvent,
          emits: StopEvent,
          retry: retryPolicy({ wait: wait.fixed("1h"), stop: stop.afterAttempts(9) }),
        },
        async (_ev, ctx) => {
          const answer = ctx.ask({ title: "Refund?", schema: approval });
          await ctx.sleep(1);
          if (ctx.retryInfo().retry < 1) throw new Error("again in an hour");
          return new StopEvent({ result: await answer });
        },
      )
      .build();
    const clock = withVirtualClock(flow);
    const first = flow.run({});
    await waiting(first);
    await clock.advance(10);
    const [prompt] = await promptsOf(first);
    const second = flow.resume(reload(flow as never, first.context) as never);
    // The step is to run again in an hour, in another process: nobody knows the schema.
    expect(await second.answer(prompt?.promptId as string, { approved: "yes" })).toMatchObject({ status: "accepted" });
    await waiting(second);
    await clock.advance(3_700_000);
    const [next] = await promptsOf(second);
    expect(next?.promptId).not.toBe(prompt?.promptId);
    await second.answer(next?.promptId as string, { approved: true });

    expect(await second).toEqual({ approved: true, note: "none" });
  });
});

describe("questions beside each other", () => {
  it("are told apart by their keys, or by their scopes", async () => {
    const flow = asking((ctx) =>
      Promise.all([
        ctx.ask({ title: "a", schema: { text: z.string() }, key: "a" }),
        ctx.ask({ title: "b", schema: { text: z.string() }, key: "b" }),
        ctx.scope("s").ask({ title: "c", schema: { text: z.string() } }),
      ]),
    );
    const handler = flow.run({});
    const prompts = await promptsOf(handler);
    for (const { promptId, question } of [...prompts].reverse())
      await handler.answer(promptId, { text: question.title });

    expect(await handler).toEqual([{ text: "a" }, { text: "b" }, { text: "c" }]);
  });

  it("need a key to be told apart", async () => {
    const flow = asking(async (ctx) => {
      const both = [1, 2].map((n) => ctx.ask({ title: `${n}`, schema: approval }));
      return (await rejection(both[1] as Promise<unknown>)).message;
    });

    expect(await flow.run({})).toBe(
      'Step "work" asks two questions at once: a later attempt could not distinguish the two.',
    );
  });

  it("of a child are answered through its parent", async () => {
    const child = asking((ctx) => ctx.ask({ title: "in the child", schema: approval }));
    const parent = defineWorkflow("parent", { children: { child } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        return new StopEvent({ result: await ctx.runChild(child, {}) });
      })
      .build();
    const handler = parent.run({});
    const [prompt] = await promptsOf(handler);
    expect(await rejection(handler.answer(prompt?.promptId as string, {}))).toMatchObject({ code: "EVENT_INVALID" });
    await handler.answer(prompt?.promptId as string, { approved: true });

    expect(await handler).toEqual({ approved: true, note: "none" });
  });
});

describe("a question that nobody answers", () => {
  it("fails after its time with WAIT_TIMED_OUT, and is withdrawn", async () => {
    const flow = asking(async (ctx) => {
      const error = await rejection(ctx.ask({ title: "Refund?", schema: approval, timeout: "1d" }));
      return [error.code, error.message];
    });
    const clock = withVirtualClock(flow);
    const handler = flow.run({});
    const [prompt] = await promptsOf(handler);
    expect(prompt?.dueAtMs).toBe((prompt?.askedAtMs as number) + 86_400_000);
    await clock.advance(86_400_001);

    expect(await handler).toEqual(["WAIT_TIMED_OUT", 'Step "work" has waited for an answer until the wait timed out.']);
    expect(await handler.answer(prompt?.promptId as string, { approved: true })).toMatchObject({
      code: "PROMPT_CLOSED",
    });
  });

  it("is withdrawn when its signal aborts", async () => {
    const controller = new AbortController();
    const flow = asking(async (ctx) => {
      const error = await rejection(ctx.ask({ title: "Refund?", schema: approval, signal: controller.signal }));
      return error.message;
    });
    const handler = flow.run({});
    const [prompt] = await promptsOf(handler);
    controller.abort(new Error("no longer needed"));

    expect(await handler).toBe("no longer needed");
    expect(await handler.answer(prompt?.promptId as string, { approved: true })).toMatchObject({
      code: "PROMPT_CLOSED",
    });
  });

  it("loses a race in the tick of the answer of another one", async () => {
    const flow = asking((ctx) =>
      ctx.race({
        clerk: () => ctx.ask({ title: "clerk", schema: approval, key: "clerk" }),
        manager: () => ctx.ask({ title: "manager", schema: approval, key: "manager" }),
        time: () => ctx.sleep("1d"),
      }),
    );
    const handler = flow.run({});
    const [clerk, manager] = await promptsOf(handler);
    const receipts = [manager, clerk].map((one) => handler.answer(one?.promptId as string, { approved: true }));

    expect(await Promise.all(receipts)).toMatchObject([{ status: "accepted" }, { code: "PROMPT_CLOSED" }]);
    expect(await handler).toEqual({ winner: "manager", value: { approved: true, note: "none" } });
  });
});

describe("what `ctx.ask` is given", () => {
  const refusals: Record<string, readonly [unknown, string]> = {
    "no argument": [undefined, "OPTION_INVALID"],
    "no title": [{ schema: approval }, "OPTION_INVALID"],
    "an empty title": [{ title: "", schema: approval }, "OPTION_INVALID"],
    "no schema": [{ title: "?" }, "OPTION_INVALID"],
    "a schema that is none": [{ title: "?", schema: { approved: "boolean" } }, "OPTION_INVALID"],
    "a reserved field": [{ title: "?", schema: { type: z.string() } }, "OPTION_INVALID"],
    "an unknown option": [{ title: "?", schema: approval, tile: 1 }, "OPTION_INVALID"],
    "a time-out that is none": [{ title: "?", schema: approval, timeout: "soon" }, "OPTION_INVALID"],
    "a signal that is none": [{ title: "?", schema: approval, signal: 1 }, "OPTION_INVALID"],
  };

  it.each(Object.keys(refusals))("is refused: %s", async (name) => {
    const [question, code] = refusals[name] as [never, string];
    const flow = asking(async (ctx) => (await rejection(ctx.ask(question))).code);

    expect(await flow.run({})).toBe(code);
  });

  it("and in the function of a call", async () => {
    const flow = asking(async (ctx) => {
      const nested = ctx.run("pay", () => ctx.ask({ title: "?", schema: approval }));
      return (await rejection(nested)).code;
    });

    expect(await flow.run({})).toBe("CALL_INVALID");
  });

  it("may be of a library that gives no JSON Schema", async () => {
    const text = {
      "~standard": {
        version: 1 as const,
        vendor: "own",
        validate: (value: unknown) =>
          typeof value === "string" ? { value } : { issues: [{ message: "is not a text" }] },
      },
    };
    const flow = asking((ctx) => ctx.ask({ title: "?", schema: { name: text } }));
    const handler = flow.run({});
    const [prompt] = await promptsOf(handler);

    expect(prompt?.question.schema).toEqual({ type: "object", properties: { name: {} }, required: ["name"] });
    await handler.answer(prompt?.promptId as string, { name: "Ada" });

    expect(await handler).toEqual({ name: "Ada" });
  });

  it("resolves with a plain object, which the step may keep", async () => {
    const flow = defineWorkflow("keeping", { state: { kept: z.any() } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const answer = await ctx.ask({ title: "?", schema: { list: z.array(z.number()) } });
        await ctx.store.set("kept", answer);
        return new StopEvent({ result: [Object.getPrototypeOf(answer) === Object.prototype, answer] });
      })
      .build();
    const handler = flow.run({});
    await answerAll(handler, () => ({ list: [1] }));

    expect(await handler).toEqual([true, { list: [1] }]);
  });

  it("is an event of the engine: nobody else makes questions or answers", async () => {
    expect(() => new (AnswerEvent as never as new (fields: object) => unknown)({ approved: true })).toThrow(
      expect.objectContaining({ code: "EVENT_INVALID" }),
    );
    expect(() => new (QuestionEvent as never as new (fields: object) => unknown)({})).toThrow(
      expect.objectContaining({ code: "EVENT_INVALID" }),
    );
  });
});

// langgraph #6533 and #6626: parallel interrupts of one node had one id, and answers reached the wrong one.
// vercel/workflow #3181: a hook that was made in a round of a loop could not be resumed.
// mastra #6014 and #18961: the data of one resume was used for every round, or every item.
// synara #403: a second click on an approval was sent on. temporal-sa/money-transfer-demo #8: an approval that came before its question
// was asked was lost; here an answer names its question.
describe("questions in loops and beside each other", () => {
  it("are each answered by their own answer, whichever comes first", async () => {
    const titles = ["circle", "square", "triangle"];
    const schema = { verdict: z.string() };
    const flow = asking((ctx) => Promise.all(titles.map((title) => ctx.ask({ title, schema, key: title }))));
    const handler = flow.run({});
    const prompts = await promptsOf(handler);
    for (const at of [2, 0, 1]) {
      const { promptId, question } = prompts[at] as (typeof prompts)[number];
      await handler.answer(promptId, { verdict: question.title });
    }

    expect(new Set(prompts.map(({ promptId }) => promptId)).size).toBe(3);
    expect(await handler).toEqual(titles.map((verdict) => ({ verdict })));
  });

  it("are asked anew in every round, and a second click answers no later question", async () => {
    const flow = asking(async (ctx) => {
      const verdicts: boolean[] = [];
      for (const leg of ["a", "b", "c"])
        verdicts.push((await ctx.ask({ title: leg, schema: approval, timeout: "2h" })).approved);
      return verdicts;
    });
    const handler = flow.run({});
    const said = [true, false, true];
    const codes: unknown[] = [];
    for (const approved of said) {
      const [prompt] = await promptsOf(handler);
      const clicks = [1, 2].map(() => handler.answer(prompt?.promptId as string, { approved }));
      codes.push((await Promise.all(clicks)).map((receipt) => ("code" in receipt ? receipt.code : receipt.status)));
    }

    expect(await handler).toEqual(said);
    expect(codes).toEqual(said.map(() => ["accepted", "PROMPT_CLOSED"]));
  });

  it("of many items are answered one by one", async () => {
    const flow = asking(async (ctx) => {
      const items = [0, 1, 2].map((n) => ctx.scope(`item ${n}`).ask({ title: `${n}`, schema: { n: z.number() } }));
      return (await Promise.all(items)).map(({ n }) => n);
    });
    const handler = flow.run({});
    const prompts = await promptsOf(handler);
    await handler.answer(prompts[1]?.promptId as string, { n: 1 });
    expect(await promptsOf(handler)).toHaveLength(2);
    await answerAll(handler, ({ title }) => ({ n: Number(title) }));

    expect(await handler).toEqual([0, 1, 2]);
  });
});
