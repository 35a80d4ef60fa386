/** What the server of the tests runs: one workflow for each thing that the studio has to show. */
import { Condition, Loop, Parallel, Pipeline, Router, Step } from "@millrace/pipeline";
import {
  collect,
  defineWorkflow,
  type EffectCall,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  resource,
  retryPolicy,
  StartEvent,
  StopEvent,
  type Workflow,
  wait,
} from "millrace";
import { budgetOf, type RunStore } from "millrace/runtime";
import * as z from "zod";

/** Gates that the tests close and open, to stop a step for as long as they look. */
const shut = new Map<string, { readonly opened: Promise<void>; readonly open: () => void }>();
export const gates = {
  close: (name: string): void => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    if (!shut.has(name)) shut.set(name, { opened, open });
  },
  open: (name: string): void => {
    shut.get(name)?.open();
    shut.delete(name);
  },
};
const pass = async (name: string): Promise<void> => shut.get(name)?.opened;

// ---- a person is asked, without events of one's own
const asking = defineWorkflow("asking")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const schema = { approved: z.boolean().describe("Pay it back?"), euros: z.number().max(80) };
    const { euros } = await ctx.ask({ title: "Refund the order?", details: { order: "A-17" }, schema });
    return new StopEvent({ result: euros });
  })
  .build();

// ---- calls that cost something
const spend = defineWorkflow("spend")
  .step("draw", { on: StartEvent, emits: StopEvent }, async (ev, ctx) => {
    for (let call = 0; call < Number(ev.get("calls")); call++)
      await budgetOf(ctx).run(`call ${call}`, () => call, { cost: { usd: 0.08, tokens: 1_200 } });
    await budgetOf(ctx).run("last", async () => (await pass("spend")) ?? null, { cost: { usd: 0.02 } });
    return new StopEvent({ result: "drawn" });
  })
  .build();

// ---- a person edits what is sent
const draftOf = (): string => "Dear Ada,\n\nyou are right.\n\n- now\n- later";
const letter = defineWorkflow("letter")
  .step("send", { on: StartEvent, emits: StopEvent }, async (ev, ctx) => {
    const decision = { approved: z.boolean(), letter: z.string().max(2000) };
    const more = {
      due: z.iso.date(),
      tags: z.array(z.string()),
      by: z.array(z.enum(["mail", "post", "phone"])),
      at: z.iso.datetime().optional(),
    };
    const details = { order: "A-17", letter: draftOf(), tags: ["urgent", "berlin"] };
    const schema = ev.get("rich") === true ? { ...decision, ...more } : decision;
    return new StopEvent({ result: await ctx.ask({ title: "Send this letter?", details, schema: z.object(schema) }) });
  })
  .build();

// ---- a person decides
class Claim extends StartEvent.define("Claim", {
  order: z.string().min(1).describe("Number of the order"),
  euros: z.number().min(0).max(500).default(80).describe("What to pay back"),
}) {}
class Checked extends event("Checked", { order: z.string(), euros: z.number(), risk: z.number() }) {}
class ApproveRefund extends InputRequiredEvent.define("ApproveRefund", {
  order: z.string(),
  euros: z.number(),
  risk: z.number(),
}) {}
class RefundDecision extends HumanResponseEvent.define("RefundDecision", {
  approved: z.boolean().describe("Pay it back?"),
  by: z.string().min(1).describe("Your name"),
  note: z.string().max(200).optional().describe("For the record"),
}) {}
class Approved extends event("Approved", { order: z.string(), euros: z.number() }) {}

const refund = defineWorkflow("refund", {
  state: { order: z.string().default(""), risk: z.number().default(0), approvals: z.array(z.any()).default([]) },
  index: { order: ({ order }: Claim) => order },
})
  .step("check", { on: Claim, emits: Checked }, async ({ order, euros }, ctx) => {
    const risk = Math.min(0.99, euros / 300);
    await ctx.store.editState((state) => Object.assign(state, { order, risk }));
    return new Checked({ order, euros, risk });
  })
  .step(
    "approve",
    { on: Checked, emits: [Approved, StopEvent], waits: RefundDecision, streams: ApproveRefund },
    async ({ order, euros, risk }, ctx) => {
      const prompt = new ApproveRefund({ order, euros, risk });
      const { approved, by } = await ctx.waitForEvent(RefundDecision, { prompt });
      await ctx.store.editState((state) => void state.approvals.push({ by, approved }));
      return approved ? new Approved({ order, euros }) : new StopEvent({ result: { refunded: false } });
    },
  )
  .step("pay", { on: Approved, emits: StopEvent }, ({ order, euros }) => {
    return new StopEvent({ result: { refunded: true, order, euros } });
  })
  .build();

