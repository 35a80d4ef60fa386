/**
 * A runtime with one workflow, whose only step may wait for a line of input. Prints `in step`, `aborted`, what its calls after
 * the wait were refused with, and the result of the run. Notes its commits beside the database.
 *
 * `unaware`: it waits, and its renewals of leases do not come back, so only a commit can tell it that the run is another's. It claims
 * nothing then, or it would take the run back from whoever releases it.
 */
import { once } from "node:events";
import { mkdirSync, writeSync } from "node:fs";
import { Mortality, Notes, notedStore } from "@millrace/conformance/soak";
import { defineWorkflow, StartEvent, StopEvent, WorkflowError } from "millrace";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";
import { sqliteStore } from "../../src/index.js";
import { patienceMs } from "../runs.js";

const [path, name, waits] = process.argv.slice(2) as [string, string, "waits" | "unaware" | "goes on"];
const print = (text: string): void => void writeSync(1, `${text}\n`);
const codeOf = (error: unknown): string => (WorkflowError.is(error) ? error.code : String(error));
const notes = new Notes(`${path}.${name}`);
mkdirSync(`${path}.${name}`);
let isInStep = false;

const held = defineWorkflow("held", { state: { edits: z.number().default(0) } })
  .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const first = await ctx.run("first", () => name);
    ctx.signal.addEventListener("abort", () => print("aborted"));
    isInStep = true;
    print("in step");
    if (waits !== "goes on") await once(process.stdin, "data");
    try {
      const edits = await ctx.store.editState((state) => ++state.edits);
      const second = await ctx.run("second", () => name);
      return new StopEvent({ result: { first, second, edits } });
    } catch (error) {
      print(codeOf(error));
      throw error;
    }
  })
  .build();

const log = { info() {}, error: (message: string, error?: unknown) => print(`log ${message} ${codeOf(error)}`) };
const opened = sqliteStore(path, { durability: "process", pollMs: 50, busyTimeoutMs: patienceMs });
const { renew, claimDue } = opened;
// From its step on: nothing keeps a process alive that waits for such an answer at its start.
if (waits === "unaware") {
  opened.renew = (...given) => (isInStep ? new Promise(() => {}) : renew.apply(opened, given));
  opened.claimDue = (...given) => (isInStep ? new Promise(() => {}) : claimDue.apply(opened, given));
}
const store = notedStore(opened, notes, new Mortality(null));
const runtime = createRuntime({ workflows: { held }, store, leaseMs: 500, log });
await runtime.start();
const result = await runtime.run("held", {}, { runId: "run" });
print(`result ${JSON.stringify(result)}`);
await runtime.stop({ drainMs: 500 });
process.exit(0);
