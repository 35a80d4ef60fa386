/** The question of an executor of a pipeline, over HTTP. */
import { type Executor, Pipeline } from "@millrace/pipeline";
import { createRuntime, memoryStore, type Runtime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createServer } from "../src/index.js";

const log = { info: () => {}, error: () => {} };

const buyer: Executor = {
  kind: "agent",
  name: "Buyer",
  async execute({ ctx, idempotencyKey: runId }) {
    const details = { kind: "permission", id: "call-1", toolName: "pay", input: { euros: 120 } };
    const schema = z.object({ approved: z.boolean(), note: z.string().nullable().default(null) });
    const { approved, note } = await ctx.ask({ title: "May Buyer call pay?", details, schema });
    return { runId, content: { approved, note }, metrics: null, status: "COMPLETED", error: null };
  },
};

it("has the call and its step, and is answered with the fields that it asks for", async () => {
  const shop = new Pipeline({ name: "Shop", steps: [buyer] });
  const runtime = createRuntime({
    workflows: { shop: shop.workflow },
    store: memoryStore(),
    log,
  }) as unknown as Runtime;
  const app = createServer({ runtime, log });
  onTestFinished(() => runtime.stop());
  const send = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await app.request(path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  const run = runtime.run("shop" as never, shop.workflowInput("a lamp") as never);
  await run.idle();
  const [prompt] = await run.prompts();
  const path = `/handlers/${run.runId}/prompts/${encodeURIComponent(prompt?.promptId ?? "")}`;

  const wrong = await send(path, { fields: { approved: "perhaps" } });
  const right = await send(path, { fields: { approved: false, note: "too much" } });

  expect(prompt?.event).toMatchObject({
    title: "May Buyer call pay?",
    details: { toolName: "pay", input: { euros: 120 }, stepId: "0", stepName: "Buyer" },
  });
  expect(wrong.status).toBe(400);
  expect(right.status).toBe(200);
  expect(await run).toMatchObject({ content: { approved: false, note: "too much" } });
});