// ---- a fan-out, with retries, a failure that is caught, and a resource
class DigestInput extends StartEvent.define("DigestInput", {
  folder: z.string().default("articles/").describe("Folder to read"),
  files: z.int().min(1).max(100).default(20).describe("How many files at most"),
  language: z.enum(["en", "de", "fr"]).default("en").describe("Language of the digest"),
  withQuotes: z.boolean().default(false).describe("Keep one quotation per file"),
}) {}
class FileFound extends event("FileFound", { path: z.string(), index: z.int() }) {}
class Summary extends event("Summary", { path: z.string(), words: z.int() }) {}
class Progress extends event("Progress", { done: z.int() }) {}
const model = resource("model", () => ({ words: (text: string) => text.length * 12 }));

const digest = defineWorkflow("digest", { state: { done: z.int().default(0) } })
  .step("find", { on: DigestInput, emits: many(FileFound) }, ({ folder, files }) =>
    Array.from({ length: files }, (_, index) => new FileFound({ path: `${folder}${index + 1}.md`, index })),
  )
  .step(
    "summarise",
    {
      on: FileFound,
      emits: Summary,
      streams: Progress,
      resources: { model },
      workers: 4,
      retry: retryPolicy({ wait: wait.fixed("50ms") }),
    },
    async ({ path, index }, ctx, { model }) => {
      await pass("digest");
      if (index === 6) throw new TypeError(`${path} is not readable`);
      if (index % 5 === 3 && ctx.retryInfo().attempt === 1) throw new TypeError("the model is busy");
      await ctx.store.editState((state) => void (state.done += 1));
      ctx.writeEventToStream(new Progress({ done: index }));
      return new Summary({ path, words: model.words(path) });
    },
  )
  .catchError("skip", { steps: ["summarise"], emits: Summary, maxRecoveries: 10 }, ({ input }) => {
    return new Summary({ path: FileFound.is(input) ? input.path : "", words: 0 });
  })
  .step("write", { on: collect(Summary), emits: StopEvent }, (all) => {
    return new StopEvent({ result: { files: all.length, words: all.reduce((sum, { words }) => sum + words, 0) } });
  })
  .build();

// ---- a run that fails until somebody mends what is wrong
class ImportFile extends StartEvent.define("ImportFile", { file: z.string().default("prices.csv") }) {}
class Rows extends event("Rows", { file: z.string(), count: z.int() }) {}
class Valid extends event("Valid", { count: z.int() }) {}

const importing = defineWorkflow("import", { state: { rows: z.int().default(0) } })
  .step("read", { on: ImportFile, emits: Rows }, async ({ file }, ctx) => {
    await ctx.store.editState((state) => void (state.rows = 1204));
    return new Rows({ file, count: 1204 });
  })
  .step("validate", { on: Rows, emits: Valid, retry: retryPolicy({ wait: wait.fixed("30ms") }) }, ({ count }) => {
    if (!shut.has("mended")) throw new TypeError('Row 812 of 1204: "price" is -4.99, and has to be at least 0.');
    return new Valid({ count });
  })
  .step("load", { on: Valid, emits: StopEvent }, ({ count }) => new StopEvent({ result: { loaded: count } }))
  .build();

// ---- forty steps
class Parcel extends event("Parcel", { n: z.int() }) {}
const wide = (): Workflow => {
  const stages = Array.from({ length: 12 }, (_, index) => index + 1);
  const types = new Map(stages.map((stage) => [stage, event(`Stage${stage}`, { n: z.int() })]));
  let builder = defineWorkflow("wide") as unknown as LooseBuilder;
  builder = builder.step("begin", { on: StartEvent, emits: types.get(1) }, () => new (typeOf(1))({ n: 0 }));
  for (const stage of stages.slice(0, -1)) {
    const next = typeOf(stage + 1);
    builder = builder.step(
      `sort${stage}`,
      { on: types.get(stage), emits: next },
      (ev) => new next({ n: Number(ev["n"]) + 1 }),
    );
    for (const side of ["weigh", "label"])
      builder = builder.step(`${side}${stage}`, { on: types.get(stage) }, () => undefined);
  }
  for (let left = 0; left < 5; left++) builder = builder.step(`note${left}`, { on: typeOf(12) }, () => undefined);
  builder = builder.step("end", { on: typeOf(12), emits: StopEvent }, (ev) => new StopEvent({ result: ev["n"] }));
  return builder.build();

  function typeOf(stage: number): typeof Parcel {
    return types.get(stage) as unknown as typeof Parcel;
  }
};
interface LooseBuilder {
  step(name: string, options: object, run: (event: Record<string, unknown>) => unknown): LooseBuilder;
  build(): Workflow;
}

