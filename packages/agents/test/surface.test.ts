import { expect, it } from "vitest";
import * as surface from "../src/index.js";

it("exports what the documentation names, and nothing else", () => {
  expect(Object.keys(surface).sort()).toEqual([
    "Agent",
    "PipelineAgent",
    "Team",
    "memorySessions",
    "partialOutputs",
    "recorded",
    "storeSessions",
    "tool",
    "withPolicies",
  ]);
});
