/** A runtime whose server has gone. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { Server } from "./support/server.js";
import { TestSchema } from "./support/stores.js";

const retryMs = 1_000;
const log = { info: () => undefined, error: () => undefined };

function heldFlow() {
  let open!: () => void;
  const promise = new Promise<void>((resolve) => (open = resolve));
  const held = defineWorkflow("held")
    .step("begin", { on: StartEvent, emits: StopEvent }, async () => {
      await promise;
      return new StopEvent();
    })
    .build();
  return { held, open };
}

describe("a server that is down", () => {
  it("refuses all that were started at once together, after one time of trying", async () => {
    await using server = await Server.start();
    const schema = new TestSchema();
    const { held } = heldFlow();
    const store = schema.open({ connectionString: server.url, retryMs });
    const runtime = createRuntime({ workflows: { held }, store, log });
    await runtime.run("held", {}).accepted;
    await server.halt();
    const startMs = performance.now();

    const errors = await Promise.all(
      Array.from({ length: 12 }, () => runtime.run("held", {}).accepted.catch((error: { code: string }) => error.code)),
    );
    const tookMs = performance.now() - startMs;

    expect(errors).toEqual(Array.from({ length: 12 }, () => "STORE_UNREACHABLE"));
    expect(tookMs).toBeLessThan(3 * retryMs);
    await runtime.stop({ drainMs: 0 });
  });

  it("keeps nobody who stops", async () => {
    await using server = await Server.start();
    const schema = new TestSchema();
    const { held, open } = heldFlow();
    const runtime = createRuntime({
      workflows: { held },
      store: schema.open({ connectionString: server.url, retryMs: 60_000 }),
      log,
    });
    const runs = Array.from({ length: 10 }, () => runtime.run("held", {}));
    await Promise.all(runs.map(({ accepted }) => accepted));
    await server.halt();
    open();
    const startMs = performance.now();

    await runtime.stop({ drainMs: 500 });
    const tookMs = performance.now() - startMs;

    expect(tookMs).toBeGreaterThan(450);
    expect(tookMs).toBeLessThan(2_500);
    const outcomes = await Promise.allSettled(runs);
    expect(outcomes.map(({ status }) => status)).toEqual(runs.map(() => "rejected"));
  });
});
