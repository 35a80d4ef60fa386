/** The example as it is run, with real processes that are killed. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("asks the model once more for the answer that was lost, and each tool once", () => {
  const program = fileURLToPath(new URL("main.ts", import.meta.url));
  const args = ["--import", import.meta.resolve("tsx"), program, "--yes"];

  const said = execFileSync(process.execPath, args, { encoding: "utf8" });

  expect(said.match(/\[killed while/g)).toHaveLength(2);
  expect(said).toContain("May the agent publish");
  expect(said).toContain("The bill: 5 model calls of 4 that were needed, after 2 kills;");
  expect(said).toContain("3 calls of tools under 3 keys; 120 tokens");
});
