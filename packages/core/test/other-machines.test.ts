/** An attempt asks nothing of its run but what `LiveRunCore` says: so a host can be elsewhere. */
import { describe, expect, it } from "vitest";
import { record } from "./support/drive.js";
import { flows } from "./support/flows.js";
import { runOnMachines } from "./support/machines.js";

// Children are runs of their own: they begin where their parent is.
const childless = flows.filter((flow) => flow.make().children === undefined).map((flow) => [flow.name, flow] as const);

/** Nothing between these machines takes turns with the state, or says whose event came first. */
const needsTurns = new Set([
  "a fan-out with two workers",
  "a generator",
  "retries with a memory",
  "delayed sends",
  "branches that end with an edit, beside others that edit",
  "events kept from a fan-out that is over",
]);
const takesTurns = (name: string): boolean => needsTurns.has(name) || name.startsWith("the first two of a batch");

describe.each(childless)("%s", (_, flow) => {
  it("ends on another machine as it does here", async () => {
    const { ending } = await record(flow);

    expect(await runOnMachines(flow, 1)).toEqual(ending);
  });
});

describe.each(childless.filter(([name]) => !takesTurns(name)))("%s", (_, flow) => {
  it("ends on two machines as it does on one", async () => {
    expect(await runOnMachines(flow, 2)).toEqual(await runOnMachines(flow, 1));
  });
});
