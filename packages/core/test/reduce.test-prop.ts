/** The reducer under ticks that nobody would send: it never throws, and what it counts stays right. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { casesOf } from "../../../test-share.js";
import { knownOutcome } from "../src/engine/reduce.js";
import {
  compileWorkflow,
  createRouting,
  createRunState,
  type RunState,
  reduce,
  replay,
  type Tick,
} from "../src/entries/engine.js";
import {
  collect,
  defineWorkflow,
  ExternalEvent,
  event,
  InputRequiredEvent,
  join,
  many,
  StartEvent,
  StopEvent,
} from "../src/index.js";
import { expectSoundState } from "./support/invariants.js";

class Item extends event("Item", { n: z.number() }) {}
class Left extends event("Left", { n: z.number() }) {}
class Right extends event("Right", { n: z.number() }) {}
class Pair extends event("Pair", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Some extends event("Some", { n: z.number() }) {}
class Ask extends InputRequiredEvent.define("Ask", { n: z.number() }) {}
class Answer extends ExternalEvent.define("Answer", { n: z.number() }) {}

/** Every trigger, and every way out of a step. What its steps do is never called: the ticks say what they did. */
const somewhere = { skipChecks: ["uncollected"] } as const;
const everything = defineWorkflow("everything")
  .step(
    "start",
    { on: StartEvent, emits: [many(Item, Left, Right), Ask, StopEvent], waits: Answer, workers: 2 },
    () => null,
  )
  .step("work", { on: Item, emits: [many(Left, Right), Done, Item], waits: [Answer, Left], workers: 2 }, () => null)
  .step("pair", { on: join({ left: Left, right: Right }), emits: Pair }, () => null)
  .step("pairBy", { on: join({ left: Left, right: Right }, { by: "n" }), emits: Pair }, () => null)
  .step("paired", { on: Pair, emits: [Done, Some] }, () => null)
  .step("answered", { on: Answer, emits: [many(Item), StopEvent] }, () => null)
  .step("all", { on: collect(Done, { of: "start" }), emits: Some, ...somewhere }, () => null)
  .step(
    "settled",
    { on: collect([Pair, Some], { of: "work", settle: true, order: "arrived" }), emits: Done, ...somewhere },
    () => null,
  )
  .step(
    "first",
    { on: collect(Done, { of: "start", take: 2, rest: "cancel" }), emits: StopEvent, ...somewhere },
    () => null,
  )
  .catchError("rescue", { steps: ["work", "paired"], emits: [many(Item), Done], maxRecoveries: 2 }, () => null)
  .build({ inboxSize: 3 });

const compiled = compileWorkflow(everything);
const routing = createRouting(compiled.definition);
const newState = (): RunState => createRunState({ runId: "run", workflow: compiled.name, store: {} });

const small = fc.nat({ max: 3 });
const events = fc
  .tuple(fc.constantFrom(Item, Left, Right, Pair, Done, Some, Ask, Answer), small)
  .map(([Class, n]) => new Class({ n }));
const stop = fc.constant(new StopEvent({ result: 1 }));
const output = fc.oneof(
  { weight: 4, arbitrary: events },
  { weight: 4, arbitrary: fc.array(events, { maxLength: 4 }) },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: stop },
);
const dueAtMs = fc.oneof(fc.constant(null), fc.nat({ max: 400 }));
/** As calls are named: by what they are. */
const callOf = (kind: string): fc.Arbitrary<string> => fc.constantFrom(`${kind}:a`, `${kind}:b`);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(...compiled.steps.keys(), "nobody") },
);
const send = fc
  .record({ call: callOf("send"), event: events, step, dueAtMs, toRun: fc.boolean(), isElement: fc.boolean() })
  .map(({ isElement, ...sent }) => ({ ...sent, ...(isElement && { isElement: true as const }) }));
const sends = fc.array(send, { maxLength: 3 });
const error = fc.constant({ name: "Error", message: "it failed" });

