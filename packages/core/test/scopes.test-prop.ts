/** Programs of scopes whose keys are the same few everywhere do everything once, over retries and from any of their ticks. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../test-share.js";
import * as core from "../src/index.js";
import { idempotencyKey, idOf, inScope, insideCall, nameOf, scopeIn } from "../src/run/attempt/call-ids.js";
import { placesOf } from "../src/run/attempt/call-places.js";
import { drive, finish, JumpClock, useClock } from "./support/drive.js";
import type { Flow } from "./support/flows.js";
import { endOfScopes, randomScopes, type ScopeProgram, scopePrograms } from "./support/random-scopes.js";

const RUNS = casesOf(300);
const { workflowOf, answerOf } = randomScopes(core);

/** Functions of `ctx.run` may run again when a process dies: their results are recorded with the next tick. */
function flowOf(program: ScopeProgram, isReversed: (attempt: number) => boolean) {
  const runs: Record<string, number> = {};
  const flow: Flow = {
    name: "scopes",
    make: () => ({ workflow: workflowOf(program, runs, isReversed) }),
    answer: answerOf,
  };
  return { flow, runs };
}

it(`${RUNS} random programs of scopes do everything once, resumed from a random tick too`, async () => {
  await fc.assert(
    fc.asyncProperty(scopePrograms, fc.nat(10_000), fc.boolean(), async (program, moment, turns) => {
      const { answers, edits, sent, runs } = endOfScopes(program);
      const result = { answers, edits, sent };
      const { flow, runs: made } = flowOf(program, (attempt) => turns && attempt % 2 === 0);

      const { ending, snapshots } = await play(flow);

      expect(ending).toEqual({ status: "completed", result });
      expect(made).toEqual(runs);
      const stored = snapshots[moment % snapshots.length] as string;
      const again = flowOf(program, (attempt) => turns && attempt % 2 === 1).flow;
      expect(await finish(again, stored), "resumed").toEqual({ status: "completed", result });
    }),
    { numRuns: RUNS },
  );
});

async function play(flow: Flow) {
  const made = flow.make();
  const clock = new JumpClock();
  const snapshots: string[] = [];
  let hasBegun = false;
  useClock(made, clock, {
    append() {
      if (hasBegun) snapshots.push(JSON.stringify(handler.context.toDict()));
      hasBegun = true;
    },
  });
  const handler = made.workflow.run();
  return { ending: await drive(flow, handler as never, clock), snapshots };
}

describe("the id of a call", () => {
  const name = fc.oneof(fc.string({ unit: fc.constantFrom(..."/%@=:#0a2F") }), fc.string({ unit: "binary" }));
  const scopes = fc.array(name.filter(Boolean), { maxLength: 3 });
  const call = fc.record({
    scopes,
    kind: fc.constantFrom("run", "wait", "set"),
    about: name,
    key: fc.option(name.filter(Boolean), { nil: undefined }),
    count: fc.nat(3),
  });
  const place = fc.record({ outer: fc.option(call, { nil: null }), inner: call });

  type Call = typeof call extends fc.Arbitrary<infer Value> ? Value : never;
  const nameIn = (one: Call): string => inScope(one.scopes.reduce(scopeIn, ""), nameOf(one.kind, one.about, one.key));
  const outerId = (one: Call | null): string | null => one && idOf(nameIn(one), one.count);
  const placesIn = (one: Call | null): object[] =>
    one === null
      ? []
      : [
          ...one.scopes.map((scope) => ({ kind: "scope", name: scope, count: 0 })),
          { kind: one.kind, name: one.key ?? one.about, count: one.count },
        ];

  it("says where the call is, whatever names are made of", () => {
    fc.assert(
      fc.property(place, ({ outer, inner }) => {
        const id = idOf(insideCall(outerId(outer), nameIn(inner)), inner.count);

        expect(placesOf(id)).toEqual([...placesIn(outer), ...placesIn(inner)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("and its idempotency key differ for calls in different places", () => {
    fc.assert(
      fc.property(scopes, name, scopes, name, (path, key, otherPath, otherKey) => {
        const keyOf = (names: string[], own: string): string => idempotencyKey("run:1", names.reduce(scopeIn, ""), own);
        const isSame = JSON.stringify([path, key]) === JSON.stringify([otherPath, otherKey]);

        expect(keyOf(path, key) === keyOf(otherPath, otherKey)).toBe(isSame);
      }),
      { numRuns: 2_000 },
    );
  });
});
