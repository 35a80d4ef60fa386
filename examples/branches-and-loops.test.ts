import { describe, expect, it } from "vitest";
import { Collatz } from "./branches-and-loops.js";
import { runExample } from "./test/run-example.js";

describe("branches and loops", () => {
  it("prints how long each number takes", async () => {
    const { output } = await runExample("branches-and-loops.ts");

    expect(output.split("\n")).toEqual([
      "6 reaches 1 after 8 steps.",
      "27 reaches 1 after 111 steps.",
      "97 reaches 1 after 118 steps.",
      "",
    ]);
  });

  it("ends at once where it begins at 1", async () => {
    expect(await new Collatz().run({ value: 1 })).toBe(0);
  });

  it("refuses a start that does not fit its schema", () => {
    expect(() => new Collatz().run({ value: -1 })).toThrow(expect.objectContaining({ code: "EVENT_INVALID" }));
  });
});
