import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { runExample } from "./test/run-example.js";

interface Asked {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** Speaks the API of OpenAI: gives each answer once, and the last one from then on. */
async function modelThatGives(...answers: readonly [status: number, content: string][]) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const [status, content] = answers[Math.min(asked.length, answers.length - 1)] ?? [500, ""];
    asked.push({ url: request.url, headers: request.headers, body: await json(request) });
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(status === 200 ? { choices: [{ message: { content } }] } : { error: {} }));
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { asked, env: { OPENAI_API_KEY: "key-1", OPENAI_BASE_URL: base, OPENAI_MODEL: "small" } };
}

const good = '{ "topic": "billing", "isUrgent": false }';

describe("call-a-model", () => {
  it("gives the answer that it keeps where there is no key", async () => {
    const { output } = await runExample("call-a-model.ts", { env: { OPENAI_API_KEY: "" } });

    expect(output).toBe("{ topic: 'delivery', isUrgent: true }\n");
  });

  it("asks the model with the key and the schema", async () => {
    const { asked, env } = await modelThatGives([200, good]);

    const { output } = await runExample("call-a-model.ts", { env });

    expect(output).toBe("{ topic: 'billing', isUrgent: false }\n");
    expect(asked).toMatchObject([
      {
        url: "/v1/chat/completions",
        headers: { authorization: "Bearer key-1" },
        body: {
          model: "small",
          messages: [{ role: "user", content: expect.stringContaining("Where is my parcel?") }],
          response_format: {
            json_schema: { schema: { required: ["topic", "isUrgent"], additionalProperties: false } },
          },
        },
      },
    ]);
  });

  it.each([
    ["busy", 429, ""],
    ["broken", 503, ""],
    ["inventive", 200, '{ "topic": "love" }'],
  ])("asks again while the model is %s", async (_how, status, content) => {
    const { asked, env } = await modelThatGives([status, content], [200, good]);

    const { output } = await runExample("call-a-model.ts", { env });

    expect(output).toBe("{ topic: 'billing', isUrgent: false }\n");
    expect(asked).toHaveLength(2);
  });

  it("does not ask again with a wrong key", async () => {
    const { asked, env } = await modelThatGives([401, ""]);

    const { exitCode, errors } = await runExample("call-a-model.ts", { env });

    expect(exitCode).toBe(1);
    expect(errors).toContain("The model answered 401.");
    expect(asked).toHaveLength(1);
  });
});
