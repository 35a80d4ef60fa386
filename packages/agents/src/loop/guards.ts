import type { Verdict } from "../settings/loop-options.types.js";
import type { RunContext } from "../settings/run-context.types.js";
import type { CallScope } from "./call-scope.js";
import type { LoopRun } from "./loop-run.types.js";
import { plainResult } from "./tools.js";

export type Guarded = { readonly value: unknown } | { readonly refuse: string } | { readonly ask: string };

interface Guarding {
  readonly scope: CallScope;
  /** Key of the decision. */
  readonly name: string;
  readonly value: unknown;
  readonly guard: ((context: RunContext) => Given | PromiseLike<Given>) | undefined;
}
type Given = Verdict<unknown> | undefined | void;

/** Asks a guard once; its decision is recorded. Without a guard the value passes. */
export async function guarded(run: LoopRun, { scope, name, value, guard }: Guarding): Promise<Guarded> {
  if (guard === undefined) return { value };
  const verdict = await scope.run(name, async ({ signal }) => {
    const session = await run.session.open({ name: scope.key(name), signal });
    const given = await guard(session.context);
    await session.close();
    return plainResult(given ?? null) as Verdict<unknown> | null;
  });
  if (verdict === null) return { value };
  return "change" in verdict ? { value: verdict.change } : verdict;
}
