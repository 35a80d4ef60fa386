/** The budget of a tenant, over processes of agents that are killed, with a model over HTTP that counts what it is paid. */
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { killed } from "../../../../test-kill.js";
import { Agent } from "../../src/index.js";
import { scripted } from "../support/models.js";
import { type ChatRequest, chunks, finish, streamedCall } from "../support/openai-server.js";
import { startScript } from "../support/scripts.js";

/** 12 tokens in and 3 out, in dollars. */
const PRICE = 0.0042;
const BUDGET = 0.2;
const [RUNS, PROCESSES, KILLS, PLACES] = [40, 3, 6, 2];

/** Calls a tool first, and answers then. */
async function startModel() {
  let asked = 0;
  const server = createServer(async (request, response: ServerResponse) => {
    asked++;
    let body = "";
    for await (const chunk of request) body += chunk;
    const chat = JSON.parse(body) as ChatRequest;
    const reply = chat.messages.at(-1)?.role === "tool" ? chunks([{ content: "Done." }]) : streamedCall("look", {});
    await sleep(100);
    if (chat.stream === true) reply(response, chat);
    else finish("stop")(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked: () => asked };
}

it("holds when processes of agents are killed", { timeout: 200_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "budget-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "runs.db");
  const model = await startModel();
  const budgets = { tenant: { usdPerDay: BUDGET } };
  const { workflow } = new Agent({ model: scripted([]) });
  const store = sqliteStore(path, { durability: "process", busyTimeoutMs: 30_000 });
  const runtime = createRuntime({ workflows: { agent: workflow }, store, budgets, execute: false });
  onTestFinished(() => runtime.stop());
  await Promise.all(Array.from({ length: RUNS }, () => runtime.run("agent", { input: "go" }).accepted));

  const start = () => startScript("budget-process.ts", [path, model.url, String(BUDGET)]);
  const workers = Array.from({ length: PROCESSES }, start);
  onTestFinished(() => Promise.all(workers.map((worker) => killed(worker))).then(() => {}));
  for (let kills = 0; kills < KILLS; kills++) {
    const seen = model.asked();
    await expect.poll(model.asked, { timeout: 20_000 }).toBeGreaterThan(seen);
    await killed(workers[kills % PROCESSES] as ChildProcess);
    workers[kills % PROCESSES] = start();
  }
  const open = { status: ["running", "waiting", "scheduled"] } as const;
  await expect
    .poll(async () => (await runtime.runs({ ...open, limit: 1 } as never)).runs.length, { timeout: 120_000 })
    .toBe(0);

  const { spent } = await runtime.budgets.tenant();
  expect(spent.usd).toBeCloseTo(spent.calls * PRICE, 9);
  expect(spent.usd).toBeLessThanOrEqual(BUDGET);
  expect(model.asked()).toBeGreaterThanOrEqual(spent.calls);
  expect(model.asked()).toBeLessThanOrEqual(spent.calls + KILLS * PLACES);
  expect(spent.usd).toBeGreaterThan(BUDGET - 0.03); // what one request is taken to cost at most
});
