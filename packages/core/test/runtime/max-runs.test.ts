/** A process that takes up only as many runs as it was told. */
import { describe, expect, it } from "vitest";
import { memoryStore, type RunStore, type RuntimeOptions, type Workflows } from "../../src/entries/runtime.js";
import { Machine, withMethods } from "../support/processes.js";
import { Poke, works } from "../support/queued.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

type OpenOptions = Pick<RuntimeOptions<Workflows>, "store" | "execute">;

function opened(maxConcurrentRuns: number, machine = new Machine(), options: OpenOptions = {}) {
  const made = works();
  const process = machine.open(made.flows, { maxConcurrentRuns, ...options });
  const { runtime } = process;
  const start = (flow: "work" | "nap" | "ask", id: string) => runtime.run(flow, { id }, { runId: id });
  return { ...made, machine, process, runtime, start };
}

describe("a runtime with `maxConcurrentRuns`", () => {
  it("begins as many runs, and the others in their order when one ends", async () => {
    const { start, atWork, end, begun } = opened(2);
    const handles = ["a", "b", "c", "d"].map((id) => start("work", id));
    await Promise.all(handles.map(({ accepted }) => accepted)); // all are stored
    await settle();
    expect(atWork()).toEqual(["a", "b"]);

    await end("b");
    expect(atWork()).toEqual(["a", "c"]);
    await end("a", "c");
    await end("d");

    expect(begun).toEqual(["a", "b", "c", "d"]);
    expect(await Promise.all(handles)).toEqual(["a", "b", "c", "d"]);
  });

  it("leaves the others to other processes at once", async () => {
    const machine = new Machine();
    const first = opened(1, machine);
    const second = opened(1, machine);
    await second.runtime.start();
    const handles = ["a", "b", "c"].map((id) => first.start("work", id));
    await settle();

    expect(first.atWork()).toEqual(["a"]);
    expect(second.atWork()).toEqual(["b"]);
    await second.end("b");
    expect(second.atWork()).toEqual(["c"]);
    await second.end("c");
    await first.end("a");
    expect(await Promise.all(handles)).toEqual(["a", "b", "c"]);
  });

  it("takes up no more of what a dead process has left", async () => {
    const machine = new Machine();
    const first = opened(9, machine);
    for (const id of ["a", "b", "c"]) first.start("work", id);
    await settle();
    first.process.kill();
    await machine.clock.advance(40_000);
    const second = opened(2, machine);
    await second.runtime.start();
    await settle();
    expect(second.atWork()).toHaveLength(2);

    await second.end(...second.atWork());

    expect([...second.begun].sort()).toEqual(["a", "b", "c"]);
  });

  it("counts no run that only waits, and takes it up again when there is room", async () => {
    const { start, atWork, end, begun, machine, runtime } = opened(1);
    start("nap", "sleeper");
    const asker = start("ask", "asker");
    start("work", "worker");
    await machine.clock.advance(1);
    expect(atWork()).toEqual(["worker"]);

    await machine.clock.advance(60_000);
    expect(begun).toEqual(["sleeper naps", "worker"]); // the sleeper is due, and there is no room
    await end("worker");
    expect(atWork()).toEqual(["sleeper"]);
    await end("sleeper");
    await runtime.handle("asker").sendEvent(new Poke({ n: 7 }));
    await end("asker");
    expect(await asker).toBe(7);
  });

  it("takes up the next one also when a start turns out to be of a run that there was", async () => {
    const machine = new Machine();
    const first = opened(1, machine);
    first.start("work", "a");
    await settle();
    await first.end("a");
    await first.runtime.stop(); // it would take up the next one
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const commit: RunStore["commit"] = async (commits) => {
      const results = await machine.store.commit(commits);
      await answered;
      return results;
    };
    const second = opened(1, machine, { store: withMethods(machine.store, { commit }) });
    const again = second.start("work", "a"); // takes the room until the store says that there was one
    await settle();
    const asker = opened(1, machine, { execute: false });
    const next = asker.start("work", "b");
    await settle();
    expect(second.begun).toEqual([]);

    answer();
    expect(await again).toBe("a");
    await settle();
    expect(second.atWork()).toEqual(["b"]);
    await second.end("b");
    expect(await next).toBe("b");
  });

  it("looks no more often while it is full", async () => {
    const inner = memoryStore();
    let looks = 0;
    const claimDue: typeof inner.claimDue = (lease) => {
      looks++;
      return inner.claimDue(lease);
    };
    const { start, machine } = opened(1, new Machine(withMethods(inner, { claimDue })));
    start("work", "a");
    start("work", "b");
    await settle();
    const before = looks;

    await machine.clock.advance(60_000); // with six renewals

    expect(looks).toBe(before);
  });

  it.for([0, 1.5, Number.POSITIVE_INFINITY, "many"])("refuses %s", (maxConcurrentRuns) => {
    const { flows } = works();
    const open = async () => new Machine().open(flows, { maxConcurrentRuns: maxConcurrentRuns as number });

    return expect(rejection(open())).resolves.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining("maxConcurrentRuns"),
    });
  });
});
