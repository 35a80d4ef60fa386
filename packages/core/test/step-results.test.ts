/** What a step may not give back, for those who do not compile with types. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, event, many, StartEvent, StopEvent } from "../src/index.js";
import { rejection } from "./support/runs.js";

class A extends event("A", { n: z.number().default(0) }) {}
class B extends event("B", { n: z.number() }) {}

const stopped = <Result>(result: Result) => new StopEvent({ result });

describe("what a step may not give back has the sentence of the compiler as its hint", () => {
  const given = (emits: unknown, result: () => unknown) =>
    rejection(
      defineWorkflow("given")
        .step("a", { on: StartEvent, emits: emits as typeof StopEvent }, result as never)
        .step("b", { on: [A, B] as never, emits: StopEvent }, () => stopped(1))
        .step("c", { on: StartEvent, emits: [A, B] as never }, () => null as never)
        .build()
        .run(),
    );

  it.each([
    [
      "an array that is not declared",
      [A],
      () => [new A({})],
      "The step returns an array: list its events in `emits` with many().",
    ],
    [
      "an empty array that is not declared",
      [A],
      () => [],
      "The step returns an array: list its events in `emits` with many().",
    ],
    [
      "a generator that is not declared",
      [A],
      async function* () {
        yield new A({});
      },
      "The step yields A, where `emits` says one: write many(A).",
    ],
    [
      "a generator that is not async",
      [many(A)],
      function* () {
        yield new A({});
      },
      "A step that yields is async: write `async *`.",
    ],
    [
      "one event where many are declared",
      [many(A)],
      () => new A({}),
      "The step returns one A, where `emits` says many(A): return an array, or drop many().",
    ],
    [
      "an element that is listed alone",
      [many(A), B],
      () => [new B({ n: 1 })],
      "The step returns an array of B, where `emits` says one: write many(B).",
    ],
    [
      "an element that ends the run",
      [many(A), StopEvent],
      () => [stopped(1)],
      "The step returns an array of StopEvent: a stop event is returned alone.",
    ],
    [
      "an element that is null",
      [many(A)],
      () => [new A({}), null],
      "The elements of a fan-out are events: leave out null and undefined.",
    ],
    [
      "a yield of null",
      [many(A)],
      async function* () {
        yield null;
      },
      "The elements of a fan-out are events: leave out null and undefined.",
    ],
    [
      "a yield of what is listed alone",
      [many(A), B],
      async function* () {
        yield new B({ n: 1 });
      },
      "The step yields B, where `emits` says one: write many(B).",
    ],
    [
      "a yield of what ends the run",
      [many(A), StopEvent],
      async function* () {
        yield stopped(1);
      },
      "The step yields StopEvent: a stop event is returned alone.",
    ],
    [
      "what a generator returns",
      [many(A), B],
      async function* () {
        yield* [];
        return new B({ n: 1 });
      },
      "A generator only yields: what it returns would be lost.",
    ],
  ])("%s", async (_, emits, result, hint) => {
    expect(await given(emits, result)).toMatchObject({ code: "STEP_RESULT_INVALID", hint });
  });
});
