/**
 * A process that asks a model again in a fork, and continues the fork when it is started once more: `overriding-process.ts <file> <log>
 * <call at which the model never answers>`. Each request of a model is a line of the log.
 */
import { appendFileSync } from "node:fs";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";
import { Agent, tool } from "../../src/index.js";
import { type Answering, answers, calls, says } from "./turns.js";

const [, , file = "", log = "", silent = "never"] = process.argv;
let asked = 0;

const answer: Answering = async ({ prompt }) => {
  const texts = prompt.map(({ role, content }) => `${role} ${typeof content === "string" ? content : ""}`.trim());
  appendFileSync(log, `${texts.join(", ")}\n`);
  if (String(++asked) === silent) await new Promise(() => {});
  return prompt.some(({ role }) => role === "tool") ? says("Seen.") : calls(["look", {}]);
};
const model = answers(...Array.from({ length: 9 }, () => answer));
const look = tool({ name: "look", description: "Looks.", parameters: z.object({}), execute: () => "a mill" });
const agent = new Agent({ name: "Scout", model, tools: [look], instructions: "Be brief." });
const runtime = createRuntime({ workflows: { scout: agent.workflow }, store: sqliteStore(file), leaseMs: 1_000 });
await runtime.start();

if ((await runtime.runs()).runs.length === 0) {
  await runtime.run("scout", { input: "Go" }, { runId: "one" });
  for await (const { item, calls } of runtime.attempts("one")) {
    const [first] = calls;
    if (first === undefined) continue;
    const value = { instructions: "Be long.", messages: [{ role: "user", content: "Look" }] };
    const override = { item, call: first.call, value };
    await runtime.fork("one", { at: first.startedTick - 1, runId: "two", override }).accepted;
  }
}
console.log(`RESULT ${JSON.stringify(await runtime.handle("two"))}`);
await runtime.stop();
