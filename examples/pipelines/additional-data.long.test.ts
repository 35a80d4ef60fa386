import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { client, createContentCreation } from "./additional-data.js";
import { prove } from "./support/prove.js";

describe("additional data", () => {
  it("reaches the step that asks for it", async () => {
    const { output } = await runExample("pipelines/additional-data.ts");

    expect(output.split("\n")).toEqual([
      "## Strategic Content Plan",
      "",
      "**Planning Topic:** AI trends in 2024",
      "**Client Details:** enterprise | HIGH priority | ada@example.com",
      "",
      "**Content Strategy:** A plan in 3 days for: AI trends in 2024",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createContentCreation, "AI trends in 2024", { additionalData: client });

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
