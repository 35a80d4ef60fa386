import { describe, expect, it } from "vitest";
import type { EncodedTick } from "../../snapshot/tick-codec.js";
import { shortTick, wholeTick } from "./journal-text.js";

const said = { text: "hello" };
const patches = [
  { op: "replace", path: ["count"], value: 2 },
  { op: "add", path: ["said", 0], value: said },
  { op: "add", path: ["none"], value: null },
  { op: "remove", path: ["gone"] },
  { op: "remove", path: ["set", 0], value: "item" },
] as const;
const shown = { type: "Said", data: { at: 5, toString: [1], text: said } };
const completed: EncodedTick = {
  type: "step.completed",
  atMs: 5,
  item: 2,
  attempt: 1,
  output: null,
  sends: null,
  change: { patches: { json: patches } },
  shown: [shown],
};

const stored = (tick: EncodedTick): Record<string, unknown> => JSON.parse(JSON.stringify(shortTick(tick)));
const throughStore = (tick: EncodedTick): EncodedTick => wholeTick(stored(tick));

describe("a stored tick", () => {
  it("names what an edit writes and shows once", () => {
    expect(stored(completed)).toStrictEqual({
      type: "step.completed",
      atMs: 5,
      item: 2,
      output: null,
      change: [
        [["count"], 2],
        [["said", 0], said, "add"],
        [["none"], null, "add"],
        [["gone"]],
        [["set", 0], "item", "remove"],
      ],
      shown: [{ type: "Said", data: { at: 5, toString: [1] }, same: { text: 1 } }],
    });
  });

  it.each([
    ["the end of a step", completed],
    ["a later attempt that has sent something", { ...completed, attempt: 2, sends: [] }],
    ["an event that is the edit alone", { ...completed, shown: [{ type: "Said", data: { text: said } }] }],
    ["an edit that shows nothing", { ...completed, shown: undefined }],
    ["an event that has nothing of the edit", { ...completed, shown: [{ type: "Said", data: { text: { ...said } } }] }],
    [
      "an edit in the middle of a step",
      {
        type: "state.edited",
        atMs: 5,
        item: null,
        attempt: 0,
        call: null,
        change: completed["change"],
        value: { same: true },
      },
    ],
    [
      "an edit of rich values",
      { ...completed, change: { patches: { json: patches, meta: { "1.value.text": ["Date"] } } } },
    ],
    ["a shown event of rich values", { ...completed, shown: [{ ...shown, meta: { "text.text": ["Date"] } }] }],
    ["a whole state", { ...completed, change: { whole: true, next: { json: { said } } } }],
    ["a tick of another kind", { type: "step.failed", atMs: 5, item: 2, attempt: 1, error: {}, retryAtMs: null }],
  ] as [string, EncodedTick][])("restores %s", (_, tick) => {
    expect(throughStore(tick)).toStrictEqual(JSON.parse(JSON.stringify(tick)));
  });

  it("is read as well where it was stored whole", () => {
    const whole = JSON.parse(JSON.stringify(completed));

    expect(wholeTick(whole)).toStrictEqual(whole);
  });
});
