/** What one message or one run cannot do to others. */
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  ExternalEvent,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
} from "../../src/index.js";
import { Machine, promptIds, withMethods } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

class Unknown extends ExternalEvent.define("Unknown", {}) {}

describe("an event of a type that the workflow does not know", () => {
  it("is refused with the same code wherever it is sent from", async () => {
    const machine = new Machine();
    const flow = () =>
      defineWorkflow("flow")
        .step(
          "start",
          { on: StartEvent, emits: StopEvent, waits: Known },
          async (_ev, ctx) => new StopEvent({ result: await ctx.waitForEvent(Known) }),
        )
        .build();
    const here = machine.open({ flow: flow() }).runtime.run("flow", {}, { runId: "one" });
    await here.idle();
    const there = machine.open({ flow: flow() }).runtime.handle("one");
    const codes = [await here.sendEvent(new Unknown()), await there.sendEvent(new Unknown())].map(
      (receipt) => receipt.status === "refused" && receipt.code,
    );

    expect(codes[1]).toBe(codes[0]);
  });
});

class Asked extends InputRequiredEvent.define("Asked", {}) {}
class Yes extends HumanResponseEvent.define("Yes", {}) {}
class No extends HumanResponseEvent.define("No", {}) {}

describe("fields for a prompt that two events answer", () => {
  it("are refused with the same receipt wherever they are sent from", async () => {
    const machine = new Machine();
    const flow = () =>
      defineWorkflow("flow")
        .step("ask", { on: StartEvent, emits: Asked }, () => new Asked())
        .step("yes", { on: Yes, emits: StopEvent }, () => new StopEvent())
        .step("no", { on: No, emits: StopEvent }, () => new StopEvent())
        .build();
    const here = machine.open({ flow: flow() }).runtime.run("flow", {}, { runId: "one" });
    const [promptId = ""] = await promptIds(here);
    const receipt = await here.answer(promptId, {});

    expect(receipt).toMatchObject({ status: "refused", code: "EVENT_NOT_ACCEPTED" });
    expect(await machine.open({ flow: flow() }).runtime.handle("one").answer(promptId, {})).toEqual(receipt);
  });
});

class Known extends ExternalEvent.define("Known", {}) {}

describe("one run whose commits the store refuses to take", () => {
  it("does not fail the others of its transaction for ever", async () => {
    const inner = memoryStore();
    const store = withMethods(inner, {
      async commit(commits) {
        if (commits.some(({ key, ticks }) => key.runId === "bad" && ticks !== undefined)) throw new Error("Too large.");
        return inner.commit(commits);
      },
    });
    const machine = new Machine(store);
    const flow = defineWorkflow("short")
      .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
      .build();
    const { runtime } = machine.open({ flow });
    const runs = ["good", "bad", "fine"].map((runId) => runtime.run("flow", {}, { runId }));
    const ended = Promise.allSettled(runs);
    await settle();
    await machine.clock.advance(120_000);

    expect((await ended).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });
});
