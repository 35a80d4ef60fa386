import { setTimeout as sleep } from "node:timers/promises";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { filled } from "../filled.ts";
import { assertCount, type Found } from "../measure.ts";

const WORKERS = 4;
const RUNS = 50;
/** Longer than the pause between two notices, so that each is sent alone. */
const PAUSE_MS = 150;

const work = defineWorkflow("work")
  .step("do", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: "done" }))
  .build();

/** How often workers ask for what is due, when another process starts the runs. A count, which no other work on the machine changes. */
export async function looks(url: string): Promise<Found[]> {
  const ours = await filled(url);
  let asked = 0;
  const workers = Array.from({ length: WORKERS }, () => {
    const store = ours.open();
    const claimDue = store.claimDue.bind(store);
    store.claimDue = (request) => {
      asked++;
      return claimDue(request);
    };
    return createRuntime({ workflows: { work }, store });
  });
  for (const worker of workers) await worker.start();
  const web = createRuntime({ workflows: { work }, store: ours.open(), execute: false });
  await web.start();
  await sleep(1_000);
  asked = 0;
  const results: unknown[] = [];
  for (let run = 0; run < RUNS; run++) {
    results.push(await web.run("work", {}));
    await sleep(PAUSE_MS);
  }
  assertCount("runs that have ended", results.filter((result) => result === "done").length, RUNS);
  const perRun = asked / WORKERS / RUNS;
  for (const runtime of [...workers, web]) await runtime.stop();
  await ours.close();
  return [{ name: `looks of each of ${WORKERS} workers, a run`, unit: "", reached: perRun, base: null, ratio: null }];
}
