/** Recorded runs, played with the same code and with code that takes another way. */
import {
  type Context,
  collect,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  StartEvent,
  StopEvent,
  step,
  Workflow,
  type WorkflowError,
} from "millrace";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type RunRecording, recordRun, replayRun, testRuntime } from "../src/index.js";

class Refund extends StartEvent.define("Refund", { order: z.string(), email: z.string(), euros: z.number() }) {}
class Checked extends event("Checked", { risk: z.number(), at: z.date() }) {}
class Approve extends InputRequiredEvent.define("Approve", { euros: z.number() }) {}
class Approval extends HumanResponseEvent.define("Approval", { approved: z.boolean() }) {}
const State = z.object({ paid: z.array(z.string()).default([]), notes: z.record(z.string(), z.number()).default({}) });

/** Calls that really happened. */
let made: string[] = [];
const call = <Result>(name: string, result: Result): Result => {
  made.push(name);
  return result;
};

interface Change {
  readonly limit?: number;
  readonly extraCall?: boolean;
  readonly skipMail?: boolean;
  readonly text?: string;
}

function refundFlow({ limit = 50, extraCall = false, skipMail = false, text = "paid" }: Change = {}) {
  class RefundFlow extends Workflow.withState(State) {
    @step({ on: Refund, emits: Checked })
    async check({ order }: Refund, ctx: Context<z.output<typeof State>>) {
      const risk = await ctx.run("risk", () => call("risk", order.length), { label: "model" });
      if (extraCall) await ctx.run("credit", () => call("credit", 1));
      return new Checked({ risk, at: new Date() });
    }

    @step({ on: Checked, emits: StopEvent, waits: Approval, streams: Approve })
    async pay({ risk }: Checked, ctx: Context<z.output<typeof State>>) {
      const { approved } =
        risk < limit ? await ctx.waitForEvent(Approval, { prompt: new Approve({ euros: 80 }) }) : { approved: true };
      if (!approved) return new StopEvent({ result: "refused" });
      const receipt = await ctx.run("pay", (effect) => {
        const id = call("pay", "receipt-1");
        return effect.finish((state) => {
          state.paid.push(id);
          state.notes[id] = risk;
          return id;
        });
      });
      const mailed = await ctx
        .run("mail", () => {
          call("mail", "");
          throw new Error("the mail server is away");
        })
        .catch((error: Error) => error.message);
      if (skipMail) return new StopEvent({ result: `${text} ${receipt}` });
      await ctx.sleep("3d");
      return new StopEvent({ result: `${text} ${receipt}, ${mailed}, ${(await ctx.store.getState()).paid.length}` });
    }
  }
  return new RefundFlow();
}

/** A run of a runtime that drops it from memory wherever it waits, recorded once it has ended. */
async function recorded(
  workflow: Workflow,
  input: object,
  { redact = [], approved = true }: { readonly redact?: readonly string[]; readonly approved?: boolean } = {},
): Promise<RunRecording> {
  made = [];
  const { runtime, clock } = testRuntime({ flow: workflow });
  const handle = runtime.run("flow", input as never, { runId: "r-1" });
  for (let outcome = await handle.idle(); outcome.status === "waiting"; outcome = await handle.idle()) {
    const [prompt] = outcome.prompts;
    if (prompt === undefined) await clock.advance("4d");
    else await handle.answer(prompt.promptId, { approved });
  }
  const recording = await recordRun(runtime, "r-1", { redact });
  await runtime.stop();
  made = [];
  return JSON.parse(JSON.stringify(recording));
}

const input = { order: "A-17", email: "ada@example.org", euros: 80 };
const diverged = async (workflow: Workflow, recording: RunRecording): Promise<WorkflowError> => {
  const error = await replayRun(workflow, recording, { ignore: ["at"] }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "REPLAY_DIVERGED" });
  return error as WorkflowError;
};

