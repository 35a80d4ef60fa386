import type { Context } from "millrace";
import type { Verdict } from "../settings/loop-options.types.js";
import type { RunContext } from "../settings/run-context.types.js";
import type { LoopRun } from "./loop-run.types.js";
import { type AskedAbout, ask } from "./questions.js";
import { plainResult } from "./tools.js";

export type Guarded = { readonly value: unknown } | { readonly refuse: string } | { readonly ask: string };

export interface Guarding {
  readonly ctx: Context;
  /** Key of the decision. */
  readonly name: string;
  readonly value: unknown;
  readonly guard: ((context: RunContext) => Given | PromiseLike<Given>) | undefined;
}
type Given = Verdict<unknown> | undefined | void;

/** Asks a guard once; its decision is recorded. Without a guard the value passes. */
export async function guarded(run: LoopRun, { ctx, name, value, guard }: Guarding): Promise<Guarded> {
  if (guard === undefined) return { value };
  const verdict = await ctx.run(name, (call) =>
    run.session.use(
      { ctx, call },
      async (context) => plainResult((await guard(context)) ?? null) as Verdict<unknown> | null,
    ),
  );
  if (verdict === null) return { value };
  return "change" in verdict ? { value: verdict.change } : verdict;
}

interface Asking {
  /** Key of the question. */
  readonly key: string;
  readonly call: AskedAbout["call"];
}

/** Calls a guard, and asks a person if the guard requests it. */
export async function passing(
  run: LoopRun,
  guarding: Guarding,
  { key, call }: Asking,
): Promise<Exclude<Guarded, { readonly ask: string }>> {
  const { ctx, value } = guarding;
  const checked = await guarded(run, guarding);
  if (!("ask" in checked)) return checked;
  const { approved, note } = await ask({ ctx, key }, run, { kind: "guard", title: checked.ask, call, value });
  return approved ? { value } : { refuse: note ?? checked.ask };
}