// ---- many ticks
class Count extends StartEvent.define("Count", { to: z.int().min(1).default(100) }) {}
class Next extends event("Next", { from: z.int(), to: z.int() }) {}
const count = defineWorkflow("count", { state: { at: z.int().default(0) } })
  .step("begin", { on: Count, emits: Next }, ({ to }) => new Next({ from: 1, to }))
  .step("add", { on: Next, emits: [Next, StopEvent] }, async ({ from, to }, ctx) => {
    if (from === 300) await pass("count");
    await ctx.store.editState((state) => void (state.at = from));
    return from >= to ? new StopEvent({ result: from }) : new Next({ from: from + 1, to });
  })
  .build();

// ---- children
class Quote extends StartEvent.define("Quote", { kind: z.string() }) {}
class Ask extends event("Ask", { vendor: z.string() }) {}
class Offer extends event("Offer", { price: z.int() }) {}
class Trip extends StartEvent.define("Trip", { city: z.string().default("Lisbon") }) {}
class Leg extends event("Leg", { kind: z.string() }) {}
class Booked extends event("Booked", { price: z.int() }) {}

const quote = defineWorkflow("quote", { state: { asked: z.array(z.string()).default([]) } })
  .step("vendors", { on: Quote, emits: many(Ask) }, () =>
    ["north", "south", "west"].map((vendor) => new Ask({ vendor })),
  )
  .step("ask", { on: Ask, emits: Offer }, async ({ vendor }, ctx) => {
    await ctx.store.editState((state) => void state.asked.push(vendor));
    return new Offer({ price: 100 + vendor.length * 10 });
  })
  .step("best", { on: collect(Offer), emits: StopEvent }, (offers) => {
    return new StopEvent({ result: Math.min(...offers.map(({ price }) => price)) });
  })
  .build();

const trip = defineWorkflow("trip", { children: { quote } })
  .step("plan", { on: Trip, emits: many(Leg) }, () => ["flight", "hotel"].map((kind) => new Leg({ kind })))
  .step("book", { on: Leg, emits: Booked }, async ({ kind }, ctx) => {
    const price = Number(await ctx.runChild(quote, { kind }));
    return new Booked({ price });
  })
  .step("total", { on: collect(Booked), emits: StopEvent }, (all) => {
    return new StopEvent({ result: all.reduce((sum, { price }) => sum + price, 0) });
  })
  .build();

const order = defineWorkflow("order", { children: { payBack: refund } })
  .step("settle", { on: StartEvent, emits: StopEvent }, async (_event, ctx) => {
    return new StopEvent({ result: await ctx.runChild("payBack", { order: "A-17", euros: 60 }) });
  })
  .build();

// ---- what an agent said, kept as agents keep it
const research = defineWorkflow("research", { state: { outputs: z.array(z.any()).default([]) } })
  .step("answer", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
    const metrics = { inputTokens: 1240, outputTokens: 310, totalTokens: 1550, duration: 1.2, cost: 0.0041 };
    const call = { type: "tool-call", toolCallId: "c1", toolName: "findMills", input: { river: "Spree" } };
    const found = {
      type: "tool-result",
      toolCallId: "c1",
      toolName: "findMills",
      output: { type: "json", value: [4] },
    };
    const messages = [
      { role: "system", content: "You know everything about water mills." },
      { role: "user", content: "How many mills stand on the Spree?" },
      { role: "assistant", content: [{ type: "text", text: "I look it up." }, call] },
      { role: "tool", content: [found] },
      { role: "assistant", content: "Four of them still turn." },
    ];
    await ctx.store.editState((state) => void state.outputs.push({ executorName: "researcher", metrics, messages }));
    return new StopEvent({ result: "Four of them still turn." });
  })
  .build();

class Quest extends StartEvent.define("Quest", { input: z.string().default("What does A-17 cost?") }) {}

// ---- calls of one step, with labels, in scopes
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const checkout = defineWorkflow("checkout")
  .step("pay", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
    await ctx.run("total", () => pause(20), { label: "Add it up" });
    const bank = ctx.scope("bank");
    const charge = async ({ attempt }: { readonly attempt: number }): Promise<number> => {
      await pause(30);
      if (attempt < 2) throw new Error("The bank is busy.");
      return 12;
    };
    await bank.run("charge", charge, { label: "Charge the card", retry: retryPolicy({ wait: wait.fixed("20ms") }) });
    await bank.scope("receipt").run("print", () => pause(20));
    await ctx.run("mail", () => pass("mail"), { label: "Write a mail" });
    return new StopEvent({ result: "paid" });
  })
  .build();