describe("a run that is played again", () => {
  it("ends as it did, with no call made and no time spent", async () => {
    const recording = await recorded(refundFlow(), input);
    const { outcome, result, events, differences, calls } = await replayRun(refundFlow(), recording, {
      ignore: ["at"],
    });

    expect(made).toEqual([]);
    expect(outcome.status).toBe("completed");
    expect(result).toBe("paid receipt-1, the mail server is away, 1");
    expect(events.map(({ type }) => type)).toEqual(["Approve", "StopEvent"]);
    expect(differences).toEqual([]);
    expect(calls).toEqual({ recorded: 3, live: 0 });
  });

  it("ends as it did where a person has refused", async () => {
    const recording = await recorded(refundFlow(), input, { approved: false });

    expect((await replayRun(refundFlow(), recording, { ignore: ["at"] })).result).toBe("refused");
  });

  it("compares fields that are not left out", async () => {
    const recording = await recorded(refundFlow(), input);
    const error = await replayRun(refundFlow(), recording).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "REPLAY_DIVERGED", message: expect.stringContaining("at: Date(") });
  });

  it("makes the calls that are to be live, by key or label", async () => {
    const recording = await recorded(refundFlow(), input);
    const options = { ignore: ["at"], allowDifferences: true };

    const byLabel = await replayRun(refundFlow(), recording, { ...options, live: ["model"] });
    expect(made).toEqual(["risk"]);
    expect(byLabel).toMatchObject({ differences: [], calls: { recorded: 2, live: 1 } });
    made = [];
    const byFunction = await replayRun(refundFlow({ limit: 1 }), recording, {
      ...options,
      live: ({ step, key, label }) => step === "check" && key === "risk" && label === "model",
    });
    expect(made).toEqual(["risk"]);
    expect(byFunction.differences).toMatchObject([
      { kind: "answer", text: "Approve was not asked; in the recorded run it was answered." },
    ]);
  });
});

describe("questions of `ctx.ask`, and events from outside", () => {
  class Ping extends ExternalEvent.define("Ping", { count: z.number() }) {}
  class Asking extends Workflow {
    @step({ on: StartEvent, emits: StopEvent, waits: Ping })
    async ask(_ev: StartEvent, ctx: Context) {
      const schema = { approved: z.boolean() };
      const { approved } = await ctx.ask({ title: "Go on?", schema });
      const { count } = await ctx.waitForEvent(Ping);
      return new StopEvent({ result: { approved, count } });
    }
  }

  it("come again, in their order", async () => {
    const { runtime } = testRuntime({ flow: new Asking() });
    const handle = runtime.run("flow", {}, { runId: "r-1" });
    const asking = await handle.idle();
    await handle.answer(asking.status === "waiting" ? (asking.prompts[0]?.promptId ?? "") : "", { approved: true });
    await handle.idle();
    await handle.sendEvent(new Ping({ count: 7 }));
    await handle.idle();
    const recording = await recordRun(runtime, "r-1");
    await runtime.stop();

    expect((await replayRun(new Asking(), recording)).result).toEqual({ approved: true, count: 7 });
  });
});

describe("code that takes another way", () => {
  it("is found by the first call that the run did not make", async () => {
    const recording = await recorded(refundFlow(), input);
    const error = await diverged(refundFlow({ extraCall: true }), recording);

    expect(error.message).toContain(
      'than in the run "r-1": Step "check" calls "credit", which the recorded run did not. It called "risk".',
    );
    expect(made).toEqual([]);
  });

  it("is found by a result", async () => {
    const recording = await recorded(refundFlow(), input);
    const { message } = await diverged(refundFlow({ text: "sent" }), recording);

    expect(message).toContain('Step "pay" came to another result:');
    expect(message).toContain('-   result: "paid receipt-1, the mail server is away, 1"');
    expect(message).toContain('+   result: "sent receipt-1, the mail server is away, 1"');
  });

  it("is found by a person who is not asked", async () => {
    const recording = await recorded(refundFlow(), input);
    const { details } = await diverged(refundFlow({ limit: 1 }), recording);

    expect(details["differences"]).toMatchObject([{ kind: "answer", step: null }]);
  });

  it("is found by another input of a step", async () => {
    const recording = await recorded(refundFlow(), input);
    const text = JSON.stringify(recording).replaceAll('"risk":4', '"risk":5');
    const { message } = await diverged(refundFlow(), JSON.parse(text));

    expect(message).toMatch(/Step "(check|pay)" (came to another result|got another input)/);
  });
});

