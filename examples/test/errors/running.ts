/** Codes of a run in memory: what its steps do, and what is sent to it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sendWebhook } from "@millrace/server/webhooks";
import {
  type Context,
  collect,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  type Receipt,
  resource,
  retryPolicy,
  StartEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  type WorkflowOptions,
  wait,
} from "millrace";
import * as z from "zod";
import { type Provocations, type Provoked, thrown } from "./provoked.js";

class Joke extends event("Joke", { text: z.string() }) {}
class Critique extends event("Critique", { text: z.string() }) {}
class Question extends InputRequiredEvent.define("Question", {}) {}
class Reply extends HumanResponseEvent.define("Reply", { approved: z.boolean().default(true) }) {}
class NewOrder extends StartEvent.define("NewOrder", { order: z.string() }) {}
class Refund extends StartEvent.define("Refund", { order: z.string(), euros: z.number().optional() }) {}
class Author {}
class Written extends event("Joke", { author: z.instanceof(Author) }) {}
class Row extends event("Row", { n: z.number() }) {}
class Reading extends ExternalEvent.define("Reading", {}) {}

type Act = (ctx: Context) => unknown;

/** One step, "work" unless another name is given, that does this. */
function inStep(act: Act, { name = "work", ...options }: WorkflowOptions & { name?: string } = {}) {
  return thrown(() => oneStep(act, name, options).run());
}

function oneStep(act: Act, name: string, options: WorkflowOptions = {}) {
  class One extends Workflow {
    run_ = step(
      { name, on: StartEvent, emits: StopEvent, waits: Reply, streams: Question },
      async (_ev, ctx: Context) => {
        await act(ctx);
        return new StopEvent();
      },
    );
  }
  return new One(options);
}

/** A run that has asked, and how to answer it. */
async function asked() {
  const handler = oneStep((ctx) => ctx.waitForEvent(Reply, { prompt: new Question({}) }), "ask").run();
  const outcome = await handler.idle();
  const promptId = outcome.status === "waiting" ? (outcome.prompts[0]?.promptId ?? "") : "";
  return { handler, promptId };
}

function refused(receipt: Receipt): Provoked {
  return receipt.status === "refused" ? { code: receipt.code, text: receipt.hint } : { code: "accepted", text: "" };
}

class JokeFlow extends Workflow {
  static override readonly name = "jokes";

  @step({ on: StartEvent, emits: [Joke, Critique] })
  write(ev: StartEvent, ctx: Context) {
    (ev.get("act") as Act | undefined)?.(ctx);
    return new Joke({ text: "short" });
  }

  @step({ on: Joke, emits: StopEvent })
  judge(ev: Joke) {
    return ev.text.length > 10 ? new StopEvent({ result: ev.text }) : null;
  }

  @step({ on: Critique })
  read() {}
}

/** The first step of {@link JokeFlow} does this. A function is no value: it is put there by the middleware. */
function writing(act: Act) {
  const flow = new JokeFlow();
  flow.use(async (call, next) => {
    if (call.step === "write") act(call.ctx as Context);
    return next();
  });
  return thrown(() => flow.run());
}

const isNothing = () => undefined;

