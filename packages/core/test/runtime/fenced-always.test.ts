/** A store that gives a process its runs, and refuses all that the process does with them. */
import { expect, it } from "vitest";
import * as z from "zod";
import type { RunStore } from "../../src/entries/runtime.js";
import { defineWorkflow, HumanResponseEvent, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, state, withMethods } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

class Reply extends HumanResponseEvent.define("Reply", { n: z.number() }) {}

const asking = defineWorkflow("asking")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Reply }, async (_ev, ctx) => {
    const { n } = await ctx.waitForEvent(Reply);
    return new StopEvent({ result: n });
  })
  .build();

/** Claims are counted; without a pause between them, the test ends instead of the memory. */
function refusing(store: RunStore): { store: RunStore; claims: () => number; mend: () => void } {
  let claims = 0;
  let isBroken = true;
  const one = withMethods(store, {
    claim: (key, lease) => {
      if (++claims > 1_000) throw new Error("It was claimed without an end.");
      return store.claim(key, lease);
    },
    commit: async (commits) => (isBroken ? commits.map(() => ({ status: "fenced" })) : store.commit(commits)),
  });
  return { store: one, claims: () => claims, mend: () => void (isBroken = false) };
}

it("is asked for a run again after a pause of a second, and gets what it was sent for when it is mended", async () => {
  const machine = new Machine();
  const first = machine.open({ asking });
  await first.runtime.run("asking", {}, { runId: "one" }).idle();
  await first.runtime.stop();
  const { store, claims, mend } = refusing(machine.store);
  const { runtime } = machine.open({ asking }, { store });

  const sent = runtime.handle("one").sendEvent(new Reply({ n: 7 }));
  await settle();
  const atOnce = claims();
  await machine.clock.advance(600_000);
  const inTenMinutes = claims();
  mend();
  await machine.clock.advance(30_000);

  expect(atOnce).toBe(2);
  expect(inTenMinutes).toBeGreaterThan(100);
  expect(inTenMinutes).toBeLessThanOrEqual(602);
  expect(await sent).toMatchObject({ status: "accepted" });
  expect(await runtime.handle("one")).toBe(7);
});

it("is asked no more once the runtime stops", async () => {
  const machine = new Machine();
  const first = machine.open({ asking });
  await first.runtime.run("asking", {}, { runId: "one" }).idle();
  await first.runtime.stop();
  const { store } = refusing(machine.store);
  const { runtime } = machine.open({ asking }, { store });
  const sent = runtime.handle("one").sendEvent(new Reply({ n: 7 }));
  const outcome = sent.catch((error: unknown) => error);
  await settle();

  const stopped = runtime.stop();
  await machine.clock.advance(1_000); // the pause that it is in

  expect(await state(stopped)).toStrictEqual({ value: undefined });
  expect(await outcome).toMatchObject({ code: "RUNTIME_STOPPED" });
});
