/** A process that works on runs of an agent with a budget, until it is killed. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { Agent, tool } from "../../src/index.js";

const [, , path = "", url = "", usdPerDay = ""] = process.argv;

const model = createOpenAICompatible({ name: "local", baseURL: url, includeUsage: true })("local-model");
const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
const agent = new Agent({
  ...{ model, tools: [look], maxRetries: 0 },
  prices: { "local-model": { input: 100, output: 1_000 } },
  modelSettings: { maxOutputTokens: 3 },
});

const runtime = createRuntime({
  workflows: { agent: agent.workflow },
  store: sqliteStore(path, { durability: "process", busyTimeoutMs: 30_000, pollMs: 50 }),
  budgets: { tenant: { usdPerDay: Number(usdPerDay) } },
  ...{ leaseMs: 1_000, maxConcurrentRuns: 2 },
  log: { info() {}, error() {} }, // runs over the budget fail
});
await runtime.start();
