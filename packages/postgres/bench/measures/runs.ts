import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";
import { launchDbos } from "../dbos.ts";
import { filled } from "../filled.ts";
import { assertCount, compare, type Found, rateOf } from "../measure.ts";

class Begin extends StartEvent.define("Begin", { n: z.number() }) {}
class One extends event("One", { n: z.number() }) {}
class Two extends event("Two", { n: z.number() }) {}
class Done extends StopEvent.define("Done", { n: z.number() }) {}

const three = defineWorkflow("three")
  .step("a", { on: Begin, emits: One }, async ({ n }) => new One({ n: n + 1 }))
  .step("b", { on: One, emits: Two }, async ({ n }) => new Two({ n: n + 1 }))
  .step("c", { on: Two, emits: Done }, async ({ n }) => new Done({ n: n + 1 }))
  .build();

/** Runs of three steps that do nothing, here and in DBOS on the same server, which decides what a commit survives. */
export async function runs(url: string): Promise<Found[]> {
  const ours = await filled(url);
  const runtime = createRuntime({ workflows: { three }, store: ours.open() });
  await runtime.start();
  const dbos = await launchDbos(url);
  let number = 0;
  const ofMillrace = async (): Promise<number> => {
    const n = ++number;
    const done = await runtime.run("three", { n });
    assertCount("steps", done.n - n, 3);
    return 1;
  };
  const ofDbos = async (): Promise<number> => {
    const n = ++number;
    assertCount("steps", (await dbos.run(n)) - n, 3);
    return 1;
  };
  const over = (clients: number) =>
    compare({ reached: () => rateOf(ofMillrace, clients, 2_000), base: () => rateOf(ofDbos, clients, 2_000) }, 7);
  const alone = await over(1);
  const atOnce = await over(50);
  await runtime.stop();
  await dbos.close();
  await ours.close();
  return [
    { name: "runs of 3 steps, one after the other, over DBOS", unit: "runs/s", ...alone, budget: { atLeast: 1.3 } },
    { name: "runs of 3 steps, 50 at once, over DBOS", unit: "runs/s", ...atOnce, budget: { atLeast: 6 } },
  ];
}
