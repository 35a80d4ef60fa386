/** `sendWebhook`, read by the library of the Standard Webhooks, over HTTP. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { type Context, defineWorkflow, retryPolicy, StartEvent, StopEvent, stop, wait } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { sendWebhook, type WebhookMessage } from "../src/webhooks.js";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const atOnce = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(3) });

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that answers with these statuses, then 204. */
async function receiver(...statuses: readonly (number | "hang")[]) {
  const left = [...statuses];
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    deliveries.push({ headers: request.headers, body });
    const status = left.shift() ?? 204;
    if (status !== "hang") response.writeHead(status, { location: "/elsewhere", "retry-after": "0" }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { deliveries, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?token=hidden` };
}

const flowOf = (work: (ctx: Context) => Promise<unknown>) =>
  defineWorkflow("flow")
    .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => new StopEvent({ result: await work(ctx) }))
    .build();

const message = (url: string, more: Partial<WebhookMessage> = {}): WebhookMessage => ({
  url,
  secrets: [secret],
  type: "order.paid",
  data: { order: 7 },
  retry: atOnce,
  ...more,
});

const verified = ({ headers, body }: Delivery, key: string) =>
  new Webhook(key).verify(body, headers as Record<string, string>);

describe("a message", () => {
  it("is what the library of the specification verifies, with each secret", async () => {
    const { url, deliveries } = await receiver();
    await flowOf((ctx) => sendWebhook(ctx, message(url, { secrets: [secret, other] }))).run({});
    const [delivery] = deliveries as [Delivery];

    for (const key of [secret, other])
      expect(verified(delivery, key)).toMatchObject({ type: "order.paid", data: { order: 7 } });
    expect(() => verified({ ...delivery, body: delivery.body.replace("7", "8") }, secret)).toThrow();
  });

  it("may be the data alone, with further headers, by a request of one's own", async () => {
    const { url, deliveries } = await receiver();
    const sent: string[] = [];
    const own: typeof fetch = (input, init) => {
      sent.push(String(input));
      return fetch(input, init);
    };
    const headers = {
      Authorization: "Bearer of-the-receiver",
      "Webhook-Id": "forged",
      "content-type": "application/a2a+json",
    };
    await flowOf((ctx) => sendWebhook(ctx, message(url, { bare: true, headers, fetch: own }))).run({});
    const [delivery] = deliveries as [Delivery];

    expect(sent).toEqual([url]);
    expect(verified(delivery, secret)).toEqual({ order: 7 });
    expect(delivery.headers).toMatchObject({
      authorization: "Bearer of-the-receiver",
      "content-type": "application/a2a+json",
      "webhook-id": expect.stringMatching(/^msg_/),
    });
  });

  it("has the same id in every attempt, and another one in another run", async () => {
    const { url, deliveries } = await receiver(500, 429);
    const flow = flowOf((ctx) => sendWebhook(ctx, message(url)));
    await flow.run({});
    await flow.run({});
    const ids = deliveries.map(({ headers }) => headers["webhook-id"]);

    expect(ids).toHaveLength(4);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(ids[3]).not.toBe(ids[0]);
  });

  it("is not sent again once it was accepted, after a restart either", async () => {
    const { url, deliveries } = await receiver();
    let restarts = 0;
    const flow = flowOf(async (ctx) => {
      await sendWebhook(ctx, message(url));
      restarts++;
      await ctx.sleep("1h");
    });
    const store = memoryStore();
    for (let round = 1; round <= 3; round++) {
      const runtime = createRuntime({ workflows: { flow }, store });
      if (round === 1) runtime.run("flow", {}, { runId: "r" });
      else await runtime.resume("r").accepted;
      await expect.poll(() => restarts).toBe(round);
      await runtime.stop();
    }

    expect(deliveries).toHaveLength(1);
  });

  it.each([301, 400, 401, 410])("that is refused with %i is not sent again", async (status) => {
    const { url, deliveries } = await receiver(status);
    const run = flowOf((ctx) => sendWebhook(ctx, message(url))).run({});

    await expect(run).rejects.toMatchObject({ code: "WEBHOOK_FAILED", details: { status } });
    await expect(run).rejects.not.toThrow(/hidden/);
    expect(deliveries).toHaveLength(1);
  });

  it("has failed when its attempts are used up", async () => {
    const { url, deliveries } = await receiver(500, 502, 503);

    await expect(flowOf((ctx) => sendWebhook(ctx, message(url))).run({})).rejects.toMatchObject({
      code: "WEBHOOK_FAILED",
      details: { status: 503 },
    });
    expect(deliveries).toHaveLength(3);
  });

  it("waits for no receiver that never answers", async () => {
    const { url, deliveries } = await receiver("hang");
    await flowOf((ctx) => sendWebhook(ctx, message(url, { timeout: 100 }))).run({});

    expect(deliveries.length).toBeGreaterThan(1);
  });

  it("is refused with all problems", async () => {
    const wrong = { url: "ftp://a", secrets: ["short"], type: "", data: 1 };

    await expect(flowOf((ctx) => sendWebhook(ctx, wrong)).run({})).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringMatching(/url.*secrets.*type/s),
    });
  });
});
