/** Random loops of races with random arrivals, over restores: every accepted event is seen exactly once. */
import { test } from "@fast-check/vitest";
import fc from "fast-check";
import { describe, expect } from "vitest";
import * as z from "zod";
import {
  type Context,
  defineWorkflow,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  type WorkflowHandler,
} from "../src/index.js";
import { reload } from "./support/runs.js";
import "./support/seed.js";
import { withVirtualClock } from "./support/virtual-clock.js";

class Message extends HumanResponseEvent.define("Message", { lane: z.number(), id: z.number() }) {}
class Question extends InputRequiredEvent.define("Question", { n: z.number() }) {}

type RacerKind = "any" | "lane" | "prompt" | "sleep" | "two" | "effect";
type Round = readonly { readonly kind: RacerKind; readonly lane: number }[];
type Move =
  | { readonly kind: "send"; readonly lane: number }
  | { readonly kind: "answer"; readonly which: number }
  | { readonly kind: "time"; readonly minutes: number }
  | { readonly kind: "restore" }
  | { readonly kind: "settle" };

const lane = fc.nat({ max: 2 });
const anyRound: fc.Arbitrary<Round> = fc.array(
  fc.record({ kind: fc.constantFrom<RacerKind[]>("any", "lane", "prompt", "sleep", "two", "effect"), lane }),
  { minLength: 1, maxLength: 4 },
);
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("send" as const), lane }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("answer" as const), which: fc.nat({ max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("time" as const), minutes: fc.constantFrom(1, 5, 10) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "restore" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "settle" as const }) },
);

/** Makes two calls. What it takes counts as taken, so it notes each event by itself. */
function pairOf(ctx: Context, { key, seen }: { readonly key: string; readonly seen: number[] }) {
  return async (signal: AbortSignal): Promise<void> => {
    for (const _ of [1, 2]) seen.push((await ctx.waitForEvent(Message, { key, signal })).id);
  };
}

function callOf(ctx: Context, { kind, lane }: Round[number], key: string) {
  return (signal: AbortSignal): Promise<unknown> => {
    if (kind === "sleep") return ctx.sleep("5m", { key, signal });
    if (kind === "effect") return ctx.run(key, () => null);
    const where = kind === "lane" ? { where: { lane } } : {};
    const prompt = kind === "prompt" ? { prompt: new Question({ n: lane }) } : {};
    return ctx.waitForEvent(Message, { key, signal, ...where, ...prompt });
  };
}

function flowOf(rounds: readonly Round[], isSlow: boolean) {
  const flow = defineWorkflow("loop")
    .step(
      "loop",
      { on: StartEvent, emits: StopEvent, waits: Message, streams: Question },
      async (_ev, ctx: Context) => {
        const seen: number[] = [];
        for (const [number, round] of rounds.entries()) {
          const racers = round.map((racer, index) => {
            const key = `${number} ${index}`;
            const call = racer.kind === "two" ? pairOf(ctx, { key, seen }) : callOf(ctx, racer, key);
            return [key, call] as const;
          });
          const { value } = await ctx.race(Object.fromEntries(racers));
          if (Message.is(value)) seen.push(value.id);
        }
        for (;;) {
          const rest = await ctx.race({
            message: (signal) => ctx.waitForEvent(Message, { signal }),
            end: (signal) => ctx.sleep("1d", { signal }),
          });
          if (rest.winner === "end") return new StopEvent({ result: seen });
          seen.push(rest.value.id);
        }
      },
    )
    .build();
  const journal = { append: () => new Promise<void>((resolve) => setImmediate(resolve)) };
  return { flow, clock: withVirtualClock(flow, isSlow ? { journal } : {}) };
}

describe("random loops of races", () => {
  test.prop([fc.array(anyRound, { minLength: 1, maxLength: 5 }), fc.array(anyMove, { maxLength: 25 }), fc.boolean()], {
    numRuns: 200,
  })("see every event that was accepted exactly once", async (rounds, moves, isSlow) => {
    const { flow, clock } = flowOf(rounds, isSlow);
    let handler = flow.run() as unknown as WorkflowHandler<number[]>;
    const accepted: number[] = [];
    const prompts: string[] = [];
    const receipts: Promise<unknown>[] = [];
    let id = 0;
    const note = (sent: number, receipt: Promise<{ readonly status: string }>): void =>
      void receipts.push(receipt.then(({ status }) => status === "accepted" && accepted.push(sent)));
    const act = async (move: Move): Promise<void> => {
      switch (move.kind) {
        case "send":
          return note(++id, handler.sendEvent(new Message({ lane: move.lane, id })));
        case "answer":
          return note(++id, handler.answer(prompts.at(-1 - move.which) ?? "none", { lane: 0, id }));
        case "time":
          return clock.advance(move.minutes * 60_000);
        case "settle":
        case "restore": {
          const outcome = await handler.idle();
          prompts.push(...(outcome.status === "waiting" ? outcome.prompts.map(({ promptId }) => promptId) : []));
          if (move.kind === "settle" || outcome.status !== "waiting") return;
          await Promise.all(receipts);
          handler = flow.resume(reload(flow as never, handler.context) as never) as never;
        }
      }
    };

    for (const move of moves) await act(move);
    await Promise.all(receipts);
    let outcome = await handler.idle();
    while (outcome.status === "waiting") {
      note(++id, handler.sendEvent(new Message({ lane: id % 3, id })));
      await Promise.all(receipts);
      await handler.idle();
      await clock.advance(25 * 3_600_000);
      outcome = await handler.idle();
    }

    expect([...(await handler)].sort((left, right) => left - right)).toEqual(accepted.sort((a, b) => a - b));
  });
});
