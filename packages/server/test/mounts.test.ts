/** The app behind the adapters of other platforms. */
import { createServer as createNodeServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { handle, type LambdaEvent } from "hono/aws-lambda";
import { createRuntime, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServer, type ServerOptions } from "../src/index.js";
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

  it("in AWS Lambda", async () => {
    const lambda = handle(open());
    const event = {
      version: "2.0",
      rawPath: "/workflows/add/run",
      rawQueryString: "",
      headers: { ...headers, host: "x.org" },
      body,
      isBase64Encoded: false,
      requestContext: { http: { method: "POST", path: "/workflows/add/run" } },
    } as unknown as LambdaEvent;

    const answer = (await lambda(event)) as { statusCode: number; body: string };
    expect(answer.statusCode).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject(done);
  });

  it("as a listener of Node, as in Express and Fastify", async () => {
    const node = createNodeServer(getRequestListener(open().fetch)).listen(0, "127.0.0.1");
    onTestFinished(() => void node.close());
    await new Promise((resolve) => node.once("listening", resolve));
    const { port } = node.address() as { port: number };

    const response = await fetch(`http://127.0.0.1:${port}/workflows/add/run`, { method: "POST", headers, body });
    expect(await response.json()).toMatchObject(done);
  });
});
