/** The recipe for AWS Lambda, as the documentation writes it, with events as AWS sends them. */
import { beforeAll, describe, expect, it } from "vitest";
import { documented } from "./test/documented.js";

type Handler = (event: object) => Promise<{
  readonly statusCode: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}>;

let handler: Handler;

beforeAll(async () => {
  ({ handler } = await documented<{ handler: Handler }>("how-to/serverless.md", "In AWS Lambda"));
});

/** @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html */
const functionUrl = {
  version: "2.0",
  routeKey: "$default",
  rawPath: "/",
  rawQueryString: "",
  headers: {
    "x-amzn-trace-id": "Root=1-67a9c3f5-1a2b3c4d5e6f708192a3b4c5",
    "x-forwarded-proto": "https",
    "x-forwarded-port": "443",
    "x-forwarded-for": "203.0.113.7",
    host: "abcdefghij.lambda-url.eu-central-1.on.aws",
    "content-type": "application/json",
    accept: "*/*",
    "user-agent": "curl/8.5.0",
  },
  requestContext: {
    accountId: "anonymous",
    apiId: "abcdefghij",
    domainName: "abcdefghij.lambda-url.eu-central-1.on.aws",
    domainPrefix: "abcdefghij",
    http: { method: "POST", path: "/", protocol: "HTTP/1.1", sourceIp: "203.0.113.7", userAgent: "curl/8.5.0" },
    requestId: "5c1f6e5e-0f0f-4d5a-9a46-9b5f3a1f2b6c",
    routeKey: "$default",
    stage: "$default",
    time: "10/Feb/2026:09:20:37 +0000",
    timeEpoch: 1770715237123,
    authentication: null,
    authorizer: {},
  },
  isBase64Encoded: false,
};

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html */
const httpApi = {
  ...functionUrl,
  routeKey: "ANY /{proxy+}",
  rawPath: "/prod/greet",
  cookies: ["session=abc", "theme=dark"],
  pathParameters: { proxy: "greet" },
  stageVariables: { stage: "prod" },
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/ref/events-structure.html */
const scheduled = {
  version: "0",
  id: "53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa",
  "detail-type": "Scheduled Event",
  source: "aws.events",
  account: "123456789012",
  time: "2026-02-10T09:20:37Z",
  region: "eu-central-1",
  resources: ["arn:aws:events:eu-central-1:123456789012:rule/due"],
  detail: {},
};

const asked = (event: typeof functionUrl, method: string, more: object = {}): object => ({
  ...event,
  requestContext: { ...event.requestContext, http: { ...event.requestContext.http, method } },
  ...more,
});

describe("a Lambda", () => {
  it.each([
    ["a function URL", functionUrl],
    ["an HTTP API", httpApi],
  ])("behind %s starts a run, and says where it stands", async (_name, event) => {
    const text = JSON.stringify({ kwargs: { name: "Zoë" } });
    const base64 = Buffer.from(text).toString("base64");

    const asText = await handler({ ...event, body: text });
    const asBase64 = await handler({ ...event, body: base64, isBase64Encoded: true });

    for (const { statusCode, headers, body } of [asText, asBase64]) {
      const { handler_id: id, result } = JSON.parse(body);
      expect({ statusCode, type: headers["content-type"] }).toEqual({
        statusCode: 200,
        type: "application/json; charset=utf-8",
      });
      expect(result.value.result).toBe("Hello Zoë");
      const look = await handler(asked(event, "GET", { rawQueryString: `handler_id=${encodeURIComponent(id)}` }));
      expect(JSON.parse(look.body)).toMatchObject({ handler_id: id, status: "completed" });
    }
  });

  it("answers what is wrong, and does not fail", async () => {
    expect(await handler({ ...functionUrl, body: "{" })).toMatchObject({ statusCode: 400 });
    expect(await handler(asked(functionUrl, "GET", { body: "{}" }))).toMatchObject({ statusCode: 400 });
    expect(await handler(asked(functionUrl, "DELETE"))).toMatchObject({
      statusCode: 405,
      headers: { allow: "GET, POST" },
    });
    expect(await handler(asked(functionUrl, "HEAD"))).toMatchObject({ statusCode: 405 });
  });

  it("takes a body that was left out for an empty one", async () => {
    expect(await handler(functionUrl)).toMatchObject({ statusCode: 200 });
  });

  it("takes up what is due when a schedule asks", async () => {
    expect(await handler(scheduled)).toEqual({ taken: 0, wakeAtMs: null });
  });
});
