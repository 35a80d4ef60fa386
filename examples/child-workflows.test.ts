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
    const snapshots: string[] = [];
    const handler = workflow.run({ word: "bread", languages: ["French", "German"] });
    workflow.on("child.started", () => void snapshots.push(JSON.stringify(handler.context.toDict())));
    await handler;

    const results = snapshots.map((text) => workflow.resume(Context.fromDict(workflow, JSON.parse(text))));

    expect(await Promise.all(results)).toEqual(Array(2).fill("PAIN (French), BROT (German)"));
  });
});
