/** What is no run that can be imported. */

import { describe, expect, it } from "vitest";
import { createRuntime, memoryStore } from "../../src/entries/runtime.js";
import { asked, codeOf, failure, open, partsOf, visits } from "../support/moved.js";
import { silent } from "../support/runtimes.js";

/** With these before the end, which counts them. */
function withParts(parts: readonly object[], more: readonly object[]): object[] {
  return counted([...parts.slice(0, -1), ...more, ...parts.slice(-1)]);
}

function counted(parts: readonly object[]): object[] {
  return [...parts.slice(0, -1), { type: "end", parts: parts.length }];
}

function nested(depth: number): unknown {
  return JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
}

describe("an import", () => {
  it("tells all that is wrong, and stores nothing", async () => {
    const [source, target] = [open(), open()];
    await asked(source);
    const parts = await partsOf(source.export("run"));
    const broken = parts.map((part) => {
      if (part["type"] === "run") return { ...part, ticks: 99, runId: "other" };
      if (part["type"] === "event") return { ...part, shown: { event: { type: "None" } } };
      return part;
    });

    const { code, details } = await failure(target.import(broken));

    expect(code).toBe("EXPORT_INVALID");
    expect((details["problems"] as string[]).length).toBeGreaterThan(1);
    expect((await target.runs()).runs).toEqual([]);
  });

  it.each([
    ["nothing", () => []],
    ["no end", (parts: unknown[]) => parts.slice(0, -1)],
    ["a part less", (parts: unknown[]) => parts.toSpliced(2, 1)],
    ["another order", (parts: unknown[]) => parts.toReversed()],
    ["no objects", () => [null, 1, "run", []]],
    ["a newer format", ([head, ...rest]: object[]) => [{ ...head, format: 2 }, ...rest]],
    ["a status that its ticks deny", ([head, ...rest]: object[]) => [{ ...head, status: "completed" }, ...rest]],
    ["prompts that its ticks deny", ([head, ...rest]: object[]) => [{ ...head, waiting: null }, ...rest]],
    ["a tenant that no store keeps", ([head, ...rest]: object[]) => [{ ...head, tenant: "\0" }, ...rest]],
    [
      "a queue that is not here",
      ([head, ...rest]: object[]) => [{ ...head, queue: { name: "q", key: "", priority: 0 } }, ...rest],
    ],
    [
      "a priority that no store keeps",
      ([head, ...rest]: object[]) => [{ ...head, queue: { name: "slow", key: "", priority: 2 ** 31 } }, ...rest],
    ],
    [
      "a record of the runtime",
      (parts: object[]) => [
        ...parts.slice(0, -1),
        { type: "record", kind: "millrace:due", id: "x", value: 1 },
        { type: "end", parts: parts.length + 1 },
      ],
    ],
    [
      "code that is no code",
      (parts: { type: string }[]) =>
        parts.map((part) => (part.type === "code" ? { ...part, text: '{"workflows":[1]}' } : part)),
    ],
    [
      "ticks that are none",
      (parts: { type: string }[]) =>
        parts.map((part) => (part.type === "ticks" ? { ...part, entries: [{ type: "step.made" }] } : part)),
    ],
    [
      "ticks that come twice",
      (parts: { type: string }[]) => counted(parts.flatMap((part) => (part.type === "ticks" ? [part, part] : [part]))),
    ],
    [
      "fewer ticks than their numbers say",
      (parts: { type: string; first: number; last: number }[]) =>
        parts.map((part) => (part.type === "ticks" ? { ...part, first: 1, entries: [] } : part)),
    ],
    [
      "two messages with one key",
      (parts: object[]) =>
        withParts(
          parts,
          ["k", "k"].map((key) => ({ type: "received", key, receipt: { status: "" } })),
        ),
    ],
    [
      "the key of the move itself",
      ([head, ...rest]: [{ move: string }]) =>
        withParts(
          [head, ...rest],
          [{ type: "received", key: `millrace:moved ${head.move}`, receipt: { status: "accepted" } }],
        ),
    ],
    [
      "two messages in one place",
      (parts: object[]) =>
        withParts(
          parts,
          [1, 1].map((position) => ({ type: "post", position, key: null, atMs: 1, message: { kind: "" } })),
        ),
    ],
    [
      "two records of one name",
      (parts: object[]) =>
        withParts(
          parts,
          [1, 2].map((json) => ({ type: "record", kind: "a", id: "b", value: { json } })),
        ),
    ],
    [
      "an event that its ticks have not shown",
      (parts: { type: string }[]) =>
        parts.map((part) => (part.type === "event" ? { ...part, sequence: Number.MAX_SAFE_INTEGER } : part)),
    ],
    [
      "a run that has not begun and has a snapshot",
      ([head, ...rest]: { type: string }[]) => [
        { ...head, ticks: 0 },
        ...rest.filter(({ type }) => type !== "ticks" && type !== "end"),
        { type: "end", parts: rest.filter(({ type }) => type !== "ticks").length + 1 },
      ],
    ],
    ["what is not JSON", (parts: object[]) => withParts(parts, [{ type: "record", kind: "a", id: "b", value: 1n }])],
    [
      "what is too deep",
      (parts: object[]) => withParts(parts, [{ type: "record", kind: "a", id: "b", value: nested(100_000) }]),
    ],
  ])("refuses %s", async (_what, change) => {
    const [source, target] = [open(), open(memoryStore(), { queues: { slow: { concurrency: 1 } } })];
    await asked(source);
    const parts = (change as (parts: unknown[]) => unknown[])(await partsOf(source.export("run")));

    expect(await codeOf(target.import(parts))).toBe("EXPORT_INVALID");
    expect((await target.runs()).runs).toEqual([]);
  });

  it("refuses what has no parts, a workflow that is not here, and options that nobody reads", async () => {
    const [source, target] = [open(), createRuntime({ workflows: { visits }, store: memoryStore(), log: silent })];
    await asked(source);
    const parts = await partsOf(source.export("run"));

    expect(await codeOf(target.import(5 as never))).toBe("OPTION_INVALID");
    expect(await codeOf(target.import(parts))).toBe("WORKFLOW_UNKNOWN");
    expect(await codeOf(target.import(parts, { record: "keep" } as never))).toBe("OPTION_INVALID");
    expect(await codeOf(target.import(parts, { records: "merge" } as never))).toBe("OPTION_INVALID");
  });
});
