import { expect, it } from "vitest";
import { runExample } from "../test/run-example.js";

it("cluster: a worker is killed, and the others end its runs, each part once", async () => {
  const { exitCode, output, errors } = await runExample("cluster/main.ts");

  expect(exitCode, errors).toBe(0);
  const left = /^kill -9 \d+: worker B leaves (.+)$/m.exec(output)?.[1]?.split(", ") ?? [];
  expect(left.length).toBeGreaterThan(0);
  for (const run of left) {
    expect(output).toMatch(new RegExp(`^${run} goes on at [AC], with part \\d of 8$`, "m"));
    expect(output).toMatch(new RegExp(`^${run} is done: B( [ABC]){6} [AC]$`, "m"));
  }
  expect(output).toContain("12 of 12 runs are done.");
  expect(output).toContain("96 parts are recorded, each once.");
});
