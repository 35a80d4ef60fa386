import { Context } from "millrace";
import { describe, expect, it } from "vitest";
import { TripFlow } from "./child-workflows.js";
import { runExample } from "./test/run-example.js";

describe("child workflows", () => {
  it("prints where every word was looked up, and the result", async () => {
    const { output } = await runExample("child-workflows.ts");

    expect(output.split("\n")).toEqual([
      "translate looks up French",
      "translate looks up German",
      "translate looks up Italian",
      "PAIN (French), BROT (German), PANE (Italian)",
      "",
    ]);
  });

  it("holds the tree in one snapshot", async () => {
    const workflow = new TripFlow();
    const handler = workflow.run({ word: "bread", languages: ["French", "German"] });
    await handler.streamEvents().take(1).toArray();
    const stored = JSON.stringify(handler.context.toDict());

    const restored = workflow.resume(Context.fromDict(workflow, JSON.parse(stored)));

    expect(await restored).toBe("PAIN (French), BROT (German)");
  });
});
