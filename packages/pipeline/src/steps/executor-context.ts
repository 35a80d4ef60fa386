/**
 * The context of a step as its executor gets it. A call of `ctx.run` ends in one act with what it has changed in the session state, and
 * with the events so far. The end of the attempt ends its calls and questions.
 *
 * @module
 */

import { type CallOfStep, contextWith, type RunContext, refuseFinish } from "@millrace/executor";
import type { Context, EffectCall, EffectOptions, Finished } from "millrace";
import { attemptEnded } from "../attempts/open-attempt.js";
import { ownState, rootState } from "../state/own-state.js";
import type { StepCtx } from "./plan.types.js";
import type { StepRunContext } from "./run-context.js";
import type { StepTools } from "./visit.types.js";

type Question = Parameters<Context["ask"]>[0];

interface ContextParts extends Pick<StepTools, "ctx" | "context" | "attempt"> {
  /** Aborts when the executor has to stop. */
  readonly signal: AbortSignal;
  /** A call was recalled. */
  recalled(): void;
  /** @param ctx The scope that asks. @param key Unique in it. */
  ask(ctx: StepCtx, key: string, question: Question): Promise<unknown>;
}

type Effect = (call: EffectCall) => unknown;

export class ExecutorContext {
  readonly #parts: ContextParts;
  /** Of open calls, by their signals. */
  readonly #calls: WeakMap<AbortSignal, { context: StepRunContext | null }> = new WeakMap();
  /** What the executor gets. */
  readonly ctx: Context;

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.ctx = this.#facade(parts.ctx.scope("executor"));
  }

  /** @throws {WorkflowError} `ATTEMPT_ENDED` for a call that is over. */
  readonly callContext = ({ signal }: CallOfStep): RunContext => {
    const call = this.#calls.get(signal);
    if (call === undefined) throw attemptEnded("executor", "the call has ended, or is not one of `ctx.run`");
    call.context ??= this.#parts.context.ofCall();
    return call.context;
  };

  #facade(inner: StepCtx): Context {
    let asked = 0;
    return contextWith(inner, {
      signal: this.#parts.signal,
      run: (key: string, effect: Effect, options?: EffectOptions) => this.#run(inner, { key, effect, options }),
      ask: (question: Question) => this.#parts.ask(inner, question.key ?? `question ${asked++}`, question),
      scope: (name: string) => this.#facade(inner.scope(name)),
    });
  }

  async #run(
    inner: StepCtx,
    {
      key,
      effect,
      options,
    }: { readonly key: string; readonly effect: Effect; readonly options: EffectOptions | undefined },
  ): Promise<unknown> {
    let isMade = false;
    const made = (call: EffectCall): Promise<unknown> => {
      isMade = true;
      return this.#perform(call, effect);
    };
    const result = await inner.run(key, made as never, options);
    if (!isMade) this.#parts.recalled();
    return result;
  }

  async #perform(call: EffectCall, effect: Effect): Promise<unknown> {
    const { attempt } = this.#parts;
    attempt.assertAlive();
    const signal = AbortSignal.any([call.signal, this.#parts.signal]);
    const open: { context: StepRunContext | null } = { context: null };
    this.#calls.set(signal, open);
    try {
      const result = await effect({ ...call, signal, finish: refuseFinish });
      attempt.assertAlive(); // it comes too late
      return this.#end(call, { result, context: open.context });
    } catch (error) {
      open.context?.close();
      throw error;
    } finally {
      this.#calls.delete(signal);
    }
  }

  /** What a call is stored with. */
  #end(call: EffectCall, { result, context }: { readonly result: unknown; readonly context: StepRunContext | null }) {
    const { attempt, ctx } = this.#parts;
    if (context?.isChanged !== true && attempt.notes.isEmpty) return result;
    return call.finish((draft) => {
      const root = rootState(draft as object);
      context?.commitTo(root);
      context?.close();
      attempt.notes.keepIn(ownState(root, ctx.runId));
      return result as never;
    }) as Finished<unknown>;
  }
}
