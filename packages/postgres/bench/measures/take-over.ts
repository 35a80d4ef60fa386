import { postgresStore } from "@millrace/postgres";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RunStore } from "millrace/runtime";
import { far } from "../far.ts";
import { filled } from "../filled.ts";
import type { Found } from "../measure.ts";

const count = 2_000;
const leaseMs = 5_000;
const awayMs = 2;
const log = { info() {}, error() {} };

/** The store of a process that dies: no call of its reaches the server any more, and none returns. */
function mortal(store: RunStore): { readonly store: RunStore; die(): void } {
  let isDead = false;
  const guarded = new Proxy(store, {
    get(target, name) {
      const member = target[name as keyof RunStore];
      if (typeof member !== "function" || name === "hash" || name === "watch") return member;
      return (...args: unknown[]) =>
        isDead ? new Promise(() => {}) : (member as (...all: unknown[]) => unknown).apply(target, args);
    },
  });
  return { store: guarded, die: () => void (isDead = true) };
}

/** Runs of a process that was killed, until each is at work again in one process 2 ms away from the server. */
export async function takeOver(url: string): Promise<Found[]> {
  const ours = await filled(url);
  let attempts = 0;
  const begun = new Set<string>();
  const hold = defineWorkflow("hold")
    .step("work", { on: StartEvent, emits: StopEvent }, async (_start, ctx) => {
      attempts++;
      begun.add(ctx.runId);
      await new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", reject));
      return new StopEvent({ result: 1 });
    })
    .build();
  const first = mortal(ours.open());
  const dying = createRuntime({ workflows: { hold }, store: first.store, leaseMs, log });
  await Promise.all(Array.from({ length: count }, () => dying.run("hold", {}).accepted));
  const all = async (): Promise<void> => {
    while (begun.size < count) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await all();
  first.die();
  await new Promise((resolve) => setTimeout(resolve, leaseMs + 500));

  attempts = 0;
  begun.clear();
  const place = await far(url, awayMs);
  const store = postgresStore({ connectionString: place.url, schema: ours.schema });
  const next = createRuntime({ workflows: { hold }, store, leaseMs, log });
  const startMs = performance.now();
  void next.start();
  await all();
  const seconds = (performance.now() - startMs) / 1_000;
  await new Promise((resolve) => setTimeout(resolve, 2 * leaseMs));
  const lost = attempts - count;
  await next.stop({ drainMs: 0 });
  await place.close();
  await ours.close();
  const name = `${count} runs of a killed process that another takes up, ${awayMs} ms from the server`;
  const alone = { base: null, ratio: null };
  return [
    { name, unit: "runs/s", reached: count / seconds, ...alone },
    { name: "the same: attempts that the process has lost to itself", unit: "attempts", reached: lost, ...alone },
  ];
}
