/** Where the SDK makes all ids: a run is one trace all the same. */
import { describe, expect, it } from "vitest";
import { openSdk, traceProblems, treeOf } from "./support/sdk.js";
import { Approval, tripFlow } from "./support/trip.js";

describe("the spans of a run", () => {
  it("are one trace without `runIds`, below the span that starts it", async () => {
    const sdk = openSdk({ withRunIds: false });
    const handler = tripFlow(() => {})
      .use(sdk.telemetry)
      .run();
    await handler.idle();
    await handler.sendEvent(new Approval({ by: "ada" }));
    await handler;
    const spans = await sdk.spans();

    expect(traceProblems(spans)).toEqual([]);
    expect(treeOf(spans)).toEqual(expect.arrayContaining(["start trip", "  run trip", "  step split"]));
  });
});
