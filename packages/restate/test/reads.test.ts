/** What is told of runs on Restate is what a runtime with a store tells. */
import type { Runtime } from "millrace/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { broken, order, readsSuite } from "../../conformance/src/reads/index.js";
import { type Served, serveHost } from "./support/host.js";
import { type Restate, startRestate } from "./support/restate.js";

const workflows = { order, broken };
let restate: Restate;
let served: Served<typeof workflows>;

beforeAll(async () => {
  restate = await startRestate();
  served = await serveHost(restate, workflows);
});
afterAll(async () => {
  await served?.[Symbol.asyncDispose]();
  await restate?.[Symbol.asyncDispose]();
});

describe("on Restate, a runtime", () => {
  it("refuses to list runs by how they have failed, which only statistics know", async () => {
    for (const how of [{ failedStep: "pay" }, { failure: "0a1b2c3d4e5f6071" }])
      await expect(served.runtime.runs(how)).rejects.toMatchObject({ code: "RESTATE_UNSUPPORTED" });
  });

  readsSuite({ open: () => served.runtime as unknown as Runtime, forkRefused: "RESTATE_UNSUPPORTED" });
});
