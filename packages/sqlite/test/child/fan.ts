/**
 * A runtime with a fan-out. `run`: starts a run of `count` elements, works on a tenth of them, and stops there. `load`: takes up
 * what is there, and runs a small workflow beside it. Prints `at work` with the most memory that the process has had, the log, and
 * the result of the small run.
 */
import { writeSync } from "node:fs";
import { collect, defineWorkflow, event, many, StartEvent, StopEvent, WorkflowError } from "millrace";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";
import { sqliteStore } from "../../src/index.js";

const [path, mode, count] = process.argv.slice(2) as [string, "run" | "load", string];
const print = (text: string): void => void writeSync(1, `${text}\n`);

class Element extends event("Element", { index: z.number(), text: z.string() }) {}
class Done extends event("Done", { index: z.number() }) {}

const elements = (): Element[] =>
  Array.from({ length: Number(count) }, (_, index) => new Element({ index, text: `element number ${index}` }));
let left = mode === "run" ? Number(count) / 10 : 0;

const fan = defineWorkflow("fan")
  .step("split", { on: StartEvent, emits: many(Element) }, elements)
  .step("work", { on: Element, emits: Done, workers: 1 }, ({ index }) => {
    if (left-- > 0) return new Done({ index });
    print(`at work ${process.resourceUsage().maxRSS}`);
    return new Promise<Done>(() => {});
  })
  .step("join", { on: collect(Done), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
  .build();

const small = defineWorkflow("small")
  .step("answer", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: "small run: completed" }))
  .build();

const log = {
  info() {},
  error: (_message: string, error?: unknown) => print(`log ${WorkflowError.is(error) ? error.code : String(error)}`),
};
const store = sqliteStore(path, { durability: "process" });
const runtime = createRuntime({ workflows: { fan, small }, store, log });
if (mode === "run") runtime.run("fan", {}, { runId: "large" });
else {
  await runtime.start();
  print(await runtime.run("small"));
}
