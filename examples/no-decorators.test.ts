import { describe, expect, it } from "vitest";
import { writer } from "./no-decorators.js";
import { runExample } from "./test/run-example.js";

describe("no decorators", () => {
  it("runs under plain node", async () => {
    const { output, errors } = await runExample("no-decorators.ts", { transform: "none" });

    expect(errors).toBe("");
    expect(output).toBe("Is it going to rain? Perhaps not not. (3 drafts)\n");
  });

  it("keeps the state of every run to itself", async () => {
    const [first, second] = await Promise.all([writer.run({ question: "A?" }), writer.run({ question: "B?" })]);

    expect(first).toBe("A? Perhaps not not. (3 drafts)");
    expect(second).toBe("B? Perhaps not not. (3 drafts)");
  });
});
