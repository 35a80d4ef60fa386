/**
 * Programs of calls at the same time, with sends, edits and words inside of each other, some of which fail a few times; and what each
 * comes to when everything counts once.
 */
import fc from "fast-check";
import * as z from "zod";
import type * as Millrace from "../../src/index.js";
import type { Context, EffectCall, Workflow } from "../../src/index.js";

type Act = "send" | "sendNow" | "callSend" | "edit" | "editAndSend" | "word" | "pause";
/** `finish`: a call that ends with an edit. */
type Place = "run" | "finish" | "edit" | "step";

interface Part {
  readonly place: Place;
  readonly acts: readonly Act[];
  /** How often it fails at its end. */
  readonly failures: number;
  /** Whether a call tries again by itself. Else the step does. */
  readonly hasRetry: boolean;
}

/** Branches at the same time, each with its parts one after another, and how often the step fails at its end. */
export interface Program {
  readonly branches: readonly (readonly Part[])[];
  readonly failures: number;
}

const acts = fc.array(fc.constantFrom<Act>("send", "sendNow", "callSend", "edit", "editAndSend", "word", "pause"), {
  maxLength: 4,
});
const part = fc.record({
  place: fc.constantFrom<Place>("run", "finish", "edit", "step"),
  acts,
  failures: fc.nat(2),
  hasRetry: fc.boolean(),
});
export const programs: fc.Arbitrary<Program> = fc.record({
  branches: fc.array(fc.array(part, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
  failures: fc.nat(2),
});

interface NamedAct {
  readonly act: Act | "finish";
  readonly id: number;
  readonly place: Place;
}

const sending: ReadonlySet<NamedAct["act"]> = new Set(["send", "sendNow", "callSend", "editAndSend"]);
const edits = ({ act, place }: NamedAct): boolean =>
  act === "finish" || ((act === "edit" || act === "editAndSend") && place !== "edit");

/** Every number is that of one act, and counts once. */
export function endOf(program: Program): { readonly sent: object; readonly edited: object; readonly words: string[] } {
  const all = named(program).flat(2);
  const once = (list: readonly NamedAct[]): object => Object.fromEntries(list.map(({ id }) => [id, 1]));
  return {
    sent: once(all.filter(({ act }) => sending.has(act))),
    edited: once(all.filter(edits)),
    words: all.filter(({ act }) => act === "word").map(({ id }) => `${id}`),
  };
}

function named({ branches }: Program): NamedAct[][][] {
  let id = 0;
  const actsOf = ({ acts: list, place }: Part): NamedAct[] =>
    [...list, ...(place === "finish" ? (["finish"] as const) : [])].map((act) => ({ act, id: id++, place }));
  return branches.map((parts) => parts.map(actsOf));
}

interface NamedPart {
  readonly place: Place;
  readonly hasRetry: boolean;
  readonly name: string;
  readonly acts: readonly NamedAct[];
  readonly end: () => void;
}

type Ctx = Context<{ sent: Record<string, number>; edited: Record<string, number> }>;

/** How long calls wait for their next attempt, and the last step for what was sent. */
const calm = { retry: "1m", look: "1s" } as const;

/**
 * @param core The copy of the package that runs the programs.
 * @returns The workflow of a program.
 */
export function randomCalls(
  core: typeof Millrace,
  times: { readonly retry: Millrace.Duration; readonly look: Millrace.Duration } = calm,
): (program: Program) => Workflow {
  const { defineWorkflow, event, retryPolicy, StartEvent, StopEvent, stop, wait } = core;
  class X extends event("X", { id: z.number() }) {}
  class Done extends event("Done", {}) {}
  class Word extends event("Word", { text: z.string() }) {}

  const counts = z.record(z.string(), z.number()).default({});
  const state = { sent: counts, edited: counts };
  const often = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(200) });
  const later = retryPolicy({ wait: wait.chain(wait.fixed(0), wait.fixed(times.retry)), stop: stop.afterAttempts(3) });

  function workflowOf(program: Program): Workflow {
    const failures = new Map<string, number>();
    const failAtMost = (name: string, times: number): void => {
      const failed = failures.get(name) ?? 0;
      if (failed >= times) return;
      failures.set(name, failed + 1);
      throw new Error(`${name} fails`);
    };
    const list = named(program);
    const expected = Object.keys(endOf(program).sent).length;
    return defineWorkflow("calls", { state })
      .step("work", { on: StartEvent, emits: [X, Done], streams: Word, retry: often }, async (_ev, ctx) => {
        const branch = async (parts: readonly Part[], at: number): Promise<void> => {
          for (const [index, { place, failures: times, hasRetry }] of parts.entries()) {
            const name = `${at}.${index}`;
            await doPart(ctx as never, {
              place,
              hasRetry,
              name,
              acts: list[at]?.[index] ?? [],
              end: () => failAtMost(name, times),
            });
          }
        };
        await Promise.all(program.branches.map(branch));
        failAtMost("the step", program.failures);
        return new Done({});
      })
      .step("take", { on: X, emits: [] }, async ({ id }, ctx) => {
        await ctx.store.editState(({ sent }) => void (sent[id] = (sent[id] ?? 0) + 1));
        return null;
      })
      .step("end", { on: Done, emits: StopEvent }, async (_ev, ctx) => {
        for (let tries = 0; tries < 3; tries++) {
          const { sent } = await ctx.store.getState();
          if (Object.keys(sent).length === expected) break;
          await ctx.sleep(times.look);
        }
        return new StopEvent({ result: await ctx.store.getState() });
      })
      .build();
  }

  async function doPart(ctx: Ctx, { place, hasRetry, name, acts: list, end }: NamedPart): Promise<void> {
    const work = async (call: EffectCall | null): Promise<void> => {
      for (const one of list) await doAct(ctx, one, call);
      end();
    };
    const retry = hasRetry ? { retry: later } : {};
    if (place === "run") await ctx.run(`run/${name}`, work, retry);
    else if (place === "finish") {
      const last = list.at(-1)?.id as number;
      await ctx.run(
        `run/${name}`,
        async (call) => {
          await work(call);
          return call.finish(({ edited }) => void (edited[last] = (edited[last] ?? 0) + 1));
        },
        retry,
      );
    } else if (place === "edit") await ctx.store.editState(() => work(null), { key: name });
    else await work(null);
  }

  /** In the step itself, where other branches do the same, each act has a key. */
  async function doAct(ctx: Ctx, { act, id, place }: NamedAct, call: EffectCall | null): Promise<void> {
    const options = place === "step" ? { key: `${id}` } : {};
    const send = (): void => ctx.sendEvent(new X({ id }), options);
    switch (act) {
      case "send":
        return send();
      case "sendNow":
        return ctx.sendEvent(new X({ id }), { ...options, immediate: true });
      case "callSend":
        return (call ?? ctx).sendEvent(new X({ id }), options);
      case "word":
        return ctx.writeEventToStream(new Word({ text: `${id}` }));
      case "finish":
        return; // done by the end of the call
      case "pause":
        return new Promise((resolve) => setImmediate(resolve));
      default:
        if (place === "edit") return act === "editAndSend" ? send() : undefined;
        return ctx.store.editState(async ({ edited }) => {
          await null;
          edited[id] = (edited[id] ?? 0) + 1;
          if (act === "editAndSend") send();
        }, options);
    }
  }

  return workflowOf;
}