export const running: Provocations = {
  ATTEMPT_ENDED: [
    async () => {
      let late: Context | undefined;
      await inStep((ctx) => void (late = ctx));
      return thrown(() => late?.writeEventToStream(new Question({})));
    },
  ],
  CHILD_FAILED: [
    () => {
      class Translate extends Workflow {
        @step({ on: StartEvent, emits: StopEvent })
        look(): StopEvent {
          throw new Error("The dictionary is offline.");
        }
      }
      class Trip extends Workflow {
        static children = { translate: Translate };

        @step({ on: StartEvent, emits: StopEvent })
        async speak(_ev: StartEvent, ctx: Context) {
          return new StopEvent({ result: await ctx.runChild(Translate, { word: "bread" }) });
        }
      }
      return thrown(() => new Trip().run());
    },
  ],
  EVENT_NOT_ACCEPTED: [() => writing((ctx) => ctx.sendEvent(new Critique({ text: "meh" }), { step: "judge" }))],
  EVENT_NOT_SENDABLE: [() => inStep((ctx) => ctx.sendEvent(new StopEvent({ result: 1 }) as never))],
  EVENT_UNDECLARED: [
    () => {
      class Undeclared extends Workflow {
        @step({ on: StartEvent, emits: Joke })
        write(_ev: StartEvent): Joke {
          return new Critique({ text: "meh" }) as never;
        }

        @step({ on: Joke, emits: StopEvent })
        judge() {
          return new StopEvent();
        }
      }
      return thrown(() => new Undeclared().run());
    },
  ],
  FAN_OUT_DIVERGED: [
    () => {
      let attempts = 0;
      class Rows extends Workflow {
        @step({
          on: StartEvent,
          emits: many(Row),
          retry: retryPolicy({ stop: stop.afterAttempts(2), wait: wait.fixed(0) }),
        })
        async *read() {
          attempts++;
          yield new Row({ n: attempts });
          if (attempts === 1) throw new Error("the connection broke");
        }

        @step({ on: collect(Row), emits: StopEvent })
        count(rows: readonly Row[]) {
          return new StopEvent({ result: rows.length });
        }
      }
      return thrown(() => new Rows().run());
    },
  ],
  INBOX_FULL: [
    async () => {
      class Patient extends Workflow {
        @step({ on: StartEvent, emits: StopEvent, waits: [Reply, Reading] })
        async wait(_ev: StartEvent, ctx: Context) {
          await ctx.waitForEvent(Reply);
          return new StopEvent();
        }
      }
      const handler = new Patient({ inboxSize: 1 }).run();
      await handler.sendEvent(new Reading({}));
      const receipt = await handler.sendEvent(new Reading({}));
      await handler.cancel();
      return refused(receipt);
    },
  ],
  CALL_INVALID: [
    () =>
      inStep(
        async (ctx) => {
          await ctx.run("charge", () => ctx.sleep("1m"));
        },
        { name: "pay" },
      ),
    () =>
      thrown(() =>
        oneStep(isNothing, "pay")
          .use((_, next) => next().then(next))
          .run(),
      ),
    async () => {
      let first: unknown = null;
      class Search extends Workflow {
        static children: Record<string, typeof Search> = {};

        @step({ on: StartEvent, emits: StopEvent })
        async halve(_ev: StartEvent, ctx: Context) {
          try {
            return new StopEvent({ result: await ctx.runChild("search") });
          } catch (error) {
            first ??= error;
            throw error;
          }
        }
      }
      Search.children["search"] = Search;
      await thrown(() => new Search().run());
      return thrown(() => Promise.reject(first));
    },
  ],
  CALL_TIMEOUT: [
    () =>
      inStep(
        async (ctx) => {
          await ctx.run("charge", () => new Promise((resolve) => setTimeout(resolve, 1_000)), { timeout: 10 });
        },
        { name: "pay" },
      ),
  ],
  KEY_REUSED: [
    () =>
      inStep(
        async (ctx) => {
          await ctx.run("charge", isNothing);
          await ctx.run("charge", isNothing);
        },
        { name: "pay" },
      ),
    () => inStep((ctx) => Promise.all([ctx.waitForEvent(Reply), ctx.waitForEvent(Reply)]), { name: "ask" }),
  ],
  PROMPT_CLOSED: [
    async () => {
      const { handler, promptId } = await asked();
      const both = [handler.answer(promptId, { approved: true }), handler.answer(promptId, { approved: true })];
      return refused((await Promise.all(both))[1] as Receipt);
    },
    async () => {
      const { handler, promptId } = await asked();
      await handler.answer(promptId, { approved: true });
      await handler;
      return refused(await handler.answer(promptId, { approved: true }));
    },
  ],
  RESOURCE_FAILED: [
    () => {
      const database = resource("database", (): object => {
        throw new Error("connection refused");
      });
      class Query extends Workflow {
        @step({ on: StartEvent, emits: StopEvent, resources: { database } })
        read() {
          return new StopEvent();
        }
      }
      return thrown(() => new Query().run());
    },
    () =>
      thrown(() => {
        const database = resource("database", () => ({}), {
          get resources(): never {
            return { cache } as never;
          },
        });
        const cache = resource("cache", () => ({}), { resources: { database } });
        class Reader extends Workflow {
          @step({ on: StartEvent, emits: StopEvent, resources: { database } })
          read() {
            return new StopEvent();
          }
        }
        new Reader();
      }),
  ],
  RUN_CANCELLED: [
    async () => {
      const { handler } = await asked();
      await handler.cancel("the user left");
      return thrown(() => handler);
    },
  ],
  RUN_FINISHED: [
    async () => {
      const { handler, promptId } = await asked();
      await handler.answer(promptId, { approved: true });
      await handler;
      return refused(await handler.sendEvent(new Reply({})));
    },
    async () => {
      const flow = oneStep(isNothing, "work");
      const handler = flow.run();
      await handler;
      return thrown(() => flow.resume(handler.context));
    },
  ],
  RUN_LIVE: [
    async () => {
      const { handler } = await asked();
      return thrown(() => oneStep(isNothing, "ask").resume(handler.context as never));
    },
    async () => {
      const flow = oneStep((ctx) => ctx.sleep("1h"), "nap", { name: "digest" });
      const first = flow.run({}, { runId: "nightly" });
      const code = await thrown(() => flow.run({}, { runId: "nightly" }));
      await first.cancel();
      return code;
    },
  ],
  RUN_NOT_RETRYABLE: [
    async () => {
      const flow = oneStep(isNothing, "work");
      const handler = flow.run();
      await handler;
      return thrown(() => flow.retry(handler.context));
    },
  ],
  RUN_STUCK: [() => thrown(() => new JokeFlow().run())],
  RUN_TIMED_OUT: [
    () => inStep(() => new Promise((resolve) => setTimeout(resolve, 60)), { timeout: 20, name: "write" } as never),
  ],
  START_AMBIGUOUS: [
    () => thrown(() => new Orders().run({ oder: "A-17" } as never)),
    () => thrown(() => new Orders().run({ order: "A-17" } as never)),
  ],
  STATE_INVALID: [
    () => {
      class Counter extends Workflow.withState({ count: z.number().default(0) }) {
        @step({ on: StartEvent, emits: StopEvent })
        async count(_ev: StartEvent, ctx: Context<{ count: number }>) {
          await ctx.store.set("count", "two" as never);
          return new StopEvent();
        }
      }
      return thrown(() => new Counter().run());
    },
  ],
  STATE_LOCKED: [
    () =>
      inStep((ctx) =>
        ctx.store.editState(async () => {
          await ctx.store.set("name", "Ada");
        }),
      ),
  ],
  OPTION_INVALID: [
    () =>
      inStep(async (ctx) => {
        await ctx.store.set("count", 1);
        await ctx.store.set("count.total", 1);
      }),
    () => {
      class Chapter extends Workflow.withState({ words: z.number().default(0) }) {
        static override readonly name = "chapter";

        @step({ on: StartEvent, emits: StopEvent })
        write() {
          return new StopEvent();
        }
      }
      class Book extends Workflow.withState({ words: z.number().default(0) }) {
        static override readonly name = "book";
        static children = { chapter: Chapter };

        @step({ on: StartEvent, emits: StopEvent })
        async write(_ev: StartEvent, ctx: Context<{ words: number }>) {
          await ctx.runChild(Chapter, {}, { store: "shared" });
          return new StopEvent();
        }
      }
      return thrown(() => new Book().run());
    },
    () => {
      class Translate extends JokeFlow {}
      class Trip extends Workflow {
        static override readonly name = "trip";

        @step({ on: StartEvent, emits: StopEvent })
        async speak(_ev: StartEvent, ctx: Context) {
          return new StopEvent({ result: await ctx.runChild(Translate, { word: "bread" }) });
        }
      }
      return thrown(() => new Trip().run());
    },
  ],
  STEP_RESULT_INVALID: [
    () => {
      class Numbers extends Workflow {
        @step({ on: StartEvent, emits: StopEvent })
        judge(_ev: StartEvent): StopEvent {
          return 7 as never;
        }
      }
      return thrown(() => new Numbers().run());
    },
    () => {
      class Rows extends Workflow {
        @step({ on: StartEvent, emits: many(Row) })
        split() {
          return new Array<Row>(10_000_001).fill(new Row({ n: 0 }));
        }

        @step({ on: collect(Row), emits: StopEvent })
        count(rows: readonly Row[]) {
          return new StopEvent({ result: rows.length });
        }
      }
      return thrown(() => new Rows().run());
    },
  ],
  STEP_TIMEOUT: [
    () => {
      class Slow extends Workflow {
        @step({ on: StartEvent, emits: StopEvent, timeout: 10 })
        async write() {
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          return new StopEvent();
        }
      }
      return thrown(() => new Slow().run());
    },
  ],
  STEP_UNKNOWN: [() => writing((ctx) => ctx.sendEvent(new Joke({ text: "…" }), { step: "jugde" }))],
  STREAM_TRUNCATED: [
    async () => {
      const flow = oneStep(
        async (ctx) => {
          for (let shown = 0; shown < 20; shown++) ctx.writeEventToStream(new Question({}));
        },
        "show",
        { streamBuffer: 2 },
      );
      const handler = flow.run();
      await handler;
      return thrown(async () => {
        for await (const _event of handler.streamEvents({ after: 1 }));
      });
    },
  ],
  VALUE_UNSERIALIZABLE: [
    async () => {
      class Authors extends Workflow {
        @step({ on: StartEvent, emits: Written })
        write() {
          return new Written({ author: new Author() });
        }

        @step({ on: Written, emits: StopEvent })
        async judge(_ev: Written, ctx: Context) {
          return new StopEvent({ result: ctx.toDict() });
        }
      }
      return thrown(() => new Authors().run());
    },
  ],
  WEBHOOK_FAILED: [
    async () => {
      const receiver = createServer((_request, response) => void response.writeHead(401).end());
      await new Promise<void>((resolve) => void receiver.listen(0, "127.0.0.1", resolve));
      const { port } = receiver.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/hooks`;
      const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
      try {
        return await inStep((ctx) => sendWebhook(ctx, { url, secrets, type: "order.paid", data: { order: 7 } }));
      } finally {
        receiver.close();
      }
    },
  ],
  WAIT_TIMED_OUT: [() => inStep((ctx) => ctx.waitForEvent(Reply, { timeout: 10 }), { name: "ask" })],
};

class Orders extends Workflow {
  static override readonly name = "orders";

  @step({ on: [NewOrder, Refund], emits: StopEvent })
  take() {
    return new StopEvent();
  }
}
