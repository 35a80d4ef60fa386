/** Programs of scopes in scopes, all at work at the same time, whose keys are the same few everywhere; and what each comes to. */
import fc from "fast-check";
import * as z from "zod";
import type * as Millrace from "../../src/index.js";
import type { Context, Workflow } from "../../src/index.js";

const kinds = ["run", "editInRun", "edit", "send", "sleep", "wait", "ask", "race"] as const;

interface Act {
  readonly kind: (typeof kinds)[number];
  readonly key: string | undefined;
  /** How often the step fails right after it. */
  readonly failures: number;
}

export interface ScopeProgram {
  readonly acts: readonly Act[];
  readonly scopes: Readonly<Record<string, ScopeProgram>>;
}

const names = fc.constantFrom("a", "b", "a/b", "@a", "run=a", "%2F", "1:a", "a:b#0");
const act = fc.record({
  kind: fc.constantFrom(...kinds),
  key: fc.option(names, { nil: undefined }),
  failures: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
});

export const scopePrograms: fc.Arbitrary<ScopeProgram> = fc.letrec<{ program: ScopeProgram }>((tie) => ({
  program: fc.record({
    acts: fc.array(act, { maxLength: 3 }),
    scopes: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constant({}),
      fc.dictionary(names, tie("program"), { maxKeys: 3, noNullPrototype: true }),
    ),
  }),
})).program;

interface Placed extends Act {
  readonly id: number;
}
interface PlacedProgram {
  readonly acts: readonly Placed[];
  readonly scopes: readonly (readonly [string, PlacedProgram])[];
}

/** Every act has a number. A key of `run` and of a wait may stand in a scope once. */
function placed(program: ScopeProgram, ids = { next: 0 }): PlacedProgram {
  const keyed = program.acts.map((one) => ({ ...one, id: ids.next++ }));
  const acts = keyed.map((one, index) => {
    const isTaken = keyed.slice(0, index).some(({ key }) => key === one.key);
    const needsKey = one.kind === "run" || one.kind === "editInRun";
    return needsKey && (isTaken || one.key === undefined) ? { ...one, key: `own ${one.id}` } : one;
  });
  return { acts, scopes: Object.entries(program.scopes).map(([name, inner]) => [name, placed(inner, ids)]) };
}

function allOf({ acts, scopes }: PlacedProgram): Placed[] {
  return [...acts, ...scopes.flatMap(([, inner]) => allOf(inner))];
}

export interface ScopeEnd {
  readonly runs: Record<string, number>;
  readonly edits: Record<string, number>;
  readonly sent: Record<string, number>;
  readonly answers: readonly string[];
}

/** Every act counts once, and each is answered with its own number. */
export function endOfScopes(program: ScopeProgram): ScopeEnd {
  const all = allOf(placed(program));
  const once = (fits: (one: Placed) => boolean): Record<string, number> =>
    Object.fromEntries(all.filter(fits).map(({ id }) => [id, 1]));
  return {
    runs: once(({ kind }) => kind === "run" || kind === "editInRun"),
    edits: once(({ kind }) => kind === "edit" || kind === "editInRun"),
    sent: once(({ kind }) => kind === "send"),
    answers: all.map(({ kind, id }) => `${kind} ${id}`).sort(),
  };
}

type Ctx = Context<{ edits: Record<string, number>; sent: Record<string, number> }>;

/** How long programs sleep, and the last step waits for what was sent. */
const calm = { sleep: "1m", look: "1s" } as const;

interface Made {
  readonly workflowOf: (
    program: ScopeProgram,
    runs: Record<string, number>,
    isReversed: (attempt: number) => boolean,
  ) => Workflow;
  /** The answer to a prompt of a program. */
  readonly answerOf: (prompt: Millrace.WorkflowEvent) => { readonly id: number } | null;
}