/** A tick without the attempt that says it; `who` chooses one of those that could. */
const said = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("step.completed"), output, sends: fc.oneof(fc.constant(null), sends) }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("step.failed"), error, retryAtMs: dueAtMs }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("step.failed"),
      error,
      retryAtMs: fc.constant(null),
      isGenerator: fc.constant(true),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("step.failed"),
      error,
      retryAtMs: fc.constant(0),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("step.yielded"),
      call: callOf("yield"),
      digest: fc.constant("0"),
      event: events,
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("sends.committed"), sends }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("wait.opened"),
      call: callOf("wait"),
      accepts: fc.constantFrom(["Answer"], ["Left"], ["Answer", "Left"]),
      where: fc.constantFrom(null, { n: 1 }),
      prompt: fc.oneof(fc.constant(null), fc.constant(new Ask({ n: 0 }))),
      dueAtMs,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("sleep.opened"), call: callOf("sleep"), dueAtMs: fc.nat({ max: 400 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("child.opened"),
      call: callOf("child"),
      name: fc.constant("child"),
      start: events,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("child.closed"),
      call: callOf("child"),
      name: fc.constant("child"),
      result: stop,
      error: fc.oneof(fc.constant(null), error),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("call.awaited"),
      call: fc.constantFrom("wait:a", "sleep:a", "child:a", "run:a", "wait:nothing"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("effect.recorded"), call: callOf("run"), value: fc.jsonValue() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("effect.opened"),
      call: callOf("run"),
      callAttempt: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("effect.failed"),
      call: callOf("run"),
      callAttempt: fc.integer({ min: 1, max: 3 }),
      error,
      retryAtMs: fc.constantFrom(null, 0, 100, 300),
      elapsedMs: fc.constantFrom(0, 10),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("event.collected"),
      call: callOf("collect"),
      buffer: fc.constant("all"),
      expected: fc.constantFrom(["Left", "Right"], ["Item"], []),
      event: events,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("state.edited"),
      call: callOf("edit"),
      change: fc.record({ whole: fc.constant(true), next: fc.record({ n: small }) }),
      value: fc.constant(null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("stream.written"),
      event: events,
      origin: fc.constant(null),
      promptId: fc.constant(null),
    }),
  },
);

const happened = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("event.received"),
      event: events,
      step,
      promptId: fc.constantFrom(null, null, "run:2", "run:5"),
      ticket: fc.constantFrom(null, 1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("time.passed") }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom("run.resumed", "run.retried"),
      timeoutMs: fc.constantFrom(undefined, null, 50),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("run.cancelled"), reason: fc.constant("enough") }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("run.idled") }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("run.started"),
      event: fc.constant(new StartEvent()),
      timeoutMs: fc.constantFrom(null, 300),
      deadlineMs: fc.constantFrom(null, 500),
      lineage: fc.constant(null),
      labels: fc.constant(null),
    }),
  },
);

interface Move {
  /** Picks one of the items there are; beyond them, one that there is not. */
  readonly who: number;
  /** Of an attempt that is over. */
  readonly late: boolean;
  readonly afterMs: number;
  readonly what: object;
}

const move: fc.Arbitrary<Move> = fc.record({
  who: fc.nat({ max: 9 }),
  late: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  afterMs: fc.constantFrom(0, 0, 0, 1, 30, -5),
  what: fc.oneof({ weight: 5, arbitrary: said }, { weight: 2, arbitrary: happened }),
});
const moves = fc.array(move, { maxLength: 60, size: "max" });

const begun: Tick = {
  type: "run.started",
  atMs: 1,
  event: new StartEvent(),
  timeoutMs: null,
  deadlineMs: null,
  lineage: null,
  labels: null,
};

function tickOf(state: RunState, { who, late, afterMs, what }: Move): Tick {
  const running = [...state.items.values()].filter((item) => item.status === "running" || item.status === "suspended");
  const item = running[who % Math.max(running.length, 1)];
  const attempt = (item?.attempt ?? 1) - Number(late);
  return { atMs: state.atMs + afterMs, item: item?.id ?? who, attempt, ...what } as unknown as Tick;
}

/** Plays the moves, and gives the ticks that they were. */
function play(
  all: readonly Move[],
  after: (state: RunState, tick: Tick) => void = () => {},
): { readonly state: RunState; readonly ticks: readonly Tick[] } {
  const state = newState();
  reduce(routing, state, begun);
  const ticks = [begun];
  for (const one of all) {
    const tick = tickOf(state, one);
    ticks.push(tick);
    reduce(routing, state, tick);
    after(state, tick);
  }
  return { state, ticks };
}

