/** The app behind the adapters of other platforms. */
import { once } from "node:events";
import { createServer as createNodeServer, type Server as NodeServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import { handle, type LambdaEvent } from "hono/aws-lambda";
import { createRuntime, memoryStore, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { bearerAuth, createHandler, createServer, type Handler, type ServerOptions } from "../src/index.js";
import { workflows } from "./child/workflows.js";

function open(options: Partial<ServerOptions> = {}) {
  const runtime = createRuntime({ workflows }) as unknown as Runtime;
  onTestFinished(() => runtime.stop());
  return createServer({ runtime, ...options });
}

const body = JSON.stringify({ start_event: { left: 1 } });
const headers = { "content-type": "application/json" };
const done = { status: "completed", result: { value: { sum: 2 } } };

describe("the app runs", () => {
  it("as a fetch handler, as in Bun, Deno, Workers and Next", async () => {
    const { fetch } = open({ basePath: "/api" });
    const request = new Request("https://x.org/api/workflows/add/run", { method: "POST", headers, body });

    expect(await (await fetch(request, { params: { path: ["workflows"] } } as never)).json()).toMatchObject(done);
  });

  it("in another Hono app", async () => {
    const parent = new Hono().mount("/flows", open().fetch);
    const request = new Request("https://x.org/flows/workflows/add/run", { method: "POST", headers, body });

    expect(await (await parent.fetch(request)).json()).toMatchObject(done);
  });

  it("in AWS Lambda, behind a function URL or an HTTP API", async () => {
    const lambda = handle(open({ basePath: "/prod" }));
    const asText = await lambda(lambdaEvent({ body }));
    const asBase64 = await lambda(lambdaEvent({ body: Buffer.from(body).toString("base64"), isBase64Encoded: true }));
    const wrong = await lambda(lambdaEvent({ body: "{" }));

    for (const answer of [asText, asBase64]) {
      expect(answer).toMatchObject({ statusCode: 200, isBase64Encoded: false });
      expect(JSON.parse((answer as { body: string }).body)).toMatchObject(done);
    }
    expect(wrong).toMatchObject({ statusCode: 400, body: expect.stringContaining("BODY_INVALID") });
  });

  it("as one function in AWS Lambda, behind a REST API or a load balancer", async () => {
    const answer = createHandler(workflows.add, { store: memoryStore() });
    const lambda = handle(new Hono().all("*", (context) => answer(context.req.raw)));
    const stage = { stage: "prod", identity: { sourceIp: "203.0.113.7" }, domainName: "x.example", requestId: "1" };
    const rest = { headers, queryStringParameters: {}, isBase64Encoded: false, body };
    const multiValueHeaders = { "content-type": ["application/json"] };
    const restApi = {
      ...rest,
      version: "1.0",
      path: "/add",
      httpMethod: "POST",
      requestContext: stage,
      multiValueHeaders,
    };
    const elb = { targetGroupArn: "arn:aws:elasticloadbalancing:eu-central-1:1:targetgroup/x/y" };
    const balancer = { ...rest, path: "/add", httpMethod: "POST", requestContext: { elb } };

    for (const event of [restApi, balancer]) {
      const sent = await lambda(event as unknown as LambdaEvent);
      expect(sent).toMatchObject({ statusCode: 200 });
      expect(JSON.parse((sent as { body: string }).body)).toMatchObject(done);
    }
  });

  it("in AWS Lambda, with who asks and what is to be found", async () => {
    const auth = bearerAuth({ tokens: [{ token: "secret", tenant: "acme" }] });
    const lambda = handle(open({ basePath: "/prod", auth }));
    const list = { rawPath: "/prod/handlers", rawQueryString: "status=completed&status=failed", body: undefined };
    const get = { requestContext: { ...payload.requestContext, http: { ...http, method: "GET", path: list.rawPath } } };
    const withToken = { headers: { ...payload.headers, authorization: "Bearer secret" } };
    await lambda(lambdaEvent({ body, ...withToken }));
    const found = (await lambda(lambdaEvent({ ...list, ...get, ...withToken }))) as { body: string };

    expect(await lambda(lambdaEvent({ ...list, ...get }))).toMatchObject({ statusCode: 401 });
    expect(JSON.parse(found.body)).toMatchObject({ handlers: [{ workflow_name: "add", status: "completed" }] });
  });

  it("in Express, beside routes of its own", async () => {
    const app = express();
    app.get("/own", (_request, response) => void response.send("own"));
    app.use(getRequestListener(open({ basePath: "/api" }).fetch));

    await tryOut(await listening(createNodeServer(app)), "/api");
    expect(await (await fetch(`${await listening(createNodeServer(app))}/own`)).text()).toBe("own");
  });

  it("in Fastify, beside routes of its own", async () => {
    const listener = getRequestListener(open({ basePath: "/api" }).fetch);
    const app = fastify();
    await app.register(async (flows) => {
      flows.removeAllContentTypeParsers();
      flows.addContentTypeParser("*", (_request, _payload, take) => take(null)); // bodies are read by the app
      flows.all("/api/*", (request, reply) => {
        reply.hijack();
        void listener(request.raw, reply.raw);
      });
    });
    app.post("/own", async (request) => request.body);
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => app.close());

    await tryOut(url, "/api");
    const own = await fetch(`${url}/own`, { method: "POST", headers, body });
    expect(await own.json()).toEqual(JSON.parse(body));
  });

  it("as a listener of Node", async () => {
    await tryOut(await listening(createNodeServer(getRequestListener(open().fetch))), "");
  });
});

/** A run and its answer, a refusal, and a stream that is read to its end, over real HTTP. */
async function tryOut(url: string, basePath: string): Promise<void> {
  const post = (path: string, text: string) =>
    fetch(`${url}${basePath}${path}`, { method: "POST", headers, body: text });
  expect(await (await post("/workflows/add/run", body)).json()).toMatchObject(done);
  expect((await post("/workflows/add/run", "{")).status).toBe(400);
  const started = (await (await post("/workflows/refund/run", "{}")).json()) as Handler;
  const stream = await fetch(`${url}${basePath}/events/${started.handler_id}`);
  await post(
    `/handlers/${started.handler_id}/prompts/${started.prompts[0]?.prompt_id}`,
    '{"fields":{"approved":true}}',
  );
  expect(await stream.text()).toContain('"result":"refunded A-17"');
}

async function listening(server: NodeServer): Promise<string> {
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const http = {
  method: "POST",
  path: "/prod/workflows/add/run",
  protocol: "HTTP/1.1",
  sourceIp: "203.0.113.7",
  userAgent: "curl/8.5.0",
};

/** As AWS sends it: payload format 2.0. @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html */
const payload = {
  version: "2.0",
  routeKey: "$default",
  rawPath: http.path,
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
    http,
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

function lambdaEvent(parts: object): LambdaEvent {
  return { ...payload, ...parts } as unknown as LambdaEvent;
}
