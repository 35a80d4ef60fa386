/**
 * The session state in the store of a run, at one path. A call works on a copy; what it has changed is merged into the store when it ends,
 * as concurrent runs of a session are merged: numbers that it has counted are added up.
 *
 * @module
 */
import { CountingState, isObject, mergeStates, mergeValues } from "@millrace/pipeline/executor";
import { invalid } from "../settings/check-options.js";
import type { RunContext, SessionState } from "../settings/run-context.types.js";
import { createRunContext, fillMissing, plainState } from "../state/live-state.js";
import type { SessionAccess } from "./loop-run.types.js";

interface StoredSessionOptions {
  /** Dotted; `null` where the run has no place for a session state. */
  readonly path: string | null;
  readonly template: SessionState;
  readonly facts: Omit<RunContext, "sessionState" | "editState" | "snapshot" | "signal">;
}

export function storedSession({ path, template, facts }: StoredSessionOptions): SessionAccess {
  return {
    async use({ ctx, signal }, work) {
      const stored = path === null ? undefined : await ctx.store.get(path);
      const state = withDefaults(stored, template);
      const base = plainState(state);
      const edits = new CountingState(state, base);
      const result = await edits.edit(async (view) => {
        const queue = { edit: async (edit: (state: SessionState) => unknown) => edit(view) } as CountingState;
        return { done: await work(createRunContext({ ...facts, state: view, edits: queue, signal }, undefined)) };
      });
      const mine = plainState(state);
      if (JSON.stringify(mine) === JSON.stringify(base)) return result.done;
      const keys = placeOf(path);
      const { counted } = edits;
      await ctx.store.editState(
        (all) => writeAt(all, keys, (now) => mergeStates({ base, theirs: withDefaults(now, template), mine, counted })),
        { key: "session" },
      );
      return result.done;
    },
    as: (settings) => {
      const dependencies = Object.keys(facts.dependencies).length > 0 ? facts.dependencies : settings.dependencies;
      const metadata = mergeValues(facts.metadata, settings.metadata);
      const own = { ...settings.sessionState, ...template };
      return storedSession({ path, template: own, facts: { ...facts, dependencies, metadata } });
    },
  };
}

function withDefaults(stored: unknown, template: SessionState): SessionState {
  const state = isObject(stored) ? plainState(stored) : {};
  fillMissing(state, template);
  return state;
}

/** @throws {WorkflowError} `OPTION_INVALID` where there is no place to keep the change. */
function placeOf(path: string | null): string {
  if (path !== null) return path;
  throw invalid(
    "The session state has changed, and the run has no place for it.",
    'Name the field of the workflow\'s state that keeps it: `agent.run(input, { ctx, statePath: "session" })`.',
  );
}

/** Writes the value at a dotted path, whose holders are made where they are missing. */
export function writeAt(state: SessionState, path: string, write: (now: unknown) => SessionState): void {
  const keys = path.split(".");
  const last = keys.pop() as string;
  let holder = state;
  for (const key of keys) {
    if (!isObject(holder[key])) holder[key] = {};
    holder = holder[key] as SessionState;
  }
  holder[last] = write(holder[last]);
}
