/** Programs of calls, sends, edits and words inside of each other do everything once, over retries and from any of their ticks. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { casesOf } from "../../../test-share.js";
import * as core from "../src/index.js";
import { drive, type Ending, finish, JumpClock, useClock } from "./support/drive.js";
import type { Flow } from "./support/flows.js";
import { endOf, programs, randomCalls } from "./support/random-calls.js";
import { wordsThatCount } from "./support/words.js";

const RUNS = casesOf(300);
const workflowOf = randomCalls(core);

it(`${RUNS} random programs send, edit and show everything once, resumed from a random tick too`, async () => {
  await fc.assert(
    fc.asyncProperty(programs, fc.nat(10_000), async (program, moment) => {
      const { sent, edited, words } = endOf(program);
      const flow: Flow = { name: "calls", make: () => ({ workflow: workflowOf(program) }) };

      const { ending, shown, snapshots } = await play(flow);
      const stored = snapshots[moment % snapshots.length] as string;

      expect(ending).toEqual({ status: "completed", result: { sent, edited } });
      expect(shown.sort()).toEqual(words.sort());
      expect(await finish(flow, stored), "resumed").toEqual({ status: "completed", result: { sent, edited } });
    }),
    { numRuns: RUNS },
  );
});

interface Played {
  readonly ending: Ending;
  readonly shown: string[];
  readonly snapshots: readonly string[];
}

async function play(flow: Flow): Promise<Played> {
  const made = flow.make();
  const clock = new JumpClock();
  const snapshots: string[] = [];
  let hasBegun = false;
  useClock(made, clock, {
    append() {
      if (hasBegun) snapshots.push(JSON.stringify(handler.context.toDict()));
      hasBegun = true;
    },
  });
  const handler = made.workflow.run();
  const items = handler.streamEvents().toArray();
  const ending = await drive(flow, handler as never, clock);
  return { ending, shown: wordsThatCount(await items), snapshots };
}
