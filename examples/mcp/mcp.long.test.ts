import { expect, it } from "vitest";
import { freePort } from "../../test-ports.js";
import { runExample } from "../test/run-example.js";

it("makes each call of a tool once, although the agent and the server are killed", async () => {
  const { output, errors } = await runExample("mcp/main.ts", { args: [String(await freePort())] });

  expect(errors).toBe("");
  expect(output.split("\n")).toEqual([
    'May the agent call refund {"order":"A-17"}?',
    "the agent and the server were killed and are back",
    "Your money is on its way.",
    "find_order A-17",
    "refund A-17",
    "",
  ]);
});
