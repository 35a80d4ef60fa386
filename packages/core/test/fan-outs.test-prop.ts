/** Fan-outs, collects and joins in any arrangement give what plain arrays give, also when the run is resumed from any of its ticks. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { casesOf } from "../../../test-share.js";
import { drive, type Ending, finish, JumpClock, useClock } from "./support/drive.js";
import type { Flow } from "./support/flows.js";
import { randomProgram } from "./support/random-fan-outs.js";

const RUNS = casesOf(2_000);

it(`${RUNS} random graphs give what plain arrays give, resumed from a random tick too`, async () => {
  const seeds = fc.noShrink(fc.tuple(fc.integer({ min: 1, max: 2 ** 31 - 2 }), fc.nat(10_000)));
  await fc.assert(
    fc.asyncProperty(seeds, async ([seed, moment]) => {
      const { expected, parts } = randomProgram(seed);
      const flow: Flow = { name: "random", make: () => ({ workflow: randomProgram(seed).workflow }) };

      const { ending, snapshots } = await play(flow);
      const stored = snapshots[moment % snapshots.length] as string;

      expect(ending, parts.join(" ")).toEqual(expected);
      expect(await finish(flow, stored), `resumed: ${parts.join(" ")}`).toEqual(expected);
    }),
    { numRuns: RUNS },
  );
});

/** Snapshots of some of its rounds: each costs as much as the round. */
async function play(flow: Flow): Promise<{ readonly ending: Ending; readonly snapshots: readonly string[] }> {
  const made = flow.make();
  const clock = new JumpClock();
  const snapshots: string[] = [];
  let rounds = 0;
  useClock(made, clock, {
    append() {
      if (rounds++ % 3 === 1) snapshots.push(JSON.stringify(handler.context.toDict()));
    },
  });
  const handler = made.workflow.run();
  return { ending: await drive(flow, handler as never, clock), snapshots };
}
