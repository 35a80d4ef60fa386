import { expect, it } from "vitest";
import { tickText } from "./tick-text.js";

it("a tick says its event, its error and its call, and nothing that is empty", () => {
  const error = { name: "RangeError", message: "too heavy", stack: "RangeError: too heavy\n    at x.ts:1" };

  expect(
    [
      { event: { type: "Parcel", data: { weight: 3 } }, timeoutMs: null, labels: { a: "b" }, store: { json: {} } },
      { attempt: 1, error, retryAtMs: null },
      { attempt: 1, error: { ...error, code: "TOO_HEAVY" } },
      { call: "run=label", value: { json: "L-3" } },
      {
        output: [
          { type: "Sku", data: { sku: "A" } },
          { type: "Done", data: {} },
        ],
        sends: [],
      },
      { reason: "enough" },
      { change: { patches: { json: [{ op: "add" }] } } },
      {},
    ].map(tickText),
  ).toEqual([
    'Parcel {"weight":3}',
    "RangeError: too heavy",
    "TOO_HEAVY: too heavy",
    'label  value="L-3"',
    'Sku {"sku":"A"}, Done',
    "reason=enough",
    'change={"patches":{"json":[{"op":"add"}]}}',
    "",
  ]);
});
