/** A run that was exported from this store. */
import { createRuntime, type Runtime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createServer } from "../src/index.js";
import { workflows } from "./child/workflows.js";

const log = { info: () => {}, error: () => {} };

it("is shown and listed as sealed, and asks nothing", async () => {
  const runtime = createRuntime({ workflows, log, idleReleaseMs: 0 }) as unknown as Runtime;
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  const app = createServer({ runtime, log });
  const asks = runtime.run("mailbox", {}, { runId: "asks" });
  await asks.idle();
  const seal = async (): Promise<void> => {
    for await (const _ of runtime.export("asks"));
  };
  await expect.poll(() => seal().then(() => "sealed", String), { timeout: 30_000 }).toBe("sealed");

  const shown = { handler_id: "asks", status: "running", sealed: true, waiting: false, prompts: [] };
  expect(await (await app.request("/handlers/asks")).json()).toMatchObject(shown);
  expect(await (await app.request("/handlers")).json()).toMatchObject({ handlers: [shown] });
});
