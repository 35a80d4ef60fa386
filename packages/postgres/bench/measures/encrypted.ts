import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import { createRuntime, encryptedStore } from "millrace/runtime";
import * as z from "zod";
import { filled } from "../filled.ts";
import { assertCount, compare, type Found } from "../measure.ts";

class Begin extends StartEvent.define("Begin", { left: z.number(), text: z.string() }) {}
class Next extends event("Next", { left: z.number(), text: z.string() }) {}
class Done extends StopEvent.define("Done", { left: z.number() }) {}

const after = (left: number, text: string): Next | Done => (left > 0 ? new Next({ left, text }) : new Done({ left }));
const chain = defineWorkflow("chain")
  .step("begin", { on: Begin, emits: [Next, Done] }, async ({ left, text }) => after(left - 1, text))
  .step("next", { on: Next, emits: [Next, Done] }, async ({ left, text }) => after(left - 1, text))
  .build();

const text = "A letter of some lines. ".repeat(20);
const AT_ONCE = 50;
const ROUNDS = 7;

/** The same runs over `encryptedStore` and without it, in turns. */
export async function encrypted(url: string): Promise<Found[]> {
  const found: Found[] = [];
  for (const { name, steps, count } of [
    { name: "200 steps, one after the other, encrypted, over plain", steps: 200, count: 1 },
    { name: `runs of 3 steps, ${AT_ONCE} at once, encrypted, over plain`, steps: 3, count: AT_ONCE },
  ]) {
    const work = (isEncrypted: boolean) => () => msOfRuns(url, { isEncrypted, steps, count });
    const { reached, base, ratio } = await compare({ reached: work(true), base: work(false) }, ROUNDS);
    found.push({ name, unit: "ms", reached, base, ratio });
  }
  return found;
}

interface Work {
  readonly isEncrypted: boolean;
  readonly steps: number;
  readonly count: number;
}

async function msOfRuns(url: string, { isEncrypted, steps, count }: Work): Promise<number> {
  const ours = await filled(url);
  const plain = ours.open();
  const store = isEncrypted ? encryptedStore(plain, { keys: [{ id: "bench", key: new Uint8Array(32) }] }) : plain;
  const runtime = createRuntime({ workflows: { chain }, store });
  await runtime.run("chain", { left: 1, text });
  const startMs = performance.now();
  const results = await Promise.all(Array.from({ length: count }, () => runtime.run("chain", { left: steps, text })));
  const ms = performance.now() - startMs;
  assertCount("runs that have ended", results.length, count);
  await runtime.stop();
  await ours.close();
  return ms;
}
