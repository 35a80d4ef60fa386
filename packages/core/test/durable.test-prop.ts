/** A run whose ticks are stored before they count: by a journal that takes its time, and by one that fails. */
import { describe, expect, it } from "vitest";
import {
  type CompiledWorkflow,
  compileWorkflow,
  createRouting,
  createRunState,
  decodeTick,
  encodeTick,
  type Journal,
  replay,
  type Tick,
} from "../src/entries/engine.js";
import type { WorkflowHandler } from "../src/index.js";
import { encodeState } from "../src/snapshot/encode.js";
import { drive, type Ending, finish, JumpClock, record, useClock } from "./support/drive.js";
import { type Flow, flows } from "./support/flows.js";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Stores after a turn of the host; at the given append it fails instead. */
function slowJournal(
  compiled: CompiledWorkflow,
  failsAt: number = Number.POSITIVE_INFINITY,
): Journal & { readonly stored: string[]; appends: number } {
  const stored: string[] = [];
  return {
    stored,
    appends: 0,
    async append(runId, round) {
      const fails = ++this.appends >= failsAt;
      const lines = runId === "run" ? round.map((tick) => JSON.stringify(encodeTick(tick, compiled))) : [];
      await nextTurn();
      if (fails) throw new Error("the disk is full");
      stored.push(...lines);
    },
  };
}

async function runWith(
  flow: Flow,
  failsAt?: number,
): Promise<{ readonly ending: Ending | Error; readonly ticks: readonly Tick[]; readonly appends: number }> {
  const made = flow.make();
  const compiled = compileWorkflow(made.workflow);
  const journal = slowJournal(compiled, failsAt);
  const clock = new JumpClock();
  useClock(made, clock, journal);
  const handler = (made.workflow.run as (input: unknown) => WorkflowHandler)(flow.input ?? {});
  const driven = await drive(flow, handler, clock).catch((error: Error) => error);
  const ending =
    failsAt === undefined
      ? driven
      : await handler.then(
          () => driven,
          (error: Error) => error,
        );
  return {
    ending,
    ticks: journal.stored.map((line) => decodeTick(JSON.parse(line), compiled)),
    appends: journal.appends,
  };
}

describe.each(flows)("$name, with a journal that takes its time", (flow) => {
  it("ends as it does in memory", async () => {
    const inMemory = await record(flow);

    const stored = await runWith(flow);

    expect(stored.ending).toEqual(inMemory.ending);
    expect(stored.ticks.filter(({ type }) => type === "run.idled").length).toBeLessThan(30);
  });
});

describe.each(flows.filter((flow) => flow.make().children === undefined))(
  "$name, with a journal that fails",
  (flow) => {
    it("leaves memory at whichever round that is, and goes on from what was stored to the same end", async () => {
      const whole = await runWith(flow);
      const compiled = compileWorkflow(flow.make().workflow);
      const begin = () =>
        createRunState({ runId: "run", workflow: compiled.name, store: compiled.state?.initial() ?? {} });

      for (let failsAt = 2; failsAt <= whole.appends; failsAt++) {
        const crashed = await runWith(flow, failsAt);
        expect(crashed.ending).toMatchObject({ message: "the disk is full" });
        const state = replay(createRouting(compiled.definition), begin(), crashed.ticks);
        expect(await finish(flow, JSON.stringify(encodeState(state, compiled))), `failed at append ${failsAt}`).toEqual(
          whole.ending,
        );
      }

      expect(whole.appends).toBeGreaterThan(1);
    });
  },
);
