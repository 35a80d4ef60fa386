import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createArticle } from "./fact-check.js";
import { prove } from "./support/prove.js";

describe("fact check", () => {
  it("checks only where there is something to check", async () => {
    const { output } = await runExample("pipelines/fact-check.ts");

    expect(output.split("\n")).toEqual([
      "research -> summarize -> fact_check_condition -> write_article",
      "# Article",
      "Checked. In short: The web on Recent breakthroughs in quantum computing: agents move from demos into products. A study shows 40 percent fewer errors. ",
      "",
      "research -> summarize -> (fact_check_condition) -> write_article",
      "# Article",
      "In short: The web on The smell of rain: agents move from demos into products. Nobody has measured it. ",
      "",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createArticle, "Recent breakthroughs in quantum computing");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
