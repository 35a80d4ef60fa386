import { expect, it } from "vitest";
import { freePort } from "../../test-ports.js";
import { runExample } from "../test/run-example.js";

it("shows every event once, although the server is killed", async () => {
  const { output, errors } = await runExample("server/main.ts", { args: [String(await freePort())] });

  expect(errors).toBe("");
  expect(output.split("\n")).toEqual([
    "0 Checked",
    "1 Approve",
    "the server was killed and is back",
    "2 StepRestartedEvent",
    "3 StopEvent",
    "80 euros for A-17",
    "",
  ]);
});