describe("fan-outs and children", () => {
  class Line extends event("Line", { text: z.string() }) {}
  class Counted extends event("Counted", { words: z.number() }) {}

  class Child extends Workflow {
    @step({ on: StartEvent, emits: StopEvent })
    async ask(ev: StartEvent, ctx: Context) {
      return new StopEvent({
        result: await ctx.run("upper", () => call("upper", String(ev.get("text")).toUpperCase())),
      });
    }
  }

  class Lines extends Workflow {
    static children = { child: Child };
    readonly suffix: string = "";

    @step({ on: StartEvent, emits: many(Line) })
    async split() {
      return ["a b", "c", "a b"].map((text) => new Line({ text }));
    }

    @step({ on: Line, emits: Counted, workers: 2 })
    async count({ text }: Line, ctx: Context) {
      const upper = await ctx.runChild("child", { text });
      const words = await ctx.scope("words").run("count", () => call("count", text.split(" ").length));
      return new Counted({ words: words + String(upper).length });
    }

    @step({ on: collect(Counted), emits: StopEvent })
    async sum(all: readonly Counted[]) {
      return new StopEvent({ result: `${all.map(({ words }) => words).join("+")}${this.suffix}` });
    }
  }
  class OtherLines extends Lines {
    override readonly suffix = "!";
  }

  it("are matched with their records by step and input, calls of children and scopes too", async () => {
    const recording = await recorded(new Lines(), {});
    const { result, calls } = await replayRun(new Lines(), recording);

    expect(made).toEqual([]);
    expect(result).toBe("5+2+5");
    expect(calls.recorded).toBe(6);
    expect((await diverged(new OtherLines(), recording)).message).toContain('Step "sum" came to another result');
  });
});

describe("a recording", () => {
  it("has none of the texts that are to be hidden, and plays as before", async () => {
    class Greeting extends Workflow {
      @step({ on: Refund, emits: StopEvent })
      async greet({ email, order }: Refund, ctx: Context) {
        const mail = await ctx.run("mail", () => `to ${email}`);
        return new StopEvent({ result: { mail, order, email } });
      }
    }
    const recording = await recorded(new Greeting(), input, { redact: ["email"] });

    expect(JSON.stringify(recording)).not.toContain("ada@");
    expect((await replayRun(new Greeting(), recording)).result).toEqual({
      mail: "to redacted-1",
      order: "A-17",
      email: "redacted-1",
    });
  });

  it.each(["run", "Refund", "StopEvent", "value", "add", "effect.recorded", "json", "ada@example.org"])(
    "plays as before where the hidden text is %j, which may be a word of the recording itself",
    async (email) => {
      class Greeting extends Workflow {
        @step({ on: Refund, emits: StopEvent })
        async greet({ email, order }: Refund, ctx: Context) {
          const sent = await ctx.scope("mails").run(`mail ${email}`, () => ({ type: email, to: [email] }));
          await ctx.store.set("address", email);
          return new StopEvent({ result: { sent, order, status: email, text: `to ${email}!` } });
        }
      }
      const recording = await recorded(new Greeting(), { ...input, email }, { redact: ["email"] });

      expect((await replayRun(new Greeting(), recording)).result).toEqual({
        sent: { type: "redacted-1", to: ["redacted-1"] },
        order: "A-17",
        status: "redacted-1",
        text: "to redacted-1!",
      });
    },
  );

  it("is made of a run that has ended, and of no fork", async () => {
    const { runtime } = testRuntime({ flow: refundFlow() });
    const handle = runtime.run("flow", input, { runId: "r-1" });
    await handle.idle();

    await expect(recordRun(runtime, "r-1")).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: { runId: "r-1" },
    });
    await expect(recordRun(runtime, "r-2")).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
    await handle.cancel("enough");
    const fork = runtime.fork("r-1", { at: 2, runId: "r-2" });
    await fork.idle();
    await fork.cancel("enough");
    await expect(recordRun(runtime, "r-2")).rejects.toMatchObject({
      message: 'The run "r-2" cannot be recorded: it is a fork.',
    });
    await runtime.stop();
  });

  it("that cannot be read is refused", async () => {
    const recording = await recorded(refundFlow(), input);
    const wrong = [
      {},
      { ...recording, format: 2 },
      { ...recording, ticks: recording.ticks.slice(1) },
      { ...recording, ticks: [...recording.ticks, { runId: "r-1", tick: { type: "step.done", atMs: 1 } }] },
      { ...recording, ticks: [{ runId: "elsewhere", tick: recording.ticks[0]?.tick }] },
    ];

    for (const one of wrong)
      await expect(replayRun(refundFlow(), one as never)).rejects.toMatchObject({ code: "RECORDING_INVALID" });
    await expect(replayRun(refundFlow(), recording, { lives: [] } as never)).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
  });
});
