import { describe, expect, it } from "vitest";
import { WordCount } from "./fan-out-fan-in.js";
import { runExample } from "./test/run-example.js";

describe("fan-out and fan-in", () => {
  it("prints the sum over all chapters", async () => {
    const { output } = await runExample("fan-out-fan-in.ts");

    expect(output).toBe("19 words in chapters 1, 2, 3, 4, 5; 3 counted at once.\n");
  });

  it("gathers an empty batch too", async () => {
    expect(await new WordCount().run({ chapters: [] })).toEqual({ words: 0, chapters: [] });
  });

  it("never counts more than three at once", async () => {
    const workflow = new WordCount();

    await workflow.run({ chapters: Array.from({ length: 20 }, () => "one two") });

    expect(workflow.peak).toBe(3);
  });
});
