import { describe, expect, it } from "vitest";
import { JokeFlow } from "./hello.js";
import { runExample } from "./test/run-example.js";

describe("hello", () => {
  it("prints the verdict", async () => {
    const { output } = await runExample("hello.ts");

    expect(output).toBe(`"A pirate walks into a bar." has 26 characters.\n`);
  });

  it("takes any topic", async () => {
    const verdict: string = await new JokeFlow().run({ topic: "cat" });

    expect(verdict).toBe(`"A cat walks into a bar." has 23 characters.`);
  });
});
