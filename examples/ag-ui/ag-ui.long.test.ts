import { expect, it } from "vitest";
import { freePort } from "../../test-ports.js";
import { runExample } from "../test/run-example.js";

it("asks the person again after the server is killed, and goes on with the answer", async () => {
  const { output, errors } = await runExample("ag-ui/main.ts", { args: [String(await freePort())] });

  expect(errors).toBe("");
  expect(output.split("\n")).toEqual([
    "flight: { city: 'Oslo', euros: 99 }",
    "state: { searched: [ 'Oslo' ] }",
    "the server was killed and is back, and the page was loaded again",
    "flight: { city: 'Oslo', euros: 99 }",
    "asked: Book Oslo for 99 €?",
    "user: Oslo",
    "assistant: Your flight to Oslo is booked.",
    "",
  ]);
});
