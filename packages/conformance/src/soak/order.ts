/**
 * The workflow of the soak: one of everything that a run can do, with a result that depends on its input alone, but for the tokens.
 *
 * A token is the result of a side effect. Each call of the effect returns another one, so the result and the history show which
 * call was recorded.
 *
 * @module
 */
import {
  collect,
  defineWorkflow,
  ExternalEvent,
  event,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "millrace";
import type { Workflows } from "millrace/runtime";
import * as z from "zod";

/** What the steps reach outside of their run. */
export interface Outside {
  /** Takes a short, random time. */
  delay(): Promise<void>;
  /** Performs the effect and returns its token. */
  effect(runId: string, idempotencyKey: string): Promise<string>;
}

export const itemsOfRun = 10;

export interface OrderResult {
  readonly n: number;
  /** Each counts what happened once per item, wait or child. */
  readonly charges: number;
  readonly sum: number;
  readonly nudges: readonly number[];
  readonly audit: { readonly n: number; readonly visits: number; readonly token: string };
  readonly tokens: readonly string[];
}

class Item extends event("Item", { k: z.number() }) {}
class Charged extends event("Charged", { token: z.string() }) {}
class Looked extends event("Looked", { token: z.string() }) {}
class Shown extends event("Shown", { k: z.number() }) {}
class Gathered extends event("Gathered", {
  tokens: z.array(z.string()),
  audit: z.object({ n: z.number(), visits: z.number(), token: z.string() }),
}) {}
/** A run waits for one of each round. */
export class Nudge extends ExternalEvent.define("Nudge", { round: z.number(), value: z.number() }) {}
/** A run takes any number of them at any time. */
export class Notice extends ExternalEvent.define("Notice", { id: z.string() }) {}

export const nudgeOf = (n: number, round: number): Nudge => new Nudge({ round, value: 100 * n + round });

const twice = retryPolicy({ wait: wait.fixed("10ms"), stop: stop.afterAttempts(2) });

/** The result but for its tokens. */
export function expectedResult(n: number): Omit<OrderResult, "tokens" | "audit"> {
  const sum = (itemsOfRun * (itemsOfRun - 1)) / 2;
  return { n, charges: itemsOfRun, sum, nudges: [nudgeOf(n, 1).value, nudgeOf(n, 2).value] };
}

function auditOf(outside: Outside) {
  return defineWorkflow("audit", { state: { visits: z.number().default(0) } })
    .step("look", { on: StartEvent, emits: Looked }, async (ev, ctx) => {
      await ctx.store.editState((state) => void state.visits++);
      await outside.delay();
      await ctx.sleep(5 + (Number(ev.get("n")) % 20));
      return new Looked({ token: await ctx.run("stamp", (call) => outside.effect(ctx.runId, call.idempotencyKey)) });
    })
    .step("end", { on: Looked, emits: StopEvent }, async ({ token }, ctx) => {
      return new StopEvent({ result: { visits: await ctx.store.get("visits"), token } });
    })
    .build();
}

export function workflowsOf(outside: Outside): Workflows {
  const audit = auditOf(outside);
  const state = {
    n: z.number().default(-1),
    charges: z.number().default(0),
    sum: z.number().default(0),
    nudges: z.array(z.number()).default([]),
    notices: z.array(z.string()).default([]),
  };
  const order = defineWorkflow("order", { state, children: { audit } })
    .step("begin", { on: StartEvent, emits: many(Item), waits: Nudge }, async (ev, ctx) => {
      await ctx.store.set("n", Number(ev.get("n")));
      const { value } = await ctx.waitForEvent(Nudge, { where: { round: 1 } });
      await ctx.store.editState((edited) => void edited.nudges.push(value));
      return Array.from({ length: itemsOfRun }, (_, k) => new Item({ k }));
    })
    .step("charge", { on: Item, emits: Charged, streams: Shown, retry: twice }, async ({ k }, ctx) => {
      await outside.delay();
      ctx.writeEventToStream(new Shown({ k }));
      const token = await ctx.run(`charge-${k}`, (call) => outside.effect(ctx.runId, call.idempotencyKey));
      await ctx.store.editState((edited) => {
        edited.charges++;
        edited.sum += k;
      });
      if (k % 5 === 0) await ctx.sleep(10 + k);
      if (k % 5 === 2 && ctx.retryInfo().retry === 0) throw new Error("the first attempt of this item fails");
      await outside.delay();
      return new Charged({ token });
    })
    .step("gather", { on: collect(Charged), emits: Gathered }, async (all, ctx) => {
      const n = await ctx.store.get("n");
      const audited = (await ctx.runChild("audit", { n })) as { visits: number; token: string };
      return new Gathered({ tokens: all.map(({ token }) => token), audit: { n, ...audited } });
    })
    .step("confirm", { on: Gathered, emits: StopEvent, waits: Nudge }, async ({ tokens, audit: audited }, ctx) => {
      const { value } = await ctx.waitForEvent(Nudge, { where: { round: 2 } });
      const { notices: _, ...counted } = await ctx.store.editState((edited) => {
        edited.nudges.push(value);
        return { ...edited, nudges: [...edited.nudges] };
      });
      return new StopEvent({ result: { ...counted, audit: audited, tokens } });
    })
    .step("hear", { on: Notice }, async ({ id }, ctx) => {
      await outside.delay();
      await ctx.store.editState((edited) => void edited.notices.push(id));
    })
    .build();
  return { order };
}
