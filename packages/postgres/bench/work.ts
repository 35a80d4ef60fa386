/** The workflow of the workers, as they and whoever asks them know it. */
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

/** Calls that a worker makes at a time, as with a pool of connections of that size. */
export const places = 8;
export const ioMs = 50;
export const cpuMs = 10;

class Begin extends StartEvent.define("Begin", { kind: z.enum(["io", "cpu"]) }) {}
class Next extends event("Next", { kind: z.enum(["io", "cpu"]) }) {}
class Done extends StopEvent.define("Done", {}) {}

/** Two steps: both wait for a slow service, or both compute. */
export function workOf(call: () => Promise<void>) {
  const doIt = async (kind: "io" | "cpu"): Promise<void> => (kind === "io" ? call() : compute());
  return defineWorkflow("work")
    .step("first", { on: Begin, emits: Next }, async ({ kind }) => {
      await doIt(kind);
      return new Next({ kind });
    })
    .step("second", { on: Next, emits: Done }, async ({ kind }) => {
      await doIt(kind);
      return new Done({});
    })
    .build();
}

/** Work of `cpuMs` where nothing else runs: by time, a machine that is busy would have less to do. */
function compute(): void {
  let value = 1;
  for (let round = 0; round < cpuMs * 100_000; round++) value = Math.imul(value ^ round, 0x9e3779b1);
  if (value === 0) throw new TypeError("the loop must not be optimized away");
}