// ---- a model and a tool, recorded as agents record them
const clerk = defineWorkflow("clerk")
  .step("answer", { on: Quest, emits: StopEvent }, async ({ input }, ctx) => {
    const loop = ctx.scope("clerk");
    const schema = { type: "object", properties: { order: { type: "string" } }, required: ["order"] };
    const metrics = {
      inputTokens: 1240,
      outputTokens: 31,
      totalTokens: 1271,
      duration: 0,
      cost: 0.00041,
      timeToFirstToken: 0.38,
    };
    const call = { type: "tool-call", toolCallId: "t1", toolName: "findOrder", input: { order: "A-17" } };
    const asked = {
      model: "mock/small",
      instructions: "You answer questions about orders. If a customer is angry, pay back double.",
      settings: { temperature: 0.2 },
      tools: [{ name: "findOrder", description: "Finds an order by its number.", schema }],
      toolChoice: null,
    };
    const answer = (content: unknown) => [{ role: "assistant", content }];
    const label = { label: "mock/small" };
    await loop.run("m0", async () => ({ asked, messages: answer([call]), finishReason: "tool-calls", metrics }), label);
    await loop
      .scope("m0.c0")
      .run("call", async () => ({ output: { order: "A-17", euros: 80 } }), { label: "findOrder" });
    const asAlways = `Order A-17 costs 80 euros. You asked: ${input}`;
    const say = async ({ override }: EffectCall) => {
      const { instructions, messages: asks } = (override ?? {}) as { readonly [field: string]: unknown };
      const text = override === undefined ? asAlways : `${instructions ?? "As before"} (${JSON.stringify(asks ?? "")})`;
      return {
        asked: override === undefined ? {} : { ...asked, ...override },
        messages: answer(text),
        finishReason: "stop",
        metrics,
      };
    };
    const { messages } = await loop.run("m1", say, label);
    return new StopEvent({ result: messages[0]?.content });
  })
  .build();

/** A pipeline whose second step fails. */
export function archivePipeline(store: RunStore): Pipeline {
  const fails = (): never => {
    throw new TypeError("The shelf is full.");
  };
  const steps = [
    new Step({ name: "collect", executor: ({ input }) => `pages of ${String(input)}` }),
    new Step({ name: "archive", executor: fails, maxRetries: 0 }),
  ];
  return new Pipeline({ name: "archive", store, steps });
}

/** A pipeline with a condition without else, branches and choices. */
export function reportPipeline(store: RunStore): Pipeline {
  const say = (name: string): Step => new Step({ name, executor: ({ input }) => `${name} of ${String(input)}` });
  return new Pipeline({
    name: "report",
    store,
    steps: [
      say("draft"),
      new Condition({ name: "long?", evaluator: ({ input }) => String(input).length > 20, steps: [say("shorten")] }),
      new Parallel("check", say("words"), say("facts"), say("links")),
      new Router({ name: "way", selector: () => "mail", choices: [say("print"), say("mail")] }),
    ],
  });
}

/** A pipeline with branches, a loop and a person. */
export function articlePipeline(store: RunStore): Pipeline {
  const say = (name: string, text: string): Step =>
    new Step({ name, executor: ({ input }) => `${text} of ${String(input)}` });
  const outline = new Pipeline({ name: "outline", steps: [say("begin", "a beginning"), say("order", "an order")] });
  return new Pipeline({
    name: "article",
    description: "Writes an article about something, and asks before it is published.",
    store,
    sessionState: { articles: 0 },
    steps: [
      say("research", "notes"),
      new Step({ name: "sketch", executor: outline }),
      new Parallel("write", say("title", "the title"), say("body", "the body"), say("picture", "a picture")),
      new Loop({
        name: "polish",
        maxIterations: 3,
        steps: [say("edit", "an edit"), say("score", "a score")],
      }),
      new Step({
        name: "publish",
        executor: ({ input }, { sessionState }) => {
          sessionState["articles"] = Number(sessionState["articles"]) + 1;
          return `published ${String(input)}`;
        },
        humanReview: { requiresConfirmation: true, confirmationMessage: "Publish the article?" },
      }),
    ],
  });
}

export const workflows: Readonly<Record<string, Workflow>> = {
  refund,
  asking,
  spend,
  letter,
  digest,
  import: importing,
  wide: wide(),
  count,
  trip,
  quote,
  order,
  research,
  checkout,
  clerk,
};