/** @param core The copy of the package that runs the programs. */
export function randomScopes(
  core: typeof Millrace,
  times: { readonly sleep: Millrace.Duration; readonly look: Millrace.Duration } = calm,
): Made {
  const { defineWorkflow, event, HumanResponseEvent, InputRequiredEvent, join, QuestionEvent, retryPolicy } = core;
  const { StartEvent, StopEvent, stop, wait } = core;
  class Sent extends event("Sent", { id: z.number() }) {}
  class Done extends event("Done", { answers: z.array(z.string()) }) {}
  class Counted extends event("Counted", {}) {}
  class Asks extends InputRequiredEvent.define("Asks", { id: z.number() }) {}
  class Says extends HumanResponseEvent.define("Says", { id: z.number() }) {}

  const counts = z.record(z.string(), z.number()).default({});
  const state = { edits: counts, sent: counts };
  const often = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(200) });

  /** @param isReversed Whether the scopes at one level begin in the opposite order, by the number of the attempt. */
  function workflowOf(
    program: ScopeProgram,
    runs: Record<string, number>,
    isReversed: (attempt: number) => boolean,
  ): Workflow {
    const tree = placed(program);
    const failed = new Map<number, number>();
    const expected = Object.keys(endOfScopes(program).sent).length;
    const failAfter = ({ id, failures }: Placed): void => {
      const times = failed.get(id) ?? 0;
      if (times >= failures) return;
      failed.set(id, times + 1);
      throw new Error(`act ${id} fails`);
    };
    const walk = async (ctx: Ctx, { acts, scopes }: PlacedProgram, answers: string[]): Promise<void> => {
      const order = isReversed(ctx.retryInfo().attempt) ? [...scopes].reverse() : scopes;
      const own = async (): Promise<void> => {
        for (const one of acts) {
          answers.push(await doAct(ctx, one, runs));
          failAfter(one);
        }
      };
      await Promise.all([...order.map(([name, inner]) => walk(ctx.scope(name), inner, answers)), own()]);
    };
    return defineWorkflow("scopes", { state })
      .step(
        "work",
        { on: StartEvent, emits: [Sent, Done], waits: Says, streams: Asks, retry: often },
        async (_ev, ctx) => {
          const answers: string[] = [];
          await walk(ctx as never, tree, answers);
          return new Done({ answers: answers.sort() });
        },
      )
      .step("take", { on: Sent, emits: Counted, workers: 1 }, async ({ id }, ctx) => {
        await ctx.store.editState(({ sent }) => void (sent[id] = (sent[id] ?? 0) + 1));
        return new Counted({});
      })
      .step("counted", { on: Counted, emits: [] }, async () => null)
      .step("end", { on: join({ done: Done }), emits: StopEvent }, async ({ done }, ctx) => {
        for (let tries = 0; tries < 3; tries++) {
          if (Object.keys((await ctx.store.getState()).sent).length === expected) break;
          await ctx.sleep(times.look);
        }
        return new StopEvent({ result: { answers: done.answers, ...(await ctx.store.getState()) } });
      })
      .build();
  }

  async function doAct(ctx: Ctx, { kind, key, id }: Placed, runs: Record<string, number>): Promise<string> {
    const own = key === undefined ? {} : { key };
    const answer = `${kind} ${id}`;
    const edit = (): Promise<string> =>
      ctx.store.editState(({ edits }) => {
        edits[id] = (edits[id] ?? 0) + 1;
        return answer;
      }, own);
    const ask = (signal?: AbortSignal): Promise<Says> =>
      ctx.waitForEvent(Says, { prompt: new Asks({ id }), key: `${key} ${id}`, ...(signal && { signal }) });
    switch (kind) {
      case "run":
        return ctx.run(key as string, () => {
          runs[id] = (runs[id] ?? 0) + 1;
          return answer;
        });
      case "editInRun":
        return ctx.run(key as string, async () => {
          await edit();
          runs[id] = (runs[id] ?? 0) + 1;
          return answer;
        });
      case "edit":
        return edit();
      case "send":
        ctx.sendEvent(new Sent({ id }), own);
        await ctx.sleep(0, own);
        return answer;
      case "sleep":
        await ctx.sleep(times.sleep, own);
        return answer;
      case "wait":
        return `${kind} ${(await ask()).id}`;
      case "ask":
        return `${kind} ${(await ctx.ask({ title: `${id}`, schema: { id: z.number() }, ...own })).id}`;
      case "race": {
        const { value } = await ctx.race({ says: ask, time: (signal) => ctx.sleep("1d", { signal, ...own }) });
        return `${kind} ${value?.id}`;
      }
    }
  }

  return {
    workflowOf,
    answerOf: (prompt) => {
      if (prompt instanceof Asks) return { id: prompt.id };
      return QuestionEvent.is(prompt) ? { id: Number(prompt.title) } : null;
    },
  };
}
