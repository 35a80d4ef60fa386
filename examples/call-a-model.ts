// A model sorts a letter. With a key it is a real one: `OPENAI_API_KEY=… pnpm --filter ./examples call-a-model`
import {
  type Context,
  NonRetryableError,
  RetryAfterError,
  retryPolicy,
  StartEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  wait,
} from "millrace";
import * as z from "zod";

class Letter extends StartEvent.define("Letter", { text: z.string() }) {}
const Ticket = z.object({ topic: z.enum(["billing", "delivery", "other"]), isUrgent: z.boolean() });

const kept = '{ "topic": "delivery", "isUrgent": true }'; // the answer where there is no key

/** Asks any server that speaks the API of OpenAI. */
async function ask(prompt: string, signal: AbortSignal): Promise<string> {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: base = "https://api.openai.com/v1" } = process.env;
  if (!key) return kept;
  const response = await fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: process.env["OPENAI_MODEL"] ?? "gpt-5-mini",
      messages: [{ role: "user", content: prompt }],
      response_format: {
        type: "json_schema",
        json_schema: { name: "ticket", strict: true, schema: z.toJSONSchema(Ticket) },
      },
    }),
    signal,
  });
  if (response.ok) return (await response.json()).choices[0].message.content;
  const reason = `The model answered ${response.status}.`;
  const seconds = Number(response.headers.get("retry-after")) || 1;
  if (response.status === 429) throw new RetryAfterError(reason, seconds * 1000);
  if (response.status >= 500) throw new Error(reason);
  throw new NonRetryableError(reason); // a wrong key does not get better
}

class Inbox extends Workflow {
  constructor() {
    super({ limits: { model: { concurrent: 8, perMinute: 500 } } });
  }

  @step({
    on: Letter,
    emits: StopEvent,
    limit: "model",
    timeout: "1m",
    retry: retryPolicy({ wait: wait.exponentialJitter({ initial: "500ms", max: "20s" }), stop: stop.afterAttempts(4) }),
  })
  async sort({ text }: Letter, ctx: Context) {
    const ticket = await ctx.run("ask", async () =>
      Ticket.parse(JSON.parse(await ask(`Sort this letter:\n\n${text}`, ctx.signal))),
    );
    return new StopEvent({ result: ticket });
  }
}

const ticket = await new Inbox().run({ text: "Where is my parcel? The party is tomorrow!" });
console.log(ticket); // { topic: 'delivery', isUrgent: true }
