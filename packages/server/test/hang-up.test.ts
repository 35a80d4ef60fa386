/** Whoever starts a run and hangs up is waited for no longer; the run goes on. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createRuntime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createServer } from "../src/index.js";
import { workflows } from "./child/workflows.js";

it("a call of run ends with its caller, and its run does not", async () => {
  const runtime = createRuntime({ workflows });
  const app = createServer({ runtime, limits: { runWaitMs: 600_000 } });
  const answers: number[] = [];
  const http = serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const response = await app.fetch(request);
      answers.push(response.status);
      return response;
    },
  });
  onTestFinished(async () => {
    http.close();
    await runtime.stop();
  });
  await once(http, "listening");
  const stop = new AbortController();
  const call = fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/workflows/busy/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"handler_id":"left"}',
    signal: stop.signal,
  });
  await expect
    .poll(() =>
      runtime
        .handle("left")
        .summary()
        .catch(() => null),
    )
    .not.toBeNull();

  stop.abort();
  await expect(call).rejects.toThrow();

  await expect.poll(() => answers, { timeout: 30_000 }).toEqual([202]);
  expect(await runtime.handle("left").summary()).toMatchObject({ status: "running" });
  await runtime.handle("left").cancel();
});
