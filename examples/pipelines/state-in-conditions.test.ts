import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createSupport } from "./state-in-conditions.js";
import { prove } from "./support/prove.js";

describe("state in conditions", () => {
  it("takes the way that the state says", async () => {
    const { output } = await runExample("pipelines/state-in-conditions.ts");

    expect(output.split("\n")).toEqual([
      'Billing takes care of "Please send the invoice again."',
      "Session state: { urgent: false, topic: 'billing' }",
      'An engineer takes care of "Urgent: nothing works."',
      "Session state: { urgent: true, topic: 'technical', escalated: true }",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createSupport, "Urgent: nothing works.");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
