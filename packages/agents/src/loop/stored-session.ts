/**
 * The session state in the store of a run, at one path. Tools change a copy in place; what they have changed is merged into the store
 * when their call ends, as concurrent runs of a session are merged.
 *
 * @module
 */
import { CountingState, isObject, mergeStates } from "@millrace/pipeline/executor";
import type { Context } from "millrace";
import { invalid } from "../settings/check-options.js";
import type { RunContext, SessionState } from "../settings/run-context.types.js";
import { createRunContext, fillMissing, plainState } from "../state/live-state.js";
import type { OpenSession, SessionAccess } from "./loop-run.types.js";

interface StoredSessionOptions {
  readonly ctx: Context;
  /** Dotted; `null` where the run has no place for a session state. */
  readonly path: string | null;
  readonly template: SessionState;
  readonly facts: Omit<RunContext, "sessionState" | "editState" | "snapshot" | "signal">;
}

export function storedSession({ ctx, path, template, facts }: StoredSessionOptions): SessionAccess {
  return {
    async open({ name, signal }): Promise<OpenSession> {
      const stored = path === null ? undefined : await ctx.store.get(path);
      const state = isObject(stored) ? plainState(stored) : {};
      fillMissing(state, template);
      const base = plainState(state);
      const edits = new CountingState(state, base);
      const context = createRunContext({ ...facts, state, edits, signal }, undefined);
      const close = async (): Promise<void> => {
        const mine = plainState(state);
        if (JSON.stringify(mine) === JSON.stringify(base)) return;
        const keys = placeOf(path);
        await ctx.store.editState(
          (all) => {
            const { holder, key } = holderIn(all, keys);
            const now = holder[key];
            const theirs = { ...plainState(template), ...(isObject(now) ? plainState(now) : {}) };
            holder[key] = mergeStates({ base, theirs, mine, counted: edits.counted });
          },
          { key: `${name}/session` },
        );
      };
      return { context, close };
    },
  };
}

/** @throws {WorkflowError} `OPTION_INVALID` where there is no place to keep the change. */
function placeOf(path: string | null): readonly string[] {
  if (path !== null) return path.split(".");
  throw invalid(
    "The session state has changed, and the run has no place for it.",
    'Name the field of the workflow\'s state that keeps it: `agent.run(input, { ctx, statePath: "session" })`.',
  );
}

function holderIn(state: SessionState, keys: readonly string[]): { holder: SessionState; key: string } {
  const [key = "", ...rest] = keys;
  if (rest.length === 0) return { holder: state, key };
  if (!isObject(state[key])) state[key] = {};
  return holderIn(state[key] as SessionState, rest);
}
