/** A message that another process sends while this one loads the run: it is delivered once the run is in memory, not at the next sweep. */
import { expect, it } from "vitest";
import { createRuntime, memoryStore, type RunStore } from "../../src/entries/runtime.js";
import { keptOpen, withMethods } from "../support/processes.js";
import { Poke, works } from "../support/queued.js";
import { settle, VirtualClock } from "../support/virtual-clock.js";

/** Notes how long a process needs for the first read of a load, and for the answer to a claim. */
function slowed(inner: RunStore, slow: "snapshot" | "claimDue", names: boolean) {
  let isSlow = false;
  let letGo = (): void => {};
  const store = withMethods(inner, {
    [slow]: async (...args: never[]) => {
      const answer = await (inner[slow] as (...all: never[]) => Promise<unknown>)(...args);
      const isAwaited = slow === "snapshot" || (answer as unknown[]).length > 0;
      if (isSlow && isAwaited) await new Promise<void>((resolve) => (letGo = resolve));
      return answer;
    },
    // A store that polls does not say which run has changed.
    watch: (listener) => inner.watch((key, news) => (names ? listener(key, news) : listener(null))),
  });
  return { store, slow: () => (isSlow = true), letGo: () => letGo() };
}

const cases = [
  { slow: "snapshot", names: true },
  { slow: "snapshot", names: false },
  { slow: "claimDue", names: true },
  { slow: "claimDue", names: false },
] as const;

it.each(cases)("is delivered where $slow is slow and the store names runs: $names", async ({ slow, names }) => {
  const { flows } = works();
  const store = keptOpen(memoryStore());
  const clock = new VirtualClock();
  const options = { workflows: flows, clock, idleReleaseMs: 0 };
  const first = createRuntime({ ...options, store });
  await first.run("ask", { id: "a" }, { runId: "a" }).idle();
  await clock.advance(1);
  await first.stop();
  const loading = slowed(store, slow, names);
  const worker = createRuntime({ ...options, store: loading.store });
  await worker.start();
  await settle();
  loading.slow();
  const web = createRuntime({ ...options, store, execute: false });
  // The worker claims the run for this message: by itself, or because it looks for what is due.
  const sender = slow === "snapshot" ? worker : web;
  const early = sender.handle("a").sendEvent(new Poke({ n: 1 }));
  await settle();
  // This one comes after its claim.
  const late = web.handle("a").cancel("enough", { key: "late" });
  await settle();
  loading.letGo();
  await settle();

  expect(await store.posts({ tenant: "", runId: "a" })).toEqual([]);
  expect(await late).toMatchObject({ status: "accepted" });
  await early;
  await Promise.all([worker.stop(), web.stop()]);
});
