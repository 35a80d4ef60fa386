/**
 * A runtime with one workflow, whose only step may wait for a line of input. Prints `in step`, `aborted`, what its calls after
 * the wait were refused with, and the result of the run.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { defineWorkflow, StartEvent, StopEvent, WorkflowError } from "millrace";
import { createRuntime } from "millrace/runtime";
import { postgresStore } from "../../src/index.js";

const [connectionString, schema, name, waits] = process.argv.slice(2) as [string, string, string, "waits" | "goes on"];
const print = (text: string): void => void writeSync(1, `${text}\n`);
const codeOf = (error: unknown): string => (WorkflowError.is(error) ? error.code : String(error));

const held = defineWorkflow("held")
  .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const first = await ctx.run("first", () => name);
    ctx.signal.addEventListener("abort", () => print("aborted"));
    print("in step");
    if (waits === "waits") await once(process.stdin, "data");
    try {
      return new StopEvent({ result: { first, second: await ctx.run("second", () => name) } });
    } catch (error) {
      print(codeOf(error));
      throw error;
    }
  })
  .build();

const log = { info() {}, error: (message: string, error?: unknown) => print(`log ${message} ${codeOf(error)}`) };
const store = postgresStore({ connectionString, schema, pollMs: 50 });
const runtime = createRuntime({ workflows: { held }, store, leaseMs: 1_000, log });
await runtime.start();
print(`result ${JSON.stringify(await runtime.run("held", {}, { runId: "run" }))}`);
await runtime.stop({ drainMs: 500 });
process.exit(0);
