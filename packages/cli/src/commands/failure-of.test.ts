import { expect, it } from "vitest";
import { placeIn } from "./failure-of.js";

it("is the first line of the stack in the user's own code", () => {
  const stack = `TypeError: no
    at Object.run (file:///app/node_modules/millrace/dist/index.js:1:2)
    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)
    at RefundFlow.check (file:///app/src/refund.ts?v=3:12:9)`;

  expect(placeIn(stack)).toBe("/app/src/refund.ts:12:9");
  expect(placeIn("Error: no\n    at node:internal/timers:1:2")).toBeNull();
});
