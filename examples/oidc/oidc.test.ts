import { expect, it } from "vitest";
import { runExample } from "../test/run-example.js";

it("lets callers do what the scopes of their tokens allow", async () => {
  const { output, exitCode } = await runExample("oidc/main.ts");

  expect(exitCode).toBe(0);
  expect(output.replace(/^oidc-provider .*\n/gm, "").split("\n")).toEqual([
    "support starts 403",
    "shop starts    202",
    "shop answers   403",
    "other answers  404",
    "support answers 200",
    "a forged token 401",
    "{ result: '80 euros for A-17' }",
    "",
  ]);
});
