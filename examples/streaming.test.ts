import { describe, expect, it } from "vitest";
import { Bakery } from "./streaming.js";
import { runExample } from "./test/run-example.js";

describe("streaming", () => {
  it("prints what the run shows, and what a late reader gets", async () => {
    const { output } = await runExample("streaming.ts");

    expect(output.split("\n")).toEqual([
      "0 Progress { done: 1, of: 3 }",
      "1 Progress { done: 2, of: 3 }",
      "2 Progress { done: 3, of: 3 }",
      "3 StopEvent { result: '3 loaves' }",
      "After 1: 3 of 3",
      "text/event-stream; charset=utf-8",
      "3 loaves",
      "",
    ]);
  });

  it("shows everything to every reader", async () => {
    const handler = new Bakery().run({ loaves: 2 });

    const [first, second] = await Promise.all([handler.streamEvents().toArray(), handler.streamEvents().toArray()]);

    expect(first).toEqual(second);
    expect(first.map(({ event }) => event.type)).toEqual(["Progress", "Progress", "StopEvent"]);
  });
});
