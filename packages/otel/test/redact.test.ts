/** What of an error leaves the process with its spans. */
import { Agent, tool } from "@millrace/agents";
import { Pipeline, Step } from "@millrace/pipeline";
import { diag } from "@opentelemetry/api";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { defineWorkflow, NonRetryableError, StartEvent, StopEvent } from "millrace";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { type Redact, type TelemetryOptions, telemetry } from "../src/index.js";
import { openSdk, type SpanWithErrors } from "./support/sdk.js";

const number = "4111111111111111";
const secret = `card ${number}`;
const redact: Redact = ({ message }) => ({ message: message.replaceAll(/\d{12,}/g, "…") });
const failing = ["effect pay", "run paying", "step pay"];

/** The spans that failed, of a run whose effect throws `thrown`. */
async function failedSpans(options: TelemetryOptions, thrown: unknown): Promise<SpanWithErrors[]> {
  const sdk = openSdk(options);
  const flow = defineWorkflow("paying")
    .step("pay", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
      await ctx.run("pay", () => Promise.reject(thrown));
      return new StopEvent({ result: null });
    })
    .build()
    .use(sdk.telemetry);
  await Promise.allSettled([flow.run()]);
  return (await sdk.spans()).filter(({ hasFailed }) => hasFailed).sort((a, b) => a.name.localeCompare(b.name));
}

describe("the spans of a run that fails", () => {
  it("carry messages and stacks as they are without a redactor", async () => {
    const spans = await failedSpans({}, new NonRetryableError(`The ${secret} was refused.`));

    expect(spans.map(({ name }) => name)).toEqual(failing);
    for (const { errorTexts } of spans) {
      expect(errorTexts[0]).toContain(secret);
      expect(errorTexts.at(-1)).toContain(import.meta.filename);
    }
  });

  it.each([
    ["an error", new NonRetryableError(`The ${secret} was refused.`)],
    ["a text", `The ${secret} was refused.`],
    ["an error with a code", Object.assign(new NonRetryableError(secret), { code: secret.slice(0, 4) })],
  ])("carry only what the redactor leaves of %s, and its type", async (_, thrown) => {
    const spans = await failedSpans({ redact }, thrown);

    expect(spans.map(({ name }) => name)).toEqual(failing);
    expect(JSON.stringify(spans)).not.toContain(number);
    expect(JSON.stringify(spans)).not.toContain(import.meta.filename);
    for (const { attributes, errorTexts } of spans) {
      expect(errorTexts[0]).toContain("card …");
      expect(attributes["error.type"]).toEqual(expect.any(String));
    }
  });

  it.each<[string, Redact]>([
    ["throws", () => expect.fail("It is broken.")],
    ["returns nothing", (() => undefined) as never],
    ["returns a text", (() => "text") as never],
  ])("carry no text of an error whose redactor %s", async (_, broken) => {
    vi.spyOn(diag, "error").mockReturnValue();

    const spans = await failedSpans({ redact: broken }, new NonRetryableError(secret));

    expect(spans.map(({ name }) => name)).toEqual(failing);
    expect(JSON.stringify(spans)).not.toContain(secret);
    expect(spans.map(({ attributes }) => attributes["error.type"])).toEqual(
      expect.arrayContaining(["NonRetryableError"]),
    );
  });
});

it("asks the redactor for errors of agents, their models and their tools, too", async () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  };
  let calls = 0;
  const model = new MockLanguageModelV4({
    doStream: async () => {
      if (calls++ > 0) throw new Error(`The model knows ${secret}.`);
      const chunks = [
        { type: "stream-start" as const, warnings: [] },
        { type: "tool-call" as const, toolCallId: "1", toolName: "pay", input: "{}" },
        { type: "finish" as const, finishReason: { unified: "tool-calls" as const, raw: "tool-calls" }, usage },
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
  const pay = tool({
    name: "pay",
    description: "Pays.",
    parameters: z.object({}),
    execute: () => Promise.reject(new Error(`The tool knows ${secret}.`)),
  });
  const sdk = openSdk({ redact });
  onTestFinished(() => {
    const shared = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: unknown; MILLRACE_AGENT_OBSERVERS?: unknown };
    delete shared.AI_SDK_TELEMETRY_INTEGRATIONS;
    delete shared.MILLRACE_AGENT_OBSERVERS;
  });
  const clerk = new Agent({ name: "clerk", model, maxRetries: 0, tools: [pay] });
  const shop = new Pipeline({ name: "shop", steps: [new Step({ name: "ask", executor: clerk, maxRetries: 0 })] });
  shop.workflow.use(sdk.telemetry);

  await Promise.allSettled([shop.run("go")]);

  const spans = (await sdk.spans()).filter(({ hasFailed }) => hasFailed);
  expect(spans.map(({ name }) => name.split(" ")[0])).toEqual(expect.arrayContaining(["chat", "invoke_agent"]));
  expect(JSON.stringify(spans)).not.toContain(number);
});

it("refuses a redactor that is no function", () => {
  expect(() => telemetry({ redact: true as never })).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
});
