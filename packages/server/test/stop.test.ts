/** What readers and the console see of a runtime that stops. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { serve } from "@hono/node-server";
import { createRuntime } from "millrace/runtime";
import { expect, it, onTestFinished, vi } from "vitest";
import { createServer } from "../src/index.js";
import { workflows } from "./child/workflows.js";

async function open() {
  const runtime = createRuntime({ workflows });
  const logged: unknown[] = [];
  const log = { info: () => {}, error: (...said: unknown[]) => void logged.push(...said) };
  const app = createServer({ runtime, log });
  const http = serve({ port: 0, hostname: "127.0.0.1", fetch: app.fetch });
  onTestFinished(() => void http.close());
  await once(http, "listening");
  await runtime.run("mailbox", {}, { runId: "one" }).accepted;
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/events/one`;
  const read = async (query: string) => {
    const response = await fetch(url + query);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    return async (): Promise<void> => {
      while (!(await reader.read()).done);
    };
  };
  return { runtime, logged, read };
}

it("a runtime that stops ends its open streams, and nothing is printed", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  const { runtime, logged, read } = await open();
  const rests = await Promise.all(["", "?sse=false", "?after_sequence=-1"].map(read));

  await runtime.stop();

  for (const rest of rests) await rest();
  expect(printed).not.toHaveBeenCalled();
  expect(logged).toEqual([]);
});

it("a stream until the run waits breaks off instead: its end would say that it waits", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  const runtime = createRuntime({ workflows });
  const app = createServer({ runtime, log: { info: () => {}, error: () => {} } });
  await runtime.run("busy", {}, { runId: "one" }).accepted;
  const response = await app.request("/events/one?until=idle");
  const text = response.text().catch((error: Error) => error);

  await runtime.stop({ drainMs: 0 });

  expect(inspect(await text)).toBe("[Error: The stream broke off.]");
  expect(printed).not.toHaveBeenCalled();
});
