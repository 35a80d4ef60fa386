/** Stored runs, played again with another model, which is scripted over HTTP: what is found is what was planted. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Context,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  retryPolicy,
  StartEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  wait,
} from "millrace";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type RunRecording, recordRun, testRuntime, type UnknownCall, whatIf } from "../src/index.js";

class Ticket extends StartEvent.define("Ticket", { number: z.number() }) {}
class Refund extends event("Refund", { number: z.number(), euros: z.number() }) {}
class Reply extends event("Reply", { number: z.number() }) {}
class Approve extends InputRequiredEvent.define("Approve", { euros: z.number() }) {}
class Approval extends HumanResponseEvent.define("Approval", { approved: z.boolean() }) {}

interface Judgement {
  readonly category: "refund" | "reply";
  readonly euros: number;
  readonly words: string;
}

/** Effects that really happened. */
let done: string[] = [];
let url = "";
let answersAfterMs = 0;
/** What the other model says about some tickets; `null`: it is down. */
let planted: ReadonlyMap<number, Partial<Judgement> | null> = new Map();

const judgement = (number: number): Judgement => ({
  category: number % 2 === 0 ? "refund" : "reply",
  euros: number,
  words: `ticket ${number}`,
});

const server = createServer((request, response) => {
  const asked = new URL(request.url ?? "", "http://localhost");
  const number = Number(asked.searchParams.get("number"));
  const change = asked.pathname === "/new" ? planted.get(number) : {};
  if (change === null) return void response.writeHead(503).end();
  const usage = { inputTokens: 100, outputTokens: asked.pathname === "/new" ? 5 : 10 };
  const answer = JSON.stringify({ answer: { ...judgement(number), ...change }, usage });
  setTimeout(() => response.end(answer), answersAfterMs);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

class Support extends Workflow {
  readonly #model: string;

  constructor(model: string) {
    super();
    this.#model = model;
  }

  @step({ on: Ticket, emits: [Refund, Reply] })
  async triage({ number }: Ticket, ctx: Context) {
    const ask = async (): Promise<{ readonly answer: Judgement }> => {
      const response = await fetch(`${url}/${this.#model}?number=${number}`);
      if (!response.ok) throw new Error(`the model answers ${response.status}`);
      return (await response.json()) as { readonly answer: Judgement };
    };
    const { answer } = await ctx.run("judge", ask, { label: "model" });
    return answer.category === "refund" ? new Refund({ number, euros: answer.euros }) : new Reply({ number });
  }

  @step({ on: Refund, emits: StopEvent, waits: Approval, streams: Approve })
  async refund({ number, euros }: Refund, ctx: Context) {
    const { approved } =
      number % 4 === 0 ? await ctx.waitForEvent(Approval, { prompt: new Approve({ euros }) }) : { approved: true };
    if (!approved) return new StopEvent({ result: "refused" });
    const receipt = await ctx.run("pay", () => `receipt ${done.push(`pay ${euros}`)}`);
    return new StopEvent({ result: receipt });
  }

  @step({ on: Reply, emits: StopEvent })
  async reply({ number }: Reply, ctx: Context) {
    await ctx.run("mail", () => void done.push(`mail ${number}`));
    return new StopEvent({ result: "mailed" });
  }
}

async function ranBefore(count: number) {
  const { runtime } = testRuntime({ support: new Support("old") });
  for (let number = 1; number <= count; number++) {
    const handle = runtime.run("support", { number }, { runId: `t-${number}` });
    const outcome = await handle.idle();
    if (outcome.status === "waiting") await handle.answer(outcome.prompts[0]?.promptId ?? "", { approved: true });
    await handle;
  }
  done = [];
  return runtime;
}

async function recordingsOf(count: number): Promise<readonly RunRecording[]> {
  const runtime = await ranBefore(count);
  const ids = Array.from({ length: count }, (_, index) => `t-${index + 1}`);
  const recordings = await Promise.all(ids.map((id) => recordRun(runtime, id)));
  await runtime.stop();
  return recordings;
}

describe("another model over 40 stored runs", () => {
  it("finds exactly the runs that it decides in another way, and does nothing", async () => {
    const runtime = await ranBefore(40);
    planted = new Map<number, Partial<Judgement> | null>([
      [3, { category: "refund" }],
      [10, { category: "reply" }],
      [22, { category: "reply" }],
      [5, { words: "in other words" }],
      [6, { words: "in other words" }],
      [14, { euros: 90 }],
      [16, { euros: 99 }],
      [31, null],
    ]);
    const seen: string[] = [];
    const { runs, same, other, unknown, share, recorded, played, skipped } = await whatIf(
      new Support("new"),
      { runtime, workflow: "support", last: 40 },
      { onRun: ({ runId }) => void seen.push(runId) },
    );
    await runtime.stop();

    const found = runs
      .filter(({ verdict }) => verdict !== "same")
      .map(({ runId, verdict, first }) => [runId, verdict, first]);
    expect(found.reverse()).toEqual([
      ["t-3", "other", 'Step "triage" emits Refund, not Reply.'],
      ["t-10", "other", 'Step "triage" emits Reply, not Refund.'],
      [
        "t-14",
        "unknown",
        'Step "refund" calls "pay" with another input of the step, so what it would answer is not known.',
      ],
      ["t-16", "unknown", "Approve is asked, in other words than in the recorded run."],
      ["t-22", "other", 'Step "triage" emits Reply, not Refund.'],
      ["t-31", "unknown", 'Call "model" of step "triage" fails: the model answers 503'],
    ]);
    expect({ same, other, unknown, share, skipped }).toEqual({
      same: 34,
      other: 3,
      unknown: 3,
      share: 0.85,
      skipped: [],
    });
    expect(seen).toHaveLength(40);
    expect(done).toEqual([]);
    expect(recorded).toMatchObject({ calls: 34, inputTokens: 3400, outputTokens: 340, cost: null });
    expect(played).toMatchObject({ calls: 34, inputTokens: 3400, outputTokens: 170 });
    expect(played.latencyMs).toBeGreaterThan(0);
  });
});

describe("a call that the recording does not answer", () => {
  it("is answered by a function, which is asked with what was recorded", async () => {
    const recordings = await recordingsOf(6);
    planted = new Map([[6, { euros: 90 }]]);
    const asked: UnknownCall[] = [];
    const { runs, same } = await whatIf(new Support("new"), recordings, {
      unknown: (call) => {
        asked.push(call);
        return { answer: call.recorded };
      },
    });

    expect(asked).toEqual([
      {
        ...{ runId: "t-6", step: "refund", key: "pay", label: null },
        ...{ why: "input", input: undefined, recorded: expect.stringContaining("receipt") },
      },
    ]);
    expect([same, runs[5]]).toMatchObject([6, { verdict: "same", stoppedAt: null, ended: true }]);
    expect(done).toEqual([]);
  });

  it("stops the run where the function has no answer, or fails", async () => {
    const recordings = await recordingsOf(6);
    planted = new Map([[6, { euros: 90 }]]);
    const none = await whatIf(new Support("new"), recordings, { unknown: async () => null });
    const failing = await whatIf(new Support("new"), recordings, {
      unknown: () => {
        throw new Error("no idea");
      },
    });

    expect(none.runs[5]).toMatchObject({ verdict: "unknown", ended: false, stoppedAt: { key: "pay", why: "input" } });
    expect(failing.runs[5]?.first).toContain("Nothing answers it: no idea");
    expect(done).toEqual([]);
  });

  it("is made, where that is wanted", async () => {
    const recordings = await recordingsOf(6);
    planted = new Map<number, Partial<Judgement>>([
      [6, { euros: 90 }],
      [2, { category: "reply" }],
    ]);
    const { runs } = await whatIf(new Support("new"), recordings, { unknown: "live" });

    expect(done).toEqual(["mail 2", "pay 90"]);
    expect(runs.map(({ verdict }) => verdict)).toEqual(["same", "other", "same", "same", "same", "other"]);
    expect(runs[1]?.differences).toEqual([
      'Step "triage" emits Reply, not Refund.',
      'Step "refund" did not run.',
      'Step "reply" runs, where it did not in the recorded run.',
      'The run ends with "mailed", not "receipt 2".',
    ]);
  });

  it("is one after another answer in the same step", async () => {
    class Letter extends Workflow {
      readonly words: string;

      constructor(words: string) {
        super();
        this.words = words;
      }

      @step({ on: StartEvent, emits: StopEvent })
      async write(_ev: StartEvent, ctx: Context) {
        const text = await ctx.run("write", () => this.words, { label: "model" });
        const paper = await ctx.run("print", () => done.push(text));
        return new StopEvent({ result: paper });
      }
    }
    const { runtime } = testRuntime({ letter: new Letter("Dear Ada") });
    await runtime.run("letter", {}, { runId: "l-1" });
    done = [];
    const runs = { runtime, workflow: "letter" };
    const equal = await whatIf(new Letter("Dear Ada"), runs);
    const other = await whatIf(new Letter("Hello Ada"), runs);
    const recalled = await whatIf(new Letter("Hello Ada"), runs, { unknown: ({ recorded }) => ({ answer: recorded }) });
    await runtime.stop();

    expect(equal.runs[0]?.verdict).toBe("same");
    expect(other.runs[0]).toMatchObject({
      verdict: "unknown",
      first: 'Step "write" calls "print" after another answer of a live call, so what it would answer is not known.',
      stoppedAt: { why: "before" },
    });
    expect(recalled.runs[0]?.verdict).toBe("same");
    expect(done).toEqual([]);
  });
});

describe("what is compared", () => {
  it("may be judged by a function, which sees what both runs decided", async () => {
    const recordings = await recordingsOf(4);
    planted = new Map();
    const { runs } = await whatIf(new Support("new"), recordings, {
      compare: (recorded, played) => {
        expect(played.decisions).toEqual(recorded.decisions);
        return recorded.result === "mailed" ? null : `${recorded.status} as ${played.result}`;
      },
    });

    expect(runs.map(({ first }) => first)).toEqual([
      null,
      expect.stringMatching(/^completed as receipt/),
      null,
      expect.stringMatching(/^completed as receipt/),
    ]);
  });

  it("is what is live, by name or function", async () => {
    const recordings = await recordingsOf(2);
    planted = new Map([[1, { category: "refund" }]]);
    const byKey = await whatIf(new Support("new"), recordings, { live: ["judge"] });
    const nothing = await whatIf(new Support("new"), recordings, { live: () => false });

    expect([byKey.other, byKey.played.calls]).toEqual([1, 1]);
    expect([nothing.same, nothing.played.calls]).toEqual([2, 0]);
  });

  it("does not depend on how long a live call takes", async () => {
    const recordings = await recordingsOf(1);
    [planted, answersAfterMs] = [new Map(), 150];
    const { runs } = await whatIf(new Support("new"), recordings, { timeoutTurns: 10 });
    answersAfterMs = 0;

    expect(runs).toMatchObject([{ verdict: "same" }]);
  });

  it("is what a model says in the end, which was busy at first", async () => {
    let tries = 0;
    const ask = () => {
      if (tries++ === 1) throw new Error("busy"); // the first one is of the run that is recorded
      return "refund";
    };
    const retry = retryPolicy({ wait: wait.fixed(20), stop: stop.afterAttempts(2) });
    const flow = defineWorkflow("ask")
      .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        return new StopEvent({ result: await ctx.run("ask", ask, { label: "model", retry }) });
      })
      .build();
    const { runtime } = testRuntime({ ask: flow });
    await runtime.run("ask", {});
    const { runs } = await whatIf(flow, { runtime, workflow: "ask" });
    await runtime.stop();

    expect([tries, runs]).toMatchObject([3, [{ verdict: "same", ended: true, played: { calls: 1 } }]]);
  });

  it("is nothing for a recording that cannot be read, which is unknown", async () => {
    const [recording] = await recordingsOf(1);
    const { runs, share } = await whatIf(new Support("new"), [{ ...recording, format: 2 } as never]);

    expect(runs).toMatchObject([{ runId: "t-1", verdict: "unknown", first: expect.stringContaining("format") }]);
    expect(share).toBe(0);
  });
});

