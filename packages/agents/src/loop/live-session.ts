import { mergeValues } from "@millrace/pipeline/executor";
import type { RunContext } from "../settings/run-context.types.js";
import { contextOfCall, createRunContext, fillMissing, plainState } from "../state/live-state.js";
import type { SessionAccess } from "./loop-run.types.js";

type Facts = Parameters<typeof createRunContext>[0];

/** The live object of a caller, which all calls of a run share. The caller keeps it. */
export function liveSession(facts: Facts, outer: Partial<RunContext> | undefined): SessionAccess {
  const context = createRunContext(facts, outer);
  return {
    use: ({ key }, work) => work(key === undefined ? context : contextOfCall(context, key)),
    read: async () => plainState(facts.state),
    as: (settings) => {
      fillMissing(facts.state, settings.sessionState);
      const given = context.dependencies;
      const dependencies = Object.keys(given).length > 0 ? given : settings.dependencies;
      const metadata = mergeValues(context.metadata, settings.metadata);
      return liveSession({ ...facts, dependencies, metadata }, context);
    },
  };
}
