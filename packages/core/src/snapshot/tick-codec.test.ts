import { describe, expect, it } from "vitest";
import * as z from "zod";
import { compileWorkflow } from "../compile/compile.js";
import type { Tick } from "../engine/tick.js";
import { event, StartEvent, StopEvent } from "../index.js";
import { defineWorkflow } from "../workflow/workflow.js";
import { decodeTick, encodeTick } from "./tick-codec.js";

class Item extends event("Item", { at: z.date() }) {}
class Paid extends StopEvent.define("Paid", { cents: z.bigint() }) {}

const child = defineWorkflow("child")
  .step("pay", { on: StartEvent, emits: Paid }, () => new Paid({ cents: 1n }))
  .build();
const compiled = compileWorkflow(
  defineWorkflow("parent", { children: { child } })
    .step("start", { on: StartEvent, emits: Item }, () => new Item({ at: new Date(0) }))
    .step("end", { on: Item, emits: StopEvent }, () => new StopEvent({ result: 1 }))
    .build(),
);

const throughJson = (tick: Tick): Tick => decodeTick(JSON.parse(JSON.stringify(encodeTick(tick, compiled))), compiled);

describe("ticks through JSON", () => {
  it("keep events as events of their class", () => {
    const tick: Tick = {
      type: "step.completed",
      atMs: 5,
      item: 1,
      attempt: 1,
      output: [new Item({ at: new Date(3) })],
      sends: [{ call: "send:Item#0", event: new Item({ at: new Date(4) }), step: "end", dueAtMs: 9, toRun: true }],
    };

    const back = throughJson(tick);

    expect(back).toStrictEqual(tick);
  });

  it("keep what the end of a step shows", () => {
    const patches = [{ op: "replace", path: ["n"], value: 2 }] as const;
    const tick: Tick = {
      type: "step.completed",
      atMs: 5,
      item: 1,
      attempt: 1,
      output: null,
      sends: null,
      change: { patches },
      shown: [new Item({ at: new Date(3) })],
    };

    expect(throughJson(tick)).toStrictEqual(tick);
  });

  it("keep the result of a child, which the parent does not know", () => {
    const tick: Tick = {
      type: "child.closed",
      atMs: 5,
      item: 1,
      call: "child:child#0",
      name: "child",
      result: new Paid({ cents: 2n ** 65n }),
      error: null,
    };

    expect(throughJson(tick)).toStrictEqual(tick);
  });

  it("keep what a child streamed", () => {
    const tick: Tick = {
      type: "stream.written",
      atMs: 5,
      item: null,
      attempt: 0,
      event: new Paid({ cents: 1n }),
      origin: "child",
      promptId: null,
    };

    expect(throughJson(tick)).toStrictEqual(tick);
  });

  it("leave out the state after a patch, and keep patches through Maps", () => {
    const patches = [{ op: "add", path: ["seen", 1], value: new Set(["a"]) }] as const;
    const tick: Tick = {
      type: "state.edited",
      atMs: 5,
      item: null,
      attempt: 0,
      call: null,
      change: { patches, next: { seen: new Map([[1, new Set(["a"])]]) } },
      value: undefined,
    };

    const encoded = encodeTick(tick, compiled);

    expect(JSON.stringify(encoded)).not.toContain("next");
    expect(throughJson(tick)).toStrictEqual({ ...tick, change: { patches } });
  });

  it("keep limits that are not given apart from those that are none", () => {
    expect(throughJson({ type: "run.resumed", atMs: 1 })).toStrictEqual({ type: "run.resumed", atMs: 1 });
    expect(throughJson({ type: "run.resumed", atMs: 1, timeoutMs: null, deadlineMs: 5 })).toStrictEqual({
      type: "run.resumed",
      atMs: 1,
      timeoutMs: null,
      deadlineMs: 5,
    });
  });

  it("name the path of what cannot be stored", () => {
    const tick: Tick = {
      type: "effect.recorded",
      atMs: 1,
      item: 1,
      attempt: 1,
      call: "run=pay",
      value: { socket: () => 1 },
    };

    expect(() => encodeTick(tick, compiled)).toThrow(
      expect.objectContaining({
        code: "VALUE_UNSERIALIZABLE",
        message: expect.stringContaining("effect.recorded: value.socket"),
      }),
    );
  });
});

describe("ticks that are none", () => {
  it.each<[string, unknown, string]>([
    ["no object", 5, "SNAPSHOT_INVALID"],
    ["of an unknown type", { type: "run.exploded", atMs: 1 }, "SNAPSHOT_INVALID"],
    ["without a time", { type: "time.passed" }, "SNAPSHOT_INVALID"],
    [
      "with an unknown event",
      {
        type: "event.received",
        atMs: 1,
        event: { type: "Nothing", data: {} },
        step: null,
        promptId: null,
        ticket: null,
      },
      "EVENT_UNKNOWN",
    ],
    [
      "of a child that is not there",
      {
        type: "child.opened",
        atMs: 1,
        item: 1,
        attempt: 1,
        call: "c",
        name: "nobody",
        start: { type: "StartEvent", data: {} },
      },
      "SNAPSHOT_MISMATCH",
    ],
    [
      "with a forbidden key",
      { type: "run.cancelled", atMs: 1, reason: { json: JSON.parse('{"__proto__":1}') } },
      "SNAPSHOT_HOSTILE",
    ],
    [
      "with a patch that is none",
      {
        type: "state.edited",
        atMs: 1,
        item: null,
        attempt: 0,
        call: null,
        change: { patches: { json: [{ op: "drop", path: ["a"] }] } },
        value: { json: 1 },
      },
      "SNAPSHOT_INVALID",
    ],
  ])("are refused: %s", (_name, json, code) => {
    expect(() => decodeTick(json, compiled)).toThrow(
      expect.objectContaining({ code, hint: expect.stringMatching(/\w/) }),
    );
  });
});