it("leaves out the runs of a store that cannot be recorded, and takes the newest", async () => {
  const runtime = await ranBefore(5);
  planted = new Map();
  await runtime.fork("t-5", { at: 2, runId: "fork" });
  const runs = { runtime, workflow: "support", last: 3 };
  const report = await whatIf(new Support("new"), runs);
  await runtime.stop();

  expect(report.runs.map(({ runId }) => runId)).toEqual(["t-5", "t-4"]);
  expect(report.skipped).toEqual([{ runId: "fork", why: expect.stringContaining("is a fork") }]);
});

it("refuses options that are wrong, and replacements that replace nothing", async () => {
  const recordings = await recordingsOf(1);
  const wrong = { live: 7, unknown: "guess", compare: "text", models: "x" };

  await expect(whatIf(new Support("new"), recordings, wrong as never)).rejects.toMatchObject({
    code: "OPTION_INVALID",
    message: expect.stringMatching(/live.*unknown.*compare.*models|models/s),
  });
  await expect(whatIf(new Support("new"), { runtime: null, workflow: 7, last: 0 } as never)).rejects.toMatchObject({
    code: "OPTION_INVALID",
    message: expect.stringMatching(/workflow.*last/s),
  });
  await expect(whatIf(new Support("new"), recordings, { model: "gpt-6" })).rejects.toMatchObject({
    code: "OPTION_INVALID",
    details: { options: ["model"] },
  });
});