describe("reduce, under any ticks", () => {
  it("never throws, and keeps count of what is open", () => {
    fc.assert(
      fc.property(moves, (all) => {
        play(all, expectSoundState);
      }),
      { numRuns: casesOf(600) },
    );
  });

  it("gives the outcome that was known before, where one was", () => {
    let known = 0;
    fc.assert(
      fc.property(moves, (all) => {
        const { ticks } = play(all);
        const state = newState();
        for (const tick of ticks) {
          const outcome = knownOutcome(routing, state, tick);
          reduce(routing, state, tick);
          if (outcome === null) continue;
          known++;
          expect(state).toMatchObject({ status: "completed", outcome });
          expect(state.atMs).toBeGreaterThanOrEqual(tick.atMs);
        }
      }),
      { numRuns: casesOf(600) },
    );
    expect(known).toBeGreaterThan(casesOf(600) / 100);
  });

  it("closes each fan-out once", () => {
    fc.assert(
      fc.property(moves, (all) => {
        const open = new Set<number>();
        const closed = new Set<number>();
        play(all, (state) => {
          const now = new Set(state.scopes?.keys());
          for (const id of now) expect(closed.has(id)).toBe(false);
          for (const id of open) if (!now.has(id)) closed.add(id);
          open.clear();
          for (const id of now) open.add(id);
        });
      }),
      { numRuns: casesOf(200) },
    );
  });

  it("gives the same state and the same commands for the same ticks", () => {
    fc.assert(
      fc.property(moves, (all) => {
        const { state, ticks } = play(all);
        const [once, twice] = [newState(), newState()];

        const commands = ticks.map((tick) => [reduce(routing, once, tick), reduce(routing, twice, tick)] as const);

        expect(once).toStrictEqual(state);
        expect(twice).toStrictEqual(once);
        for (const [first, second] of commands) expect(first).toStrictEqual(second);
      }),
      { numRuns: casesOf(150) },
    );
  });

  it("never lets time or the numbers of what it made go back", () => {
    fc.assert(
      fc.property(moves, (all) => {
        let last = { atMs: 0, nextId: 1, streamed: 0, ticks: 1 };
        play(all, ({ atMs, nextId, streamed, ticks }) => {
          expect(
            atMs >= last.atMs && nextId >= last.nextId && streamed >= last.streamed && ticks === last.ticks + 1,
          ).toBe(true);
          last = { atMs, nextId, streamed, ticks };
        });
      }),
      { numRuns: casesOf(200) },
    );
  });

  it("changes nothing of a run that has completed", () => {
    fc.assert(
      fc.property(moves, moves, (before, afterwards) => {
        const { ticks } = play(before);
        const state = replay(routing, newState(), [...ticks, ...endingTicks(ticks)]);
        expect(state.status).toBe("completed");
        const { outcome, nextId, streamed } = state;

        for (const one of afterwards.filter(({ what }) => (what as Tick).type !== "state.edited")) {
          const commands = reduce(routing, state, tickOf(state, one));
          expect(commands.every((command) => command.type === "note" || command.type === "receipt.send")).toBe(true);
        }

        expect(state).toMatchObject({ status: "completed", nextId, streamed, active: 0 });
        expect(state.outcome).toBe(outcome);
        expect(state.items.size).toBe(0);
      }),
      { numRuns: casesOf(150) },
    );
  });

  /** Whatever went before: goes on if it had ended, and lets a step that is at work return the stop event. */
  function endingTicks(ticks: readonly Tick[]): Tick[] {
    const state = replay(routing, newState(), ticks);
    if (state.status === "completed") return [];
    const atMs = state.atMs;
    const goOn: Tick[] = [
      { type: "run.resumed", atMs, timeoutMs: null, deadlineMs: null },
      { type: "run.retried", atMs, timeoutMs: null, deadlineMs: null },
      { type: "event.received", atMs, event: new Item({ n: 0 }), step: "work", promptId: null, ticket: null },
    ];
    replay(routing, state, goOn);
    const item = [...state.items.values()].find(({ status }) => status === "running");
    if (item === undefined) throw new Error(`No step is at work: the run is ${state.status}.`);
    return [
      ...goOn,
      {
        type: "step.completed",
        atMs,
        item: item.id,
        attempt: item.attempt,
        output: new StopEvent({ result: 1 }),
        sends: null,
      },
    ];
  }
});
