/**
 * Random programs of calls, retries, scopes, waits, questions and races, whose process dies with random commits: everything counts once.
 *
 * @module
 */
import fc from "fast-check";
import * as millrace from "millrace";
import { createRuntime, type RunStore, type Runtime } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../../test-share.js";
import { endOf, programs, randomCalls } from "../../../core/test/support/random-calls.js";
import { endOfScopes, randomScopes, scopePrograms } from "../../../core/test/support/random-scopes.js";
import { keptOpen, mortalStore } from "../mortal-store.js";

const RUNS = casesOf(20);
const leaseMs = 200;
const log = { info() {}, error() {} };
/** In real time, because processes die in it. */
const soon = { retry: 5, sleep: 5, look: 50 };
/** Commits after which the first, the second and the third process die; the fourth lives. */
const deaths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 });

const workflowOfCalls = randomCalls(millrace as never, soon);
const scopes = randomScopes(millrace as never, soon);

/** @param open Returns a store on which nothing is stored. */
export function randomCallsSuite(name: string, open: () => Promise<RunStore>): void {
  describe(`${name}: random programs whose process dies`, () => {
    it(`${RUNS} of calls do everything once`, { timeout: 200_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(programs, deaths, async (program, at) => {
          const { sent, edited } = endOf(program);

          expect(await resultOf(await open(), workflowOfCalls(program), at)).toEqual({ sent, edited });
        }),
        { numRuns: RUNS },
      );
    });

    it(`${RUNS} of scopes do everything once`, { timeout: 200_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(scopePrograms, deaths, async (program, at) => {
          const { answers, edits, sent } = endOfScopes(program);
          const workflow = scopes.workflowOf(program, {}, (attempt) => attempt % 2 === 0);

          expect(await resultOf(await open(), workflow, at)).toEqual({ answers, edits, sent });
        }),
        { numRuns: RUNS },
      );
    });
  });
}

const pause = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, ms, undefined));

/** Processes take the run over, one after the other; prompts are answered as they come. */
async function resultOf(opened: RunStore, flow: object, deathsAt: readonly number[]): Promise<unknown> {
  const store = keptOpen(opened);
  const workflows = { flow: flow as never };
  const web = createRuntime({ workflows, store, execute: false, log });
  const processes: Runtime[] = [];
  const answers = new Map<string, Promise<object>>();
  for (const last of [...deathsAt, Number.POSITIVE_INFINITY]) {
    const { store: mortal, dieWith } = mortalStore(store);
    let commits = 0;
    let isDead = false;
    dieWith(() => {
      isDead = ++commits >= last;
      return isDead;
    });
    const process = createRuntime({ workflows, store: mortal, leaseMs, log });
    processes.push(process);
    if (processes.length === 1) void process.run("flow", {} as never, { runId: "one" });
    else await process.start();
    await expect.poll(() => store.run({ tenant: "", runId: "one" })).not.toBeNull();
    const handle = web.handle("one");
    while (!isDead) {
      await pause(10);
      // Processes that die settle nothing: no wait is longer than until the next look.
      const outcome = await Promise.race([handle.idle(), pause(20)]);
      if (outcome === undefined) continue;
      if (outcome.status === "completed") {
        const result: unknown = await handle;
        for (const receipt of answers.values()) expect(await receipt).toMatchObject({ status: "accepted" });
        await Promise.all([web.stop({ drainMs: 0 }), process.stop({ drainMs: 0 })]);
        return result;
      }
      if (outcome.status !== "waiting") throw new Error(`The run is ${outcome.status}.`);
      for (const { promptId, event } of outcome.prompts) {
        const answer = scopes.answerOf(event as never);
        if (answer === null || answers.has(promptId)) continue;
        answers.set(promptId, handle.answer(promptId, answer as never)); // its receipt may come from a later process
      }
    }
  }
  throw new Error("The last process does not die.");
}
