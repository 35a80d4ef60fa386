import type { HistoryEntry } from "@millrace/client";
import { describe, expect, it } from "vitest";
import { everything, LogRows } from "./log-rows.js";
import { RunStore } from "./run-store.js";
import { continues, textOfTicks } from "./stream-fold.js";

const streamed = (number: number, event: object, more: object = {}): HistoryEntry =>
  ({
    number,
    atMs: number,
    runId: "run",
    step: "write",
    item: 1,
    attempt: 1,
    tick: { type: "stream.written", event },
    ...more,
  }) as unknown as HistoryEntry;
const token = (number: number, text: string): HistoryEntry => streamed(number, { type: "Token", data: { text } });

describe("events of a stream in the log", () => {
  it("are one row while they follow each other, whose text grows", () => {
    const store = new RunStore({ runId: "run", schedule: () => {} });
    store.append([
      token(1, "Hel"),
      token(2, "lo, "),
      token(3, "world"),
      streamed(4, { type: "Done", data: {} }),
      token(5, "!"),
    ]);
    const log = new LogRows(store, everything).update();

    expect(log.rows).toEqual([0, 3, 4]);
    expect([0, 3, 4].map((row) => log.endOf(row))).toEqual([2, 3, 4]);
    store.append([token(6, "!")]);
    expect(log.update().rows).toEqual([0, 3, 4]);
    expect(log.endOf(4)).toBe(5);
    const range = { from: 0, most: 100 };
    expect(textOfTicks(store.entries, { ...range, to: 1 })).toBe("Hello, ");
    expect(textOfTicks(store.entries, { ...range, to: 2 })).toBe("Hello, world");
    expect(textOfTicks(store.entries, { ...range, to: 2, most: 5 })).toBe("Hello");
  });

  it("of other steps, items or types are other rows", () => {
    expect(continues(token(1, "a"), token(2, "b"))).toBe(true);
    for (const other of [{ step: "read" }, { item: 2 }, { runId: "child" }, { attempt: 2 }])
      expect(continues(token(1, "a"), { ...token(2, "b"), ...other })).toBe(false);
    expect(continues(token(1, "a"), streamed(2, { type: "Other", data: { text: "b" } }))).toBe(false);
    expect(continues(undefined, token(1, "a"))).toBe(false);
  });

  it("have the text of a pipeline's content, and none where there is none", () => {
    const shown = streamed(1, { type: "pipeline.shown", data: { name: "RunContent", data: { content: "abc" } } });

    expect(textOfTicks([shown], { from: 0, to: 0, most: 9 })).toBe("abc");
    expect(textOfTicks([streamed(1, { type: "Progress", data: { done: 3 } })], { from: 0, to: 0, most: 9 })).toBe("");
  });
});
